"""Whether two configurations are as good as each other, or the second no worse, up to a margin."""

import math
from dataclasses import dataclass

import numpy as np

from venire.stats.estimate import NAN, FloatArray, IntArray
from venire.stats.intervals import FEW_CLUSTERS

_MOST_PARTS = 60  # of a unit that all gaps are tried to be multiples of


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests of a mean paired difference against a margin.

    Args:
        margin: what is still no difference, above 0.
        value: the mean difference, second minus first.
        low, high: its interval at 1 - 2 alpha (90% for 5%): equivalent where it lies within the margin.
        p: of "the second is neither worse nor better by the margin or more" (TOST).
        p_no_worse: of "the second is not worse by the margin or more" alone.
        note: how it was made, and what speaks against it.
    """

    margin: float
    value: float
    low: float
    high: float
    p: float
    p_no_worse: float
    note: str


def tost(gaps: FloatArray, cluster: IntArray, margin: float, *, alpha: float = 0.05) -> Equivalence:
    """Two one-sided t tests of the mean of `gaps`, second minus first by item, over clusters.

    The variance is that of the gaps (between clusters, as of a ratio estimate), but never below what gaps in
    steps of their smallest unit have at least if their mean is the margin: so 20 items without one
    discordant verdict do not prove that there is none. NaN for fewer than two clusters.

    Args:
        gaps: in [-1, 1], shape (n,).
        cluster: codes 0 .. C - 1, shape (n,).
        margin: above 0.
        alpha: of each test.

    Source: Schuirmann (1987); the variance under the margin after Tango (1998).
    """
    sums, sizes = np.bincount(cluster, weights=gaps), np.bincount(cluster)
    clusters = len(sums)
    if clusters < 2:
        return Equivalence(margin, _mean(gaps), NAN, NAN, NAN, NAN, "no test: it takes two clusters")
    from scipy.stats import t

    value = float(gaps.mean())
    residual = sums - value * sizes
    variance = float((residual**2).sum()) * clusters / (clusters - 1) / len(gaps) ** 2
    unit = _unit(gaps)
    floor = max(margin * (unit - margin), 0.0) / clusters
    error = math.sqrt(max(variance, floor))
    df = clusters - 1
    reach = float(t.ppf(1 - alpha, df)) * error
    p_no_worse, p_no_better = (
        float(t.sf((margin + side * value) / error, df)) if error > 0 else float(margin + side * value <= 0)
        for side in (1, -1)
    )
    note = f"two one-sided t tests over {clusters} {'clusters' if clusters < len(gaps) else 'items'}"
    if clusters < FEW_CLUSTERS:
        note += f"; fewer than {FEW_CLUSTERS}: an approximation"
    return Equivalence(
        margin, value, value - reach, value + reach, max(p_no_worse, p_no_better), p_no_worse, note
    )


def _mean(gaps: FloatArray) -> float:
    return float(gaps.mean()) if len(gaps) else NAN


def _unit(gaps: FloatArray) -> float:
    """The largest 1 / k of which all gaps are multiples; 0 where there is none up to 60."""
    for parts in range(1, _MOST_PARTS + 1):
        if np.abs(gaps * parts - np.round(gaps * parts)).max(initial=0.0) < 1e-9 * parts:
            return 1 / parts
    return 0.0
