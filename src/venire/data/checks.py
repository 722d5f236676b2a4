"""From instances with the rows they came from to a checked `Loaded`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.data.rows import Row, complaint
from venire.records import Instance, Winner

_NAMED = 3  # ids that a warning names


@dataclass(frozen=True, slots=True)
class Placed:
    """An instance and the (first) row that it was made from."""

    row: Row
    instance: Instance


def check_count(file: str, what: str, got: int, expected: int | None) -> None:
    """Nothing, where the count is the published one (or none is known).

    Raises:
        DataError: it is another.
    """
    if expected is not None and got != expected:
        raise complaint(
            file,
            expected=f"{expected} {what} (the published count)",
            got=str(got),
            todo="fetch the file again, or set dataset.check_counts=false if it is meant to differ",
        )


def index_by(rows: Sequence[Row], key: Callable[[Row], object], field: str) -> Mapping[object, Row]:
    """Rows by their key, in order.

    Raises:
        DataError: two rows have the same key.
    """
    found: dict[object, Row] = {}
    for row in rows:
        first = found.setdefault(key(row), row)
        if first is not row:
            raise twice(row, field, key(row), first)
    return found


def assemble(
    placed: Sequence[Placed],
    *,
    source: str,
    labels: tuple[Winner, ...] = (),
    limit: int | None = None,
    revision: str | None = None,
    id_field: str = "id",
    warnings: Sequence[str] = (),
    doubly_rated: Sequence[Instance] = (),
) -> Loaded:
    """The data set: all rows are checked, then the first `limit` instances are kept.

    `doubly_rated`: see `Loaded`.

    Raises:
        DataError: there is no instance, or two have the same id.
    """
    if not placed:
        raise nothing_there(source)
    first: dict[str, Row] = {}
    for item in placed:
        earlier = first.setdefault(item.instance.id, item.row)
        if earlier is not item.row:
            raise twice(item.row, id_field, item.instance.id, earlier)
    instances = tuple(item.instance for item in placed[:limit])
    return Loaded(
        instances=instances,
        fingerprint=fingerprint(instances),
        source=source,
        revision=revision,
        labels=labels,
        warnings=(*warnings, *_oddities(instances)),
        doubly_rated=tuple(doubly_rated),
    )


def nothing_there(source: str) -> Exception:
    """The error of a data set without any instance (returned, for the caller to raise)."""
    return complaint(
        source,
        expected="at least one instance",
        got="none",
        todo="check the path and what is selected from it",
    )


def twice(row: Row, field: str, key: object, first: Row) -> Exception:
    """The error of a row whose key an earlier one has, too (returned, for the caller to raise)."""
    where = f"row {first.number}" if first.file == row.file else f"{first.file}, row {first.number}"
    return row.bad(
        field,
        expected="ids that differ",
        got=f"{key!r}, which {where} has too",
        todo="give each record its own id, or take one of the two out",
    )


def _oddities(instances: Sequence[Instance]) -> tuple[str, ...]:
    found = Oddities()
    for instance in instances:
        found.see(instance)
    return found.told


class Oddities:
    """What is odd about instances, but is data all the same; they are looked at one by one."""

    def __init__(self) -> None:
        self._empty = _Named()
        self._same = _Named()

    def see(self, instance: Instance) -> None:
        """Look at one."""
        for response in instance.responses:
            if not response.text.strip():
                self._empty.add(instance.id)
        if instance.is_pairwise and instance.responses[0].text == instance.responses[1].text:
            self._same.add(instance.id)

    @property
    def told(self) -> tuple[str, ...]:
        """A sentence on each kind of oddity that was seen."""
        found = []
        if self._empty.count:
            found.append(f"empty responses, kept as they are: {self._empty.count} (in {self._empty})")
        if self._same.count:
            found.append(f"pairs of two equal responses, kept as they are: {self._same.count} ({self._same})")
        return tuple(found)


class _Named:
    """A count of ids, of which the first are named."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[str] = []

    def add(self, name: str) -> None:
        self.count += 1
        if len(self._first) < _NAMED:
            self._first.append(name)

    def __str__(self) -> str:
        more = self.count - len(self._first)
        return ", ".join(self._first) + (f" and {more} more" if more > 0 else "")
