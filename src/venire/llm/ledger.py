"""What the ledger says: sums to hold against an invoice, and the stored replies for export.

These are synchronous queries on an engine of `venire.llm.store.open_engine`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Engine, RowMapping, case, func, select

from venire.llm.budget import Spending
from venire.llm.store.account import spent_since
from venire.llm.store.schema import attempts, intents, replies
from venire.records import AttemptStatus, BackendKind

_GROUP = 500
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """All attempts of one UTC day, model and kind.

    Args:
        day: `2026-11-30`, the day on which the attempts started.
        model: as asked.
        calls: that ended: answered, refused, given up or uncertain.
        attempts: of them and of calls that were tried again.
        input_tokens, output_tokens, cached_tokens, reasoning_tokens: sums of what is known.
        cost_usd: sum of what is known, at the prices of the time; for kinds other than live what
            it would have cost, not what was billed.
        unknown_usage, unknown_cost: attempts without; with any, the sums are lower bounds.
        uncertain: attempts that were in flight when their process died or broke them off, booked when
            somebody asked again.
    """

    day: str
    model: str
    kind: BackendKind
    calls: int
    attempts: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost_usd: float
    unknown_usage: int
    unknown_cost: int
    uncertain: int


def reconcile(engine: Engine) -> list[LedgerLine]:
    """The ledger by day, model and kind, in that order."""
    a = attempts.c
    unknown_usage = a.input_tokens.is_(None) | a.output_tokens.is_(None)
    query = (
        select(
            a.day,
            a.model,
            a.kind,
            func.sum(a.ends_call).label("calls"),
            func.count().label("attempts"),
            func.coalesce(func.sum(a.input_tokens), 0).label("input_tokens"),
            func.coalesce(func.sum(a.output_tokens), 0).label("output_tokens"),
            func.coalesce(func.sum(a.cached_tokens), 0).label("cached_tokens"),
            func.coalesce(func.sum(a.reasoning_tokens), 0).label("reasoning_tokens"),
            func.coalesce(func.sum(a.cost_usd), 0.0).label("cost_usd"),
            _count_where(unknown_usage).label("unknown_usage"),
            _count_where(a.cost_usd.is_(None)).label("unknown_cost"),
            _count_where(a.status == AttemptStatus.UNCERTAIN.value).label("uncertain"),
        )
        .group_by(a.day, a.model, a.kind)
        .order_by(a.day, a.model, a.kind)
    )
    with engine.connect() as connection:
        return [_line(row) for row in connection.execute(query).mappings()]


def _count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _line(row: RowMapping) -> LedgerLine:
    return LedgerLine(
        day=_date(row["day"]),
        model=row["model"],
        kind=BackendKind(row["kind"]),
        calls=int(row["calls"]),
        attempts=int(row["attempts"]),
        # PostgreSQL sums big integers to decimals.
        input_tokens=int(row["input_tokens"]),
        output_tokens=int(row["output_tokens"]),
        cached_tokens=int(row["cached_tokens"]),
        reasoning_tokens=int(row["reasoning_tokens"]),
        cost_usd=float(row["cost_usd"]),
        unknown_usage=int(row["unknown_usage"]),
        unknown_cost=int(row["unknown_cost"]),
        uncertain=int(row["uncertain"]),
    )


def spent_by_run(engine: Engine, run_id: str) -> Spending:
    """What a run's attempts took at most: unknown cost and usage count with their worst case."""
    with engine.connect() as connection:
        return spent_since(connection, "run_id", run_id)[0]


def spent_by_sweep(engine: Engine, sweep_id: str) -> Spending:
    """What a sweep's attempts took at most, over all its runs and resumptions."""
    with engine.connect() as connection:
        return spent_since(connection, "sweep_id", sweep_id)[0]


@dataclass(frozen=True, slots=True)
class OpenIntent:
    """An attempt in flight: a live process waits for it, or a dead one left it behind."""

    key: str
    owner: str
    run_id: str
    stage: str
    role: str
    model: str
    started_at: float
    worst_usd: float


def open_intents(engine: Engine) -> list[OpenIntent]:
    """What is in flight or was left behind, oldest first; perhaps billed, in no sum above."""
    i = intents.c
    columns = (i.key, i.owner, i.run_id, i.stage, i.role, i.model, i.started_at, i.worst_usd)
    with engine.connect() as connection:
        rows = connection.execute(select(*columns).order_by(i.started_at)).all()
    return [OpenIntent(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class StoreStatistics:
    """How much the store holds."""

    replies: int
    attempts: int
    in_flight: int
    models: tuple[str, ...]


def store_statistics(engine: Engine) -> StoreStatistics:
    """Counts of rows, and the models (as returned) whose replies are stored."""
    with engine.connect() as connection:
        n_replies, n_attempts, n_intents = (
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (replies, attempts, intents)
        )
        models = connection.execute(select(replies.c.model).distinct().order_by(replies.c.model)).scalars()
        return StoreStatistics(n_replies, n_attempts, n_intents, tuple(models))


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """A stored reply as it lies in the table; `key` is the hash of `request`."""

    key: str
    kind: str
    model: str
    finish: str
    created_at: float
    run_id: str
    request: str
    reply: str


def stored_replies(engine: Engine, keys: Sequence[str]) -> Iterator[ReplyRow]:
    """The stored replies among `keys`, in the order of `keys`, each once; for a bundle."""
    distinct = list(dict.fromkeys(keys))
    with engine.connect() as connection:
        for start in range(0, len(distinct), _GROUP):
            group = distinct[start : start + _GROUP]
            rows = connection.execute(select(replies).where(replies.c.key.in_(group))).all()
            found = {row.key: ReplyRow(*row) for row in rows}
            yield from (found[key] for key in group if key in found)


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _SECONDS_A_DAY, tz=UTC).date().isoformat()
