"""Metrics of ratings that are labels: pass/fail dimensions, several of them, and the points of a scale."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from venire.metrics.measurement import Collector, metric_name
from venire.metrics.rated import Predicted, RatedItems
from venire.records import Dimension
from venire.stats.agreement import kappa_from_sums, kappa_of_table
from venire.stats.classification import (
    Score,
    cells_of,
    macro_f1_from_sums,
    micro_f1_from_sums,
    score_from_sums,
    score_of,
)
from venire.stats.correlation import Resampled, mean_of
from venire.stats.estimate import BoolArray, Estimate, FloatArray, IntArray
from venire.stats.intervals import Resampler, Statistic
from venire.stats.ordinal import moment_features, quadratic_kappa, quadratic_kappa_from_sums

PASS, FAIL, NEITHER = 1, 0, -1


def is_pass_fail(dimension: Dimension) -> bool:
    """Whether its scale has two points."""
    return points_of(dimension) == 2


def points_of(dimension: Dimension) -> int | None:
    """How many points the scale has; None where any number between its ends will do."""
    return len(dimension.points) or None


@dataclass(frozen=True, slots=True)
class Labelled:
    """What these metrics are over.

    Args:
        items: human ratings.
        predicted: the method's.
        resampler: the run's bootstrap draws, of whole documents.
        level: of the intervals.
    """

    items: RatedItems
    predicted: Predicted
    resampler: Resampler
    level: float

    @property
    def own(self) -> tuple[Dimension, ...]:
        """The dimensions that the method rated itself and humans did, too; a mean of others is none."""
        return tuple(
            each
            for each in self.items.dimensions
            if each.asked and each.name in self.predicted.own and not np.isnan(self.gold(each)).all()
        )

    def gold(self, dimension: Dimension) -> FloatArray:
        """The human ratings, shape (n,)."""
        return self.items.gold[dimension.name]

    def rating(self, dimension: Dimension) -> FloatArray:
        """The method's ratings, shape (n,)."""
        return self.predicted.by_dimension[dimension.name]

    def put(self, name: str, part: Resampled, out: Collector) -> None:
        """The value with its interval."""
        out.estimate(name, part.estimate(self.resampler, self.level))


def class_metrics(labelled: Labelled, out: Collector) -> None:
    """`precision/*`, `recall/*`, `f1/*`, `kappa/*` by pass/fail dimension; `multilabel/*` of several.

    Over items with both a human pass or fail and one of the method's. Where the method's is missing,
    `f1/<dimension>/worst` and `/best` say what it may do.
    """
    dimensions = [each for each in labelled.own if is_pass_fail(each)]
    cells = []
    for dimension in dimensions:
        gold, said = (_passes(dimension, of(dimension)) for of in (labelled.gold, labelled.rating))
        cells.append(cells_of(gold, said))
        note = _left_out(labelled, dimension)
        for score in Score:
            part = Resampled(score_of(cells[-1], score), cells[-1], _scored(score))
            labelled.put(metric_name(score, dimension.name), _noted(part, note), out)
        table = cells[-1].sum(axis=0).round().astype(np.int64).reshape(2, 2)
        kappa = Resampled(kappa_of_table(table), cells[-1], kappa_from_sums)
        labelled.put(metric_name("kappa", dimension.name), _noted(kappa, note), out)
        _bounds(cells[-1], (gold, (gold >= 0) & np.isnan(labelled.rating(dimension))), dimension, out)
    if len(dimensions) > 1:
        _several(labelled, [each.name for each in dimensions], cells, out)


def _several(labelled: Labelled, names: Sequence[str], cells: Sequence[FloatArray], out: Collector) -> None:
    """Macro and micro F1 over the labels."""
    together = np.hstack(cells)
    points = [score_of(each, Score.F1) for each in cells]
    n = int(np.count_nonzero(together.any(axis=1)))
    lacking = [name for name, point in zip(names, points, strict=True) if not point.is_defined]
    for name, statistic in (("f1_macro", macro_f1_from_sums), ("f1_micro", micro_f1_from_sums)):
        value = float(statistic(together.sum(axis=0)))
        reason = f"undefined: {', '.join(lacking)}: neither side says yes to anything" if lacking else ""
        point = Estimate(value, n=n, note=reason if np.isnan(value) else f"over {', '.join(names)}")
        labelled.put(metric_name("multilabel", name), Resampled(point, together, statistic), out)


def ordinal_metrics(labelled: Labelled, out: Collector) -> None:
    """`kappa_quadratic/<dimension>` of scales with points, more than two of them, and `/mean`."""
    dimensions = [each for each in labelled.own if (points_of(each) or 0) > 2]
    parts = {}
    for dimension in dimensions:
        gold, said = labelled.gold(dimension), labelled.rating(dimension)
        part = Resampled(quadratic_kappa(gold, said), moment_features(gold, said), quadratic_kappa_from_sums)
        between = int(
            np.count_nonzero(~np.isnan(gold + said) & ~(_on(dimension, gold) & _on(dimension, said)))
        )
        note = f"of {between} items a rating lies between the points" if between else ""
        parts[dimension.name] = part
        labelled.put(metric_name("kappa_quadratic", dimension.name), _noted(part, note), out)
    if parts:
        mean = mean_of(list(parts.values()), list(parts))
        labelled.put(metric_name("kappa_quadratic", "mean"), mean, out)


def _passes(dimension: Dimension, ratings: FloatArray) -> IntArray:
    """1 for a pass, 0 for a fail, -1 for what is neither: missing, or between the two points."""
    codes = np.full(len(ratings), NEITHER, dtype=np.int64)
    codes[np.isclose(ratings, dimension.high)] = PASS
    codes[np.isclose(ratings, dimension.low)] = FAIL
    return codes


def _on(dimension: Dimension, ratings: FloatArray) -> BoolArray:
    """Which ratings are points of the scale."""
    steps = (ratings - dimension.low) / (dimension.step or 1.0)
    return np.asarray(np.isclose(steps, np.round(steps)))


def _left_out(labelled: Labelled, dimension: Dimension) -> str:
    """What must be said of ratings between pass and fail: a mean of annotators, or of judges."""
    sides = (("humans", labelled.gold(dimension)), ("the judge", labelled.rating(dimension)))
    said = []
    for name, ratings in sides:
        between = int(np.count_nonzero(~np.isnan(ratings) & (_passes(dimension, ratings) == NEITHER)))
        if between:
            said.append(f"{between} left out: {name} between pass and fail")
    return "; ".join(said)


def _bounds(
    cells: FloatArray, gold: tuple[IntArray, BoolArray], dimension: Dimension, out: Collector
) -> None:
    """`f1/<dimension>/worst` and `/best`: every missing verdict wrong, every one right."""
    labels, missing = gold
    passes, fails = (int(np.count_nonzero(missing & (labels == label))) for label in (PASS, FAIL))
    if not passes + fails:
        return
    sums = cells.sum(axis=0)
    ends = {"worst": (0, fails, passes, 0), "best": (fails, 0, 0, passes)}
    for end, more in ends.items():
        value = float(score_from_sums(sums + np.array(more, dtype=np.float64), Score.F1))
        note = (
            f"of {passes + fails} missing verdicts" if not np.isnan(value) else "undefined: nobody says yes"
        )
        out.put(metric_name("f1", dimension.name, end), value, note)


def _scored(score: Score) -> Statistic:
    return lambda sums: score_from_sums(sums, score)


def _noted(part: Resampled, note: str) -> Resampled:
    if not note:
        return part
    joined = "; ".join(each for each in (part.point.note, note) if each)
    return replace(part, point=replace(part.point, note=joined))
