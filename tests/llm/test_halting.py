"""A run that is asked to stop: nothing more is sent, what is in flight is kept or left as uncertain."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import select
from tests.llm.fakes import FakeBackend, FakeTime, opened, reply, request, route

from venire.errors import BackendError, BudgetExhausted, VenireError
from venire.llm.budget import Budget, Spending
from venire.llm.clock import Clock
from venire.llm.ledger import open_intents, reconcile, spent_by_run
from venire.llm.protocol import AttemptFailed
from venire.llm.store import open_engine
from venire.llm.store.schema import attempts
from venire.llm.stored import StoredLLM
from venire.records import AttemptStatus, Call, Completion, FinishReason, Usage

STOP = VenireError("interrupted")
LATE = AttemptFailed(AttemptStatus.TIMEOUT, "late", retryable=True)


class Stuck(FakeTime):
    """Time in which every wait lasts for ever."""

    @property
    def clock(self) -> Clock:
        return replace(super().clock, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.Event().wait()


async def until(condition: object) -> None:
    async with asyncio.timeout(10):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.001)


async def ended(*tasks: "asyncio.Task[Completion]") -> list[Completion | BaseException]:
    async with asyncio.timeout(10):
        return await asyncio.gather(*tasks, return_exceptions=True)


def asking(llm: StoredLLM, count: int) -> list["asyncio.Task[Completion]"]:
    return [asyncio.create_task(llm.complete(request(f"{number:02}"))) for number in range(count)]


def ledger(url: str) -> list[tuple[str, str, int]]:
    """Every attempt: run, status, whether its call ends with it."""
    engine = open_engine(url)
    query = select(attempts.c.run_id, attempts.c.status, attempts.c.ends_call).order_by(attempts.c.id)
    with engine.connect() as connection:
        return [(run, status, ends) for run, status, ends in connection.execute(query)]


def test_after_a_halt_what_is_in_flight_is_kept_and_nothing_more_is_sent(store_url: str) -> None:
    async def scenario() -> None:
        backend = FakeBackend(hold=asyncio.Event())
        async with opened(store_url, backend, routes=[route(concurrency=3)]) as llm:
            tasks = asking(llm, 8)
            await until(lambda: backend.in_flight == 3)
            llm.halt(STOP)
            assert llm.in_flight == 3
            turned_away = await ended(*tasks[3:])
            assert all(each is STOP for each in turned_away)
            assert backend.hold is not None
            backend.hold.set()
            done = await ended(*tasks[:3])
            assert all(isinstance(each, Completion) for each in done)
            assert llm.in_flight == 0
            stored = await llm.complete(request("00"))  # what is stored is served all the same
            assert stored.replayed
            with pytest.raises(VenireError) as refused:
                await llm.complete(request("new"))
            assert refused.value is STOP
            assert len(backend.sent) == 3
            assert llm.summary.lost == ()

    asyncio.run(scenario())
    assert open_intents(open_engine(store_url)) == []
    assert ledger(store_url) == [("run-1", "ok", 1)] * 3


@pytest.mark.parametrize("limits", [{"requests_per_minute": 1}, {"tokens_per_minute": 1}, {"concurrency": 1}])
def test_a_halt_ends_the_wait_for_a_limit(store_url: str, limits: dict[str, int]) -> None:
    async def scenario() -> None:
        backend = FakeBackend(hold=asyncio.Event())
        async with opened(store_url, backend, routes=[route(**limits)], time=Stuck()) as llm:
            first, *others = asking(llm, 4)
            await until(lambda: backend.in_flight == 1)
            await asyncio.sleep(0.01)
            llm.halt(STOP)
            assert await ended(*others) == [STOP] * 3
            assert backend.hold is not None
            backend.hold.set()
            assert isinstance((await ended(first))[0], Completion)

    asyncio.run(scenario())


def test_a_halt_ends_the_wait_for_a_retry_and_what_was_tried_is_told(store_url: str) -> None:
    async def scenario() -> tuple[Call, ...]:
        time = Stuck()
        async with opened(store_url, FakeBackend([LATE]), time=time) as llm:
            tasks = asking(llm, 1)
            await until(lambda: time.slept)
            llm.halt(STOP)
            assert await ended(*tasks) == [STOP]
            return llm.summary.lost

    (lost,) = asyncio.run(scenario())
    assert (lost.finish, lost.attempts, lost.instance_id) == (FinishReason.ERROR, 1, "i/1")
    assert (lost.usage, lost.usage_complete, lost.cost_complete) == (Usage(), False, False)
    assert ledger(store_url) == [("run-1", "timeout", 0)]


def test_a_failure_after_a_halt_is_not_tried_again_and_ends_its_call(store_url: str) -> None:
    async def scenario() -> None:
        time, backend = Stuck(), FakeBackend([LATE], hold=asyncio.Event())
        async with opened(store_url, backend, time=time) as llm:
            tasks = asking(llm, 1)
            await until(lambda: backend.in_flight == 1)
            llm.halt(STOP)
            assert backend.hold is not None
            backend.hold.set()
            assert await ended(*tasks) == [STOP]
            assert len(llm.summary.lost) == 1

    asyncio.run(scenario())
    assert ledger(store_url) == [("run-1", "timeout", 1)]


def test_who_shares_a_call_is_stopped_with_it(store_url: str) -> None:
    async def scenario() -> None:
        time = Stuck()
        async with opened(store_url, FakeBackend([LATE]), time=time) as llm:
            leader, follower = (asyncio.create_task(llm.complete(request())) for _ in range(2))
            await until(lambda: time.slept)
            llm.halt(STOP)
            assert await ended(leader, follower) == [STOP, STOP]
            assert len(llm.summary.lost) == 1

    asyncio.run(scenario())


def test_an_aborted_attempt_looks_to_the_next_run_like_one_of_a_killed_process(store_url: str) -> None:
    async def aborted() -> tuple[Call, ...]:
        backend = FakeBackend(hold=asyncio.Event())
        async with opened(store_url, backend, routes=[route(concurrency=1)]) as llm:
            tasks = asking(llm, 2)
            await until(lambda: backend.in_flight == 1)
            llm.abort(STOP)
            assert await ended(*tasks) == [STOP, STOP]
            return llm.summary.lost

    (lost,) = asyncio.run(aborted())
    assert (lost.finish, lost.attempts, lost.cost_usd, lost.cost_complete) == (
        FinishReason.ERROR,
        *(1, None, False),
    )
    engine = open_engine(store_url)
    assert [(each.run_id, each.worst_usd) for each in open_intents(engine)] == [("run-1", 0.000182)]
    assert ledger(store_url) == []  # until somebody takes it over

    async def resumed() -> tuple[Completion, FakeTime, int]:
        time = FakeTime()
        async with opened(store_url, FakeBackend(), run_id="run-2", time=time) as llm:
            return await llm.complete(request("00")), time, llm.summary.uncertain

    # in this process, whose id is that of the "dead" owner
    completion, time, uncertain = asyncio.run(resumed())
    assert [each.status.value for each in completion.attempts] == ["uncertain", "ok"]
    assert completion.uncertain
    assert uncertain == 1
    assert time.slept == []  # at once, not at the lease's expiry
    assert ledger(store_url) == [("run-1", "uncertain", 1), ("run-2", "ok", 1)]
    assert open_intents(engine) == []
    assert spent_by_run(engine, "run-1") == Spending(0.000182, 1, 132)  # perhaps billed: its worst case


def test_an_abort_in_a_wait_leaves_no_intent(store_url: str) -> None:
    async def scenario() -> None:
        time = Stuck()
        async with opened(store_url, FakeBackend([LATE]), time=time) as llm:
            tasks = asking(llm, 1)
            await until(lambda: time.slept)
            llm.abort(STOP)
            assert await ended(*tasks) == [STOP]

    asyncio.run(scenario())
    assert open_intents(open_engine(store_url)) == []


@pytest.mark.parametrize("abort", [False, True])
def test_wherever_a_stop_falls_each_request_sent_is_booked_once(store_url: str, abort: bool) -> None:
    """After every number of steps of the loop: no request is lost, no intent is left for nothing."""

    async def scenario(steps: int) -> None:
        run_id = f"run-{steps}"
        backend = FakeBackend()
        async with opened(store_url, backend, run_id=run_id, routes=[route(concurrency=2)]) as llm:
            tasks = [asyncio.create_task(llm.complete(request(f"{steps} {n}"))) for n in range(5)]
            for _ in range(steps):
                await asyncio.sleep(0.0005)
            (llm.abort if abort else llm.halt)(STOP)
            results = await ended(*tasks)
            assert all(isinstance(each, Completion) or each is STOP for each in results)
            lost = len(llm.summary.lost)
        answered = sum(isinstance(each, Completion) for each in results)
        rows = [row for row in ledger(store_url) if row[0] == run_id]
        left = [each for each in open_intents(open_engine(store_url)) if each.run_id == run_id]
        assert rows == [(run_id, "ok", 1)] * answered
        assert len(backend.sent) == answered + lost
        assert len(left) == lost
        assert not left or abort

    for steps in range(12):
        asyncio.run(scenario(steps))


def test_a_refused_key_is_told_with_its_attempt(store_url: str) -> None:
    async def scenario() -> tuple[Call, ...]:
        async with opened(store_url, FakeBackend([BackendError("HTTP 401")])) as llm:
            with pytest.raises(BackendError):
                await llm.complete(request())
            return llm.summary.lost

    (lost,) = asyncio.run(scenario())
    assert (lost.finish, lost.attempts, lost.usage, lost.cost_usd) == (
        FinishReason.ERROR,
        *(1, Usage(0, 0), 0.0),
    )


def test_attempts_before_the_budget_ends_are_told(store_url: str) -> None:
    async def scenario() -> tuple[Call, ...]:
        # 132 tokens are reserved for an attempt; one that nobody answered keeps them.
        async with opened(store_url, FakeBackend([LATE]), budget=Budget(tokens=200)) as llm:
            with pytest.raises(BudgetExhausted):
                await llm.complete(request("xx"))
            return llm.summary.lost

    (lost,) = asyncio.run(scenario())
    assert (lost.attempts, lost.cost_complete) == (1, False)
    (line,) = reconcile(open_engine(store_url))
    assert (line.attempts, line.unknown_cost) == (1, 1)


def test_replies_and_failures_are_counted_apart(store_url: str) -> None:
    async def scenario() -> tuple[int, int, int]:
        final = AttemptFailed(AttemptStatus.REJECTED, "HTTP 400", retryable=False, usage=Usage(0, 0))
        async with opened(store_url, FakeBackend([reply(), final])) as llm:
            for text in ("a", "b", "a"):
                await llm.complete(request(text))
            return llm.summary.paid, llm.summary.failed, llm.summary.replayed

    assert asyncio.run(scenario()) == (1, 1, 1)
