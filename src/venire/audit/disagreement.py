"""Systematic disagreement: confusion tables of gold and verdict, tested for symmetry, and the items behind.

A judge that errs one way and the other alike is noisy; one that errs one way is biased. Accuracy tells
the two not apart. Source: the evaluation guide, "Metric Selection Framework" (systematic disagreement
patterns matter more than agreement).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import RunError
from venire.metrics.criteria import BY_CRITERION
from venire.records import (
    Dimension,
    Instance,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Winner,
)
from venire.stats.agreement import kappa_of_table
from venire.stats.estimate import IntArray
from venire.stats.symmetry import Cell, SymmetryTest, bowker, stuart_maxwell, worst_cell

ALL = "all"
Labelled = tuple[str, str, str]  # an item, its gold's label, its verdict's label
Labeller = Callable[[Instance, Winner], str | None]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One confusion table.

    Args:
        criterion: what the labels are about: `response`, `length`, `generator`, `criterion <key>`, or a
            dimension.
        subset: of the data; `all` for all of it.
        labels: in the table's order.
        table: counts of (gold, verdict), shape (K, K).
        items: the ids in each cell, by (gold, verdict).
        left_out: items of the subset without a gold or a verdict that has a label here.
    """

    criterion: str
    subset: str
    labels: tuple[str, ...]
    table: IntArray
    items: Mapping[tuple[int, int], tuple[str, ...]]
    left_out: int = 0

    @property
    def n(self) -> int:
        """Items in the table."""
        return int(self.table.sum())

    @property
    def agreed(self) -> float:
        """The share of items on the diagonal; NaN of an empty table."""
        return float(np.trace(self.table)) / self.n if self.n else math.nan

    @property
    def kappa(self) -> float:
        """Cohen's kappa; NaN where it is undefined."""
        return kappa_of_table(self.table).value

    @property
    def symmetry(self) -> SymmetryTest:
        """Bowker's test."""
        return bowker(self.table)

    @property
    def margins(self) -> SymmetryTest:
        """Stuart and Maxwell's test."""
        return stuart_maxwell(self.table)

    @property
    def worst(self) -> Cell | None:
        """The cell that outweighs its mirror most; None where there is no disagreement."""
        return worst_cell(self.table)

    @property
    def behind(self) -> tuple[str, ...]:
        """The items in the worst cell."""
        worst = self.worst
        return self.items.get((worst.first, worst.second), ()) if worst else ()


def disagreements(
    instances: Sequence[Instance],
    predictions: Mapping[str, Prediction],
    on_criteria: Mapping[str, Mapping[str, Winner]] | None = None,
) -> list[Disagreement]:
    """Every criterion over all items, then over each subset where there are several.

    Of pairs: which response wins (`response`), whether the longer or the shorter one does (`length`, over
    pairs of unequal length), whose (`generator`, where both are known and differ), and which wins on each
    criterion of the judge (`criterion <key>`), held against the overall gold: nobody was asked who is better
    on it alone. Of ratings: each dimension with points, the mean human rating and the judge's own moved to
    the nearest point (half points to the higher one).

    Args:
        instances: the data set's.
        predictions: the final verdicts of a run, by instance.
        on_criteria: by instance, the winner on each criterion that has one (`winners_on_criteria`).

    Raises:
        RunError: there is nothing to compare.
    """
    subsets = list(dict.fromkeys(instance.subset or "unnamed" for instance in instances))
    found = []
    views = [*_criteria(instances, predictions), *_on_criteria(instances, on_criteria or {})]
    for criterion, labels, labelled in views:
        for subset in (ALL, *(subsets if len(subsets) > 1 else ())):
            inside = {i.id for i in instances if subset in (ALL, i.subset or "unnamed")}
            found.append(_tabled(criterion, subset, labels, labelled, inside))
    if not any(each.n for each in found):
        raise RunError("disagreement: expected verdicts and gold of one kind on some item, found none")
    return found


def _criteria(
    instances: Sequence[Instance], predictions: Mapping[str, Prediction]
) -> Iterator[tuple[str, tuple[str, ...], list[Labelled]]]:
    if any(isinstance(instance.gold, RatingsGold) for instance in instances):
        for dimension in instances[0].dimensions:
            if dimension.step is not None:
                yield dimension.name, _points(dimension), _of_ratings(dimension, instances, predictions)
        return
    winners = tuple(winner.value for winner in Winner)
    yield "response", winners, _of_pairs(lambda _, winner: winner.value, instances, predictions)
    sizes = ("longer", "shorter", Winner.TIE.value)
    yield "length", sizes, _of_pairs(_by_length, instances, predictions)
    named = _of_pairs(_by_generator, instances, predictions)
    if named:
        authors = sorted({label for _, *labels in named for label in labels} - {Winner.TIE.value})
        yield "generator", (*authors, Winner.TIE.value), named


