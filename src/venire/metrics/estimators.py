"""Statistics over columns of verdicts, each with its interval. Means are over the columns given."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.metrics.join import NOT_ASKED, UNSCORED, WINNERS
from venire.stats import agreement
from venire.stats.estimate import BoolArray, Estimate, FloatArray, IntArray, undefined
from venire.stats.intervals import Resampler, Statistic, bootstrap, bounded, ratio, share, wilson

N_WINNERS = len(WINNERS)


@dataclass(frozen=True, slots=True)
class Estimator:
    """Estimates over the items of one run.

    Args:
        gold: codes of `WINNERS`, shape (n,).
        resampler: the run's bootstrap draws.
        level: of the intervals.
    """

    gold: IntArray
    resampler: Resampler
    level: float

    def share(self, hits: BoolArray, base: BoolArray) -> Estimate:
        """The share of `hits` in `base`."""
        return share((hits & base).astype(float), base.astype(float), self.resampler, self.level)

    def accuracy(self, columns: Sequence[IntArray]) -> Estimate:
        """Share of correct verdicts, unscored ones not correct; mean over the columns."""
        if len(columns) == 1:
            return self.share(columns[0] == self.gold, columns[0] != NOT_ASKED)
        return self.mean_of_shares([(column == self.gold, column != NOT_ASKED) for column in columns])

    def accuracy_within(self, columns: Sequence[IntArray], inside: BoolArray) -> Estimate:
        """Accuracy of a subset: Wilson's interval over its items where no cluster repeats in it."""
        parts = [(column == self.gold, (column != NOT_ASKED) & inside) for column in columns]
        n = int(np.count_nonzero(inside))
        if len(parts) == 1:
            return self.share(*parts[0])
        if self.resampler.units(inside) < n:
            return self.mean_of_shares(parts)
        right = sum(np.count_nonzero(hits & base) for hits, base in parts) / len(parts)
        interval = wilson(right, n, self.level)
        return Estimate(right / n, interval.low, interval.high, n, f"{interval.note} (conservative)")

    def mean_of_shares(self, parts: Sequence[tuple[BoolArray, BoolArray]]) -> Estimate:
        """The mean of shares, each of (hits, base)."""
        used = np.any([base for _, base in parts], axis=0)
        if not used.any():
            return undefined("it is a share of nothing")
        features = np.stack([array for hits, base in parts for array in (hits & base, base)], axis=1)
        mean = mean_over(len(parts), ratio)
        return bounded(features.astype(float), mean, used, self.resampler, self.level)

    def kappa(self, columns: Sequence[IntArray], *, null_category: bool = False) -> Estimate:
        """Cohen's kappa of gold and verdicts, mean over the columns.

        Over scored items; with `null_category` over all, an unscored verdict a category of its own.
        """
        return self.kappa_between([(self.gold, column) for column in columns], null_category=null_category)

    def kappa_between(
        self, pairs: Sequence[tuple[IntArray, IntArray]], *, null_category: bool = False
    ) -> Estimate:
        """The mean Cohen's kappa of pairs of columns."""
        size = N_WINNERS + null_category
        if null_category:
            pairs = [(_null_as_label(first), _null_as_label(second)) for first, second in pairs]
        points = [agreement.kappa_of_table(agreement.confusion(*pair, size)) for pair in pairs]
        for point in points:
            if not point.is_defined:
                return point
        features = np.hstack([agreement.cell_features(*pair, size) for pair in pairs])
        value = float(np.mean([point.value for point in points]))
        used = int(np.count_nonzero(features.any(axis=1)))
        return self.unbounded(value, features, mean_over(len(pairs), agreement.kappa_from_sums), used)

    def unbounded(self, value: float, features: FloatArray, statistic: Statistic, n: int) -> Estimate:
        """A known value over `n` items with the bootstrap interval of its closed form."""
        return bootstrap(features, statistic, self.resampler, self.level).around(value, n)


def mean_over(blocks: int, statistic: Statistic) -> Statistic:
    """The mean of `statistic` over equal blocks of features; NaN where one is."""

    def mean(sums: FloatArray) -> FloatArray:
        return np.asarray(np.mean([statistic(part) for part in np.split(sums, blocks, axis=-1)], axis=0))

    return mean


def _null_as_label(column: IntArray) -> IntArray:
    return np.where(column == UNSCORED, N_WINNERS, column)
