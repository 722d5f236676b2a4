"""A data set that is read anew each time that it is gone through, so that nobody has to hold all of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import overload

from venire.data.checks import Oddities, Placed, check_count, nothing_there, twice
from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.records import Instance, Winner
from venire.spilled import Digests


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
    """As `checks.assemble`, by going through all of it once; whether ids differ is told on disk.

    Raises:
        DataError: there is no instance, two have the same id, or the count is not the expected one.
    """
    seen = _Seen(placed(), limit)
    digest = fingerprint(seen)
    check_count(source, "records", seen.rows, expected_count)
    if not seen.rows:
        raise nothing_there(source)
    if (pair := seen.ids.doubled()) is not None:
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
        self.ids = Digests()
        self.rows = 0
        self.oddities = Oddities()

    def __iter__(self) -> Iterator[Instance]:
        for each in self._placed:
            self.rows += 1
            self.ids.add(each.instance.id)
            if self._limit is None or self.rows <= self._limit:
                self.oddities.see(each.instance)
                yield each.instance
