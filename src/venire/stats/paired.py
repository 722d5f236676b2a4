"""Paired tests and intervals: two configurations on the same items."""

import numpy as np

from venire.stats.estimate import Estimate, FloatArray, IntArray, undefined
from venire.stats.intervals import Resampler, bootstrap, ratio


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p of McNemar's test; 1.0 where nothing is discordant.

    Args:
        only_first: items that only the first configuration gets right.
        only_second: items that only the second gets right.

    Source: McNemar (1947), in its exact binomial form.
    """
    from scipy.stats import binomtest

    discordant = only_first + only_second
    return 1.0 if discordant == 0 else float(binomtest(only_first, discordant, 0.5).pvalue)


def paired_difference(
    first: FloatArray, second: FloatArray, cluster: IntArray, *, draws: int, rng: np.random.Generator
) -> Estimate:
    """Mean of `second` minus mean of `first` over the same items, with its bootstrap interval.

    Args:
        first, second: one value an item, shape (n,).
        cluster: the cluster of each item, codes 0 .. C - 1; whole clusters are resampled.
        draws: of the bootstrap.
    """
    n = len(first)
    if n == 0:
        return undefined("no common items")
    features = np.column_stack([second - first, np.ones(n)])
    interval = bootstrap(features, ratio, Resampler.draw(cluster, draws, rng))
    return interval.around(float((second - first).mean()), n)
