"""What McNemar's exact test can find: its power, the smallest difference, and the items that it takes.

The two configurations are right on the same n items. A share of the items is discordant: only one of the two
is right. The difference of their accuracies is the share that only the second gets right less the share that
only the first does; so it is at most the discordance.
"""

import math

import numpy as np

from venire.stats.estimate import NAN, FloatArray, IntArray

_PRECISION = 1e-5  # of the smallest difference
_MOST_ITEMS = 1_000_000


def mcnemar_power(n: int, discordance: float, difference: float, *, alpha: float = 0.05) -> float:
    """The chance that the exact two-sided test is at most `alpha`.

    Unconditional: over how many of the n items are discordant, binomial with the share `discordance`; of
    those the second is right on a binomial number with the chance (1 + difference / discordance) / 2.
    """
    from scipy.stats import binom

    if n == 0 or discordance == 0:
        return 0.0
    counts = np.arange(n + 1, dtype=np.int64)
    chance = binom.pmf(counts, n, discordance)
    counts, chance = counts[chance > 1e-12], chance[chance > 1e-12]
    most = _most_of_fewer(counts, alpha)
    share = (1 + abs(difference) / discordance) / 2
    rejects = binom.cdf(most, counts, share) + binom.cdf(most, counts, 1 - share)
    return float((chance * rejects).sum())


def smallest_difference(n: int, discordance: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest difference that is found with `power`; NaN where even the whole discordance is not."""
    if mcnemar_power(n, discordance, discordance, alpha=alpha) < power:
        return NAN
    low, high = 0.0, discordance
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if mcnemar_power(n, discordance, middle, alpha=alpha) < power:
            low = middle
        else:
            high = middle
    return high


def items_needed(discordance: float, difference: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """So many items find `difference` with `power`; 0 where no million does, or it is beyond the discordance.

    Power is not quite monotone in n (a discrete test): from the n given on it was found at bisection, so a
    few items fewer may do, too.
    """
    if not 0 < abs(difference) <= discordance:
        return 0
    low, high = 0, 8
    while mcnemar_power(high, discordance, difference, alpha=alpha) < power:
        low, high = high, high * 2
        if high > _MOST_ITEMS:
            return 0
    while high - low > 1:
        middle = (low + high) // 2
        if mcnemar_power(middle, discordance, difference, alpha=alpha) < power:
            low = middle
        else:
            high = middle
    return high


def _most_of_fewer(counts: IntArray, alpha: float) -> FloatArray:
    """The largest k with P(X <= k) <= alpha / 2, X binomial of `counts`, 1/2; minus infinity without one."""
    from scipy.stats import binom

    guess = binom.ppf(alpha / 2, counts, 0.5)
    guess = np.where(binom.cdf(guess, counts, 0.5) <= alpha / 2, guess, guess - 1)
    return np.asarray(np.where(guess < 0, -math.inf, guess), dtype=np.float64)
