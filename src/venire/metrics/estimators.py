"""Statistics over columns of verdicts, each with its interval. Means are over the columns given."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from venire.metrics.join import NOT_ASKED, UNSCORED, WINNERS
from venire.stats import agreement
from venire.stats.estimate import BoolArray, Estimate, FloatArray, IntArray
from venire.stats.features import Cells, Features
from venire.stats.intervals import (
    Resampler,
    Statistic,
    bootstrap,
    bounded,
    ratio,
    share,
    wilson,
)

N_WINNERS = len(WINNERS)


@dataclass(frozen=True, slots=True)
class Estimator:
    """Estimates over the items of one run.

    Columns have an entry an item, or, where the resampler has kinds of items, an entry a kind.

    Args:
        gold: codes of `WINNERS`, shape (n,).
        resampler: the run's bootstrap draws.
        level: of the intervals.
    """

    gold: IntArray
    resampler: Resampler
    level: float

    @property
    def n(self) -> int:
        """How many items."""
        return len(self.resampler.cluster)

    def by_item(self, verdicts: IntArray) -> IntArray:
        """Verdicts (n, ...) of each item, for what no sum over kinds gives; made anew of kinds."""
        kind = self.resampler.kind
        return verdicts if kind is None else verdicts[kind]

    def share(self, hits: FloatArray, base: FloatArray) -> Estimate:
        """The share sum(hits) / sum(base), both of shape (n,)."""
        return share(hits, base, self.resampler, self.level)

    def share_of(self, hits: BoolArray, among: BoolArray) -> Estimate:
        """The share of items that hit among some."""
        return self.share((hits & among).astype(float), among.astype(float))

    def accuracy(self, columns: Sequence[IntArray]) -> Estimate:
        """Share of correct verdicts over the columns, unscored ones not correct."""
        return self.share(*self.correct(columns))

    def accuracy_within(self, columns: Sequence[IntArray], inside: BoolArray) -> Estimate:
        """Accuracy of a subset: Wilson's interval over its items where no cluster repeats in it.

        A mean of two orders varies less than a proportion over the items: there it is conservative.
        """
        hits, base = self.correct(columns)
        n = self.resampler.count(inside)
        if len(columns) == 1 or self.resampler.units(inside) < n:
            return self.share(hits * inside, base * inside)
        right = self.resampler.total(hits * inside) / len(columns)
        interval = wilson(right, n, self.level)
        return replace(interval.around(right / n, n), note=f"{interval.note} (conservative)")

    def accuracy_macro(self, columns: Sequence[IntArray], subsets: Sequence[BoolArray]) -> Estimate:
        """The unweighted mean of the subsets' accuracies."""
        hits, base = self.correct(columns)
        features = [array * inside for inside in subsets for array in (hits, base)]
        mean = mean_over(len(subsets), ratio)
        used = np.any(subsets, axis=0)
        return bounded(np.stack(features, axis=1), mean, used, self.resampler, self.level)

    def correct(self, columns: Sequence[IntArray]) -> tuple[FloatArray, FloatArray]:
        """Correct verdicts and verdicts asked for, per item over the columns, both of shape (n,)."""
        verdicts = np.stack(columns)
        hits = (verdicts == self.gold).sum(axis=0, dtype=np.float64)
        base = (verdicts != NOT_ASKED).sum(axis=0, dtype=np.float64)
        return hits, base

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
        tables = [agreement.confusion(*pair, size, self.resampler.weights) for pair in pairs]
        points = [agreement.kappa_of_table(table) for table in tables]
        for point in points:
            if not point.is_defined:
                return point
        codes = np.column_stack([agreement.cell_codes(*pair, size) for pair in pairs])
        value = float(np.mean([point.value for point in points]))
        used = self.resampler.count(np.any(codes >= 0, axis=1))
        return self.unbounded(
            value, Cells(codes, size**2), mean_over(len(pairs), agreement.kappa_from_sums), used
        )

    def unbounded(self, value: float, features: Features, statistic: Statistic, n: int) -> Estimate:
        """A known value over `n` items with the bootstrap interval of its closed form."""
        return bootstrap(features, statistic, self.resampler, self.level).around(value, n)


def mean_over(blocks: int, statistic: Statistic) -> Statistic:
    """The mean of `statistic` over equal blocks of features; NaN where one is."""

    def mean(sums: FloatArray) -> FloatArray:
        return np.asarray(np.mean([statistic(part) for part in np.split(sums, blocks, axis=-1)], axis=0))

    return mean


def _null_as_label(column: IntArray) -> IntArray:
    return np.where(column == UNSCORED, N_WINNERS, column)