def winners_on_criteria(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Winner]]:
    """By instance, the winner on each criterion, of runs that compared or scored pairs on criteria."""
    told = {outcome.instance_id: outcome.detail.get(BY_CRITERION) for outcome in outcomes}
    return {
        name: {str(key): Winner(winner) for key, winner in each.items()}
        for name, each in told.items()
        if isinstance(each, Mapping)
    }


def _on_criteria(
    instances: Sequence[Instance], on_criteria: Mapping[str, Mapping[str, Winner]]
) -> Iterator[tuple[str, tuple[str, ...], list[Labelled]]]:
    if any(isinstance(instance.gold, RatingsGold) for instance in instances):
        return
    labels = tuple(winner.value for winner in Winner)
    for key in dict.fromkeys(key for each in on_criteria.values() for key in each):
        said: dict[str, Prediction] = {
            name: Preference(each[key]) for name, each in on_criteria.items() if key in each
        }
        yield f"criterion {key}", labels, _of_pairs(lambda _, winner: winner.value, instances, said)


def _of_pairs(
    label: Labeller, instances: Sequence[Instance], predictions: Mapping[str, Prediction]
) -> list[Labelled]:
    made = []
    for instance in instances:
        said = predictions.get(instance.id)
        if isinstance(instance.gold, PreferenceGold) and isinstance(said, Preference):
            gold, verdict = (label(instance, winner) for winner in (instance.gold.winner, said.winner))
            if gold is not None and verdict is not None:
                made.append((instance.id, gold, verdict))
    return made


def _by_length(instance: Instance, winner: Winner) -> str | None:
    """Whether the winner is the longer response; None of responses that are equally long."""
    first, second = (len(response.text) for response in instance.responses)
    if first == second:
        return None
    if winner is Winner.TIE:
        return winner.value
    return "longer" if (winner is Winner.FIRST) == (first > second) else "shorter"


def _by_generator(instance: Instance, winner: Winner) -> str | None:
    """Who wrote the winner; None where one is unknown, or both are one."""
    first, second = (response.generator for response in instance.responses)
    if first is None or second is None or first == second:
        return None
    return winner.value if winner is Winner.TIE else first if winner is Winner.FIRST else second


def _of_ratings(
    dimension: Dimension, instances: Sequence[Instance], predictions: Mapping[str, Prediction]
) -> list[Labelled]:
    made = []
    for instance in instances:
        said = predictions.get(instance.id)
        if not isinstance(instance.gold, RatingsGold) or not isinstance(said, Ratings):
            continue
        gold, rating = (each.get(dimension.name) for each in (instance.gold.mean, said.by_dimension))
        if gold is not None and rating is not None:
            made.append((instance.id, _point(dimension, gold), _point(dimension, rating)))
    return made


def _points(dimension: Dimension) -> tuple[str, ...]:
    assert dimension.step is not None
    count = math.floor((dimension.high - dimension.low) / dimension.step + 1.5)
    return tuple(f"{dimension.low + at * dimension.step:g}" for at in range(count))


def _point(dimension: Dimension, value: float) -> str:
    """The nearest point of the scale; half way, the higher one."""
    points = _points(dimension)
    assert dimension.step is not None
    at = math.floor((value - dimension.low) / dimension.step + 0.5)
    return points[min(len(points) - 1, max(0, at))]


def _tabled(
    criterion: str, subset: str, labels: tuple[str, ...], labelled: Sequence[Labelled], inside: set[str]
) -> Disagreement:
    place = {label: at for at, label in enumerate(labels)}
    items: dict[tuple[int, int], list[str]] = {}
    for item, gold, verdict in labelled:
        if item in inside:
            items.setdefault((place[gold], place[verdict]), []).append(item)
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for cell, ids in items.items():
        table[cell] = len(ids)
    left_out = len(inside) - int(table.sum())
    kept = {cell: tuple(ids) for cell, ids in items.items()}
    return Disagreement(criterion, subset, labels, table, kept, left_out)
