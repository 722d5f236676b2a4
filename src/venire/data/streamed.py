"""A data set that is read anew each time that it is gone through, so that nobody has to hold all of it."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import overload

import numpy as np

from venire.data.checks import Oddities, Placed, check_count, nothing_there, twice
from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.records import Instance, Winner

_DIGEST = 16  # bytes


@dataclass(frozen=True)
class Streamed(Sequence[Instance]):
    """Instances that are read one after another.

    Args:
        read: makes an iterator over all of them, equal each time.
        size: how many there are.
    """

    read: Callable[[], Iterator[Instance]]
    size: int

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Instance]:
        return self.read()

    @overload
    def __getitem__(self, index: int) -> Instance: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Instance, ...]: ...
    def __getitem__(self, index: int | slice) -> Instance | tuple[Instance, ...]:
        """Read up to there; for the first few."""
        if isinstance(index, slice):
            return tuple(islice(self, *index.indices(self.size)))
        if not -self.size <= index < self.size:
            raise IndexError(index)
        return next(islice(self, index % self.size, None))


def assemble_streamed(
    placed: Callable[[], Iterator[Placed]],
    *,
    source: str,
    labels: tuple[Winner, ...] = (),
    limit: int | None = None,
    revision: str | None = None,
    id_field: str = "id",
    expected_count: int | None = None,
    warnings: Sequence[str] = (),
) -> Loaded:
    """As `checks.assemble`, by going through all of it once; 16 bytes a row tell whether ids differ.

    Raises:
        DataError: there is no instance, two have the same id, or the count is not the expected one.
    """
    seen = _Seen(placed(), limit)
    digest = fingerprint(seen)
    check_count(source, "records", seen.rows, expected_count)
    if not seen.rows:
        raise nothing_there(source)
    if (pair := seen.doubles()) is not None:
        first, second = (next(islice(placed(), at, None)) for at in pair)
        raise twice(second.row, id_field, second.instance.id, first.row)
    count = seen.rows if limit is None else min(limit, seen.rows)
    return Loaded(
        instances=Streamed(lambda: (each.instance for each in islice(placed(), count)), count),
        fingerprint=digest,
        source=source,
        revision=revision,
        labels=labels,
        warnings=(*warnings, *seen.oddities.told),
    )


class _Seen:
    """The first `limit` instances, one after another; counts and notes all rows on the way."""

    def __init__(self, placed: Iterator[Placed], limit: int | None) -> None:
        self._placed = placed
        self._limit = limit
        self._ids = bytearray()
        self.rows = 0
        self.oddities = Oddities()

    def __iter__(self) -> Iterator[Instance]:
        for each in self._placed:
            self.rows += 1
            self._ids += hashlib.blake2b(each.instance.id.encode(), digest_size=_DIGEST).digest()
            if self._limit is None or self.rows <= self._limit:
                self.oddities.see(each.instance)
                yield each.instance

    def doubles(self) -> tuple[int, int] | None:
        """The places of two rows with one id, the one that repeats an id soonest; None where all differ."""
        ids = np.frombuffer(self._ids, dtype=f"V{_DIGEST}").view(np.dtype([("high", "<u8"), ("low", "<u8")]))
        order = np.lexsort((ids["low"], ids["high"]))  # stable: of equal ids the earlier row stands first
        same = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
        if not len(same):
            return None
        at = same[np.argmin(order[same + 1])]
        return int(order[at]), int(order[at + 1])
