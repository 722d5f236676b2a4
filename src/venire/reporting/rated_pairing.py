"""Runs on the same rated items: how far two methods' correlations with the human ratings differ."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from venire.metrics.headline import asked_of
from venire.metrics.measurement import metric_name
from venire.metrics.rated import column_of
from venire.records import OVERALL, Ratings, RatingsGold, RunRecord
from venire.reporting.pairing import Run, clusters_of
from venire.stats.correlation import Coefficient, Resampled, correlation, difference, mean_of, pooled
from venire.stats.dependent import Dependent, compare_dependent
from venire.stats.estimate import NAN, Codes, Estimate, FloatArray
from venire.stats.intervals import Resampler
from venire.stats.multiple import ALPHA, Correction, adjusted
from venire.stats.permutation import Permuted, swap_test
from venire.stats.ranks import mean_of_ranks, rank_features

DRAWS = 2000  # of the bootstrap of a difference
MEAN = "mean"
_TESTED = (Coefficient.SPEARMAN, Coefficient.PEARSON)


@dataclass(frozen=True, slots=True)
class Gap:
    """One coefficient on one dimension (or the mean over them): `second` minus `first` on the same items.

    Args:
        dimension, coefficient: what was correlated; `mean` for the mean over what judges rate.
        first, second: either run's value on the items that both rated.
        difference: with its bootstrap interval over documents.
        test: Steiger's test and Zou's interval; None of Kendall's and of means, which have none.
        p: of the swap test over documents for Spearman; of Steiger's test for Pearson; else NaN.
        p_adjusted: corrected for all tests of the coefficient in the comparison.
        worst, best: if the ratings that are missing were as bad, or good, for the second run as could be; NaN
            where none is missing, or the runs have not the same items.
        by_missing: what one run gains may come from what it left out.
    """

    dimension: str
    coefficient: Coefficient
    first: float
    second: float
    difference: Estimate
    test: Dependent | None = None
    p: float = NAN
    p_adjusted: float = NAN
    worst: float = NAN
    best: float = NAN
    by_missing: bool = False

    @property
    def significant(self) -> bool:
        """Whether the corrected test says so, and nothing that is missing could undo it."""
        return self.p_adjusted <= ALPHA and not self.by_missing


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two runs on human ratings.

    Args:
        first, second: the runs' labels.
        gaps: by coefficient and dimension.
        common, left_out: items in both runs; items in only one.
        lacking: dimension to the rated common items that lack a rating in one of the runs.
    """

    first: str
    second: str
    gaps: tuple[Gap, ...]
    common: int
    left_out: int
    lacking: Mapping[str, int]


def is_rated(run: Run) -> bool:
    """Whether the run is on human ratings."""
    return any(isinstance(row.gold, RatingsGold) for row in run.rows.values())


def rated_dimensions(run: Run) -> list[str]:
    """The dimensions of the run's human ratings; those that judges rate come first."""
    golds = (row.gold for row in run.rows.values())
    rated = {name for gold in golds if isinstance(gold, RatingsGold) for name in gold.mean}
    asked = [name for name in asked_of(run.record) if name in rated]
    return [*asked, *sorted(rated - set(asked))]


def averaged(record: RunRecord, dimensions: Sequence[str]) -> list[str]:
    """Those of `dimensions` that means are over: the ones that judges rate."""
    asked = [name for name in asked_of(record) if name in dimensions]
    return asked or list(dimensions)


def rated_pair(first: tuple[str, Run], second: tuple[str, Run], items: Sequence[str]) -> RatedPair:
    """Every difference between two runs, pooled over the items that both rated."""
    (first_label, one), (second_label, two) = first, second
    dimensions = rated_dimensions(one)
    resampler = Resampler.draw(clusters_of(one, items), DRAWS, np.random.default_rng(0))
    columns = {name: _columns(one, two, items, name) for name in dimensions}
    gaps = []
    for coefficient in Coefficient:
        sides = {name: _sides(coefficient, columns[name]) for name in dimensions}
        for name in dimensions:
            test = _tested(coefficient, columns[name], sides[name]) if coefficient in _TESTED else None
            gaps.append(_gap(name, coefficient, sides[name], resampler, test))
        over = averaged(one.record, dimensions)
        if len(over) > 1:
            means = [mean_of([sides[name][place] for name in over], over) for place in (0, 1)]
            gaps.append(_gap(MEAN, coefficient, (means[0], means[1]), resampler))
    over = averaged(one.record, dimensions)
    gaps = [_with_p(gap, columns, over, resampler.cluster) for gap in gaps]
    if one.rows.keys() == two.rows.keys():
        lacked = [name for name, each in columns.items() if each.lacking]
        gaps = [_with_bounds(gap, (one, two), over) if _touches(gap, lacked, over) else gap for gap in gaps]
    return RatedPair(
        first=first_label,
        second=second_label,
        gaps=tuple(gaps),
        common=len(items),
        left_out=len(one.rows.keys() ^ two.rows.keys()),
        lacking={name: each.lacking for name, each in columns.items() if each.lacking},
    )


