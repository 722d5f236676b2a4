"""Vectors in the store: what goes in, what comes out, and look-ups of many at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from venire.llm.budget import Spending
from venire.llm.store.engine import broken, connected
from venire.llm.store.entries import Intent, OverBudget
from venire.llm.store.schema import vectors
from venire.records import Attempt, BackendKind

GROUP = 500  # keys in one query: SQLite's default bound on parameters is 999 in old builds
_BYTES = np.dtype("<f4")

_SELECT = select(vectors).where(vectors.c.key.in_(bindparam("keys", expanding=True)))


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A text's vector, of unit length, and its share of what its request took.

    `input_tokens` and `cost_usd` are None where nothing is known of them, and lower bounds where
    they are not complete.
    """

    vector: npt.NDArray[np.float32]
    model: str
    kind: BackendKind
    input_tokens: int | None
    cost_usd: float | None
    usage_complete: bool = True
    cost_complete: bool = True


@dataclass(frozen=True, slots=True)
class BatchIntent:
    """A request for the vectors of several texts that is about to be sent.

    Args:
        intent: of the whole request; its key names the batch.
        worst: the most that each text can take, by the text's key.
    """

    intent: Intent
    worst: Mapping[str, Spending]


@dataclass(frozen=True, slots=True)
class BatchClaim:
    """Which texts of a batch are to be sent; what is neither `granted` nor `stored` another owner sends.

    `abandoned` are attempts of dead owners. With `refused`, nothing is granted.
    """

    granted: tuple[str, ...] = ()
    stored: Mapping[str, StoredVector] = field(default_factory=dict)
    abandoned: tuple[Attempt, ...] = ()
    refused: OverBudget | None = None


@dataclass(frozen=True, slots=True)
class BatchSettlement:
    """How a batch ended; `made` holds the vectors that it brought, by key. `abandoned`: see `Settlement`."""

    batch: BatchIntent
    attempt: Attempt | None
    ends_call: bool = True
    made: Mapping[str, StoredVector] = field(default_factory=dict)
    abandoned: bool = False


@dataclass(frozen=True, slots=True)
class Computed:
    """Vectors that were computed on this machine, by key: nobody bills them, so nobody claims them."""

    made: Mapping[str, StoredVector]
    run_id: str


class VectorReader:
    """Answers groups of look-ups; each sees what was committed before it."""

    def __init__(self, engine: Engine) -> None:
        self._connection = connected(engine).execution_options(isolation_level="AUTOCOMMIT")

    def __call__(self, wanted: Sequence[Sequence[str]]) -> Sequence[Mapping[str, StoredVector]]:
        """For each look-up the stored vectors among its keys."""
        keys = list(dict.fromkeys(key for each in wanted for key in each))
        try:
            found = find_vectors(self._connection, keys)
        except SQLAlchemyError as error:
            raise broken(self._connection, "cannot be read", error) from error
        return [{key: found[key] for key in each if key in found} for each in wanted]

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()


def find_vectors(connection: Connection, keys: Sequence[str]) -> dict[str, StoredVector]:
    """The stored vectors among `keys`, by key."""
    found: dict[str, StoredVector] = {}
    for group in in_groups(keys):
        for row in connection.execute(_SELECT, {"keys": group}).mappings():
            found[row["key"]] = StoredVector(
                vector=np.frombuffer(row["vector"], dtype=_BYTES).astype(np.float32, copy=False),
                model=row["model"],
                kind=BackendKind(row["kind"]),
                input_tokens=row["input_tokens"],
                cost_usd=row["cost_usd"],
                usage_complete=bool(row["usage_complete"]),
                cost_complete=bool(row["cost_complete"]),
            )
    return found


def vector_row(key: str, stored: StoredVector, run_id: str, now: float) -> dict[str, object]:
    """A row of `vectors`."""
    return {
        "key": key,
        "kind": stored.kind.value,
        "model": stored.model,
        "created_at": now,
        "run_id": run_id,
        "input_tokens": stored.input_tokens,
        "cost_usd": stored.cost_usd,
        "usage_complete": int(stored.usage_complete),
        "cost_complete": int(stored.cost_complete),
        "vector": stored.vector.astype(_BYTES, copy=False).tobytes(),
    }


def in_groups(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """`keys` cut to what one query takes."""
    for start in range(0, len(keys), GROUP):
        yield keys[start : start + GROUP]
