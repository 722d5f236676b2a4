"""Who may ask for a text's vector: other processes' leases, dead owners, who stored first."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.llm.vectors import LIVE, FakeVectors, opened

from venire.errors import VenireError
from venire.llm.budget import Budget, Scope, Spending
from venire.llm.embedding import text_key
from venire.llm.ledger import open_intents, reconcile
from venire.llm.owner import Owner
from venire.llm.store import CallStore, Intent, open_engine
from venire.llm.store.vectors import BatchClaim, BatchIntent, BatchSettlement, StoredVector
from venire.llm.store.writing import Terms
from venire.llm.stored import StoredLLM
from venire.llm.totals import Summary
from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Call,
    Embeddings,
    FinishReason,
    Usage,
)

NOW = 1_800_000_000.0  # FakeTime's


def key(text: str) -> str:
    return text_key(LIVE.model, "", text)


def batch(*texts: str) -> BatchIntent:
    intent = Intent(
        key=f"batch of {texts}",
        scope=Scope("old-run"),
        stage="embedding",
        role="fake",
        model=LIVE.model,
        kind=BackendKind.LIVE,
        started_at=NOW - 20,
        expires_at=NOW + 100,
        worst=Spending(0.5, 0, 20 * len(texts)),
    )
    return BatchIntent(intent, {key(text): Spending(0.1, 1, 20) for text in texts})


def store_of(url: str, owner: Owner) -> CallStore:
    return CallStore(open_engine(url), Terms(owner, Budget(), Scope("old-run"), lambda: NOW))


def dead_owner() -> Owner:
    """A process that was and is no more."""
    line = "from venire.llm.owner import Owner; print(Owner.here())"
    return Owner.parse(subprocess.check_output([sys.executable, "-c", line], text=True).strip())


def settled(made: BatchIntent, *values: float) -> BatchSettlement:
    vectors = {
        each: StoredVector(np.array([value, 0, 0], dtype=np.float32), "m", BackendKind.LIVE, 1, 1e-6)
        for each, value in zip(made.worst, values, strict=True)
    }
    attempt = Attempt(AttemptStatus.OK, NOW, 0.1, Usage(1, 0), 1e-6)
    return BatchSettlement(made, attempt, made=vectors)


def embed(url: str, backend: FakeVectors, texts: Sequence[str]) -> Embeddings:
    async def scenario() -> Embeddings:
        async with opened(url, backend) as llm:
            return await llm.embed(LIVE.model, texts)

    return asyncio.run(scenario())


def test_what_another_process_is_asking_for_is_awaited_not_asked_again(store_url: str) -> None:
    backend = FakeVectors()

    async def scenario() -> Embeddings:
        # Another opening of the store: its owner lives.
        other = store_of(store_url, Owner.parse(str(Owner.here())))
        held = batch("x")
        assert (await other.claim_batch(held)).granted == (key("x"),)
        async with opened(store_url, backend) as llm:
            waiting = asyncio.create_task(llm.embed(LIVE.model, ["x", "y y"]))
            while not backend.asked:
                await asyncio.sleep(0.001)
            await other.settle_batch(settled(held, 1.0))
            made = await waiting
        other.close()
        return made

    made = asyncio.run(scenario())
    assert backend.asked == [["y y"]]
    assert made.vectors[0].tolist() == [1, 0, 0]
    assert [(call.texts, call.replayed) for call in made.calls] == [(1, True), (1, False)]


def test_a_dead_owners_text_is_asked_for_anew_and_reported_as_uncertain(store_url: str) -> None:
    async def leave() -> None:
        store = store_of(store_url, dead_owner())
        await store.claim_batch(batch("x"))
        store.close()

    asyncio.run(leave())
    made = embed(store_url, FakeVectors(), ["x", "y y"])
    (call,) = made.calls
    assert (call.texts, call.uncertain, call.attempts, call.cost_complete) == (2, True, 2, False)
    assert sum(line.uncertain for line in reconcile(open_engine(store_url))) == 1
    assert open_intents(open_engine(store_url)) == []


def test_the_vector_that_was_stored_first_stays_and_is_used(store_url: str) -> None:
    """As after a lease that ran out while its owner was still waiting."""

    async def scenario() -> tuple[dict[str, StoredVector], float]:
        store = store_of(store_url, Owner.here())
        await store.settle_batch(settled(batch("x"), 1.0))
        first = await store.settle_batch(settled(batch("x", "y"), 0.25, 0.5))
        kept = await store.find_vectors([key("x"), key("y")])
        store.close()
        assert float(kept[key("y")].vector[0]) == 0.5
        return dict(first), float(kept[key("x")].vector[0])

    first, kept = asyncio.run(scenario())
    assert list(first) == [key("x")]
    assert float(first[key("x")].vector[0]) == kept == 1.0


def test_a_claim_grants_what_is_neither_stored_nor_held(store_url: str) -> None:
    async def scenario() -> BatchClaim:
        store = store_of(store_url, Owner.here())
        await store.settle_batch(settled(batch("stored"), 1.0))
        await store.claim_batch(batch("held"))
        claim = await store.claim_batch(batch("new", "stored", "held"))
        store.close()
        return claim

    claim = asyncio.run(scenario())
    assert claim.granted == (key("new"),)
    assert list(claim.stored) == [key("stored")]


def ended_in_flight(url: str, end: Callable[[StoredLLM, "asyncio.Task[Embeddings]"], object]) -> Summary:
    """What a request for the vector of x is told of that `end` ends while it is in flight."""
    backend = FakeVectors(hold=asyncio.Event())

    async def scenario() -> Summary:
        async with opened(url, backend) as llm:
            asked = asyncio.create_task(llm.embed(LIVE.model, ["x"]))
            while not backend.asked:
                await asyncio.sleep(0.001)
            assert llm.in_flight == 1
            end(llm, asked)
            await asyncio.gather(asked, return_exceptions=True)
            assert asked.cancelled() or isinstance(asked.exception(), VenireError)
            return llm.summary

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    "end", [lambda _, asked: asked.cancel(), lambda llm, _: llm.abort(VenireError("twice"))]
)
def test_a_request_that_is_broken_off_is_left_to_the_next_as_uncertain(
    store_url: str, end: Callable[[StoredLLM, "asyncio.Task[Embeddings]"], object]
) -> None:
    ended_in_flight(store_url, end)
    assert [left.run_id for left in open_intents(open_engine(store_url))] == ["run-1"]
    assert reconcile(open_engine(store_url)) == []
    (call,) = embed(store_url, FakeVectors(), ["x"]).calls
    assert (call.uncertain, call.attempts, call.cost_complete) == (True, 2, False)
    assert open_intents(open_engine(store_url)) == []
    (line,) = reconcile(open_engine(store_url))
    assert (line.uncertain, line.unknown_cost, line.attempts) == (1, 1, 2)


def test_an_aborted_request_is_told_of_and_counts_no_text(store_url: str) -> None:
    (lost,) = ended_in_flight(store_url, lambda llm, _: llm.abort(VenireError("twice"))).lost
    assert (lost.finish, lost.attempts, lost.texts) == (FinishReason.ERROR, 1, 0)
    assert (lost.cost_usd, lost.cost_complete, lost.usage_complete) == (None, False, False)


def test_after_a_halt_vectors_in_flight_are_handed_over(store_url: str) -> None:
    async def scenario() -> Embeddings:
        backend = FakeVectors(hold=asyncio.Event())
        async with opened(store_url, backend) as llm:
            asked = asyncio.create_task(llm.embed(LIVE.model, ["x"]))
            while not backend.asked:
                await asyncio.sleep(0.001)
            llm.halt(VenireError("once"))
            assert backend.hold is not None
            backend.hold.set()
            return await asked

    (call,) = asyncio.run(scenario()).calls
    assert (call.texts, call.replayed) == (1, False)


def test_after_a_halt_the_vectors_in_flight_are_kept_and_no_others_are_asked_for(store_url: str) -> None:
    stop = VenireError("once")

    async def scenario() -> tuple[Call, ...]:
        backend = FakeVectors(hold=asyncio.Event())
        model = replace(LIVE, max_batch=1, limits=replace(LIVE.limits, concurrency=1))
        async with opened(store_url, backend, model) as llm:
            asked = asyncio.create_task(llm.embed(LIVE.model, ["x", "y", "z"]))
            while not backend.asked:
                await asyncio.sleep(0.001)
            llm.halt(stop)
            assert backend.hold is not None
            backend.hold.set()
            await asyncio.gather(asked, return_exceptions=True)
            assert asked.exception() is stop
            assert backend.asked == [["x"]]
            return llm.summary.lost

    (paid,) = asyncio.run(scenario())
    # 10 tokens at 1 USD a million: what nobody was handed was paid all the same
    assert (paid.finish, paid.texts, paid.usage.input_tokens) == (FinishReason.STOP, 1, 10)
    assert paid.cost_usd == pytest.approx(1e-5)
    assert open_intents(open_engine(store_url)) == []
    backend = FakeVectors()
    embed(store_url, backend, ["x", "y", "z"])
    assert backend.asked == [["y", "z"]]


def test_a_store_of_before_vectors_gets_its_table(store_url: str) -> None:
    from sqlalchemy import text

    engine = open_engine(store_url)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE vectors"))
    engine.dispose()
    embed(store_url, FakeVectors(), ["x"])
    backend = FakeVectors()
    embed(store_url, backend, ["x"])
    assert backend.asked == []
