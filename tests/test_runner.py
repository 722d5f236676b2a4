"""The runner with methods that sleep for random times, fail, and remember."""

import asyncio
import gc
import random
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from venire.errors import BackendError, BudgetExhausted, DataError, ReplayMiss, StoreError, VenireError
from venire.llm.protocol import LLM
from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Completion,
    Embeddings,
    FinishReason,
    Instance,
    Message,
    Outcome,
    Preference,
    Request,
    Response,
    Usage,
    Winner,
)
from venire.runner import Interrupted, Judged, Pace, Passed, Stop, judge_all, judge_streaming
from venire.schedule import Schedule, seeded_order

INSTANCES = tuple(Instance(f"set/{i}", f"prompt {i}", (Response("a"), Response("b"))) for i in range(12))
IDS = [instance.id for instance in INSTANCES]


class NoLLM:
    """These methods ask no model."""

    async def complete(self, request: Request) -> Completion:
        raise NotImplementedError

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


@dataclass
class Fake:
    """A method whose memory is the tuple of ids judged so far, and which keeps what it saw.

    `fail` raises for the instances that it wants to fail; `latency_seed` draws the sleeps.
    """

    order_dependent: bool = False
    latency_seed: int = 0
    fail: Callable[[Instance], None] = lambda _: None
    seen: dict[str, object] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    name: str = "fake"
    judges: tuple[()] = ()
    prompts: tuple[()] = ()

    def check(self, instances: Sequence[Instance]) -> None: ...

    def initial_memory(self) -> object:
        return ()

    def fold(self, memory: object, outcome: Outcome) -> object:
        assert isinstance(memory, tuple)
        return (*memory, outcome.additions)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        self.started.append(instance.id)
        self.seen[instance.id] = memory
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(random.Random(f"{self.latency_seed} {instance.id}").random() / 200)
        self.running -= 1
        self.fail(instance)
        detail = {"saw": memory}
        return Outcome(instance.id, Preference(Winner.FIRST), detail=detail, additions=instance.id)