def corrected_gaps(pairs: Sequence[RatedPair], correction: Correction) -> tuple[RatedPair, ...]:
    """The pairs with adjusted p: all tests of a coefficient, over dimensions and runs, are a family."""
    by_coefficient = {
        coefficient: iter(
            adjusted(
                [gap.p for pair in pairs for gap in pair.gaps if gap.coefficient is coefficient], correction
            )
        )
        for coefficient in Coefficient
    }
    return tuple(
        replace(
            pair,
            gaps=tuple(replace(gap, p_adjusted=next(by_coefficient[gap.coefficient])) for gap in pair.gaps),
        )
        for pair in pairs
    )


def _with_p(gap: Gap, columns: Mapping[str, "_Columns"], over: Sequence[str], clusters: Codes) -> Gap:
    if gap.coefficient is not Coefficient.SPEARMAN:
        return gap if gap.test is None else replace(gap, p=gap.test.p)
    names = over if gap.dimension == MEAN else [gap.dimension]
    sides = [
        np.hstack([rank_features(getattr(columns[name], side), columns[name].gold) for name in names])
        for side in ("first", "second")
    ]
    tested = swap_test(sides[0], sides[1], mean_of_ranks, clusters, rng=np.random.default_rng(0))
    return replace(gap, p=tested.p)


def _touches(gap: Gap, lacked: Sequence[str], over: Sequence[str]) -> bool:
    """Whether a dimension that lacks ratings is in the gap."""
    return gap.dimension in lacked or (gap.dimension == MEAN and any(name in over for name in lacked))


def _with_bounds(gap: Gap, runs: tuple[Run, Run], over: Sequence[str]) -> Gap:
    """As the runs' own metrics bound each correlation over its missing ratings."""
    names = over if gap.dimension == MEAN else [gap.dimension]
    (low_1, at_1, high_1), (low_2, at_2, high_2) = (
        [completed_mean([run], names, end, gap.coefficient) for end in ("/worst", "", "/best")]
        for run in runs
    )
    held = low_2 - at_1 if gap.difference.value > 0 else low_1 - at_2
    return replace(gap, worst=low_2 - high_1, best=high_2 - low_1, by_missing=not held > 0)


def mean_difference(first: Sequence[Run], second: Sequence[Run]) -> Estimate:
    """The second arm's mean Spearman minus the first's, paired over items; means over each arm's seeds.

    Each run on the items that it rated itself, as in its own `spearman/mean`.
    """
    items = sorted(first[0].rows)
    resampler = Resampler.draw(clusters_of(first[0], items), DRAWS, np.random.default_rng(0))
    return difference(mean_of_runs(first), mean_of_runs(second)).estimate(resampler)


def mean_of_runs(arm: Sequence[Run]) -> Resampled:
    """The mean over an arm's seeds of the mean Spearman over dimensions, over the items of its first run."""
    items = sorted(arm[0].rows)
    dimensions = averaged(arm[0].record, rated_dimensions(arm[0]))
    runs = [mean_of([_of_run(run, items, name) for name in dimensions], dimensions) for run in arm]
    return mean_of(runs, [run.record.name for run in arm])


def mean_swap_test(first: Sequence[Run], second: Sequence[Run]) -> Permuted:
    """The test that `mean_difference` is 0: whole documents' rank-standardised ratings are exchanged.

    The runs of the two arms are exchanged one for one, in the order of their seeds: NaN where one has more.
    """
    if len(first) != len(second):
        return Permuted(NAN, "no test: the arms have different numbers of seeds")
    items = sorted(first[0].rows)
    dimensions = averaged(first[0].record, rated_dimensions(first[0]))
    sides = [
        np.hstack(
            [
                rank_features(_ratings(run, items, name), _gold(run, items, name))
                for run in arm
                for name in dimensions
            ]
        )
        for arm in (first, second)
    ]

    clusters = clusters_of(first[0], items)
    return swap_test(sides[0], sides[1], mean_of_ranks, clusters, rng=np.random.default_rng(0))


