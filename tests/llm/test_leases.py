"""Who may send: intents, live and dead owners, expiry, and who stored first."""

import asyncio
import subprocess
import sys
from dataclasses import replace

from tests.llm.fakes import FakeBackend, FakeTime, opened, reply, request, route

from venire.llm.budget import Budget, Scope, Spending
from venire.llm.key import request_key
from venire.llm.ledger import open_intents, reconcile, spent_by_run
from venire.llm.owner import Owner
from venire.llm.store import CallStore, Claimed, Held, Intent, Settlement, StoredReply, open_engine
from venire.llm.store.writing import Terms
from venire.records import Attempt, AttemptStatus, BackendKind, Completion, FinishReason, Usage

NOW = 1_800_000_000.0  # FakeTime's


def intent(text: str = "Which is better?", expires_at: float = NOW + 100, **changes: object) -> Intent:
    base = Intent(
        key=request_key(request(text)),
        scope=Scope("old-run"),
        stage="judge",
        role="j",
        model="fake-1",
        kind=BackendKind.LIVE,
        started_at=NOW - 20,
        expires_at=expires_at,
        worst=Spending(0.5, 1, 132),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def store_of(url: str, owner: Owner) -> CallStore:
    return CallStore(open_engine(url), Terms(owner, Budget(), Scope("old-run"), lambda: NOW))


def dead_owner() -> Owner:
    """A process that was and is no more."""
    line = "from venire.llm.owner import Owner; print(Owner.here())"
    return Owner.parse(subprocess.check_output([sys.executable, "-c", line], text=True).strip())


def leave_intent(url: str, owner: Owner, left: Intent) -> None:
    async def scenario() -> None:
        store = store_of(url, owner)
        assert await store.claim(left) == Claimed()
        store.close()

    asyncio.run(scenario())


def complete(url: str, backend: FakeBackend, time: FakeTime | None = None) -> tuple[Completion, int]:
    """One completion by `run-1`, and how many calls it reports as uncertain."""

    async def scenario() -> tuple[Completion, int]:
        async with opened(url, backend, time=time, routes=[route(timeout_s=30.0)]) as llm:
            return await llm.complete(request()), llm.summary.uncertain

    return asyncio.run(scenario())


def test_what_a_dead_process_left_in_flight_is_repeated_and_reported_as_uncertain(store_url: str) -> None:
    leave_intent(store_url, dead_owner(), intent())
    time = FakeTime()
    completion, uncertain = complete(store_url, FakeBackend(), time)
    assert completion.uncertain
    assert uncertain == 1
    assert [attempt.status.value for attempt in completion.attempts] == ["uncertain", "ok"]
    assert completion.attempts[0].started_at == NOW - 20
    assert time.slept == []  # at once, not at the lease's expiry
    engine = open_engine(store_url)
    assert open_intents(engine) == []
    (line,) = reconcile(engine)
    assert (line.uncertain, line.unknown_usage, line.attempts) == (1, 1, 2)
    # perhaps billed: on the account of the run that died, with its worst case
    assert spent_by_run(engine, "old-run") == Spending(0.5, 1, 132)
    (again,) = (complete(store_url, FakeBackend())[0],)
    assert again.replayed
    assert not again.uncertain  # this run repeated nothing


def test_a_live_owners_reply_is_waited_for(store_url: str) -> None:
    async def scenario() -> tuple[Completion, FakeTime, FakeBackend]:
        other = store_of(store_url, Owner.here())
        mine = intent()
        assert await other.claim(mine) == Claimed()
        time, backend = FakeTime(), FakeBackend()
        async with opened(store_url, backend, time=time) as llm:
            waiting = asyncio.create_task(llm.complete(request()))
            async with asyncio.timeout(10):
                while not time.slept:
                    await asyncio.sleep(0.001)
            attempt = Attempt(AttemptStatus.OK, NOW, 1.0, Usage(1, 1))
            theirs = StoredReply("theirs", FinishReason.STOP, "m", BackendKind.LIVE, (attempt,))
            await other.settle(Settlement(mine, attempt, reply=theirs, request="{}"))
            completion = await waiting
        other.close()
        return completion, time, backend

    completion, time, backend = asyncio.run(scenario())
    assert (completion.text, completion.replayed, completion.uncertain) == ("theirs", True, False)
    assert backend.sent == []
    assert max(time.slept) <= 1.0


def test_a_lease_of_nobody_knows_whom_is_taken_over_when_it_expires(store_url: str) -> None:
    elsewhere = replace(Owner.here(), host="elsewhere")
    leave_intent(store_url, elsewhere, intent(expires_at=NOW + 5))
    time = FakeTime()
    completion, _ = complete(store_url, FakeBackend(), time)
    assert completion.uncertain
    assert 5.0 < sum(time.slept) < 6.5  # looked again every second at the latest


def test_of_two_replies_to_one_request_the_one_stored_first_stays(store_url: str) -> None:
    """Both paid, because one's lease had expired: a rerun must find what both use."""

    async def scenario() -> Completion:
        backend = FakeBackend([reply("second")], hold=asyncio.Event())
        async with opened(store_url, backend) as llm:
            asking = asyncio.create_task(llm.complete(request()))
            while not backend.in_flight:
                await asyncio.sleep(0.001)
            later = CallStore(
                open_engine(store_url), Terms(Owner.here(), Budget(), Scope("r"), lambda: NOW + 9999)
            )
            claimed = await later.claim(intent())
            assert isinstance(claimed, Claimed)
            assert claimed.abandoned is not None
            attempt = Attempt(AttemptStatus.OK, NOW, 1.0, Usage(1, 1))
            first = StoredReply("first", FinishReason.STOP, "m", BackendKind.LIVE, (attempt,))
            assert await later.settle(Settlement(intent(), attempt, reply=first, request="{}")) is None
            later.close()
            assert backend.hold is not None
            backend.hold.set()
            return await asking

    completion = asyncio.run(scenario())
    assert completion.text == "first"
    assert not completion.replayed  # it did pay, and says for what
    assert completion.attempts[0].usage == Usage(100, 10)
    assert complete(store_url, FakeBackend())[0].text == "first"


def test_a_second_owner_is_held_off_and_may_claim_once_the_first_lets_go(store_url: str) -> None:
    async def scenario() -> None:
        one, other = store_of(store_url, Owner.here()), store_of(store_url, Owner.here())
        assert await one.claim(intent()) == Claimed()
        assert isinstance(await other.claim(intent()), Held)
        await other.settle(Settlement(intent(), None))  # not its own: takes nothing away
        assert isinstance(await other.claim(intent()), Held)
        await one.settle(Settlement(intent(), None))
        assert await other.claim(intent()) == Claimed()
        one.close()
        other.close()

    asyncio.run(scenario())


def test_writes_of_one_key_keep_their_order_within_a_group(store_url: str) -> None:
    async def scenario() -> list[object]:
        store = store_of(store_url, Owner.here())
        # submitted without waiting: they are handled in one group, or in as many as come
        answers = []
        for _ in range(5):
            answers += [store.claim(intent()), store.settle(Settlement(intent(), None))]
        done = await asyncio.gather(*answers)
        store.close()
        return done

    assert asyncio.run(scenario()) == [Claimed(), None] * 5
