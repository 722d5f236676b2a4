"""Human ratings as they stand in a table: one row a response, or one row a response and annotator."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.data.rows import Row, shown
from venire.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Rated:
    """A response's ratings: the mean, and each annotator's; `row` is its first row."""

    name: str
    row: Row
    mean: Mapping[str, float]
    by_annotator: Mapping[str, Mapping[str, float]]


def merged(
    rows: Sequence[tuple[Row, str]],
    scales: Mapping[str, tuple[float, float]],
    *,
    columns: Mapping[str, str] | None = None,
    annotator: str | None = None,
    alike: Sequence[str] = (),
) -> list[Rated]:
    """The ratings of each name, in the order of first appearance.

    Args:
        rows: each with the name of the response that it rates.
        scales: dimension to lowest and highest rating; an empty rating is absent.
        columns: dimension to its column, where that has another name.
        annotator: the column that says who rated; rows of one name with different annotators are
            merged, the mean is over those who rated a dimension. Without it (or where the file has
            no such column) each name has one row.
        alike: columns, where there are any, that must say the same in all rows of a name.

    Raises:
        DataError: a rating off its scale, no annotator where there is such a column, two rows of one
            name and annotator, or rows of one name that differ where they must not.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    first: dict[str, Row] = {}
    for row, name in rows:
        own = first.setdefault(name, row)
        for field in alike:
            if row.fields.get(field) != own.fields.get(field):
                raise row.bad(
                    field,
                    expected=f"what row {own.number} has, which rates {name!r}, too",
                    got=shown(row.fields.get(field)),
                    todo="give another response another id, or correct the record",
                )
        who = row.name(annotator) if annotator is not None and annotator in row.fields else ""
        if who in found.setdefault(name, {}):
            by = f" by {who!r}" if who else ""
            raise row.bad(
                "id" if annotator is None else annotator,
                expected=f"one row a response{' and annotator' if annotator else ''}",
                got=f"a second of {name!r}{by} (first: row {own.number})",
                todo="take one of the two out, or name the annotators in a column of their own",
            )
        read = {
            dimension: row.real((columns or {}).get(dimension, dimension), low, high)
            for dimension, (low, high) in scales.items()
        }
        found[name][who] = {dimension: rating for dimension, rating in read.items() if rating is not None}
    return [
        Rated(name, first[name], mean_ratings(list(own.values())), {} if list(own) == [""] else own)
        for name, own in found.items()
    ]


def mean_ratings(ratings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each dimension over those who rated it."""
    names = dict.fromkeys(name for own in ratings for name in own)
    given = {name: [own[name] for own in ratings if name in own] for name in names}
    return {name: math.fsum(values) / len(values) for name, values in given.items()}


def check_scale(key: str, scale: Sequence[float]) -> None:
    """Nothing, where `scale` is lowest and highest.

    Raises:
        ConfigError: it is not.
    """
    if len(scale) != 2 or not float(scale[0]) < float(scale[1]):
        raise ConfigError(f"{key}: expected [lowest, highest], got {list(scale)}")