def completed_means(arm: Sequence[Run], end: str) -> float:
    """The arm's mean Spearman with its missing ratings as bad (`/worst`) or good (`/best`) as could be.

    As measured (empty `end`) where none is missing. NaN where one is undefined.
    """
    dimensions = averaged(arm[0].record, rated_dimensions(arm[0]))
    return completed_mean(arm, dimensions, end, Coefficient.SPEARMAN)


def completed_mean(
    arm: Sequence[Run], dimensions: Sequence[str], end: str, coefficient: Coefficient
) -> float:
    """As `completed_means`, of some dimensions and any coefficient."""
    values = []
    for run in arm:
        for name in map(metric_name, dimensions):
            known = run.record.metrics.get(f"{coefficient}/{name}", NAN)
            values.append(run.record.metrics.get(f"{coefficient}/{name}{end}", known))
    return math.fsum(values) / len(values) if values else NAN


def _of_run(run: Run, items: Sequence[str], dimension: str) -> Resampled:
    return pooled(Coefficient.SPEARMAN, _ratings(run, items, dimension), _gold(run, items, dimension))


@dataclass(frozen=True, slots=True)
class _Columns:
    """The two runs' ratings and the human ones, NaN wherever one of the three is missing."""

    first: FloatArray
    second: FloatArray
    gold: FloatArray
    lacking: int


def _columns(one: Run, two: Run, items: Sequence[str], dimension: str) -> _Columns:
    first, second = (_ratings(run, items, dimension) for run in (one, two))
    gold = _gold(one, items, dimension)
    missing = np.isnan(first) | np.isnan(second)
    lacking = int((missing & ~np.isnan(gold)).sum())
    return _Columns(first, second, np.where(missing, NAN, gold), lacking)


def _ratings(run: Run, items: Sequence[str], dimension: str) -> FloatArray:
    """The run's own ratings on the dimension; where it has none at all, its score of the whole."""
    rows = [run.rows[item].prediction for item in items]
    given = [row.by_dimension if isinstance(row, Ratings) else {} for row in rows]
    name = dimension if any(dimension in each for each in given) else OVERALL
    return column_of(given, name)


def _gold(run: Run, items: Sequence[str], dimension: str) -> FloatArray:
    golds = (run.rows[item].gold for item in items)
    return np.array(
        [gold.mean.get(dimension, NAN) if isinstance(gold, RatingsGold) else NAN for gold in golds],
        dtype=np.float64,
    )


def _sides(coefficient: Coefficient, columns: _Columns) -> tuple[Resampled, Resampled]:
    one, two = (
        pooled(coefficient, side, columns.gold, ("ratings", "human ratings"))
        for side in (columns.first, columns.second)
    )
    return one, two


def _tested(coefficient: Coefficient, columns: _Columns, sides: tuple[Resampled, Resampled]) -> Dependent:
    used = ~np.isnan(columns.gold)
    between = correlation(coefficient, columns.first[used], columns.second[used])
    values = [side.point.value for side in sides]
    return compare_dependent(values[0], values[1], between.value, between.n)


def _gap(
    dimension: str,
    coefficient: Coefficient,
    sides: tuple[Resampled, Resampled],
    resampler: Resampler,
    test: Dependent | None = None,
) -> Gap:
    one, two = sides
    found = difference(one, two).estimate(resampler)
    return Gap(dimension, coefficient, one.point.value, two.point.value, found, test)


def gap_line(gap: Gap) -> str:
    """`spearman fluency: .10 and .30, difference .20 [.05, .35]; Steiger z 2.5, p .012, Zou [.04, .36]`."""
    found = gap.difference
    if math.isnan(found.value):
        return f"{gap.coefficient} {gap.dimension}: no difference: {found.note.removeprefix('undefined: ')}"
    interval = "" if math.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]"
    line = (
        f"{gap.coefficient} {gap.dimension}: {gap.first:.3f} and {gap.second:.3f}, "
        f"difference {found.value:.3f}{interval}"
    )
    if gap.coefficient is Coefficient.SPEARMAN:
        line += f"; swap test p {gap.p:.3g}, corrected {gap.p_adjusted:.3g}"
    if not math.isnan(gap.worst):
        line += f"; with the missing ratings in [{gap.worst:.3f}, {gap.best:.3f}]"
        line += ": the lead may come from what was left out" if gap.by_missing else ""
    if gap.test is None:
        return line
    if math.isnan(gap.test.p):
        return f"{line}; no Steiger test: {gap.test.note}"
    zou = f"Zou [{gap.test.low:.3f}, {gap.test.high:.3f}]"
    corrected = f", corrected {gap.p_adjusted:.3g}" if gap.coefficient is Coefficient.PEARSON else ""
    return f"{line}; Steiger z {gap.test.z:.2f}, p {gap.test.p:.3g}{corrected}, {zou}"
