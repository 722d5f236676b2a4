"""litellm in worker processes, against the stub: what comes back, what is given up, what ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterator
from typing import TypeVar

import pytest
from tests.stub.faults import Fault, FaultPlan
from tests.stub.server import MODEL, Stub, serving

from venire.backends import Backends
from venire.errors import BackendError, ConfigError
from venire.judging.judge import PromptedJudge
from venire.llm.litellm_workers import LiteLLMWorkers
from venire.llm.local import LocalSettings
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Client, Limits, Route
from venire.llm.settings import LLMSettings
from venire.llm.simulated import Simulation
from venire.records import AttemptStatus, Message, Request, Usage

SENTINEL = "sk-sentinel-4f1d0c7b"
T = TypeVar("T")


def route(url: str, model: str = "openai/stub", timeout_s: float = 5.0) -> Route:
    limits = Limits(timeout_s=timeout_s)
    return Route(
        model, url, Client.LITELLM, "stub", api_base=url or None, api_key_env="STUB_KEY", limits=limits
    )


class Pool:
    """Two workers and a stub in one loop for all tests: a worker takes seconds to import litellm."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self.stub = Stub()
        self._serving = serving(self.stub)
        self.run(self._serving.__aenter__())
        routes = [route(self.stub.url), route("", "no-such-provider/model")]
        self.workers = LiteLLMWorkers(routes, {"STUB_KEY": SENTINEL}, 2)

    def run(self, work: Awaitable[T]) -> T:
        async def wait() -> T:
            return await work

        return self._runner.run(wait())

    def plan(self, *script: Fault, matching: str = "") -> None:
        self.stub.plan = FaultPlan(script, matching=matching)

    def ask(self, text: str) -> Request:
        return Request("openai/stub", (Message("user", text),), endpoint=self.stub.url)

    def send(self, text: str) -> Reply:
        return self.run(self.workers.send(self.ask(text)))

    @property
    def pids(self) -> set[int]:
        return {worker.process.pid for worker in self.workers._workers if worker.is_alive}

    def close(self) -> None:
        self.run(self.workers.aclose())
        self.run(self._serving.__aexit__(None, None, None))


@pytest.fixture(scope="module")
def shared() -> Iterator[Pool]:
    with asyncio.Runner() as runner:
        pool = Pool(runner)
        yield pool
        pool.close()


@pytest.fixture
def pool(shared: Pool) -> Pool:
    shared.plan()
    return shared


def test_replies_come_back_from_two_processes_each_to_its_own_question(pool: Pool) -> None:
    questions = [f"question {k}" for k in range(20)]

    async def all_at_once() -> list[Reply]:
        return await asyncio.gather(*(pool.workers.send(pool.ask(text)) for text in questions))

    together = pool.run(all_at_once())
    assert [reply.model for reply in together] == [MODEL] * 20
    assert together == [pool.send(text) for text in questions]
    assert len(pool.pids) == 2
    assert os.getpid() not in pool.pids
    assert pool.stub.authorizations == {f"Bearer {SENTINEL}"}


def test_what_an_attempt_failed_by_is_told_in_full(pool: Pool) -> None:
    pool.plan(Fault.RATE_LIMIT_WAIT)
    with pytest.raises(AttemptFailed) as raised:
        pool.send("too many")
    failed = raised.value
    assert (failed.status, failed.retryable, failed.retry_after_s, failed.usage) == (
        AttemptStatus.RATE_LIMITED,
        True,
        1.0,
        Usage(0, 0),
    )
    assert pool.send("too many").model == MODEL


def test_a_final_refusal_is_one_here_too_and_holds_no_key(pool: Pool) -> None:
    pool.plan(Fault.UNAUTHORIZED)
    with pytest.raises(BackendError, match="401") as raised:
        pool.send("not with this key")
    assert SENTINEL not in str(raised.value)
    with pytest.raises(BackendError, match="provider/model"):
        pool.run(pool.workers.send(Request("no-such-provider/model", (Message("user", "?"),))))


def test_a_request_that_nobody_waits_for_is_given_up_in_its_worker(pool: Pool) -> None:
    pool.plan(Fault.HANG, matching="never answered")

    async def give_up() -> int:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await pool.workers.send(pool.ask("never answered"))
        for _ in range(100):
            if pool.stub.stats.in_flight == 0:
                break
            await asyncio.sleep(0.05)
        return pool.stub.stats.in_flight

    assert pool.run(give_up()) == 0
    assert pool.send("and then this").model == MODEL


def test_a_killed_worker_fails_what_was_in_flight_there_and_is_replaced(pool: Pool) -> None:
    pool.send("once, so that there are two")
    pool.plan(Fault.HANG, matching="hangs")
    before = pool.pids
    killed = min(before)

    async def kill_one() -> list[object]:
        hanging = [asyncio.ensure_future(pool.workers.send(pool.ask(f"hangs {k}"))) for k in range(4)]
        while pool.stub.stats.in_flight < 4:
            await asyncio.sleep(0.01)
        os.kill(killed, signal.SIGKILL)
        await asyncio.wait(hanging, return_when=asyncio.FIRST_COMPLETED)
        for task in hanging:
            task.cancel()
        return await asyncio.gather(*hanging, return_exceptions=True)

    results = pool.run(kill_one())
    failures = [result for result in results if isinstance(result, AttemptFailed)]
    assert [type(result) for result in results].count(asyncio.CancelledError) == 2
    assert [(failed.status, failed.retryable, failed.usage) for failed in failures] == [
        (AttemptStatus.CONNECTION, True, Usage())
    ] * 2
    assert all("exit status -9" in failed.detail for failed in failures)
    assert pool.send("afterwards").model == MODEL
    assert len(pool.pids) == 2
    assert pool.pids & before == before - {killed}


def test_ctrl_c_is_the_parents_to_handle(pool: Pool) -> None:
    pool.send("once, so that there are two")
    before = pool.pids
    for pid in before:
        os.kill(pid, signal.SIGINT)
    assert pool.send("still here").model == MODEL
    assert pool.pids == before


def test_workers_end_with_the_process_that_started_them() -> None:
    program = """
import asyncio, os, signal
from venire.llm.litellm_workers import LiteLLMWorkers
async def start():
    workers = LiteLLMWorkers([], {}, 1)
    print((await workers._started()).process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(start())
"""
    ended = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
    worker = int(ended.stdout)
    for _ in range(200):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError(f"worker {worker} outlived its parent by 20 s")


def test_two_judges_at_one_address_must_agree_before_a_worker_is_started() -> None:
    with pytest.raises(ConfigError, match="two judges reach"):
        LiteLLMWorkers([route("http://x/v1"), route("http://x/v1", timeout_s=6)], {}, 2)


@pytest.mark.parametrize(("workers", "backend"), [(1, "LiteLLMBackend"), (2, "LiteLLMWorkers")])
def test_the_setting_says_which_backend_is_built(workers: int, backend: str) -> None:
    judge = PromptedJudge("stub", "openai/stub", "stub", client=Client.LITELLM, api_base="http://x/v1")
    backends = Backends([judge], {}, LocalSettings(), Simulation(), (), workers)
    assert type(backends.of(judge.route)).__name__ == backend


def test_no_workers_is_no_setting() -> None:
    with pytest.raises(ConfigError, match=r"llm\.litellm_workers: expected at least 1, got 0"):
        LLMSettings(litellm_workers=0)