def judge_with(
    method: Fake,
    *,
    instances: Sequence[Instance] = INSTANCES,
    seed: int = 0,
    concurrency: int = 4,
    block: int = 1,
    stop: Stop | None = None,
    on_done: Callable[[Outcome], None] = lambda _: None,
) -> Judged:
    pace = Pace(seed, concurrency, Schedule(block))
    return asyncio.run(
        judge_all(method, instances, NoLLM(), pace, stop=stop or Stop(), on_done=on_done)  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("order_dependent", [False, True])
@pytest.mark.parametrize("block", [1, 3, 12])
def test_results_are_the_same_at_any_concurrency_and_timing(order_dependent: bool, block: int) -> None:
    judged = {
        (concurrency, latency_seed): judge_with(
            Fake(order_dependent, latency_seed), concurrency=concurrency, block=block
        )
        for concurrency in (1, 2, 5, 32)
        for latency_seed in (0, 1, 2)
    }
    first = judged[1, 0]
    assert [outcome.instance_id for outcome in first.outcomes] == IDS
    assert first.stopped is None
    assert all(each == first for each in judged.values())


def test_no_more_instances_run_at_once_than_the_concurrency() -> None:
    method = Fake()
    judge_with(method, concurrency=3)
    assert method.most_running == 3
    alone = Fake()
    judge_with(alone, concurrency=1)
    assert alone.most_running == 1
    assert alone.started == IDS


@pytest.mark.parametrize(
    ("block", "starts"), [(1, range(12)), (3, (0, 3, 6, 9)), (5, (0, 5, 10)), (12, (0,)), (99, (0,))]
)
def test_a_block_is_judged_on_the_memory_frozen_at_its_start(block: int, starts: Sequence[int]) -> None:
    method = Fake(order_dependent=True)
    judge_with(method, seed=7, block=block, concurrency=4)
    order = [instance.id for instance in seeded_order(INSTANCES, 7)]
    for position, name in enumerate(order):
        start = max(each for each in starts if each <= position)
        assert method.seen[name] == tuple(order[:start])


def test_a_block_of_one_runs_alone_and_in_the_seeded_order() -> None:
    method = Fake(order_dependent=True)
    judge_with(method, seed=3, concurrency=8)
    assert method.most_running == 1
    assert method.started == [instance.id for instance in seeded_order(INSTANCES, 3)]


def test_another_seed_is_another_order_for_order_dependent_methods_alone() -> None:
    dependent = [judge_with(Fake(order_dependent=True), seed=seed).outcomes for seed in (0, 1)]
    assert dependent[0] != dependent[1]
    free = [judge_with(Fake(), seed=seed).outcomes for seed in (0, 1)]
    assert free[0] == free[1]


def test_other_methods_have_no_memory_of_earlier_instances() -> None:
    method = Fake()
    judge_with(method, block=1)
    assert set(method.seen.values()) == {()}
    assert method.most_running == 4


def test_no_instances_are_no_outcomes() -> None:
    assert judge_with(Fake(), instances=()) == Judged((), None)
    assert judge_with(Fake(order_dependent=True), instances=()) == Judged((), None)


def test_on_done_is_called_once_an_instance() -> None:
    done: list[str] = []
    judge_with(Fake(), on_done=lambda outcome: done.append(outcome.instance_id))
    assert sorted(done) == sorted(IDS)


def failing_on(name: str, error: Exception) -> Callable[[Instance], None]:
    def fail(instance: Instance) -> None:
        if instance.id == name:
            raise error

    return fail


@pytest.mark.parametrize("kind", [BudgetExhausted, BackendError, ReplayMiss, StoreError])
def test_a_stop_starts_nothing_new_and_keeps_what_was_under_way(kind: type[VenireError]) -> None:
    reason = kind("enough")
    done: list[str] = []
    method = Fake(fail=failing_on("set/2", reason))
    judged = judge_with(method, concurrency=4, on_done=lambda outcome: done.append(outcome.instance_id))
    assert judged.stopped is reason
    assert [outcome.instance_id for outcome in judged.outcomes] == [
        i for i in IDS if i in method.started and i != "set/2"
    ]
    assert sorted(done) == sorted(outcome.instance_id for outcome in judged.outcomes)
    assert len(method.started) < len(IDS)
    assert method.running == 0


def test_a_stop_in_a_block_ends_the_run_after_it() -> None:
    order = [instance.id for instance in seeded_order(INSTANCES, 0)]
    method = Fake(order_dependent=True, fail=failing_on(order[4], BudgetExhausted("enough")))
    judged = judge_with(method, block=3, concurrency=3)
    assert {outcome.instance_id for outcome in judged.outcomes} == {*order[:4], order[5]}
    assert set(method.started) == set(order[:6])


def test_of_several_reasons_the_first_is_kept() -> None:
    def fail(instance: Instance) -> None:
        raise BudgetExhausted(instance.id)

    method = Fake(fail=fail)
    judged = judge_with(method, concurrency=3)
    assert judged.outcomes == ()
    assert len(method.started) == 3
    fastest = min(IDS[:3], key=lambda name: random.Random(f"0 {name}").random())
    assert str(judged.stopped) == fastest


def test_a_stop_from_outside_lets_what_is_under_way_finish() -> None:
    stop = Stop()
    asked = Interrupted("by the user")

    def on_done(_: Outcome) -> None:
        stop.set(asked)

    method = Fake()
    judged = judge_with(method, concurrency=4, stop=stop, on_done=on_done)
    assert judged.stopped is asked
    assert [outcome.instance_id for outcome in judged.outcomes] == IDS[:4]


def test_a_stop_before_the_start_judges_nothing() -> None:
    stop = Stop()
    stop.set(Interrupted("by the user"))
    method = Fake()
    assert judge_with(method, stop=stop).outcomes == ()
    assert method.started == []


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("division by zero"), DataError("gold is missing"), KeyError("x")]
)
def test_any_other_error_is_raised_as_itself_and_says_which_instance(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        judge_with(Fake(fail=failing_on("set/5", error)))
    assert raised.value is error
    assert error.__notes__ == ["while judging 'set/5'"]
    assert error.__cause__ is None


def test_of_several_errors_one_is_raised_and_the_others_are_cancelled() -> None:
    def fail(instance: Instance) -> None:
        raise ValueError(instance.id)

    method = Fake(fail=fail)
    with pytest.raises(ValueError, match="set/"):
        judge_with(method, concurrency=4)
    assert len(method.started) == 4


def test_an_error_outweighs_a_stop() -> None:
    def fail(instance: Instance) -> None:
        raise BudgetExhausted("enough") if instance.id != "set/1" else ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        judge_with(Fake(fail=fail), concurrency=4)


def test_a_group_of_stops_from_a_method_is_a_stop() -> None:
    reason = BudgetExhausted("enough")

    def fail(instance: Instance) -> None:
        raise ExceptionGroup("panel", [reason, ExceptionGroup("inner", [BackendError("no key")])])

    assert judge_with(Fake(fail=fail), concurrency=1).stopped is reason


def test_a_group_with_an_error_in_it_is_that_error() -> None:
    error = ZeroDivisionError()

    def fail(instance: Instance) -> None:
        raise ExceptionGroup("panel", [BudgetExhausted("enough"), error])

    with pytest.raises(ZeroDivisionError) as raised:
        judge_with(Fake(fail=fail))
    assert raised.value is error


@dataclass
class Answering(NoLLM):
    """Answers everything but the requests that it is to raise for, and counts."""

    fails: Mapping[str, VenireError] = field(default_factory=dict)

    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(0)
        text = request.messages[0].content
        if text in self.fails:
            raise self.fails[text]
        attempt = Attempt(AttemptStatus.OK, 0.0, 0.1, Usage(10, 1), 0.5)
        kind = BackendKind.LIVE
        return Completion("yes", FinishReason.STOP, text, "m-1", (attempt,), replayed=False, kind=kind)


@dataclass
class Asking(Fake):
    """Asks twice about an instance; the record of it has both calls."""

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        calls = []
        for number in range(2):
            request = Request("m", (Message("user", f"{instance.id} {number}"),))
            calls.append((await llm.complete(request)).as_call(request))
        return Outcome(instance.id, Preference(Winner.FIRST), calls=tuple(calls))


def judge_asking(fails: Mapping[str, VenireError], concurrency: int = 3) -> Judged:
    pace = Pace(0, concurrency, Schedule(1))
    return asyncio.run(judge_all(Asking(), INSTANCES, Answering(fails), pace, stop=Stop()))


@pytest.mark.parametrize("kind", [BudgetExhausted, BackendError, ReplayMiss, StoreError, Interrupted])
def test_what_an_unfinished_instance_was_handed_is_kept_and_named(kind: type[VenireError]) -> None:
    judged = judge_asking({"set/1 1": kind("enough"), "set/0 1": kind("enough")})
    assert isinstance(judged.stopped, kind)
    assert [(call.instance_id, call.key) for call in judged.unfinished] == [
        ("set/0", "set/0 0"),
        ("set/1", "set/1 0"),
    ]
    assert all(call.cost_usd == 0.5 for call in judged.unfinished)
    assert not {outcome.instance_id for outcome in judged.outcomes} & {"set/0", "set/1"}


def test_a_run_that_finishes_has_no_calls_of_unfinished_instances() -> None:
    judged = judge_asking({})
    assert judged.unfinished == ()
    assert [len(outcome.calls) for outcome in judged.outcomes] == [2] * 12


def test_an_interrupt_is_remembered_whatever_came_first_or_after() -> None:
    stop = Stop()
    stop.set(BudgetExhausted("first"))
    assert not stop.interrupted
    stop.set(Interrupted("by the user"))
    assert stop.interrupted
    assert isinstance(stop.reason, BudgetExhausted)


def test_a_failing_callback_is_raised_as_itself() -> None:
    def on_done(_: Outcome) -> None:
        raise RuntimeError("the bar broke")

    with pytest.raises(RuntimeError, match=r"^the bar broke$"):
        judge_with(Fake(), on_done=on_done)


def test_an_outcome_of_another_instance_is_refused() -> None:
    @dataclass
    class Mixed(Fake):
        async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
            return Outcome("set/0", Preference(Winner.TIE))

    with pytest.raises(ValueError, match="fake: expected the outcome of 'set/1', got that of 'set/0'"):
        judge_with(Mixed())


@pytest.mark.parametrize("error", [None, ValueError("broken"), BudgetExhausted("enough")])
def test_the_collector_of_cycles_works_seldom_in_a_run_and_as_before_after_it(
    error: Exception | None,
) -> None:
    before, during = (gc.get_threshold(), gc.get_freeze_count()), []

    def note(instance: Instance) -> None:
        during.append((gc.get_threshold()[0], gc.get_freeze_count()))
        if error is not None:
            raise error

    with suppress(ValueError):
        judge_with(Fake(fail=note))
    assert all(young > before[0][0] and frozen > 0 for young, frozen in during)
    assert during
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


def stream_with(
    method: Fake, instances: Iterable[Instance] = INSTANCES, *, concurrency: int = 4, stop: Stop | None = None
) -> tuple[Passed, list[tuple[str, Outcome | None]]]:
    kept: list[tuple[str, Outcome | None]] = []
    passed = asyncio.run(
        judge_streaming(
            method,  # type: ignore[arg-type]
            instances,
            NoLLM(),
            lambda instance, outcome: kept.append((instance.id, outcome)),
            concurrency=concurrency,
            stop=stop or Stop(),
        )
    )
    return passed, kept


@pytest.mark.parametrize("concurrency", [1, 5])
def test_instances_that_stream_by_are_kept_in_order_with_the_same_outcomes(concurrency: int) -> None:
    passed, kept = stream_with(Fake(latency_seed=concurrency), iter(INSTANCES), concurrency=concurrency)
    assert passed == Passed(12, None)
    assert [name for name, _ in kept] == IDS
    assert tuple(outcome for _, outcome in kept) == judge_with(Fake()).outcomes


def test_a_stop_keeps_what_is_under_way_and_passes_the_rest_on_without_an_outcome() -> None:
    def fail(instance: Instance) -> None:
        if instance.id == "set/5":
            raise BudgetExhausted("spent")

    passed, kept = stream_with(Fake(fail=fail), concurrency=1)
    assert [name for name, outcome in kept if outcome is not None] == IDS[:5]
    assert [name for name, _ in kept] == IDS
    assert (passed.judged, str(passed.stopped)) == (5, "spent")


def test_a_stop_after_the_last_instance_is_none() -> None:
    stop = Stop()

    def fail(instance: Instance) -> None:
        if instance.id == IDS[-1]:
            stop.set(Interrupted("now"))

    assert stream_with(Fake(fail=fail), concurrency=1, stop=stop)[0] == Passed(12, None)


def test_an_error_that_is_no_reason_to_stop_is_raised_from_a_stream() -> None:
    def fail(instance: Instance) -> None:
        raise KeyError(instance.id)

    with pytest.raises(KeyError) as caught:
        stream_with(Fake(fail=fail))
    assert caught.value.__notes__[0].startswith("while judging 'set/")


def test_no_more_instances_are_held_than_may_be_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("venire.runner.AHEAD", 6)
    alive: weakref.WeakSet[Counted] = weakref.WeakSet()
    most = 0

    def source() -> Iterator[Instance]:
        nonlocal most
        for number in range(300):
            made = Counted(f"set/{number}", "p", (Response("a"), Response("b")))
            alive.add(made)
            most = max(most, len(alive))
            yield made
            del made

    @dataclass
    class SlowFirst(Fake):
        async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
            await asyncio.sleep(0.05 if instance.id == "set/0" else 0)
            return Outcome(instance.id, Preference(Winner.FIRST))

    passed = asyncio.run(
        judge_streaming(
            SlowFirst(),  # type: ignore[arg-type]
            source(),
            NoLLM(),
            lambda _instance, _outcome: None,
            concurrency=4,
            stop=Stop(),
        )
    )
    assert passed.judged == 300
    assert most == 6 + 4  # ahead, and at work


@dataclass(frozen=True)
class Counted(Instance):
    """An instance that can be looked at without being held (`Instance` has slots, and no room for that)."""

    __slots__ = ("__weakref__",)

    def __hash__(self) -> int:
        return hash(self.id)


def test_a_method_that_depends_on_the_order_does_not_stream() -> None:
    with pytest.raises(ValueError, match="does not depend on the order"):
        stream_with(Fake(order_dependent=True))
