"""A writer whose connection broke after a commit: the same writes again change nothing."""

from collections.abc import Sequence

import numpy as np
import pytest
from sqlalchemy import select

from venire.llm.budget import Budget, Scope, Spending
from venire.llm.owner import Owner
from venire.llm.store import Claimed, Held, Intent, OverBudget, Settlement, StoredReply, open_engine
from venire.llm.store.schema import attempts, intents, replies, vectors
from venire.llm.store.vectors import BatchClaim, BatchIntent, BatchSettlement, StoredVector
from venire.llm.store.writing import Terms, Write, Writer, Written
from venire.records import Attempt, AttemptStatus, BackendKind, FinishReason, Usage

NOW = 1_800_000_000.0
SCOPE = Scope("run-1")
ATTEMPT = Attempt(AttemptStatus.OK, NOW, 0.5, Usage(10, 2), 0.001)
OWNER = Owner.here()


def intent(key: str, started_at: float = NOW) -> Intent:
    return Intent(
        key=key * 64,
        scope=SCOPE,
        stage="judge",
        role="j",
        model="m",
        kind=BackendKind.LIVE,
        started_at=started_at,
        expires_at=NOW + 100,
        worst=Spending(0.01, 1, 100),
    )


def settled(key: str) -> Settlement:
    reply = StoredReply("yes", FinishReason.STOP, "m-1", BackendKind.LIVE, (ATTEMPT,))
    return Settlement(intent(key), ATTEMPT, reply=reply, request="{}")


class Store:
    """Writers of one owner on one store, one after another."""

    def __init__(self, url: str, budget: Budget) -> None:
        self._engine = open_engine(url)
        self._terms = Terms(OWNER, budget, SCOPE, lambda: NOW)

    def write(self, *writes: Write, again: bool = False) -> Sequence[Written]:
        writer = Writer(self._engine, self._terms, again=again)
        try:
            return writer(writes)
        finally:
            writer.close()

    def counts(self) -> list[int]:
        """Rows of intents, attempts, replies and vectors."""
        with self._engine.connect() as connection:
            return [len(connection.execute(select(t)).all()) for t in (intents, attempts, replies, vectors)]


@pytest.fixture
def store(store_url: str) -> Store:
    return Store(store_url, Budget(calls=2))


def test_a_claim_that_was_granted_is_granted_again_and_reserved_once(store: Store) -> None:
    assert store.write(intent("a")) == [Claimed()]
    assert store.write(intent("a"), again=True) == [Claimed()]
    assert store.counts() == [1, 0, 0, 0]
    # two calls are in the budget: the second fits, so the first is reserved once
    assert store.write(intent("b")) == [Claimed()]
    assert isinstance(store.write(intent("c"))[0], OverBudget)


def test_only_the_very_claim_is_granted_again(store: Store) -> None:
    store.write(intent("a"))
    assert isinstance(store.write(intent("a"))[0], Held)
    assert isinstance(store.write(intent("a", started_at=NOW + 1), again=True)[0], Held)


def test_an_attempt_that_is_in_the_ledger_is_not_booked_again(store: Store) -> None:
    store.write(intent("a"))
    assert store.write(settled("a")) == [None]
    (first,) = store.write(settled("a"), again=True)
    assert isinstance(first, StoredReply)  # its own
    assert first.text == "yes"
    assert store.counts() == [0, 1, 1, 0]


def test_one_that_is_not_is_booked_by_the_second_try(store: Store) -> None:
    store.write(intent("a"))
    assert store.write(settled("a"), again=True) == [None]
    assert store.counts() == [0, 1, 1, 0]


def test_after_its_first_group_the_new_writer_is_as_any_other(store_url: str) -> None:
    store = Store(store_url, Budget())
    writer = Writer(store._engine, store._terms, again=True)
    assert writer([intent("a")]) == [Claimed()]
    assert isinstance(writer([intent("a")])[0], Held)
    writer.close()


def test_vectors_are_claimed_and_paid_once_as_well(store_url: str) -> None:
    store = Store(store_url, Budget())
    batch = BatchIntent(intent("b"), {"x" * 64: Spending(0.01, 1, 10), "y" * 64: Spending(0.01, 1, 10)})
    for again in (False, True):
        (claim,) = store.write(batch, again=again)
        assert isinstance(claim, BatchClaim)
        assert set(claim.granted) == set(batch.worst)
        assert store.counts() == [2, 0, 0, 0]
    vector = StoredVector(np.array([1.0], dtype=np.float32), "m", BackendKind.LIVE, 1, 1e-6)
    made = BatchSettlement(batch, ATTEMPT, made=dict.fromkeys(batch.worst, vector))
    for again in (False, True):
        store.write(made, again=again)
        assert store.counts() == [0, 1, 0, 2]
