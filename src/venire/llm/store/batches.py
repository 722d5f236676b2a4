"""Claims and settlements of requests for vectors, inside of the writer's transactions.

Leases are by text: two processes that need overlapping texts at the same time pay for each once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import BindParameter, Connection, RowMapping, bindparam, delete, insert, select, update

from venire.llm.budget import Spending
from venire.llm.store.account import Account
from venire.llm.store.again import not_booked, was_granted
from venire.llm.store.rows import abandoned, attempt_row, intent_of, intent_row
from venire.llm.store.schema import attempts, intents, vectors
from venire.llm.store.vectors import (
    BatchClaim,
    BatchIntent,
    BatchSettlement,
    StoredVector,
    find_vectors,
    in_groups,
    vector_row,
)

_KEYS: BindParameter[str] = bindparam("keys", expanding=True)
_SELECT_INTENTS = select(intents).where(intents.c.key.in_(_KEYS))
_DELETE_INTENTS = delete(intents).where(intents.c.key.in_(_KEYS))
_DELETE_OWN_INTENTS = _DELETE_INTENTS.where(intents.c.owner == bindparam("owner"))
# An expired lease is a dead owner's, to everybody.
EXPIRE_OWN_INTENTS = (
    update(intents).where(intents.c.key.in_(_KEYS), intents.c.owner == bindparam("of")).values(expires_at=0.0)
)
_DELETE_VECTORS = delete(vectors).where(vectors.c.key.in_(_KEYS))


@dataclass(frozen=True, slots=True)
class Holder:
    """Who claims: the owner as the store writes it, its account, and which rows are of dead owners.

    `again`: it may have been granted before, in a transaction whose end is unknown.
    """

    owner: str
    account: Account
    is_dead: Callable[[RowMapping], bool]
    again: bool = False


def claim_batch(connection: Connection, batch: BatchIntent, holder: Holder) -> BatchClaim:
    """Grant the texts of `batch` that are not stored and that no live owner is asking for."""
    keys = list(batch.worst)
    stored = {} if batch.intent.refresh else find_vectors(connection, keys)
    held = {
        row["key"]: row
        for group in in_groups(keys)
        for row in connection.execute(_SELECT_INTENTS, {"keys": group}).mappings()
    }
    open_keys = [key for key in keys if key not in stored]
    before = [
        key for key in open_keys if holder.again and was_granted(held.get(key), batch.intent, holder.owner)
    ]
    granted = [
        key for key in open_keys if key not in before and (key not in held or holder.is_dead(held[key]))
    ]
    if not granted:
        return BatchClaim(tuple(before), stored)
    holder.account.read(connection, holder.is_dead)
    worst = sum((batch.worst[key] for key in granted), start=Spending())
    refused = holder.account.reserve(replace(worst, calls=0))
    if refused is not None:
        return BatchClaim(stored=stored, refused=refused)
    dead = [held[key] for key in granted if key in held]
    for group in in_groups([row["key"] for row in dead]):
        connection.execute(_DELETE_INTENTS, {"keys": group})
    if dead:
        rows = [attempt_row(intent_of(row), abandoned(row), True) for row in dead]
        connection.execute(insert(attempts), rows)
    claimed = [replace(batch.intent, key=key, worst=batch.worst[key]) for key in granted]
    connection.execute(insert(intents), [intent_row(each, holder.owner) for each in claimed])
    return BatchClaim((*before, *granted), stored, tuple(abandoned(row) for row in dead))


def settle_batch(
    connection: Connection, settlement: BatchSettlement, owner: str, now: float, *, again: bool = False
) -> Mapping[str, StoredVector]:
    """Write how a batch ended; the vectors that another process stored first, which stay, by key."""
    intent = settlement.batch.intent
    keys = list(settlement.batch.worst)
    if settlement.abandoned:
        for group in in_groups(keys):
            connection.execute(EXPIRE_OWN_INTENTS, {"keys": group, "of": owner})
        return {}
    for group in in_groups(keys):
        connection.execute(_DELETE_OWN_INTENTS, {"keys": group, "owner": owner})
        if intent.refresh and settlement.made:
            connection.execute(_DELETE_VECTORS, {"keys": group})
    attempt = settlement.attempt
    if attempt is not None and not (again and not not_booked(connection, [(intent, attempt)])):
        connection.execute(insert(attempts), [attempt_row(intent, attempt, settlement.ends_call)])
    return insert_new(connection, settlement.made, intent.scope.run_id, now)


def insert_new(
    connection: Connection, made: Mapping[str, StoredVector], run_id: str, now: float
) -> Mapping[str, StoredVector]:
    """Keep what is not stored yet; the vectors that were, by key."""
    if not made:
        return {}
    first = find_vectors(connection, list(made))
    rows = [vector_row(key, each, run_id, now) for key, each in made.items() if key not in first]
    if rows:
        connection.execute(insert(vectors), rows)
    return first
