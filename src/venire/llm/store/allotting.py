"""Shares of a provider's limits, handed out to the processes on one store: slots, requests, tokens.

A process asks once in a while for what it needs next, not for every call. All times are the database's.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import (
    ColumnElement,
    Engine,
    RowMapping,
    Table,
    delete,
    func,
    insert,
    literal_column,
    select,
    text,
)
from sqlalchemy import update as update_rows

from venire.llm.owner import Owner
from venire.llm.store.engine import broken, connected, database_errors
from venire.llm.store.schema import limit_grants, limit_members

# How long a process may be silent before its slots are another's; one of this machine that is dead loses them
# at once. Longer than a store may be away (`LLMSettings.patience_s`), and than a call usually takes.
LEASE_S = 180.0
# What is granted is used within this time, or given back ...
USABLE_S = 2.0
# ... so that no 60 s hold more than the limit if a grant counts for so long.
COUNTED_S = 60.0 + USABLE_S
GROUP = 8
_ADVISORY_LOCK = 0x76656E6C696D
REQUESTS, TOKENS = "requests", "tokens"


@dataclass(frozen=True, slots=True)
class Need:
    """Of a minute's limit: `wanted` in all, `least` (0: nothing waits) for the first that waits."""

    limit: int
    wanted: int = 0
    least: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """What a process says of one provider.

    Args:
        provider: whose limits.
        concurrency: attempts in flight at once, over all processes.
        held: slots that this process keeps, after it gave back what it does not need.
        wanted: slots that it could use; both 0 where it leaves.
        minute: by `requests` and `tokens`, where there is such a limit.
        corrections: of what was granted: grant to change.
    """

    provider: str
    concurrency: int
    held: int
    wanted: int
    minute: Mapping[str, Need] = field(default_factory=dict)
    corrections: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grant:
    """`amount` of a minute's limit, to be used within `USABLE_S` of the asking."""

    number: int
    amount: int


@dataclass(frozen=True, slots=True)
class Allotment:
    """The answer to a wish: `more` slots than were held; `fair` is the share to come down (or up) to."""

    provider: str
    more: int
    fair: int
    minute: Mapping[str, Grant] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rival:
    """Another process: what it has of a minute's limit, and the least that it waits for."""

    taken: int
    least: int


def fair_shares(limit: int, wants: Mapping[str, int]) -> dict[str, int]:
    """How `limit` slots are parted: nobody gets more than they want while another wants more than they got.

    What nobody wants is parted equally, too: it may be wanted in a moment.
    """
    shares = dict.fromkeys(sorted(wants), 0)
    left, wanting = limit, [owner for owner in shares if wants[owner] > 0]
    while left and wanting:
        each, more = divmod(left, len(wanting))
        for place, owner in enumerate(wanting):
            given = min(wants[owner] - shares[owner], each + (place < more))
            shares[owner] += given
            left -= given
        wanting = [owner for owner in wanting if wants[owner] > shares[owner]]
    for place, owner in enumerate(shares):
        shares[owner] += left // len(shares) + (place < left % len(shares))
    return shares


def granted(need: Need, mine: int, rivals: Sequence[Rival]) -> int:
    """How much of a minute's limit a process gets now; 0 where not even its least fits.

    While others wait, each is held to an equal part. Who has had least comes first: for its next one,
    however large, the others leave room.

    Args:
        need: of this process.
        mine: what it has of the minute.
        rivals: all others that have some, or wait.
    """
    waiting = [rival for rival in rivals if rival.least]
    free = need.limit - mine - sum(rival.taken for rival in rivals)
    behind = [rival.least for rival in waiting if rival.taken < mine]
    free -= max(behind, default=0)
    amount = min(need.wanted, free)
    if waiting:
        part = need.limit // (len(waiting) + 1) - mine
        amount = min(amount, part if behind else max(part, need.least))
    return amount if amount >= max(need.least, 1) else 0


