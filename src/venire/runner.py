"""Judging a data set with a method: concurrently, or in seeded blocks where order matters."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from venire.errors import (
    BackendError,
    BudgetExhausted,
    InputEnded,
    MissingRecording,
    ReplayMiss,
    StoreError,
    VenireError,
)
from venire.llm.protocol import LLM
from venire.methods.protocol import Method
from venire.records import Call, Completion, Embeddings, Instance, Outcome, Request
from venire.schedule import Schedule, seeded_order


class Interrupted(VenireError):
    """The user asked the run to stop."""


# What stops a run: no new instance starts, those under way are finished, if they can be, and kept.
STOPS = (
    BudgetExhausted,
    BackendError,
    ReplayMiss,
    StoreError,
    InputEnded,
    MissingRecording,
    Interrupted,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a run's instances.

    Args:
        outcomes: those that there are, in the order of the instances.
        stopped: why there are no more; None where all are.
        unfinished: the calls that instances without an outcome were handed, in the order of the instances.
        development: outcomes of the development split, where there is one.
    """

    outcomes: tuple[Outcome, ...]
    stopped: VenireError | None
    unfinished: tuple[Call, ...] = ()
    development: tuple[Outcome, ...] = ()


class Stop:
    """Set once, by the first reason to stop; asked before each instance.

    `interrupted`: the user asked for it, whatever the first reason was.
    """

    def __init__(self) -> None:
        self.reason: VenireError | None = None
        self.interrupted = False

    def set(self, reason: VenireError) -> None:
        """Keep the first reason."""
        self.reason = self.reason or reason
        self.interrupted |= isinstance(reason, Interrupted)

    def override(self, reason: VenireError) -> None:
        """Keep this reason, whatever came before."""
        self.reason = None
        self.set(reason)


class Recording:
    """An LLM that keeps the record of every call that it hands out: what one instance took."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self._records: list[Callable[[], Sequence[Call]]] = []

    @property
    def calls(self) -> Sequence[Call]:
        """In the order in which they were handed out; made when asked for, which is seldom."""
        return [call for made in self._records for call in made()]

    async def complete(self, request: Request) -> Completion:
        """See `LLM.complete`."""
        completion = await self._llm.complete(request)
        self._records.append(lambda: (completion.as_call(request),))
        return completion

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `LLM.embed`."""
        embeddings = await self._llm.embed(model, texts)
        self._records.append(lambda: embeddings.calls)
        return embeddings


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run goes through its instances."""

    seed: int
    concurrency: int
    schedule: Schedule


async def judge_all(
    method: Method,
    instances: Sequence[Instance],
    llm: LLM,
    pace: Pace,
    *,
    stop: Stop,
    on_done: Callable[[Outcome], None] = lambda _: None,
) -> Judged:
    """Outcomes of `instances` under `method`; the same whatever the concurrency and the timing.

    Order-dependent methods go through a permutation of `instances` that the seed names, in blocks:
    a block is judged on the memory frozen at its start, and its additions are folded in order at
    its end. The others are judged as they come.

    Raises:
        Exception: what is no reason to stop is raised as itself, with a note of the instance; the
            instances under way are then given up.
    """
    ordered = seeded_order(instances, pace.seed) if method.order_dependent else list(instances)
    size = pace.schedule.block if method.order_dependent else max(1, len(ordered))
    memory = method.initial_memory()
    done: dict[str, Outcome] = {}
    unfinished: dict[str, list[Call]] = {}
    with _collecting_seldom():
        for start in range(0, len(ordered), size):
            frozen = memory

            async def judge(instance: Instance, memory: object = frozen) -> Outcome | None:
                outcome, calls = await _attempted(method, instance, memory, llm, stop)
                if outcome is None:
                    unfinished[instance.id] = calls
                return outcome

            block = await _concurrently(ordered[start : start + size], judge, pace.concurrency, stop, on_done)
            for outcome in block:
                memory = method.fold(memory, outcome)
            done |= {outcome.instance_id: outcome for outcome in block}
            if stop.reason:
                break
    kept = tuple(done[instance.id] for instance in instances if instance.id in done)
    left = tuple(call for instance in instances for call in unfinished.get(instance.id, ()))
    return Judged(kept, stop.reason if len(kept) < len(instances) else None, left)


@dataclass(frozen=True, slots=True)
class Passed:
    """What became of instances that streamed by.

    Args:
        judged: how many have an outcome.
        stopped: why not all have; None where they do.
        unfinished: the calls that instances without an outcome were handed, in the order of the instances.
    """

    judged: int
    stopped: VenireError | None
    unfinished: tuple[Call, ...] = ()


AHEAD = 1024  # instances that may be under way, or wait for an earlier one, besides those at work


async def judge_streaming(
    method: Method,
    instances: Iterable[Instance],
    llm: LLM,
    keep: Callable[[Instance, Outcome | None], None],
    *,
    concurrency: int,
    stop: Stop,
    on_done: Callable[[Outcome], None] = lambda _: None,
) -> Passed:
    """Judge instances as they come, and hand each to `keep` in their order, with its outcome or None.

    No more than `AHEAD` outcomes wait for an earlier one: then no further instance starts. The outcomes are
    those of `judge_all`, for a method that does not depend on the order.

    Raises:
        ValueError: the method depends on the order.
        Exception: as `judge_all`.
    """
    if method.order_dependent:
        raise ValueError(f"{method.name}: expected a method that does not depend on the order")
    passing = _Passing(iter(instances), keep, AHEAD + concurrency)
    memory = method.initial_memory()

    async def worker() -> None:
        while (taken := await passing.next(stop)) is not None:
            place, instance = taken
            outcome, calls = await _attempted(method, instance, memory, llm, stop)
            if outcome is None:
                passing.unfinished[place] = calls
            passing.put(place, instance, outcome)
            if outcome is not None:
                on_done(outcome)

    with _collecting_seldom():
        await _together(worker, concurrency)
        passing.rest()
    left = tuple(call for _, calls in sorted(passing.unfinished.items()) for call in calls)
    return Passed(passing.judged, stop.reason if passing.judged < passing.started else None, left)


class _Passing:
    """Instances on their way through: taken in their order, kept in their order."""

    def __init__(
        self, source: Iterator[Instance], keep: Callable[[Instance, Outcome | None], None], most: int
    ) -> None:
        self._source = source
        self._keep = keep
        self._most = most
        self._waiting: dict[int, tuple[Instance, Outcome | None]] = {}
        self._kept = 0
        self._room = asyncio.Event()
        self.started = self.judged = 0
        self.unfinished: dict[int, list[Call]] = {}

    async def next(self, stop: Stop) -> tuple[int, Instance] | None:
        """The place of the next instance, and it; None where there is none, or the run stops."""
        if self.started % AHEAD == 0:
            await asyncio.sleep(0)  # a method that asks nobody never waits: let signals through
        while self.started - self._kept >= self._most and not stop.reason:
            self._room.clear()
            await self._room.wait()
        if stop.reason or (instance := next(self._source, None)) is None:
            return None
        self.started += 1
        return self.started - 1, instance

    def put(self, place: int, instance: Instance, outcome: Outcome | None) -> None:
        """What became of the instance at `place`: keep it, and what waited for it, or let it wait."""
        self._waiting[place] = (instance, outcome)
        self.judged += outcome is not None
        while self._kept in self._waiting:
            self._keep(*self._waiting.pop(self._kept))
            self._kept += 1
            self._room.set()

    def rest(self) -> None:
        """Keep what never started."""
        for instance in self._source:
            self._keep(instance, None)
            self.started += 1


# New objects until Python's collector of cycles looks at the youngest (by default 700, 10, 10).
_SELDOM = (20_000, 20, 20)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Until it is left, cycles are looked for seldom, and not among what was there before.

    A run keeps its outcomes and makes few cycles: by default a fifth of a call's processor time would go
    into looking again at what stays.
    """
    before, is_ours = gc.get_threshold(), gc.get_freeze_count() == 0
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if is_ours:
            gc.unfreeze()


