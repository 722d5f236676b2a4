"""Is a confidence worth its number? Brier score, ECE, AUROC, the reliability diagram, risk and coverage.

All are functions of counts: how many items have each distinct confidence, wrong and right. So each comes
as a closed form on tables of counts, shape (..., G, 2) for G distinct values in ascending order, which a
bootstrap evaluates for all draws at once, and as an `Estimate` of one set of items.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from venire.errors import DataError
from venire.stats.estimate import BoolArray, Estimate, FloatArray, IntArray, divide, undefined
from venire.stats.features import Cells
from venire.stats.intervals import Resampler, Statistic, bootstrap, bounded, ratio, wilson

# Above, a bootstrap of counts by value would take more memory than it is worth.
MOST_VALUES = 400
NOTHING = "no item has a confidence"
_WRONG, _RIGHT = 0, 1


class Binning(StrEnum):
    """How confidences are put into bins; a bin holds its upper edge, the lowest one its lower edge, too."""

    EQUAL_WIDTH = "equal_width"  # of [0, 1]
    EQUAL_MASS = "equal_mass"  # edges at quantiles of the confidences; equal ones stay together


@dataclass(frozen=True, slots=True)
class Bins:
    """`count` bins of a kind; few items may leave some of them empty."""

    count: int = 10
    kind: Binning = Binning.EQUAL_WIDTH

    def of(self, graded: "Graded") -> IntArray:
        """The bin, 0 to `count` - 1, of each distinct confidence, shape (G,)."""
        shares = np.linspace(0, 1, self.count + 1)
        if self.kind is Binning.EQUAL_MASS and graded.n:
            counts = graded.table.sum(axis=1).astype(np.int64)
            shares = np.quantile(np.repeat(graded.values, counts), shares)
        return np.searchsorted(shares[1:-1], graded.values, side="left").astype(np.int64)

    def __str__(self) -> str:
        return f"{self.count} bins of {self.kind.value.replace('_', ' ')}"


@dataclass(frozen=True, slots=True)
class Graded:
    """Confidences of items, each right or wrong, an entry an item or a kind of items (`intervals`).

    Args:
        values: distinct confidences, ascending, shape (G,).
        cell: which of them each entry has, shape (n,).
        right: shape (n,).
        weights: how many items each entry stands for, shape (n,); None: one each.
    """

    values: FloatArray
    cell: IntArray
    right: BoolArray
    weights: IntArray | None = None

    @property
    def n(self) -> int:
        """How many items."""
        return len(self.cell) if self.weights is None else int(self.weights.sum())

    @property
    def table(self) -> FloatArray:
        """Counts by value, wrong and right, shape (G, 2)."""
        counts = np.bincount(self.flat, self.weights, minlength=2 * len(self.values))
        return counts.reshape(-1, 2).astype(np.float64)

    @property
    def flat(self) -> IntArray:
        """The cell of each entry in the flattened table, shape (n,)."""
        return self.cell * 2 + self.right


def graded(confidence: FloatArray, right: BoolArray, weights: IntArray | None = None) -> Graded:
    """Confidences and whether they were right, each of shape (n,); `weights` as in `Graded`.

    Raises:
        DataError: lengths that differ, or a confidence outside of [0, 1].
    """
    if len(confidence) != len(right):
        raise DataError(f"confidence: expected one an item, got {len(confidence)} for {len(right)}")
    if not np.all((confidence >= 0) & (confidence <= 1)):  # also where one is NaN
        raise DataError("confidence: expected numbers from 0 to 1; leave out items without one")
    # A mean of votes may miss its number by an ulp: those are one value.
    values, cell = np.unique(np.round(confidence, 12), return_inverse=True)
    return Graded(values, cell.astype(np.int64), np.asarray(right, dtype=np.bool_), weights)


def brier(items: Graded) -> Estimate:
    """The Brier score: mean of (confidence - right)^2; 0 is best. Source: Brier (1950)."""
    return _of_tables(items, lambda tables: brier_of(items.values, tables))


def brier_of(values: FloatArray, tables: FloatArray) -> FloatArray:
    """See `brier`: (..., G, 2) to (...)."""
    squares = tables[..., _WRONG] * values**2 + tables[..., _RIGHT] * (1 - values) ** 2
    return divide(squares.sum(axis=-1), tables.sum(axis=(-2, -1)))


def auroc(items: Graded) -> Estimate:
    """The probability that a right item has a higher confidence than a wrong one, ties half.

    Undefined where all are right, or all wrong. Source: Hanley & McNeil (1982).
    """
    right = int(items.table[:, _RIGHT].sum())
    if items.n and right in (0, items.n):
        return undefined(f"all are {'right' if right else 'wrong'}: there is nothing to tell apart", items.n)
    return _of_tables(items, auroc_of)


def auroc_of(tables: FloatArray) -> FloatArray:
    """See `auroc`: (..., G, 2) to (...)."""
    wrong, right = tables[..., _WRONG], tables[..., _RIGHT]
    below = np.cumsum(wrong, axis=-1) - wrong
    won = (right * (below + wrong / 2)).sum(axis=-1)
    return divide(won, right.sum(axis=-1) * wrong.sum(axis=-1))


def ece(items: Graded, bins: Bins = Bins()) -> Estimate:
    """The expected calibration error: mean over items of |confidence - accuracy| of their bins.

    It depends on the binning, and is above 0 by chance alone. Source: Naeini et al. (2015); Guo et al.
    (2017) with bins of equal width.
    """
    if items.n == 0:
        return undefined(NOTHING)
    table, where = items.table, bins.of(items)
    gap = table.sum(axis=-1) * items.values - table[:, _RIGHT]
    value = float(np.abs(np.bincount(where, weights=gap)).sum()) / items.n
    return Estimate(value, n=items.n, note=str(bins))


def ece_interval(
    items: Graded, bins: Bins, resampler: Resampler, used: BoolArray, level: float = 0.95
) -> Estimate:
    """`ece` with its bootstrap interval over the `used` items of a run; see `with_interval`.

    The edges of the bins stay as these items made them. What is above 0 by chance alone is in every draw,
    too, and once more: an interval that begins above 0 does not say that the confidences are off.
    """
    point = ece(items, bins)
    if not point.is_defined:
        return point
    gap = items.values[items.cell] - items.right
    features = np.zeros((len(used), bins.count + 1))
    features[np.flatnonzero(used), bins.of(items)[items.cell]] = gap
    features[used, -1] = 1.0
    interval = bootstrap(features, _mean_gap, resampler, level)
    return Estimate(point.value, interval.low, interval.high, items.n, f"{bins}; {interval.note}")


def _mean_gap(sums: FloatArray) -> FloatArray:
    """Gaps summed within bins, then the number of items: (..., bins + 1) to (...)."""
    return divide(np.abs(sums[..., :-1]).sum(axis=-1), sums[..., -1])


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of a reliability diagram.

    Args:
        n: items; bins without one are left out.
        confidence: their mean confidence.
        accuracy: the share that is right, with Wilson's 95% interval.
    """

    n: int
    confidence: float
    accuracy: float
    low: float
    high: float


