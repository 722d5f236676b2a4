"""Filled-in review files to labels: every id, verdict, rating and time is checked, or nothing is taken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from venire.data.files import read_rows
from venire.data.rows import Row, shown
from venire.errors import DataError
from venire.judging.criteria import Criterion
from venire.judging.rating import on_scale
from venire.records import Dimension, Instance, Order, Winner
from venire.review.labels import Label, Verdict, content_of
from venire.review.queue import ids_by_handle
from venire.review.reading_criteria import check_none_on_criteria, read_on_criteria
from venire.review.sheets import RATING, SheetFormat, as_it_was
from venire.review.store import TAKEN_BACK


@dataclass(frozen=True, slots=True)
class Reading:
    """What a review file is read against.

    Args:
        instances: of the data set.
        winners: verdicts that the data set's labels know; empty: all three.
        annotator: who labelled the rows that do not say.
        now: the time of the import, ISO 8601.
        run_id: the run whose uncertainty is answered; empty for none.
        criteria: that its pairs are compared on, too; None where no run is named, and any are taken.
    """

    instances: Sequence[Instance]
    winners: tuple[Winner, ...] = ()
    annotator: str | None = None
    now: str = ""
    run_id: str = ""
    criteria: tuple[Criterion, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Read:
    """The labels of a file, and how many of its rows have none."""

    labels: tuple[Label, ...]
    empty: int


def read_sheet(path: Path, reading: Reading) -> Read:
    """The labels in a file, in its order; a row with neither verdict nor ratings is not labelled yet.

    Raises:
        DataError: an unknown id, texts that are not the data set's, a verdict or rating that is none,
            criteria that the run does not have, no annotator, a time that is none, or two labels of one
            annotator on an item; names file, row and field.
    """
    by_id = {instance.id: instance for instance in reading.instances}
    ids = ids_by_handle(by_id)
    seen: dict[tuple[str, str], Row] = {}
    labels = []
    rows = [_without_apostrophes(row) for row in read_rows(path)] if _is_csv(path) else read_rows(path)
    for row in rows:
        _check_is_label(row)
        instance = by_id[_instance_id(row, ids)]
        _check_content(row, instance)
        verdict = _verdict(row, instance, reading.winners)
        if verdict is None:
            check_none_on_criteria(row)
            continue
        label = _label(row, instance, verdict, reading, path.name)
        first = seen.setdefault((label.instance_id, label.annotator), row)
        if first is not row:
            raise row.bad(
                "instance_id",
                expected="one label an item and annotator",
                got=f"a second of {label.annotator!r} (first: row {first.number})",
                todo="take one of the two out",
            )
        labels.append(label)
    return Read(tuple(labels), len(rows) - len(labels))


def _is_csv(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(SheetFormat.CSV)


def _without_apostrophes(row: Row) -> Row:
    """The row as it was before it was made harmless for spreadsheets."""
    fields = {
        name: as_it_was(value) if isinstance(value, str) else value for name, value in row.fields.items()
    }
    return Row(row.file, row.number, fields)


def _check_is_label(row: Row) -> None:
    if TAKEN_BACK in row.fields:
        raise row.bad(
            TAKEN_BACK,
            expected="a label",
            got="a line that takes one back",
            todo="import what venire review labels --out FILE writes, not the store's own file",
        )


def _instance_id(row: Row, ids: Mapping[str, str]) -> str:
    given = row.name("instance_id")
    if given not in ids:
        raise row.bad(
            "instance_id",
            expected="an id or a handle of the data set",
            got=repr(given),
            todo="import it for the run, or the data set with its limit and sample, that it came from",
        )
    return ids[given]


def _check_content(row: Row, instance: Instance) -> None:
    given = _text(row, "content")
    if given and given != content_of(instance):
        raise row.bad(
            "content",
            expected=f"the texts that {instance.id!r} has now",
            got=f"a label for others ({given})",
            todo="label the item as it is now: export it again",
        )


def _label(row: Row, instance: Instance, verdict: Verdict, reading: Reading, source: str) -> Label:
    on = read_on_criteria(row, reading.criteria, is_pair=isinstance(verdict, Winner))
    return Label(
        instance_id=instance.id,
        content=content_of(instance),
        verdict=verdict,
        annotator=_annotator(row, reading.annotator),
        created_at=_time(row) or reading.now,
        seconds=_seconds(row),
        comment=_text(row, "comment"),
        imported_at=reading.now,
        source=source,
        run_id=reading.run_id,
        shown=_shown(row) if instance.is_pairwise else None,
        by_criterion=on.verdicts,
        criteria_content=on.content,
    )


def _shown(row: Row) -> Order | None:
    """In which order the responses stood, where the page that made the file says so."""
    given = _text(row, "shown")
    if not given:
        return None
    try:
        return Order(given)
    except ValueError:
        raise row.bad(
            "shown",
            expected=f"one of {', '.join(Order)}",
            got=shown(given),
            todo="correct it, or leave it empty",
        ) from None


def _text(row: Row, field: str) -> str:
    """The text of a field that may be missing, null or empty; a number as its text."""
    value = row.fields.get(field)
    if value is None:
        return ""
    return str(value).strip() if isinstance(value, int | float) else row.text(field).strip()


def _annotator(row: Row, otherwise: str | None) -> str:
    name = _text(row, "annotator") or (otherwise or "")
    if not name:
        raise row.bad(
            "annotator",
            expected="who gave this label",
            got="nothing",
            todo="fill it in, or give --annotator NAME for all rows",
        )
    return name


def _verdict(row: Row, instance: Instance, winners: Sequence[Winner]) -> Verdict | None:
    winner = _winner(row, winners) if _is_pair(instance) else None
    ratings = None if _is_pair(instance) else _ratings(row, instance)
    other = "ratings" if _is_pair(instance) else "verdict"
    if _is_given(row.fields.get(other)):
        wanted = "a verdict: two responses are compared" if _is_pair(instance) else "ratings on dimensions"
        raise row.bad(other, expected=wanted, got=shown(row.fields[other]), todo="correct the record")
    return winner or ratings


def _is_pair(instance: Instance) -> bool:
    return instance.is_pairwise and not instance.dimensions


def _is_given(value: object) -> bool:
    """Whether a field holds something; a form of ratings that are all empty does not."""
    return any(map(_is_given, value.values())) if isinstance(value, dict) else value not in (None, "")


def _winner(row: Row, winners: Sequence[Winner]) -> Winner | None:
    given = _text(row, "verdict")
    if not given:
        return None
    known = winners or tuple(Winner)
    if given not in [each.value for each in known]:
        todo = "correct it"
        if given in list(Winner):
            todo = "this data set's labels do not have it: leave the row empty, say why in the comment"
        raise row.bad("verdict", expected=f"one of {', '.join(known)}", got=shown(given), todo=todo)
    return Winner(given)


def _ratings(row: Row, instance: Instance) -> dict[str, float] | None:
    asked = {each.name: each for each in instance.dimensions if each.asked}
    given = {
        name.removeprefix(RATING): value for name, value in row.fields.items() if name.startswith(RATING)
    }
    nested = row.fields.get("ratings")
    if isinstance(nested, dict):
        given |= nested
    elif nested not in (None, ""):
        raise row.bad("ratings", expected="ratings by dimension", got=shown(nested), todo="correct it")
    ratings = {
        str(name): _rating(row, str(name), value, asked)
        for name, value in given.items()
        if value is not None and value != ""
    }
    return ratings or None


def _rating(row: Row, name: str, value: object, asked: Mapping[str, Dimension]) -> float:
    field = f"{RATING}{name}"
    if name not in asked:
        there = ", ".join(asked) or "none"
        raise row.bad(
            field, expected=f"a dimension that is rated ({there})", got=repr(name), todo="correct it"
        )
    dimension = asked[name]
    read = Row(row.file, row.number, {field: value}).real(field, dimension.low, dimension.high)
    if read is None or not on_scale(dimension, read):
        steps = "" if dimension.step is None else f" in steps of {dimension.step:g}"
        expected = f"a rating from {dimension.low:g} to {dimension.high:g}{steps}"
        raise row.bad(
            field, expected=expected, got=shown(value), todo="correct the rating, or leave it empty"
        )
    return read


def _time(row: Row) -> str:
    given = _text(row, "created_at")
    if given:
        try:
            datetime.fromisoformat(given)
        except ValueError:
            raise row.bad(
                "created_at",
                expected="a time such as 2026-11-30T09:15:00Z",
                got=shown(given),
                todo="correct it, or leave it empty for the time of the import",
            ) from None
    return given


def _seconds(row: Row) -> float | None:
    if "seconds" not in row.fields:
        return None
    try:
        return row.real("seconds", 0.0, float("inf"))
    except DataError:
        raise row.bad(
            "seconds",
            expected="a number of seconds, at least 0",
            got=shown(row.fields["seconds"]),
            todo="correct it, or leave it empty",
        ) from None
