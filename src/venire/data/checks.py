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
            raise _twice(row, field, key(row), first)
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
        raise complaint(
            source,
            expected="at least one instance",
            got="none",
            todo="check the path and what is selected from it",
        )
    first: dict[str, Row] = {}
    for item in placed:
        earlier = first.setdefault(item.instance.id, item.row)
        if earlier is not item.row:
            raise _twice(item.row, id_field, item.instance.id, earlier)
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


def _twice(row: Row, field: str, key: object, first: Row) -> Exception:
    where = f"row {first.number}" if first.file == row.file else f"{first.file}, row {first.number}"
    return row.bad(
        field,
        expected="ids that differ",
        got=f"{key!r}, which {where} has too",
        todo="give each record its own id, or take one of the two out",
    )


def _oddities(instances: Sequence[Instance]) -> list[str]:
    """A sentence on each kind of oddity that is data all the same."""
    empty = [i.id for i in instances for response in i.responses if not response.text.strip()]
    same = [i.id for i in instances if i.is_pairwise and i.responses[0].text == i.responses[1].text]
    found: list[str] = []
    if empty:
        found.append(f"empty responses, kept as they are: {len(empty)} (in {_names(empty)})")
    if same:
        found.append(f"pairs of two equal responses, kept as they are: {len(same)} ({_names(same)})")
    return found


def _names(ids: Sequence[str]) -> str:
    more = len(ids) - _NAMED
    return ", ".join(ids[:_NAMED]) + (f" and {more} more" if more > 0 else "")