def reliability(items: Graded, bins: Bins = Bins()) -> tuple[Bin, ...]:
    """The bins of the reliability diagram, in ascending order. Source: DeGroot & Fienberg (1983)."""
    where, table = bins.of(items), items.table
    found = []
    for code in np.unique(where):
        inside = table[where == code]
        n, right = int(inside.sum()), float(inside[:, _RIGHT].sum())
        if n == 0:
            continue
        mean = float((inside.sum(axis=1) * items.values[where == code]).sum()) / n
        interval = wilson(right, n)
        found.append(Bin(n, mean, right / n, interval.low, interval.high))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """Keeping the most confident items: the share kept and the share of errors among them.

    One point for each distinct confidence (items of equal confidence are kept together), from the
    highest down; each array has shape (G,). `threshold` is the confidence from which items are kept.
    """

    threshold: FloatArray
    coverage: FloatArray
    risk: FloatArray


def risk_coverage(items: Graded) -> RiskCoverage:
    """The risk-coverage curve. Source: El-Yaniv & Wiener (2010)."""
    table = items.table[::-1]
    kept = np.cumsum(table.sum(axis=1))
    risk = divide(np.cumsum(table[:, _WRONG]), kept)
    return RiskCoverage(items.values[::-1], divide(kept, np.full(len(kept), items.n)), risk)


