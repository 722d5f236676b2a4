"""Spearman's correlation as a statistic of sums, its ranks kept as given: for swaps of two sides."""

import numpy as np

from venire.stats.estimate import FloatArray, divide

WIDTH = 6  # features of one correlation


def rank_features(first: FloatArray, second: FloatArray) -> FloatArray:
    """Per item: 1, both sides' standardised mid-ranks, their squares and product; shape (n, 6).

    Zero rows where a value is missing. A constant side has ranks of 0.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    features = np.zeros((len(first), WIDTH))
    x, y = (_standardised_ranks(side[both]) for side in (first, second))
    features[both] = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    return features


def correlation_of_ranks(sums: FloatArray) -> FloatArray:
    """Pearson's r of summed `rank_features`, (..., 6) to (...): rho as given; NaN where undefined."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0)
    return divide(n * xy - x * y, np.sqrt(np.where(spread > 1e-18, spread, 0.0)))


def mean_of_ranks(sums: FloatArray) -> FloatArray:
    """The mean over several `rank_features` side by side: (..., 6 K) to (...); NaN where one is undefined."""
    blocks = np.split(sums, sums.shape[-1] // WIDTH, axis=-1)
    return np.asarray(np.mean([correlation_of_ranks(block) for block in blocks], axis=0))


def _standardised_ranks(values: FloatArray) -> FloatArray:
    from scipy.stats import rankdata

    if len(values) == 0:
        return values
    ranks: FloatArray = rankdata(np.round(values, 12)) - (len(values) + 1) / 2
    spread = float(np.sqrt((ranks**2).mean()))
    return ranks / spread if spread > 0 else ranks
