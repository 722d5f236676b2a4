"""The arms of the orchestration benchmark: ways to get the same pairwise verdicts from one server.

`run_arm` measures one arm in this process; `orchestration.py` gives each a process of its own. Every
arm first makes some calls that are not measured (imports, connections, templates), and every arm
checks that each call brought a verdict.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from venire.judging.judge import PromptedJudge
from venire.llm.budget import Budget
from venire.llm.direct import DirectBackend
from venire.llm.key import request_key
from venire.llm.litellm_client import LiteLLMBackend, load_litellm
from venire.llm.litellm_workers import LiteLLMWorkers
from venire.llm.open import open_llm
from venire.llm.openai_wire import chat_body
from venire.llm.protocol import LLM, Backend
from venire.llm.route import Client, Limits, Route
from venire.llm.settings import LLMSettings, Mode
from venire.methods.pairwise import Pairwise
from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Completion,
    Embeddings,
    FinishReason,
    Instance,
    Preference,
    PreferenceGold,
    Request,
    Response,
    Winner,
)
from venire.runner import Pace, Stop, judge_all
from venire.schedule import Schedule

MODEL = "openai/stub-model"
WARM_UP_PAIRS = 40
TEXT = "The second paragraph repeats what the first one said, and then adds one condition to it. "


@dataclass(frozen=True)
class Load:
    """What an arm is given: the server's address, how many calls, how many at once, a folder."""

    url: str
    calls: int
    concurrency: int
    folder: Path


@dataclass(frozen=True)
class Sample:
    """What an arm took: over its measured calls, and its process's peak memory."""

    calls: int
    seconds: float
    cpu_s: float
    peak_mb: float
    litellm_loaded: bool

    @property
    def calls_per_s(self) -> float:
        return self.calls / self.seconds

    @property
    def cpu_ms(self) -> float:
        return 1000 * self.cpu_s / self.calls


Ask = Callable[[int], Awaitable[None]]


