"""Metrics of ratings against human ratings: correlations, their ceiling, coverage and bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from venire.metrics.measurement import Collector, metric_name
from venire.metrics.rated import Predicted, RatedItems
from venire.records import Dimension, Reason
from venire.stats import agreement
from venire.stats.completion import completion_bounds
from venire.stats.correlation import (
    Coefficient,
    Grouping,
    Resampled,
    chance_level,
    mean_of,
    per_document,
    per_system,
    pooled,
)
from venire.stats.estimate import FloatArray
from venire.stats.intervals import Resampler

_SIDES = ("ratings", "human ratings")
_HUMANS = ("the first annotator's ratings", "the second's")
_MOST_LEVELS = 11  # a finer scale is thinned out to find bounds


@dataclass(frozen=True, slots=True)
class CorrelationSettings:
    """How ratings are correlated with human ratings.

    Args:
        grouping: `pooled` over all items, `per_document` and then the mean, or `per_system`: of the
            systems' mean ratings.
    """

    grouping: Grouping = Grouping.POOLED


@dataclass(frozen=True, slots=True)
class Alignment:
    """Correlations over the items of one run.

    Args:
        items: human ratings, documents, systems.
        resampler: the run's bootstrap draws, of whole documents.
        level: of the intervals.
        grouping: see `CorrelationSettings`.
    """

    items: RatedItems
    resampler: Resampler
    level: float
    grouping: Grouping

    def of(
        self, coefficient: Coefficient, dimension: str, ratings: FloatArray, *, humans: bool = False
    ) -> Resampled:
        """The correlation of `ratings` with the human ratings; `humans`: of the second annotator's."""
        gold = self.items.humans[dimension][1] if humans else self.items.gold[dimension]
        names = _HUMANS if humans else _SIDES
        match self.grouping:
            case Grouping.POOLED:
                return pooled(coefficient, ratings, gold, names)
            case Grouping.PER_DOCUMENT:
                return per_document(coefficient, ratings, gold, self.items.document, names)
            case Grouping.PER_SYSTEM:
                return per_system(coefficient, ratings, gold, self.items.system, names)

    def by_dimension(
        self, coefficient: Coefficient, ratings: Mapping[str, FloatArray], *, humans: bool = False
    ) -> dict[str, Resampled]:
        """The correlation of each dimension that `ratings` has."""
        return {
            each.name: self.of(coefficient, each.name, ratings[each.name], humans=humans)
            for each in self.items.dimensions
            if each.name in ratings
        }

    def mean(self, parts: Mapping[str, Resampled], *, absolute: bool = False) -> Resampled | None:
        """The mean over the dimensions that judges rate; None where a part lacks one of them."""
        names = [each.name for each in self.items.asked]
        if any(name not in parts for name in names):
            return None
        return mean_of([parts[name] for name in names], names, absolute=absolute)

    def put(
        self,
        prefix: str,
        coefficient: Coefficient,
        parts: Mapping[str, Resampled],
        out: Collector,
        *,
        intervals: bool = True,
    ) -> None:
        """`<prefix>/<coefficient>/<dimension>`, `/mean`, and the absolute ones under `abs_<coefficient>`."""
        signed, absolute = (metric_name(prefix, f"{kind}{coefficient}") for kind in ("", "abs_"))
        for name, part in parts.items():
            self._add(metric_name(signed, name), part, out, intervals=intervals)
            biased = replace(part.point, value=abs(part.point.value))
            out.point(metric_name(absolute, name), biased)
        for kind, is_absolute in ((signed, False), (absolute, True)):
            mean = self.mean(parts, absolute=is_absolute)
            if mean is None:
                continue
            if is_absolute and mean.point.is_defined:
                mean = replace(mean, point=replace(mean.point, note=self._bias(coefficient, mean.point.n)))
            self._add(metric_name(kind, "mean"), mean, out, intervals=intervals)

    def _bias(self, coefficient: Coefficient, n: int) -> str:
        """What must be said of absolute correlations; `n` is of the dimension with the fewest items."""
        if self.grouping is not Grouping.POOLED:
            return "biased upward near 0"
        floor = chance_level(coefficient, n)
        return f"biased upward near 0: about {floor:.3f} even if nothing is related"

    def _add(self, name: str, part: Resampled, out: Collector, *, intervals: bool) -> None:
        if intervals:
            out.estimate(name, part.estimate(self.resampler, self.level))
        else:
            out.point(name, part.point)


def alignment_metrics(alignment: Alignment, predicted: Predicted, out: Collector) -> None:
    """Each coefficient by dimension with interval and mean, signed and absolute; `n/<dimension>`."""
    items = alignment.items
    for each in items.dimensions:
        both = ~np.isnan(predicted.by_dimension[each.name]) & ~np.isnan(items.gold[each.name])
        out.put(metric_name("n", each.name), int(np.count_nonzero(both)))
    whole = [each.name for each in items.dimensions if each.name not in predicted.own]
    for coefficient in Coefficient:
        parts = alignment.by_dimension(coefficient, predicted.by_dimension)
        for name in whole:
            parts[name] = _noted(parts[name], "by the method's one score of the whole response")
        alignment.put("", coefficient, parts, out)


