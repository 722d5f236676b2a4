"""Claims and settlements, many in one durable transaction.

A claim asks to be the one who sends a request: no reply stored, no live owner at it, and its worst
case within the budget. All three are decided in one transaction that excludes every other writer,
so they hold over all processes on the store.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import BindParameter, Engine, RowMapping, bindparam, delete, select

from venire.llm.budget import Budget, Scope
from venire.llm.owner import Owner
from venire.llm.store.account import Account
from venire.llm.store.again import not_booked, was_granted
from venire.llm.store.batches import (
    EXPIRE_OWN_INTENTS,
    Holder,
    claim_batch,
    insert_new,
    settle_batch,
)
from venire.llm.store.engine import broken, connected, database_errors, writing
from venire.llm.store.entries import (
    Claimed,
    ClaimResult,
    Held,
    Intent,
    Settlement,
    StoredReply,
)
from venire.llm.store.prepared import Prepared
from venire.llm.store.rows import abandoned, attempt_row, intent_of, intent_row, reply_row
from venire.llm.store.schema import attempts, intents, replies
from venire.llm.store.vectors import BatchClaim, BatchIntent, BatchSettlement, Computed, StoredVector

# Groups are cut so that the first of a burst need not wait for the last of it.
GROUP = 64
BatchWrite = BatchIntent | BatchSettlement | Computed
Write = Intent | Settlement | BatchWrite
Written = ClaimResult | BatchClaim | Mapping[str, StoredVector] | None

# What few calls need; what all of them need is in `prepared.py`.
_KEYS: BindParameter[str] = bindparam("keys", expanding=True)
_SELECT_INTENTS = select(intents).where(intents.c.key.in_(_KEYS))
_DELETE_INTENTS = delete(intents).where(intents.c.key.in_(_KEYS))
_DELETE_REPLIES = delete(replies).where(replies.c.key.in_(_KEYS))


@dataclass(frozen=True, slots=True)
class Terms:
    """Who writes, on what account, and by whose clock."""

    owner: Owner
    budget: Budget
    scope: Scope
    wall: Callable[[], float]


class Writer:
    """Answers an `Intent` with a `ClaimResult`.

    Answers a `Settlement` with None, or with the reply that another process stored first: that one
    stays, and the caller must use it. Requests for vectors likewise: a `BatchIntent` with a `BatchClaim`,
    what brought vectors with those that were stored first.

    With `again` the first group is that of a writer whose connection broke: what it had committed stands.
    """

    def __init__(self, engine: Engine, terms: Terms, *, again: bool = False) -> None:
        self._again = again
        self._connection = connected(engine)
        self._errors = database_errors(engine)
        self._prepared = Prepared(self._connection)
        self._terms = terms
        self._owner = str(terms.owner)
        self._account = Account(terms.budget, terms.scope)

    def __call__(self, writes: Sequence[Write]) -> Sequence[Written]:
        """One answer a write, in order, once they are durable."""
        answers: list[Written] = []
        try:
            for group in _distinct(writes):
                with writing(self._connection):
                    done = self._settle([w for w in group if isinstance(w, Settlement)])
                    done |= self._claim([w for w in group if isinstance(w, Intent)])
                    done |= {_key(w): self._batch(w) for w in group if isinstance(w, BatchWrite)}
                answers += [done.get(_key(write)) for write in group]
            self._again = False
        except self._errors as error:
            raise broken(self._connection, "cannot be written", error) from error
        return answers

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _settle(self, settlements: Sequence[Settlement]) -> dict[str, Written]:
        if not settlements:
            return {}
        connection = self._connection
        replied = [s for s in settlements if s.reply is not None]
        replacing = [s.intent.key for s in replied if s.intent.refresh]
        if replacing:
            connection.execute(_DELETE_REPLIES, {"keys": replacing})
        first: dict[str, Written] = (
            dict(self._prepared.find([s.intent.key for s in replied])) if replied else {}
        )
        now = self._terms.wall()
        new = [
            reply_row(s.intent, s.reply, s.request, now)
            for s in settlements
            if s.reply is not None and s.intent.key not in first
        ]
        if new:
            self._prepared.insert(replies, new)
        abandoned = [s.intent.key for s in settlements if s.abandoned]
        if abandoned:
            connection.execute(EXPIRE_OWN_INTENTS, {"keys": abandoned, "of": self._owner})
        keys = [s.intent.key for s in settlements if not s.abandoned]
        self._prepared.let_go(keys, self._owner)
        self._book([s for s in settlements if s.attempt is not None])
        return first

    def _book(self, settlements: Sequence[Settlement]) -> None:
        tried = [(s.intent, s.attempt) for s in settlements if s.attempt is not None]
        if self._again:
            tried = not_booked(self._connection, tried)
        ends = {s.intent.key: s.ends_call for s in settlements}  # a key comes once in a group
        if tried:
            rows = [attempt_row(intent, attempt, ends[intent.key]) for intent, attempt in tried]
            self._prepared.insert(attempts, rows)

    def _claim(self, claims: Sequence[Intent]) -> dict[str, Written]:
        if not claims:
            return {}
        connection = self._connection
        keys = [claim.key for claim in claims]
        stored = self._prepared.find(keys)
        held = self._held(keys)
        self._account.read(connection, self._is_dead)
        answers = {claim.key: self._decide(claim, stored, held) for claim in claims}
        granted = [claim for claim in claims if isinstance(answers[claim.key], Claimed)]
        if self._again:
            granted = [c for c in granted if not was_granted(held.get(c.key), c, self._owner)]
        taken_over = [held[claim.key] for claim in granted if claim.key in held]
        if taken_over:
            connection.execute(_DELETE_INTENTS, {"keys": [row["key"] for row in taken_over]})
            self._prepared.insert(
                attempts, [attempt_row(intent_of(row), abandoned(row), True) for row in taken_over]
            )
        if granted:
            self._prepared.insert(intents, [intent_row(claim, self._owner) for claim in granted])
        return dict(answers)

    def _held(self, keys: Sequence[str]) -> dict[str, RowMapping]:
        held = self._prepared.held(keys)
        if not held:
            return {}
        rows = self._connection.execute(_SELECT_INTENTS, {"keys": held}).mappings()
        return {row["key"]: row for row in rows}

    def _batch(self, write: BatchWrite) -> Written:
        connection, now = self._connection, self._terms.wall()
        match write:
            case BatchIntent():
                holder = Holder(self._owner, self._account, self._is_dead, self._again)
                return claim_batch(connection, write, holder)
            case BatchSettlement():
                return settle_batch(connection, write, self._owner, now, again=self._again)
            case Computed(made, run_id):
                return insert_new(connection, made, run_id, now)

    def _decide(
        self, claim: Intent, stored: dict[str, StoredReply], held: dict[str, RowMapping]
    ) -> ClaimResult:
        if claim.key in stored and not claim.refresh:
            return stored[claim.key]
        row = held.get(claim.key)
        if self._again and was_granted(row, claim, self._owner):
            return Claimed()
        if row is not None and not self._is_dead(row):
            return Held(str(row["owner"]))
        refused = self._account.reserve(claim.worst)
        if refused is not None:
            return refused
        return Claimed(None if row is None else abandoned(row))

    def _is_dead(self, row: RowMapping) -> bool:
        if row["expires_at"] < self._terms.wall():
            return True
        return row["owner"] != self._owner and self._terms.owner.knows_dead(Owner.parse(row["owner"]))


def _distinct(writes: Sequence[Write]) -> Iterator[list[Write]]:
    """`writes` cut so that no key comes twice in a group: then a group's inner order is free."""
    group: list[Write] = []
    seen: set[str] = set()
    for write in writes:
        key = _key(write)
        if key in seen:
            yield group
            group, seen = [], set()
        group.append(write)
        seen.add(key)
    if group:
        yield group


def _key(write: Write) -> str:
    match write:
        case Intent():
            return write.key
        case Settlement():
            return write.intent.key
        case BatchIntent():
            return f"batch {write.intent.key}"
        case BatchSettlement():
            return f"batch {write.batch.intent.key}"
        case Computed():
            return f"computed {' '.join(write.made)}"