def aurc(items: Graded) -> Estimate:
    """The area under the risk-coverage curve: the mean over k = 1 .. n of the risk of the k most confident.

    Items of equal confidence come in random order, in expectation. 0 is best; a confidence that tells
    nothing has the error rate. Source: Geifman, Uziel & El-Yaniv (2019).
    """
    return _of_tables(items, aurc_of)


def e_aurc(items: Graded) -> Estimate:
    """The excess of `aurc` over that of the best possible order, all errors last. Source: as `aurc`."""
    return _of_tables(items, e_aurc_of)


def aurc_of(tables: FloatArray) -> FloatArray:
    """See `aurc`: (..., G, 2) to (...); counts are whole numbers."""
    falling = tables[..., ::-1, :]
    n = falling.sum(axis=-1)
    wrong = falling[..., _WRONG]
    upto = np.cumsum(n, axis=-1)
    before, errors = upto - n, np.cumsum(wrong, axis=-1) - wrong
    rate = np.nan_to_num(divide(wrong, n))
    harmonic = _harmonic(int(upto.max(initial=0)))
    span = harmonic[upto.astype(np.int64)] - harmonic[before.astype(np.int64)]
    # the j-th of a group has the risk (errors + j rate) / (before + j)
    areas = n * rate + (errors - rate * before) * span
    return divide(areas.sum(axis=-1), n.sum(axis=-1))


def e_aurc_of(tables: FloatArray) -> FloatArray:
    """See `e_aurc`: (..., G, 2) to (...)."""
    n, wrong = tables.sum(axis=(-2, -1)), tables[..., _WRONG].sum(axis=-1)
    right = n - wrong
    harmonic = _harmonic(int(np.max(n, initial=0)))
    span = harmonic[n.astype(np.int64)] - harmonic[right.astype(np.int64)]
    return np.asarray(aurc_of(tables) - divide(wrong - right * span, n))


def with_interval(
    items: Graded,
    point: Estimate,
    statistic: Statistic,
    resampler: Resampler,
    used: BoolArray,
    level: float = 0.95,
) -> Estimate:
    """`point` with the bootstrap interval of its closed form on tables, over the `used` items of a run.

    `items` are those; `resampler` is of all the run's, and `used` has an entry for each of them (or of
    their kinds). Without an interval where there are more than `MOST_VALUES` distinct confidences.
    """
    if not point.is_defined:
        return point
    size = len(items.values)
    if size > MOST_VALUES:
        note = f"no interval: {size} distinct confidences, more than {MOST_VALUES}"
        return Estimate(point.value, n=point.n, note=note)
    codes = np.full(len(used), -1)
    codes[used] = items.flat

    def flat(sums: FloatArray) -> FloatArray:
        return statistic(sums.reshape(*sums.shape[:-1], size, 2))

    cells = Cells(codes[:, None], 2 * size)
    return bootstrap(cells, flat, resampler, level).around(point.value, point.n)


def brier_interval(items: Graded, resampler: Resampler, used: BoolArray, level: float = 0.95) -> Estimate:
    """`brier` with its interval: a mean of numbers in [0, 1], however many distinct ones there are."""
    if items.n == 0:
        return undefined(NOTHING)
    features = np.zeros((len(used), 2))
    squares = (items.values[items.cell] - items.right) ** 2
    features[used] = np.column_stack([squares, np.ones(len(squares))])
    return bounded(features, ratio, used, resampler, level)


def _of_tables(items: Graded, statistic: Callable[[FloatArray], FloatArray]) -> Estimate:
    if items.n == 0:
        return undefined(NOTHING)
    return Estimate(float(statistic(items.table)), n=items.n)


def _harmonic(n: int) -> FloatArray:
    """H(0) .. H(n), H(k) = 1 + 1/2 + ... + 1/k."""
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])