def ceiling_metrics(alignment: Alignment, out: Collector) -> None:
    """The same of one human annotator against another; nothing where no item has two."""
    items = alignment.items
    first = {name: one for name, (one, _) in items.humans.items() if not np.isnan(one).all()}
    if not first:
        return
    for name, ratings in first.items():
        out.put(metric_name("ceiling/n", name), int(np.count_nonzero(~np.isnan(ratings))))
    for coefficient in Coefficient:
        parts = alignment.by_dimension(coefficient, first, humans=True)
        noted = {name: _noted(part, f"two annotators' {part.point.n} items") for name, part in parts.items()}
        alignment.put("ceiling", coefficient, noted, out)
    for each in items.dimensions:
        if each.name in first and each.step is not None:
            _agreement(each, items.humans[each.name], out)


def _agreement(dimension: Dimension, humans: tuple[FloatArray, FloatArray], out: Collector) -> None:
    """`ceiling/agreement/<dimension>`, kappas and alphas of two annotators on the points of a scale.

    Nothing where a rating lies between the points (a mean of several answers).
    """
    assert dimension.step is not None
    both = ~np.isnan(humans[0]) & ~np.isnan(humans[1])
    places = [(side[both] - dimension.low) / dimension.step for side in humans]
    if any(not np.allclose(place, place.round()) for place in places):
        return
    one, other = (place.round().astype(np.int64) for place in places)
    n_labels = len(dimension.points)
    table = agreement.confusion(one, other, n_labels)
    labels = np.column_stack([one, other])
    n = int(both.sum())
    out.put(metric_name("ceiling/agreement", dimension.name), float(np.mean(one == other)), f"of {n} items")
    for name, estimate in (
        ("kappa", agreement.kappa_of_table(table)),
        ("kappa_linear", agreement.weighted_kappa(table, "linear")),
        ("kappa_quadratic", agreement.weighted_kappa(table, "quadratic")),
        ("alpha_nominal", agreement.krippendorff_alpha(labels, n_labels)),
        ("alpha_ordinal", agreement.krippendorff_alpha(labels, n_labels, "ordinal")),
    ):
        out.point(metric_name("ceiling", name, dimension.name), estimate)


def rating_coverage(items: RatedItems, predicted: Predicted, out: Collector) -> None:
    """`coverage`, `coverage/<dimension>`, `unscored/*`; `not_applicable/<dimension>` where there are some."""
    out.put("coverage", float(np.mean(predicted.scored)))
    for each in items.dimensions:
        gold = ~np.isnan(items.gold[each.name])
        rated = gold & ~np.isnan(predicted.by_dimension[each.name])
        if not gold.any():
            out.missing([metric_name("coverage", each.name)], "no human rated it")
            continue
        out.put(metric_name("coverage", each.name), int(rated.sum()) / int(gold.sum()))
    out.put("unscored/total", sum(predicted.reasons.values()))
    for reason in Reason:
        if predicted.reasons[reason]:
            out.put(metric_name("unscored", reason), predicted.reasons[reason])
    for name, count in predicted.not_applicable.items():
        if count:
            note = "rated on others only: the judge said N/A, or this score failed (geval/unscored)"
            out.put(metric_name("not_applicable", name), count, note)


def bound_metrics(alignment: Alignment, predicted: Predicted, out: Collector) -> None:
    """`<coefficient>/<dimension>/worst` and `/best` where ratings are missing; pooled only."""
    if alignment.grouping is not Grouping.POOLED:
        return
    for each in alignment.items.dimensions:
        gold, ratings = alignment.items.gold[each.name], predicted.by_dimension[each.name]
        if not (np.isnan(ratings) & ~np.isnan(gold)).any() or np.isnan(ratings).all():
            continue
        levels = _levels(each, ratings, own=each.name in predicted.own)
        for coefficient in Coefficient:
            bounds = completion_bounds(coefficient, ratings, gold, levels)
            name = metric_name(coefficient, each.name)
            note = f"attained if the missing ratings were points from {levels[0]:g} to {levels[-1]:g}"
            out.put(metric_name(name, "worst"), bounds.worst, note)
            out.put(metric_name(name, "best"), bounds.best, note)


def _levels(dimension: Dimension, ratings: FloatArray, *, own: bool) -> FloatArray:
    """The points that a missing rating may have: those of the scale, or some between the ends."""
    if own:
        low, high, step = dimension.low, dimension.high, dimension.step
    else:  # of a score of the whole only what was seen is known
        low, high, step = float(np.nanmin(ratings)), float(np.nanmax(ratings)), None
    count = _MOST_LEVELS if step is None else round((high - low) / step) + 1
    return np.linspace(low, high, min(max(count, 2), _MOST_LEVELS))


def _noted(part: Resampled, note: str) -> Resampled:
    point = part.point
    if not point.is_defined:
        return part
    return replace(part, point=replace(point, note="; ".join(each for each in (point.note, note) if each)))
