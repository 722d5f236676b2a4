"""The call path: replay, single flight, retries, refusals, refresh, cancellation."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from tests.llm.fakes import MODEL, USAGE, FakeBackend, FakeTime, opened, reply, request, route

from venire.errors import BackendError, ConfigError, ReplayMiss, StoreError
from venire.llm.clock import Clock
from venire.llm.ledger import open_intents, reconcile, store_statistics
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.settings import Mode
from venire.llm.store import open_engine
from venire.llm.stored import StoredLLM
from venire.records import AttemptStatus, BackendKind, Completion, FinishReason, Request, Usage

Scenario = Callable[[StoredLLM], Awaitable[object]]


def failure(status: AttemptStatus = AttemptStatus.SERVER_ERROR, **changes: object) -> AttemptFailed:
    arguments: dict[str, object] = {"retryable": True, **changes}
    return AttemptFailed(status, "down", **arguments)  # type: ignore[arg-type]


def ask(url: str, backend: FakeBackend, *requests: object, **options: object) -> list[Completion]:
    """One opening that completes `requests` one after the other."""

    async def scenario() -> list[Completion]:
        async with opened(url, backend, **options) as llm:  # type: ignore[arg-type]
            return [await llm.complete(each) for each in requests]  # type: ignore[arg-type]

    return asyncio.run(scenario())


def statuses(url: str) -> list[str]:
    """Every attempt in the ledger, in order."""
    from sqlalchemy import select

    from venire.llm.store.schema import attempts

    engine = open_engine(url)
    with engine.connect() as connection:
        return list(connection.execute(select(attempts.c.status).order_by(attempts.c.id)).scalars())


def test_a_reply_is_paid_once_and_replayed_as_it_was(store_url: str) -> None:
    backend = FakeBackend([reply("A is better")])
    (paid,) = ask(store_url, backend, request())
    (again,) = ask(store_url, FakeBackend(), request(), run_id="run-2")
    assert not paid.replayed
    assert again == replace(paid, replayed=True)
    assert (again.text, again.model, again.fingerprint) == ("A is better", "fake-1-2026-01-01", "fp_1")
    assert again.attempts[0].usage == USAGE
    assert again.attempts[0].cost_usd == pytest.approx(0.00012)
    assert len(backend.sent) == 1


def test_odd_texts_and_logprobs_survive_the_store(store_url: str) -> None:
    odd = replace(
        reply("nul \0, lone \ud800, 🙂, back\\ud800slash"), logprobs=({"A": -0.5, "B": float("-inf")},)
    )
    (paid,) = ask(store_url, FakeBackend([odd]), request())
    (again,) = ask(store_url, FakeBackend(), request())
    assert again == replace(paid, replayed=True)
    assert again.logprobs == ({"A": -0.5, "B": float("-inf")},)


def test_a_wholly_replayed_run_builds_no_backend_and_a_paying_one_closes_it_once(store_url: str) -> None:
    backend = FakeBackend()
    ask(store_url, backend, request("one"), request("two"))
    assert backend.closed == 1
    unused = FakeBackend()
    ask(store_url, unused, request("one"), request("two"), mode=Mode.REPLAY)
    assert (unused.closed, unused.sent) == (0, [])


def test_replay_names_what_it_misses(store_url: str) -> None:
    with pytest.raises(ReplayMiss, match=r"model fake-1, stage judge, instance i/1"):
        ask(store_url, FakeBackend(), request(), mode=Mode.REPLAY)


def test_equal_requests_at_the_same_time_share_one_call(store_url: str) -> None:
    backend = FakeBackend()

    async def scenario() -> list[Completion]:
        async with opened(store_url, backend) as llm:
            done = await asyncio.gather(*[llm.complete(request()) for _ in range(5)])
            assert (llm.summary.paid, llm.summary.replayed) == (1, 4)
            return done

    done = asyncio.run(scenario())
    assert len(backend.sent) == 1
    assert [completion.replayed for completion in done] == [False, True, True, True, True]
    assert {completion.text for completion in done} == {"reply 0"}


def test_replicates_are_calls_of_their_own_cold_and_none_warm(store_url: str) -> None:
    replicates = [request(replicate=k) for k in range(3)]
    backend = FakeBackend()
    cold = ask(store_url, backend, *replicates)
    assert len(backend.sent) == 3
    assert [completion.text for completion in cold] == ["reply 0", "reply 1", "reply 2"]
    idle = FakeBackend()
    warm = ask(store_url, idle, *replicates)
    assert idle.sent == []
    assert [completion.text for completion in warm] == ["reply 0", "reply 1", "reply 2"]


def test_the_next_takes_over_where_the_leader_of_a_shared_call_is_cancelled(store_url: str) -> None:
    async def scenario() -> tuple[Completion, FakeBackend]:
        backend = FakeBackend(hold=asyncio.Event())
        async with opened(store_url, backend) as llm:
            leader = asyncio.create_task(llm.complete(request()))
            follower = asyncio.create_task(llm.complete(request()))
            await _until(lambda: backend.in_flight == 1)
            leader.cancel()
            await _until(lambda: len(backend.sent) == 2)
            assert backend.hold is not None
            backend.hold.set()
            return await follower, backend

    completion, backend = asyncio.run(scenario())
    assert not completion.replayed
    assert completion.text == "reply 1"
    assert len(backend.sent) == 2
    assert open_intents(open_engine(store_url)) == []
    # what the provider did with the broken-off request is unknown, and the ledger says so
    assert statuses(store_url) == ["uncertain", "ok"]


def test_retries_wait_and_every_attempt_is_in_completion_and_ledger(store_url: str) -> None:
    time = FakeTime()
    known = failure(AttemptStatus.RATE_LIMITED, retry_after_s=30.0, usage=Usage(0, 0))
    backend = FakeBackend([failure(), known, reply("at last")])
    (completion,) = ask(store_url, backend, request(), routes=[route(retries=2, backoff_s=1.0)], time=time)
    assert completion.text == "at last"
    assert [attempt.status.value for attempt in completion.attempts] == ["server_error", "rate_limited", "ok"]
    assert [attempt.cost_usd for attempt in completion.attempts] == [None, 0.0, pytest.approx(0.00012)]
    assert statuses(store_url) == ["server_error", "rate_limited", "ok"]
    first, second = time.slept
    assert 0.5 <= first <= 1.0
    assert 30.0 <= second <= 31.0
    (line,) = reconcile(open_engine(store_url))
    assert (line.calls, line.attempts, line.unknown_usage, line.unknown_cost) == (1, 3, 1, 1)


def test_a_provider_that_never_replies_is_an_error_completion_and_is_asked_again_next_time(
    store_url: str,
) -> None:
    backend = FakeBackend([failure(), failure(), failure()])
    (lost,) = ask(store_url, backend, request(), routes=[route(retries=2)])
    assert lost.finish is FinishReason.ERROR
    assert lost.error == "server_error: down"
    assert len(lost.attempts) == len(backend.sent) == 3
    assert not lost.replayed
    engine = open_engine(store_url)
    assert store_statistics(engine).replies == 0
    assert open_intents(engine) == []
    (found,) = ask(store_url, FakeBackend(), request())
    assert found.text == "reply 0"


def test_loading_a_backend_is_no_part_of_an_attempt(store_url: str) -> None:
    class Slow(FakeBackend):
        loaded = False

        async def load(self) -> None:
            if not self.loaded:
                await asyncio.sleep(0.3)
            self.loaded = True

        async def send(self, request: Request) -> Reply:
            await self.load()
            return await super().send(request)

    async def scenario() -> Completion:
        time = _With(Clock())  # real: the first attempt would be over before the backend can send
        async with opened(store_url, Slow(), routes=[route(timeout_s=0.2)], time=time) as llm:
            return await llm.complete(request())

    (attempt,) = asyncio.run(scenario()).attempts
    assert attempt.status is AttemptStatus.OK
    assert attempt.latency_s < 0.3


def test_a_final_failure_is_tried_once(store_url: str) -> None:
    backend = FakeBackend([failure(AttemptStatus.REJECTED, retryable=False, usage=Usage(0, 0))])
    (lost,) = ask(store_url, backend, request())
    assert (lost.finish, len(lost.attempts)) == (FinishReason.ERROR, 1)


@pytest.mark.parametrize("finish", [FinishReason.LENGTH, FinishReason.REFUSED])
def test_what_was_paid_is_stored_however_it_ended(store_url: str, finish: FinishReason) -> None:
    ask(store_url, FakeBackend([reply("cut", finish)]), request())
    (again,) = ask(store_url, FakeBackend(), request(), mode=Mode.REPLAY)
    assert (again.finish, again.text, again.replayed) == (finish, "cut", True)


def test_a_backend_that_refuses_for_good_stops_all_who_wait_and_leaves_nothing_behind(store_url: str) -> None:
    backend = FakeBackend([BackendError("bad key s3cret")])

    async def scenario() -> list[object]:
        async with opened(store_url, backend, secrets=["s3cret"]) as llm:
            waiting = [llm.complete(request()) for _ in range(2)]
            return await asyncio.gather(*waiting, return_exceptions=True)

    first, second = asyncio.run(scenario())
    assert isinstance(first, BackendError)
    assert isinstance(second, BackendError)
    assert str(first) == "bad key [key]"
    assert len(backend.sent) == 1
    assert open_intents(open_engine(store_url)) == []
    assert statuses(store_url) == ["rejected"]


def test_refresh_pays_each_key_once_a_run_and_replaces_what_was_stored(store_url: str) -> None:
    ask(store_url, FakeBackend([reply("old")]), request())
    backend = FakeBackend([reply("new")])
    fresh, same = ask(store_url, backend, request(), request(), mode=Mode.REFRESH, run_id="run-2")
    assert (fresh.text, fresh.replayed) == ("new", False)
    assert (same.text, same.replayed) == ("new", True)
    (later,) = ask(store_url, FakeBackend(), request(), mode=Mode.REPLAY)
    assert later.text == "new"


def test_a_failed_refresh_keeps_what_was_stored(store_url: str) -> None:
    ask(store_url, FakeBackend([reply("old")]), request())
    (lost,) = ask(store_url, FakeBackend([failure(retryable=False)]), request(), mode=Mode.REFRESH)
    assert lost.finish is FinishReason.ERROR
    (kept,) = ask(store_url, FakeBackend(), request(), mode=Mode.REPLAY)
    assert kept.text == "old"


def test_no_more_in_flight_than_the_limit_and_a_waiting_retry_holds_no_place(store_url: str) -> None:
    backend = FakeBackend([failure()] * 4)

    async def scenario() -> None:
        async with opened(store_url, backend, routes=[route(concurrency=2)]) as llm:
            await asyncio.gather(*[llm.complete(request(f"{n}")) for n in range(20)])

    asyncio.run(scenario())
    assert backend.peak == 2
    assert len(backend.sent) == 24

    async def blocked() -> list[str]:
        order: list[str] = []
        time = FakeTime()
        let_go = asyncio.Event()

        async def sleep(seconds: float) -> None:
            order.append("waits")
            await let_go.wait()

        flaky = FakeBackend([failure()])
        clock = replace(time.clock, sleep=sleep)
        async with opened(
            store_url, flaky, routes=[route(concurrency=1)], time=_With(clock), run_id="run-2"
        ) as llm:
            retrying = asyncio.create_task(llm.complete(request("retried")))
            await _until(lambda: order == ["waits"])
            order.append((await llm.complete(request("passes"))).text)
            let_go.set()
            order.append((await retrying).text)
        return order

    assert asyncio.run(blocked()) == ["waits", "reply 1", "reply 2"]


def test_a_cancelled_run_keeps_what_was_paid_and_leaves_what_was_in_flight_to_the_next(
    store_url: str,
) -> None:
    async def scenario() -> None:
        backend = FakeBackend([reply("paid")])
        async with opened(store_url, backend, routes=[route(concurrency=3)]) as llm:
            await llm.complete(request("paid"))
            backend.hold = asyncio.Event()
            tasks = [asyncio.create_task(llm.complete(request(f"{n}"))) for n in range(9)]
            await _until(lambda: backend.in_flight == 3)
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results)

    asyncio.run(scenario())
    engine = open_engine(store_url)
    assert len(open_intents(engine)) == 3  # as of a killed process: perhaps billed
    assert store_statistics(engine).replies == 1
    assert statuses(store_url) == ["ok"]
    again = ask(store_url, FakeBackend(), *[request(f"{n}") for n in range(9)], run_id="run-2")
    assert sum(completion.uncertain for completion in again) == 3
    assert open_intents(engine) == []
    assert sorted(statuses(store_url)) == ["ok"] * 10 + ["uncertain"] * 3


def test_a_request_that_ends_in_a_fault_of_ours_stops_the_run_and_is_left_as_uncertain(
    store_url: str,
) -> None:
    class Broken(FakeBackend):
        async def send(self, request: object) -> object:  # type: ignore[override]
            raise KeyError("choices")

    with pytest.raises(KeyError, match="choices"):
        ask(store_url, Broken(), request())
    assert len(open_intents(open_engine(store_url))) == 1
    (again,) = ask(store_url, FakeBackend(), request(), run_id="run-2")
    assert again.uncertain
    assert statuses(store_url) == ["uncertain", "ok"]


def test_a_request_that_no_route_answers_is_refused(store_url: str) -> None:
    with pytest.raises(ConfigError, match=r"no judge of this run is other at .*there is: fake-1"):
        ask(store_url, FakeBackend(), request(model="other"))


def test_several_returned_models_are_warned_about(store_url: str) -> None:
    moved = replace(reply("b"), model="fake-1-2026-06-06", fingerprint=None)

    async def scenario() -> tuple[str, ...]:
        async with opened(store_url, FakeBackend([reply("a"), moved])) as llm:
            await llm.complete(request("one"))
            assert llm.summary.warnings == ()
            await llm.complete(request("two"))
            return llm.summary.warnings

    (warning,) = asyncio.run(scenario())
    assert warning == (f"{MODEL} was answered by 2 versions: fake-1-2026-01-01 (fp_1), fake-1-2026-06-06")


def test_the_summary_sums_all_attempts_and_says_where_it_is_a_lower_bound(store_url: str) -> None:
    async def scenario(script: list[AttemptFailed], kind: BackendKind) -> tuple[float, int, bool]:
        async with opened(store_url, FakeBackend(script, kind=kind)) as llm:
            await llm.complete(request(f"{len(script)} {kind}"))
            summary = llm.summary
            return round(summary.spent.usd, 9), summary.spent.tokens, summary.spent_complete

    assert asyncio.run(scenario([], BackendKind.LIVE)) == (0.00012, 110, True)
    assert asyncio.run(scenario([failure()], BackendKind.LIVE)) == (0.00012, 110, False)
    # what a simulated call would cost is no money spent
    assert asyncio.run(scenario([], BackendKind.SIMULATED)) == (0.0, 110, True)


def test_a_store_that_cannot_be_written_stops_the_run(tmp_path: object) -> None:
    url = f"sqlite:///{tmp_path}/calls.db"
    from sqlalchemy import text

    with open_engine(url).connect() as connection:
        connection.execute(text("DROP TABLE intents"))
    with pytest.raises(StoreError, match=r"cannot be written: .*no such table"):
        ask(url, FakeBackend(), request())


class _With(FakeTime):
    """A time with a clock made elsewhere."""

    def __init__(self, clock: object) -> None:
        super().__init__()
        self._clock = clock

    @property
    def clock(self) -> object:  # type: ignore[override]
        return self._clock


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.001)
