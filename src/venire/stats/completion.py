"""What missing ratings may do to a correlation: how high and how low they could have made it."""

from dataclasses import dataclass

import numpy as np

from venire.stats.correlation import Coefficient, Pairs
from venire.stats.estimate import NAN, FloatArray, IntArray
from venire.stats.intervals import Statistic

_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Bounds:
    """The lowest and highest correlation found; NaN where there is none."""

    worst: float
    best: float


def completion_bounds(
    coefficient: Coefficient, ratings: FloatArray, gold: FloatArray, levels: FloatArray
) -> Bounds:
    """How far the correlation could go if each missing rating were any of `levels`.

    Of given values for the missing ratings the best order is that of the gold and the worst its
    reverse; so a completion is a staircase over the missing items in the order of their gold. Its
    steps are moved one at a time, from several starts, for as long as that helps. What is found is
    attained, so the true bounds are no narrower. Without a missing rating both are the correlation.

    Args:
        ratings: shape (n,), NaN where missing.
        gold: shape (n,); items without one do not count.
        levels: the points that a rating may have, lowest first, at least two.
    """
    there = ~np.isnan(gold)
    rated = there & ~np.isnan(ratings)
    missing = np.sort(gold[there & ~rated])
    size = (len(levels), len(missing))
    # Cells of what is rated, then those of every level at every missing item.
    pairs = Pairs.of(
        np.concatenate([ratings[rated], np.repeat(levels, size[1])]),
        np.concatenate([gold[rated], np.tile(missing, size[0])]),
    )
    known, open_ = np.split(pairs.cell, [int(np.count_nonzero(rated))])
    base = np.bincount(known, minlength=len(pairs.x)).astype(float)
    stairs = _Stairs(base, open_.reshape(size), pairs.statistic(coefficient))
    if not len(missing):
        value = float(stairs.statistic(base))
        return Bounds(value, value)
    worst, best = stairs.highest(-1), stairs.highest(1)
    return Bounds(-worst, best)


@dataclass(frozen=True, slots=True)
class _Stairs:
    """Completions as steps: step k of a staircase says from which missing item on its level is above k.

    Args:
        base: how often each cell occurs among the rated items, shape (U,).
        cells: the cell of each missing item at each level, shape (levels, items).
        statistic: of cell counts.
    """

    base: FloatArray
    cells: IntArray
    statistic: Statistic

    def highest(self, sign: int) -> float:
        """The highest `sign` times the statistic over staircases up (1) or down (-1); NaN if none has one."""
        n_levels, n = self.cells.shape
        spread = np.linspace(0, n, n_levels + 1).round()[1:-1].astype(np.int64)
        # All missing items on one level, and half of them on either end.
        flat = np.where(np.greater_equal.outer(np.arange(n_levels), np.arange(1, n_levels)), 0, n)
        halves = np.full(n_levels - 1, n // 2, dtype=np.int64)
        found = max(self._climb(start, sign) for start in (spread, halves, *flat))
        return NAN if found == -np.inf else found

    def _climb(self, steps: IntArray, sign: int) -> float:
        best = float(self._values(steps[None, :], sign)[0])
        n = self.cells.shape[1]
        for _ in range(_SWEEPS):
            before = best
            for k in range(len(steps)):
                low = steps[k - 1] if k else 0
                high = steps[k + 1] if k + 1 < len(steps) else n
                places = np.arange(low, high + 1)
                tried = np.tile(steps, (len(places), 1))
                tried[:, k] = places
                values = self._values(tried, sign)
                place = int(np.argmax(values))
                if values[place] > best:
                    best, steps = float(values[place]), tried[place]
            if best == before:
                break
        return best

    def _values(self, stairs: IntArray, sign: int) -> FloatArray:
        """`sign` times the statistic of each staircase, shape (m,); minus infinity where undefined."""
        n_levels, n = self.cells.shape
        items = np.arange(n)
        level = (items[None, :, None] >= stairs[:, None, :]).sum(axis=-1)
        level = level if sign > 0 else n_levels - 1 - level
        counts = np.tile(self.base, (len(stairs), 1))
        rows = np.repeat(np.arange(len(stairs)), n)
        np.add.at(counts, (rows, self.cells[level, items].reshape(-1)), 1.0)
        values = sign * self.statistic(counts)
        return np.where(np.isnan(values), -np.inf, values)
