"""What a transaction had done whose commit was not answered, so that it is not done twice."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, select

from venire.llm.store.entries import Intent
from venire.llm.store.schema import attempts
from venire.records import Attempt

Tried = tuple[Intent, Attempt]


def not_booked(connection: Connection, tried: Sequence[Tried]) -> list[Tried]:
    """Those of `tried` that are not in the ledger, read as a whole: after a broken connection only."""
    if not tried:
        return []
    keys, runs = {intent.key for intent, _ in tried}, {intent.scope.run_id for intent, _ in tried}
    query = select(attempts.c.key, attempts.c.run_id, attempts.c.started_at).where(
        attempts.c.key.in_(keys), attempts.c.run_id.in_(runs)
    )
    booked = {(key, run_id, started_at) for key, run_id, started_at in connection.execute(query)}
    return [
        (intent, attempt)
        for intent, attempt in tried
        if (intent.key, intent.scope.run_id, attempt.started_at) not in booked
    ]


def was_granted(row: RowMapping | None, intent: Intent, owner: str) -> bool:
    """Whether `row` of the intents is `intent` itself."""
    return row is not None and row["owner"] == owner and row["started_at"] == intent.started_at