async def _attempted(
    method: Method, instance: Instance, memory: object, llm: LLM, stop: Stop
) -> tuple[Outcome | None, list[Call]]:
    """The outcome; where there was a reason to stop, which is set, None and the calls so far."""
    recording = Recording(llm)
    try:
        return await _judge(method, instance, memory, recording), []
    except STOPS as reason:
        stop.set(reason)
        return None, [replace(call, instance_id=instance.id) for call in recording.calls]
    except Exception as error:
        error.add_note(f"while judging {instance.id!r}")
        raise


async def _together(worker: Callable[[], Coroutine[None, None, None]], count: int) -> None:
    """`count` workers until all have ended; what one raises is raised as itself."""
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(worker())
    except ExceptionGroup as errors:
        raise _telling(errors) from None


async def _judge(method: Method, instance: Instance, memory: object, llm: LLM) -> Outcome:
    try:
        outcome = await method.judge(instance, memory, llm)
    except ExceptionGroup as group:
        raise _telling(group) from None
    if outcome.instance_id != instance.id:
        raise ValueError(
            f"{method.name}: expected the outcome of {instance.id!r}, got that of {outcome.instance_id!r}"
        )
    return outcome


async def _concurrently(
    instances: Sequence[Instance],
    judge: Callable[[Instance], Awaitable[Outcome | None]],
    concurrency: int,
    stop: Stop,
    on_done: Callable[[Outcome], None],
) -> list[Outcome]:
    """Outcomes in the order of `instances`, without those that were not finished."""
    outcomes: list[Outcome | None] = [None] * len(instances)
    queue = iter(enumerate(instances))

    async def worker() -> None:
        for index, instance in queue:
            if stop.reason:
                return
            outcome = await judge(instance)
            if outcome is None:
                return
            outcomes[index] = outcome
            on_done(outcome)

    await _together(worker, min(concurrency, len(instances)))
    return [outcome for outcome in outcomes if outcome is not None]


def _telling(group: ExceptionGroup[Exception]) -> Exception:
    """The first error of a group that is no reason to stop, else its first reason."""
    leaves = list(_leaves(group))
    return next((leaf for leaf in leaves if not isinstance(leaf, STOPS)), leaves[0])


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for error in group.exceptions:
        if isinstance(error, ExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
