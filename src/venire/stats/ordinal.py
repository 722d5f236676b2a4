"""Quadratically weighted kappa of ratings, from their moments."""

import numpy as np

from venire.stats.estimate import Estimate, FloatArray, divide, undefined


def moment_features(first: FloatArray, second: FloatArray) -> FloatArray:
    """1, x, y, x^2 + y^2, x y of each item with both values, shape (n, 5); else a row of zeros."""
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = np.where(both, first, 0.0), np.where(both, second, 0.0)
    return np.column_stack([both.astype(np.float64), x, y, x * x + y * y, x * y])


def quadratic_kappa_from_sums(sums: FloatArray) -> FloatArray:
    """Cohen's kappa with squared distances as weights, (..., 5) to (...); NaN where undefined.

    1 - n sum (x_i - y_i)^2 / sum_i sum_j (x_i - y_j)^2: the same on labels and on any numbers, where it is
    Lin's concordance coefficient with moments over n. Source: Cohen (1968); Fleiss and Cohen (1973).
    """
    n, x, y, squares, products = np.moveaxis(sums, -1, 0)
    apart = n * squares - 2 * x * y
    # Rounding would leave two constant and equal sides a hair apart.
    apart = np.where(apart > _ROUNDING * n * squares, apart, 0.0)
    return 1.0 - divide(n * (squares - 2 * products), apart)


_ROUNDING = 1e-12


def quadratic_kappa(first: FloatArray, second: FloatArray) -> Estimate:
    """The weighted kappa of two columns of ratings, shape (n,), without an interval.

    Undefined where no item has both, or both sides are one and the same number throughout.
    """
    features = moment_features(first, second)
    n = int(features[:, 0].sum())
    if n == 0:
        return undefined("no item is rated by both sides")
    value = float(quadratic_kappa_from_sums(features.sum(axis=0)))
    if np.isnan(value):
        return undefined("both sides give one and the same rating throughout", n)
    return Estimate(value, n=n)
