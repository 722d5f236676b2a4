"""Effects that are a mean over items, with intervals and paired changes."""

from dataclasses import dataclass

import numpy as np

from venire.metrics.estimators import Estimator
from venire.stats.estimate import Estimate, FloatArray, undefined
from venire.stats.intervals import bootstrap, ratio, wilson


@dataclass(frozen=True, slots=True)
class Mean:
    """sum(hits) / sum(base) - `zero` over items; both of shape (n,), hits at most base in size.

    `zero` is the ratio's value where there is no bias.
    """

    hits: FloatArray
    base: FloatArray
    zero: float = 0.0

    def estimate(self, estimator: Estimator) -> Estimate:
        """The mean with its bootstrap interval.

        Where no draw differs, because every item has the same value, the interval is that of so many
        items in the worst case: as far from the value as Wilson's bound on a share of which none was seen.
        """
        n = int(np.count_nonzero(self.base))
        if n == 0:
            return undefined("there is no item to measure it on")
        value = float(self.hits.sum() / self.base.sum()) - self.zero
        features = np.column_stack([self.hits - self.zero * self.base, self.base])
        interval = bootstrap(features, ratio, estimator.resampler, estimator.level)
        if np.isnan(interval.low) and estimator.resampler.draws > 0:
            far = wilson(0, estimator.resampler.units(self.base > 0), estimator.level).high
            note = f"{interval.note}; instead as far as Wilson's bound on items that differ"
            return Estimate(value, value - far, value + far, n, note)
        return interval.around(value, n)

    def change(self, before: "Mean", estimator: Estimator) -> Estimate:
        """Its estimate minus that of `before`, both resampled together."""
        if not self.base.any() or not before.base.any():
            return undefined("one of the two has no item to measure it on")
        features = np.column_stack([self.hits, self.base, before.hits, before.base])
        shift = before.zero - self.zero

        def difference(sums: FloatArray) -> FloatArray:
            return ratio(sums[..., :2]) - ratio(sums[..., 2:]) + shift

        value = float(difference(features.sum(axis=0)))
        n = int(np.count_nonzero((self.base > 0) & (before.base > 0)))
        return bootstrap(features, difference, estimator.resampler, estimator.level).around(value, n)
