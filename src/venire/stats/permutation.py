"""Tests of two configurations on the same items by what could have happened if they did not differ.

Under the null hypothesis an item's two results could as well have been the other way round. So the results
of whole clusters are swapped, and p is the share of all such worlds that are at least as far from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from venire.stats.estimate import NAN, Codes, FloatArray, IntArray
from venire.stats.intervals import ROUNDING, Statistic

DRAWS = 10_000  # of swaps, where not all of them can be counted
_MOST_SWAPPED = 14  # clusters that differ: so many are enumerated, 2 ** 14 worlds
_MOST_PARTS = 60  # of a unit that all gaps are tried to be multiples of
_MOST_CELLS = 20_000  # of the exact distribution of a sum
_BLOCK = 1000  # worlds at once


@dataclass(frozen=True, slots=True)
class Permuted:
    """A two-sided p, and how it was found; NaN with the reason where there is none."""

    p: float
    note: str


def sign_flip(gaps: FloatArray, cluster: Codes, *, rng: np.random.Generator) -> Permuted:
    """The sign-flip test that the mean of `gaps`, second minus first by item, is 0; shape (n,).

    The gaps of a cluster flip together. Exact where the clusters' sums are multiples of a common unit (as of
    right and wrong, also over orders and seeds) or few differ from 0; else over 10,000 random worlds, the
    given one counted among them. Of one verdict an item, right or wrong, it is McNemar's exact test.
    NaN without an item.

    Args:
        gaps: shape (n,).
        cluster: codes 0 .. C - 1, shape (n,).
        rng: of the random worlds.

    Source: Fisher (1935); Dwass (1957) for random worlds; Phipson & Smyth (2010) for counting the given one.
    """
    if len(gaps) == 0:
        return Permuted(NAN, "no test: no common items")
    sums: FloatArray = np.bincount(cluster, weights=gaps).astype(np.float64)
    sums = sums[np.abs(sums) > ROUNDING]
    if len(sums) == 0:
        return Permuted(1.0, "exact sign-flip test: nothing differs")
    units = _in_units(sums)
    if units is not None:
        return Permuted(_exact_tail(units), f"exact sign-flip test, {len(sums)} differ")
    if len(sums) <= _MOST_SWAPPED:
        worlds = _all_signs(len(sums)) @ sums
        p = float(np.mean(np.abs(worlds) >= abs(sums.sum()) - ROUNDING))
        return Permuted(p, f"exact sign-flip test, {len(sums)} differ")
    far = abs(sums.sum()) - ROUNDING
    extreme = sum(int((np.abs(signs @ sums) >= far).sum()) for signs in _sign_blocks(len(sums), rng))
    return Permuted((extreme + 1) / (DRAWS + 1), f"sign-flip test, {DRAWS} random worlds")


def swap_test(
    first: FloatArray,
    second: FloatArray,
    statistic: Statistic,
    cluster: Codes,
    *,
    rng: np.random.Generator,
) -> Permuted:
    """The test that a statistic of sums of per-item features is the same of both sides.

    The two sides of whole clusters are swapped, in all ways where few differ, else in 10,000 random ones, and
    the statistic is taken anew. A world in which it is undefined counts as extreme. NaN where it is undefined
    as given.

    Args:
        first, second: features by item, shape (n, F).
        statistic: of their sums, (..., F) to (...).
        cluster: codes 0 .. C - 1, shape (n,).
        rng: of the random worlds.

    Source: Deutsch, Dror & Roth (2021), "PERM-INPUTS", on correlations; Noreen (1989).
    """
    given = float(statistic(second.sum(axis=0)) - statistic(first.sum(axis=0))) if len(first) else NAN
    if np.isnan(given):
        return Permuted(NAN, "no test: undefined")
    half = np.zeros((int(cluster.max()) + 1, first.shape[1]))
    np.add.at(half, cluster, (second - first) / 2)
    half = half[np.abs(half).max(axis=1) > ROUNDING]
    middle = (first.sum(axis=0) + second.sum(axis=0)) / 2
    if len(half) == 0:
        return Permuted(1.0, "exact swap test: nothing differs")
    few = len(half) <= _MOST_SWAPPED
    blocks = iter([_all_signs(len(half))]) if few else _sign_blocks(len(half), rng)
    extreme = worlds = 0
    for signs in blocks:
        moved = signs @ half
        gaps = np.abs(statistic(middle + moved) - statistic(middle - moved))
        extreme += int(np.count_nonzero(~(gaps < abs(given) - ROUNDING)))
        worlds += len(signs)
    if few:
        return Permuted(extreme / worlds, f"exact swap test, {len(half)} differ")
    return Permuted((extreme + 1) / (worlds + 1), f"swap test, {worlds} random worlds")


def _in_units(sums: FloatArray) -> IntArray | None:
    """The sums as whole multiples of 1 / k for the smallest k that fits; None where none does."""
    for parts in range(1, _MOST_PARTS + 1):
        scaled = sums * parts
        whole = np.round(scaled)
        if np.abs(scaled - whole).max() < 1e-9 * parts and np.abs(whole).sum() <= _MOST_CELLS:
            return whole.astype(np.int64)
    return None


def _exact_tail(units: IntArray) -> float:
    """The chance that the sum of whole numbers with fair signs is as far from 0 as theirs, or farther.

    Equal sizes together: m of size v sum to v (2 k - m), k binomial. Convolutions of chances add up positive
    numbers only, so that a p far in the tail keeps its digits.
    """
    from scipy.stats import binom

    chance = np.ones(1)
    for size, count in zip(*np.unique(np.abs(units), return_counts=True), strict=True):
        spaced = np.zeros(2 * int(size) * int(count) + 1)
        spaced[:: 2 * int(size)] = binom.pmf(np.arange(count + 1), count, 0.5)
        chance = np.convolve(chance, spaced)
    reach = abs(int(units.sum()))
    if reach == 0:
        return 1.0
    centre = len(chance) // 2  # the sum 0
    return min(2.0 * float(chance[centre + reach :][::-1].sum()), 1.0)


def _all_signs(size: int) -> FloatArray:
    """Every way to give `size` things a sign, shape (2 ** size, size)."""
    bits = np.arange(2**size)[:, None] >> np.arange(size) & 1
    return np.asarray(2.0 * bits - 1.0)


def _random_signs(worlds: int, size: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(2.0 * rng.integers(0, 2, size=(worlds, size), dtype=np.int8) - 1.0)


def _sign_blocks(size: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    for start in range(0, DRAWS, _BLOCK):
        yield _random_signs(min(_BLOCK, DRAWS - start), size, rng)