async def bare_aiohttp(load: Load) -> Sample:
    """An HTTP session, bodies made beforehand, replies read as JSON."""
    import aiohttp

    bodies = [json.dumps(chat_body(request)).encode() for request in await _requests(load)]
    headers = {"Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(index: int) -> None:
            url = f"{load.url}/chat/completions"
            async with session.post(url, data=bodies[index], headers=headers) as response:
                reply = json.loads(await response.read())
            _check(json.loads(reply["choices"][0]["message"]["content"])["winner"])

        return await _measure_calls(load, ask)


async def bare_litellm(load: Load) -> Sample:
    """`litellm.acompletion`, messages made beforehand."""
    litellm = load_litellm()
    bodies = [chat_body(request) for request in await _requests(load)]

    async def ask(index: int) -> None:
        response = await litellm.acompletion(
            **bodies[index], api_base=load.url, api_key="none", timeout=120, num_retries=0, max_retries=0
        )
        _check(json.loads(response.choices[0].message.content)["winner"])

    return await _measure_calls(load, ask)


async def direct_unstored(load: Load) -> Sample:
    """venire with its direct client: rendering, parsing and outcomes, but neither store nor limits."""
    judge = _judge(load, Client.DIRECT)
    backend = DirectBackend([judge.route], {})
    llm = Unstored(backend, asyncio.Semaphore(load.concurrency))
    try:
        return await _measure_judging(load, judge, llm)
    finally:
        await backend.aclose()


async def direct_stored(load: Load) -> Sample:
    """venire as it runs: direct client, retries, limits, every reply committed durably."""
    return await _stored(load, Client.DIRECT, Mode.LIVE)


async def litellm_stored(load: Load) -> Sample:
    """venire as it runs, through litellm."""
    return await _stored(load, Client.LITELLM, Mode.LIVE)


async def litellm_workers_stored(load: Load) -> Sample:
    """The same, litellm in two processes of its own; CPU and memory are venire's process's alone."""
    return await _stored(load, Client.LITELLM, Mode.LIVE, workers=2)


async def replay(load: Load) -> Sample:
    """The store answers all; the judge's client is litellm, which must not be loaded."""
    return await _stored(load, Client.LITELLM, Mode.LIVE)


ARMS: Mapping[str, Callable[[Load], Awaitable[Sample]]] = {
    "aiohttp": bare_aiohttp,
    "direct": direct_unstored,
    "direct+store": direct_stored,
    "replay": replay,
    "litellm": bare_litellm,
    "litellm+store": litellm_stored,
    "litellm+workers": litellm_workers_stored,
}


@dataclass(frozen=True)
class Unstored:
    """An LLM without a store: a backend under a bound on what is in flight."""

    backend: Backend
    slots: asyncio.Semaphore

    async def complete(self, request: Request) -> Completion:
        async with self.slots:
            started = time.time()
            reply = await self.backend.send(request)
        attempt = Attempt(AttemptStatus.OK, started, time.time() - started, reply.usage)
        kind = self.backend.kind
        return Completion(
            reply.text, reply.finish, request_key(request), reply.model, (attempt,), False, kind
        )

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


@dataclass(frozen=True)
class Overheard:
    """An LLM that keeps what it is asked, and says A."""

    requests: list[Request]

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        text = '{"reasoning": "", "winner": "A", "confidence": 1}'
        key, kind = request_key(request), BackendKind.SIMULATED
        return Completion(text, FinishReason.STOP, key, request.model, (), False, kind)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


def pairs(first: int, count: int) -> list[Instance]:
    """Made-up pairs, about 700 tokens each."""
    return [
        Instance(
            id=f"pair/{k}",
            prompt=f"Question {k}: explain the condition. {TEXT * 2}",
            responses=(Response(f"One way, {k}. {TEXT * 10}"), Response(f"Another way, {k}. {TEXT * 12}")),
            gold=PreferenceGold(Winner.FIRST),
        )
        for k in range(first, first + count)
    ]


def run_arm(name: str, load: Load) -> str:
    """The arm's sample as a line of JSON."""
    return json.dumps(asdict(asyncio.run(ARMS[name](load))))


async def _stored(load: Load, client: Client, mode: Mode, workers: int = 1) -> Sample:
    judge = _judge(load, client)

    def backend_of(route: Route) -> Backend:
        if workers > 1:
            return LiteLLMWorkers([judge.route], {}, workers)
        made = DirectBackend if client is Client.DIRECT else LiteLLMBackend
        return made([judge.route], {})

    opened = open_llm(
        [judge.route],
        backend_of,
        LLMSettings(mode),
        store_url=f"sqlite:///{load.folder.resolve() / 'calls.db'}",
        run_id="benchmark",
        sweep_id=None,
        budget=Budget(),
    )
    async with opened as llm:
        return await _measure_judging(load, judge, llm)


async def _measure_judging(load: Load, judge: PromptedJudge, llm: LLM) -> Sample:
    method = Pairwise(judged_by=judge)
    # as many instances at once as calls may be in flight: while one order waits, others can go
    pace = Pace(0, load.concurrency, Schedule())

    async def judge_pairs(instances: Sequence[Instance]) -> None:
        judged = await judge_all(method, instances, llm, pace, stop=Stop())
        predictions = [p for outcome in judged.outcomes for p in outcome.by_order.values()]
        if judged.stopped or len(predictions) != 2 * len(instances):
            raise RuntimeError(
                f"expected {2 * len(instances)} verdicts, got {len(predictions)} ({judged.stopped})"
            )
        for prediction in predictions:
            _check("A" if isinstance(prediction, Preference) else prediction)

    await judge_pairs(pairs(load.calls, WARM_UP_PAIRS))
    instances = pairs(0, load.calls // 2)
    return await _measure(load, lambda: judge_pairs(instances))


async def _measure_calls(load: Load, ask: Ask) -> Sample:
    # after the measured bodies come those of the warm-up
    await _pooled(range(load.calls, load.calls + 2 * WARM_UP_PAIRS), load.concurrency, ask)
    return await _measure(load, lambda: _pooled(range(load.calls), load.concurrency, ask))


async def _pooled(indices: range, concurrency: int, ask: Ask) -> None:
    queue = iter(indices)

    async def worker() -> None:
        for index in queue:
            await ask(index)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(worker())


async def _measure(load: Load, work: Callable[[], Awaitable[None]]) -> Sample:
    started, cpu = time.perf_counter(), time.process_time()
    await work()
    seconds, cpu_s = time.perf_counter() - started, time.process_time() - cpu
    return Sample(load.calls, seconds, cpu_s, _peak_mb(), "litellm" in sys.modules)


async def _requests(load: Load) -> list[Request]:
    """The requests that venire's arms make of the same pairs: the measured ones, then the warm-up's."""
    llm = Overheard([])
    method = Pairwise(judged_by=_judge(load, Client.DIRECT))
    instances = [*pairs(0, load.calls // 2), *pairs(load.calls, WARM_UP_PAIRS)]
    await judge_all(method, instances, llm, Pace(0, 1, Schedule()), stop=Stop())
    return llm.requests


def _judge(load: Load, client: Client) -> PromptedJudge:
    limits = Limits(concurrency=load.concurrency)
    # one endpoint name for both clients, so that the replay arm finds what the direct one stored
    return PromptedJudge("stub", MODEL, "stub", client=client, api_base=load.url, limits=limits)


def _check(winner: object) -> None:
    if winner != "A":
        raise RuntimeError(f"expected the stub's verdict, got {winner!r}")


def _peak_mb() -> float:
    """The process's own peak resident memory; of getrusage a child inherits its parent's."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
