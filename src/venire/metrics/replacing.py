"""Whether a judge may replace an annotator: the alternative annotator test on annotations and verdicts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from venire.data.annotations import TURNED
from venire.errors import DataError
from venire.records import (
    Annotations,
    Dimension,
    Prediction,
    Preference,
    Ratings,
    Unscored,
    Value,
    Winner,
)
from venire.stats.alt_test import AltTest, AltTestSettings, alt_test, minus_rmse, share_equal


@dataclass(frozen=True, slots=True)
class Replacement:
    """The test of one judge on one question.

    Args:
        question: `preference` or a dimension.
        judge: whose verdicts.
        group: which annotators; `all` where there are no groups.
        test: its outcome.
        notes: what must be said of it, a sentence each.
    """

    question: str
    judge: str
    group: str
    test: AltTest
    notes: tuple[str, ...] = ()


def replacement(
    annotations: Annotations,
    judge: tuple[str, Mapping[str, Value]],
    settings: AltTestSettings,
    *,
    group: str | None = None,
    notes: Sequence[str] = (),
) -> Replacement:
    """The test of `judge` (name, verdict by unit) against a group of annotators; None: all of them.

    Preferences are scored by how many of the other annotators say the same, ratings by minus the root
    mean square distance to them. An annotator who contradicts itself on a unit is left out there.

    Raises:
        DataError: no such group, or annotators without names: nobody could be set aside.
    """
    if not annotations.named:
        raise DataError(
            "annotations: expected annotators by name, got counts of votes; the test sets one annotator "
            "aside at a time (MT-Bench: dataset=mt_bench_votes)"
        )
    if group is not None and group not in annotations.groups:
        there = ", ".join(annotations.groups) or "none"
        raise DataError(f"group: expected one of the data set's ({there}), got {group!r}")
    humans, contradictions = _humans(annotations, group)
    score = minus_rmse if annotations.dimension else share_equal
    name, verdicts = judge
    found = alt_test(humans, verdicts, score, settings)
    said = [*notes, *_said(found, contradictions), *_clustered(annotations, humans, verdicts)]
    shown = group or next(iter(reversed([*annotations.groups])), "all")
    return Replacement(annotations.question, name, shown, found, tuple(said))


def _humans(annotations: Annotations, group: str | None) -> tuple[dict[str, dict[str, Value]], int]:
    """Annotator to unit to value, and how often an annotator contradicted itself."""
    humans: dict[str, dict[str, Value]] = {}
    contradicted = set()
    for entry in annotations.of_group(group):
        own = humans.setdefault(entry.annotator, {})
        if own.setdefault(entry.unit, entry.value) != entry.value:
            contradicted.add((entry.annotator, entry.unit))
    for annotator, unit in contradicted:
        del humans[annotator][unit]
    return humans, len(contradicted)


def _said(found: AltTest, contradictions: int) -> list[str]:
    said = []
    if len(found.against) < 3:
        said.append(
            f"{len(found.against)} annotators have enough items; below three there is no group to stand for, "
            "and the test tells little"
        )
    if found.left_out:
        most = max(found.left_out.values())
        said.append(f"{len(found.left_out)} annotators left out: they share at most {most} items with others")
    if found.unjudged:
        said.append(f"{found.unjudged} items with two annotators have no verdict of the judge")
    if contradictions:
        said.append(f"{contradictions} annotations left out: an annotator contradicted itself")
    return said


def _clustered(
    annotations: Annotations, humans: Mapping[str, Mapping[str, Value]], verdicts: Mapping[str, Value]
) -> list[str]:
    """A warning where items share prompts: the test takes them for independent."""
    how_many = Counter(unit for said in humans.values() for unit in said if unit in verdicts)
    units = [unit for unit, count in how_many.items() if count > 1]
    prompts = len({annotations.cluster.get(unit, unit) for unit in units})
    if prompts == len(units):
        return []
    return [
        f"items are taken for independent, but {len(units)} of them share {prompts} prompts: p is perhaps "
        "too small"
    ]


def verdicts_by_unit(
    predictions: Iterable[tuple[tuple[str, bool], Prediction]], dimension: Dimension | None
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """A judge's verdict on each unit, and what must be said of them.

    Args:
        predictions: of instances, each with its unit and whether its responses are turned around there.
        dimension: what is rated; None for preferences.

    A unit that several instances show has their verdict where they agree, else a tie (of ratings: their
    mean is not taken, there is one instance a unit). What is unscored is no verdict.

    Raises:
        DataError: ratings where preferences are due, or the other way round; or ratings off the scale.
    """
    found: dict[str, list[Value]] = {}
    for (unit, is_turned), prediction in predictions:
        value = _value(prediction, dimension)
        if value is not None:
            turned = TURNED[value] if is_turned and isinstance(value, Winner) else value
            found.setdefault(unit, []).append(turned)
    differ = [unit for unit, values in found.items() if len(set(values)) > 1]
    notes: tuple[str, ...] = ()
    if differ:
        notes = (f"{len(differ)} items on which the judge contradicts itself count as its ties",)
    verdicts: dict[str, Value] = {
        unit: values[0] if len(set(values)) == 1 else Winner.TIE for unit, values in found.items()
    }
    return verdicts, notes


def _value(prediction: Prediction, dimension: Dimension | None) -> Value | None:
    match prediction:
        case Unscored():
            return None
        case Preference(winner=winner) if dimension is None:
            return winner
        case Ratings(by_dimension=ratings) if dimension is not None:
            rating = ratings.get(dimension.name)
            if rating is not None and not dimension.low <= rating <= dimension.high:
                raise DataError(
                    f"ratings: expected {dimension.name} from {dimension.low:g} to {dimension.high:g}, got "
                    f"{rating:g}; distances to annotators mean something on their scale only"
                )
            return rating
        case _:
            wanted = "preferences" if dimension is None else f"ratings on {dimension.name}"
            raise DataError(f"outcomes: expected {wanted}, as the annotators gave, got others")
