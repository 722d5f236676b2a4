"""What a sweep (or a run outside of one) has spent and may still be spending, read from the ledger."""

from collections.abc import Callable

from sqlalchemy import Connection, RowMapping, case, func, select

from venire.llm.budget import Budget, Scope, Spending
from venire.llm.store.entries import OverBudget
from venire.llm.store.schema import attempts, intents
from venire.records import EMBEDDING_STAGE, BackendKind


class Account:
    """Keeps the sum of the ledger's rows seen so far; used inside of exclusive transactions only.

    An attempt whose cost or usage is unknown counts with what was reserved for it. Open intents
    count likewise, those of dead owners too: nobody knows what they took.
    """

    def __init__(self, budget: Budget, scope: Scope) -> None:
        self._budget = budget
        if scope.sweep_id:
            self._column, self._id = "sweep_id", scope.sweep_id
        else:
            self._column, self._id = "run_id", scope.run_id
        self._settled = Spending()
        self._last_id = 0
        self._reserved = Spending()
        self._in_flight = False

    def read(self, connection: Connection, is_dead: Callable[[RowMapping], bool]) -> None:
        """Take in what was written since the last time; nothing without a bound to hold."""
        if not self._budget.is_bounded:
            return
        spent, last_id = spent_since(connection, self._column, self._id, self._last_id)
        self._settled += spent
        self._last_id = max(self._last_id, last_id)
        query = select(intents).where(intents.c[self._column] == self._id)
        rows = connection.execute(query).mappings().all()
        self._reserved = sum(
            (Spending(row["worst_usd"], _calls(row), row["worst_tokens"]) for row in rows), start=Spending()
        )
        self._in_flight = any(not is_dead(row) for row in rows)

    def reserve(self, worst: Spending) -> OverBudget | None:
        """None where `worst` fits (and is now reserved)."""
        if not self._budget.is_bounded:
            return None
        if not self._budget.holds(self._settled + self._reserved + worst):
            return OverBudget(self._settled, self._in_flight)
        self._reserved += worst
        self._in_flight = True
        return None


def _calls(row: RowMapping) -> int:
    """Requests for vectors are no calls: they count with their money and tokens."""
    return 0 if row["stage"] == EMBEDDING_STAGE else 1


def spent_since(connection: Connection, column: str, scope: str, last_id: int = 0) -> tuple[Spending, int]:
    """What the attempts with an id above `last_id` took at most, and the last of their ids."""
    at_most_usd = func.coalesce(attempts.c.cost_usd, attempts.c.worst_usd)
    tokens = attempts.c.input_tokens + attempts.c.output_tokens  # null where either is
    query = select(
        func.sum(case((attempts.c.kind == BackendKind.LIVE.value, at_most_usd), else_=0.0)),
        func.sum(case((attempts.c.stage != EMBEDDING_STAGE, attempts.c.ends_call), else_=0)),
        func.sum(func.coalesce(tokens, attempts.c.worst_tokens)),
        func.max(attempts.c.id),
    ).where(attempts.c[column] == scope, attempts.c.id > last_id)
    usd, calls, tokens_sum, last = connection.execute(query).one()
    return Spending(float(usd or 0), int(calls or 0), int(tokens_sum or 0)), int(last or 0)
