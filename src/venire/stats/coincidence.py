"""Agreement of any number of annotators from tables of how often labels met in pairs.

A table is flattened, shape (..., K * K): entry (i, j) counts pairs whose first label is i and whose
second is j. Every statistic is a function of sums of per-unit tables, so one bootstrap serves all.
Labels are codes 0 .. K - 1.
"""

from enum import StrEnum

import numpy as np

from venire.stats.estimate import BoolArray, FloatArray, divide


class Level(StrEnum):
    """What differences between labels mean. Source: Krippendorff (2011)."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def pair_tables(counts: FloatArray) -> FloatArray:
    """All pairs of labels within each unit, half in either direction: (n, K) counts to (n, K * K).

    A table sums to the unit's number of pairs, m (m - 1) / 2.
    """
    ordered = counts[:, :, None] * counts[:, None, :]
    ordered -= counts[:, :, None] * np.eye(counts.shape[1])
    return ordered.reshape(len(counts), -1) / 2


def coincidences(counts: FloatArray) -> FloatArray:
    """Krippendorff's coincidences of each unit: its ordered pairs over m - 1; zero below two labels."""
    size = counts.sum(axis=1, keepdims=True)
    weighted: FloatArray = np.nan_to_num(divide(2 * pair_tables(counts), size - 1))
    return weighted


def agreeing(tables: FloatArray, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Pairs that agree, and all pairs, of which neither label is left out; (..., K * K) to twice (...).

    Args:
        tables: of pairs.
        kept: which labels count, shape (K,).
    """
    both = np.outer(kept, kept)
    squares = tables.reshape(*tables.shape[:-1], *both.shape) * both
    return np.trace(squares, axis1=-2, axis2=-1), squares.sum(axis=(-2, -1))


def weighted_kappa_from_sums(tables: FloatArray, values: FloatArray) -> FloatArray:
    """Cohen's kappa with squared differences of `values` as weights, (..., K * K) to (...).

    1 - n sum n_ij (v_i - v_j)^2 / sum r_i c_j (v_i - v_j)^2; NaN where both sides have one value only.
    Source: Cohen (1968).
    """
    squares, weights = _squares(tables, values)
    n = squares.sum(axis=(-2, -1))
    by_chance = squares.sum(axis=-1)[..., :, None] * squares.sum(axis=-2)[..., None, :]
    off = (squares * weights).sum(axis=(-2, -1))
    return 1.0 - divide(n * off, (by_chance * weights).sum(axis=(-2, -1)))


def alpha_from_coincidences(tables: FloatArray, values: FloatArray, level: Level) -> FloatArray:
    """Krippendorff's alpha of summed `coincidences`, (..., K * K) to (...); NaN where all labels are one.

    1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck, d the squared difference of the level.

    Args:
        tables: sums of coincidences.
        values: of the labels, in ascending order for ordinal ones, shape (K,).
        level: nominal, ordinal, or interval.
    """
    squares, interval = _squares(tables, values)
    margin = squares.sum(axis=-1)
    n = margin.sum(axis=-1)
    match level:
        case Level.NOMINAL:
            differences: FloatArray = 1.0 - np.eye(len(values))
        case Level.INTERVAL:
            differences = interval
        case Level.ORDINAL:
            # Between two labels lie the labels of all in between, and half of each of the two.
            place = np.cumsum(margin, axis=-1) - margin / 2
            differences = (place[..., :, None] - place[..., None, :]) ** 2
    observed = (squares * differences).sum(axis=(-2, -1))
    by_chance = (margin[..., :, None] * margin[..., None, :] * differences).sum(axis=(-2, -1))
    return 1.0 - divide((n - 1) * observed, by_chance)


def _squares(tables: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Tables as squares, and the squared differences of the values."""
    k = len(values)
    weights: FloatArray = (values[:, None] - values[None, :]) ** 2
    return tables.reshape(*tables.shape[:-1], k, k), weights
