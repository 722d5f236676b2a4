"""Whether two correlations with the same human ratings, on the same items, differ.

Normal theory for Pearson's r over independent items. For Spearman it is an approximation; there is none
for Kendall. Items of one document are not independent: the bootstrap over documents is the first word.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from venire.stats.estimate import NAN

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Dependent:
    """The test and the interval of `second - first`; NaN with the reason in `note` where undefined.

    Args:
        difference: second minus first.
        z, p: Steiger's statistic and its two-sided p.
        low, high: Zou's interval.
        n: items.
    """

    difference: float
    z: float = NAN
    p: float = NAN
    low: float = NAN
    high: float = NAN
    n: int = 0
    note: str = ""


def compare_dependent(
    first: float, second: float, between: float, n: int, *, level: float = 0.95
) -> Dependent:
    """Steiger's test and Zou's interval of two correlations that share one side.

    Args:
        first, second: each method's correlation with the human ratings.
        between: the two methods' correlation with each other.
        n: items.
        level: of the interval.

    Source: Steiger (1980), equation 14; Zou (2007), section "overlapping".
    """
    if any(map(math.isnan, (first, second, between))):
        return Dependent(NAN, n=n, note="a correlation is undefined")
    gap = second - first
    if n <= 3:
        return Dependent(gap, n=n, note="it takes four items")
    if abs(first) >= 1 or abs(second) >= 1:
        return Dependent(gap, n=n, note="a correlation of 1 has no Fisher z")
    z = steiger_z(first, second, between, n)
    low, high = zou_interval(first, second, between, n, level=level)
    if math.isnan(z):
        return Dependent(gap, low=low, high=high, n=n, note="the two methods rate alike throughout")
    return Dependent(gap, z, 2 * _NORMAL.cdf(-abs(z)), low, high, n)


def steiger_z(first: float, second: float, between: float, n: int) -> float:
    """Steiger's Z of `second - first` with the pooled covariance; NaN where the methods rate alike."""
    mean = (first + second) / 2
    square = mean * mean
    covariance = between * (1 - 2 * square) - square * (1 - 2 * square - between * between) / 2
    shared = covariance / (1 - square) ** 2
    if 1 - shared < 1e-12:
        return NAN
    return (math.atanh(second) - math.atanh(first)) * math.sqrt((n - 3) / (2 - 2 * shared))


def zou_interval(
    first: float, second: float, between: float, n: int, *, level: float = 0.95
) -> tuple[float, float]:
    """Zou's interval of `second - first` from the two Fisher intervals and how they go together."""
    z = _NORMAL.inv_cdf((1 + level) / 2) / math.sqrt(n - 3)
    (low_1, high_1), (low_2, high_2) = (
        (math.tanh(math.atanh(r) - z), math.tanh(math.atanh(r) + z)) for r in (first, second)
    )
    together = (between - first * second / 2) * (1 - first**2 - second**2 - between**2) + between**3
    shared = together / ((1 - first**2) * (1 - second**2))
    gap = second - first

    def reach(down: float, up: float) -> float:
        return math.sqrt(max(down * down + up * up - 2 * shared * down * up, 0.0))

    return (
        gap - reach(second - low_2, high_1 - first),
        gap + reach(high_2 - second, first - low_1),
    )
