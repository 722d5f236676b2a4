"""Effects that are a mean over items, with intervals and paired changes."""

from dataclasses import dataclass, replace

import numpy as np

from venire.metrics.estimators import Estimator
from venire.stats.estimate import BoolArray, Estimate, FloatArray, undefined
from venire.stats.intervals import ratio, wilson


@dataclass(frozen=True, slots=True)
class Mean:
    """sum(hits) / sum(base) - `zero` over items; both of shape (n,).

    Args:
        hits, base: numerators and denominators of the items.
        zero: the ratio's value where there is no bias.
        least, most: the bounds of the ratio.
    """

    hits: FloatArray
    base: FloatArray
    zero: float = 0.0
    least: float = -1.0
    most: float = 1.0

    def estimate(self, estimator: Estimator) -> Estimate:
        """The mean with its bootstrap interval; see `_worst_case` where no draw differs."""
        n = int(np.count_nonzero(self.base))
        if n == 0:
            return undefined("there is no item to measure it on")
        value = float(self.hits.sum() / self.base.sum()) - self.zero
        features = np.column_stack([self.hits - self.zero * self.base, self.base])
        made = estimator.unbounded(value, features, ratio, n)
        bounds = (self.least - self.zero, self.most - self.zero)
        return _worst_case(made, self.base > 0, bounds, estimator)

    def change(self, before: "Mean", estimator: Estimator) -> Estimate:
        """Its estimate minus that of `before`, both resampled together; n: the items that count in both.

        Each is over its own items: a mitigation that turns verdicts into ties is not seen where both pick.
        """
        if not self.base.any() or not before.base.any():
            return undefined("one of the two has no item to measure it on")
        features = np.column_stack([self.hits, self.base, before.hits, before.base])
        shift = before.zero - self.zero

        def difference(sums: FloatArray) -> FloatArray:
            return ratio(sums[..., :2]) - ratio(sums[..., 2:]) + shift

        value = float(difference(features.sum(axis=0)))
        used = (self.base > 0) & (before.base > 0)
        made = estimator.unbounded(value, features, difference, int(np.count_nonzero(used)))
        bounds = (self.least - before.most + shift, self.most - before.least + shift)
        return _worst_case(made, used, bounds, estimator)


def _worst_case(
    made: Estimate, used: BoolArray, bounds: tuple[float, float], estimator: Estimator
) -> Estimate:
    """`made`, with an interval where no bootstrap draw differs because all items have the same value.

    Of so many items none is another. Were there some, of Wilson's upper bound on their share, and as far
    off as they can be, the value would lie at the ends of this interval.
    """
    units = estimator.resampler.units(used)
    if not np.isnan(made.low) or estimator.resampler.draws == 0 or units == 0:
        return made
    share = wilson(0, units, estimator.level).high
    low, high = made.value - share * (made.value - bounds[0]), made.value + share * (bounds[1] - made.value)
    note = f"{made.note}; instead as if Wilson's bound on items that differ were as far off as can be"
    return replace(made, low=low, high=high, note=note)
