"""Paired tests and intervals: two configurations on the same items."""

import numpy as np

from venire.stats.estimate import FloatArray, IntArray, undefined
from venire.stats.estimate import Estimate as Estimate
from venire.stats.intervals import Resampler, bootstrap


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p of McNemar's test; 1.0 where nothing is discordant.

    Args:
        only_first: items that only the first configuration gets right.
        only_second: items that only the second gets right.

    Source: McNemar (1947), exact binomial form.
    """
    from scipy.stats import binomtest

    discordant = only_first + only_second
    return 1.0 if discordant == 0 else float(binomtest(only_first, discordant, 0.5).pvalue)


def paired_difference(
    first: FloatArray, second: FloatArray, cluster: IntArray, *, draws: int, rng: np.random.Generator
) -> Estimate:
    """Mean of `second` minus mean of `first` over the same items, with a bootstrap interval.

    Args:
        first, second: one value an item, shape (n,).
        cluster: the cluster of each item, codes 0 .. C - 1; whole clusters are resampled.
        draws: of the bootstrap.
    """
    n = len(first)
    if n == 0:
        return undefined("no common items")
    features = np.stack([second - first, np.ones(n)], axis=1)
    resampler = Resampler.draw(cluster, draws, rng)
    return bootstrap(resampler, features, lambda sums: sums[..., 0] / sums[..., 1])