class Allotter:
    """Answers the wishes of one process, one provider at a time in order; a handler of `worker.Worker`."""

    def __init__(self, engine: Engine, owner: Owner) -> None:
        self._connection = connected(engine)
        self._errors = database_errors(engine)
        self._owner = owner
        self._me = str(owner)
        # A share that a power cut forgets is asked for again: these commits need not be durable.
        if engine.dialect.name == "sqlite":
            self._connection.exec_driver_sql("PRAGMA synchronous=NORMAL")
            self._connection.rollback()
            # julianday has milliseconds, and its `now` is the database's
            self._now: ColumnElement[float] = literal_column("(julianday('now') - 2440587.5) * 86400.0")
        else:
            self._connection.exec_driver_sql("SET synchronous_commit = off")
            self._connection.commit()
            self._now = literal_column("extract(epoch from clock_timestamp())::double precision")

    def __call__(self, wishes: Sequence[Wish]) -> Sequence[Allotment]:
        """One answer a wish, in order."""
        try:
            with self._alone():
                now = float(self._connection.execute(select(self._now)).scalar_one())
                return [self._answer(wish, now) for wish in wishes]
        except self._errors as error:
            raise broken(self._connection, "limits cannot be shared", error) from error

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A transaction that excludes every other one of this kind; calls go on beside it where they can."""
        with self._connection.begin():
            if self._connection.dialect.name == "sqlite":
                self._connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                self._connection.execute(
                    text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK}
                )
            yield

    def _answer(self, wish: Wish, now: float) -> Allotment:
        connection = self._connection
        for number, change in wish.corrections.items():
            statement = update_rows(limit_grants).where(limit_grants.c.id == number)
            connection.execute(statement.values(amount=limit_grants.c.amount + change))
        old = limit_grants.c.granted_at <= now - COUNTED_S
        connection.execute(delete(limit_grants).where(self._of(limit_grants, wish), old))
        others = self._others(wish, now)
        self._forget([self._me], wish)
        if not wish.held and not wish.wanted:
            return Allotment(wish.provider, 0, 0)
        wants = {str(row["owner"]): int(row["wanted"]) for row in others}
        fair = fair_shares(wish.concurrency, {**wants, self._me: wish.wanted})[self._me]
        free = wish.concurrency - wish.held - sum(int(row["held"]) for row in others)
        more = max(0, min(fair - wish.held, free))
        minute = {kind: self._of_minute(wish, kind, others, now) for kind in wish.minute}
        self._enter(wish, more, minute, now)
        return Allotment(
            wish.provider, more, fair, {kind: grant for kind, grant in minute.items() if grant is not None}
        )

    def _others(self, wish: Wish, now: float) -> list[RowMapping]:
        """The rows of the other processes at this provider; those of dead ones are deleted."""
        rows = self._connection.execute(
            select(limit_members).where(self._of(limit_members, wish), limit_members.c.owner != self._me)
        ).mappings()
        alive: list[RowMapping] = []
        dead: list[RowMapping] = []
        for row in rows:
            is_dead = row["expires_at"] < now or self._owner.knows_dead(Owner.parse(row["owner"]))
            (dead if is_dead else alive).append(row)
        self._forget([row["owner"] for row in dead], wish)
        return alive

    def _of_minute(self, wish: Wish, kind: str, others: Sequence[RowMapping], now: float) -> Grant | None:
        need = wish.minute[kind]
        if not need.wanted:
            return None
        sums = select(limit_grants.c.owner, func.sum(limit_grants.c.amount)).where(
            self._of(limit_grants, wish), limit_grants.c.kind == kind
        )
        rows = self._connection.execute(sums.group_by(limit_grants.c.owner))
        taken = {str(owner): int(amount) for owner, amount in rows}
        mine = taken.pop(self._me, 0)
        least = {str(row["owner"]): int(row[f"least_{kind}"]) for row in others}
        rivals = [Rival(taken.get(owner, 0), least.get(owner, 0)) for owner in {*taken, *least}]
        amount = granted(need, mine, rivals)
        if not amount:
            return None
        row: dict[str, object] = {"provider": wish.provider, "owner": self._me, "kind": kind}
        row |= {"granted_at": now, "amount": amount}
        made = self._connection.execute(insert(limit_grants).returning(limit_grants.c.id), row)
        return Grant(int(made.scalar_one()), amount)

    def _enter(self, wish: Wish, more: int, minute: Mapping[str, Grant | None], now: float) -> None:
        waits = {
            f"least_{kind}": wish.minute[kind].least if kind in wish.minute and minute[kind] is None else 0
            for kind in (REQUESTS, TOKENS)
        }
        row = {
            "provider": wish.provider,
            "owner": self._me,
            "held": wish.held + more,
            "wanted": wish.wanted,
            "expires_at": now + LEASE_S,
            **waits,
        }
        self._connection.execute(insert(limit_members), row)

    def _forget(self, owners: Sequence[str], wish: Wish) -> None:
        if owners:
            self._connection.execute(
                delete(limit_members).where(self._of(limit_members, wish), limit_members.c.owner.in_(owners))
            )

    def _of(self, table: Table, wish: Wish) -> ColumnElement[bool]:
        return table.c.provider == wish.provider
