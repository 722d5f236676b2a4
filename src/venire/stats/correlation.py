"""Correlation of ratings with human ratings: Spearman, Kendall's tau-b, Pearson.

Each coefficient comes twice: on one data set through scipy, and as a closed form on how often each
distinct pair of values occurs, which a bootstrap evaluates for all draws at once (`Resampled`). The
tests hold the two equal. Values that are NaN are missing; an item counts where both of its values are there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from venire.stats.estimate import NAN, Estimate, FloatArray, IntArray, divide, undefined
from venire.stats.intervals import NO_DRAWS, Resampler, Statistic, bootstrap, ratio

_SAME = 1e-12  # means closer than this are equal: rounding must not break ties


class Coefficient(StrEnum):
    """Which correlation."""

    SPEARMAN = "spearman"
    KENDALL = "kendall"
    PEARSON = "pearson"


class Grouping(StrEnum):
    """Over what a correlation is taken."""

    POOLED = "pooled"  # all items together
    PER_DOCUMENT = "per_document"  # within each document, then the mean over documents
    PER_SYSTEM = "per_system"  # of the systems' mean ratings, one point a system


@dataclass(frozen=True, slots=True)
class Resampled:
    """A statistic with what a bootstrap of it needs.

    Args:
        point: its value, without an interval.
        features: per item, shape (n, F); zero rows for items that do not count.
        statistic: of their sums.
    """

    point: Estimate
    features: FloatArray
    statistic: Statistic

    def estimate(self, resampler: Resampler, level: float = 0.95) -> Estimate:
        """The point with its BCa bootstrap interval over the resampler's clusters."""
        if not self.point.is_defined:
            return self.point
        if resampler.draws == 0:  # before anything of size (n, F) is summed up
            note = "; ".join(part for part in (NO_DRAWS, self.point.note) if part)
            return Estimate(self.point.value, n=self.point.n, note=note)
        interval = bootstrap(self.features, self.statistic, resampler, level)
        note = "; ".join(part for part in (interval.note, self.point.note) if part)
        return Estimate(self.point.value, interval.low, interval.high, self.point.n, note)


def correlation(
    coefficient: Coefficient,
    first: FloatArray,
    second: FloatArray,
    names: tuple[str, str] = ("the first side", "the second side"),
) -> Estimate:
    """The coefficient of two columns, shape (n,), without an interval; by scipy.

    Undefined for fewer than two items that both have, and where a side is constant on these; `names`
    are for the reason.
    """
    both = ~(np.isnan(first) | np.isnan(second))
    x, y = first[both], second[both]
    n = len(x)
    if n < 2:
        return undefined(f"{n} items with both values, it takes two", n)
    for name, side in zip(names, (x, y), strict=True):
        if np.ptp(side) == 0:
            return undefined(f"{name} are all {side[0]:g}, so nothing can go along with them", n)
    from scipy import stats

    match coefficient:
        case Coefficient.SPEARMAN:
            value = stats.spearmanr(x, y).statistic
        case Coefficient.KENDALL:
            value = stats.kendalltau(x, y, variant="b").statistic
        case Coefficient.PEARSON:
            value = stats.pearsonr(x, y).statistic
    return Estimate(float(value), n=n)


def pooled(
    coefficient: Coefficient,
    first: FloatArray,
    second: FloatArray,
    names: tuple[str, str] = ("the first side", "the second side"),
) -> Resampled:
    """The correlation over all items, for the bootstrap."""
    point = correlation(coefficient, first, second, names)
    pairs = Pairs.of(first, second)
    return Resampled(point, pairs.features, pairs.statistic(coefficient))


def per_document(
    coefficient: Coefficient,
    first: FloatArray,
    second: FloatArray,
    document: IntArray,
    names: tuple[str, str] = ("the first side", "the second side"),
) -> Resampled:
    """The mean over documents of the correlation within each; `document` holds codes, shape (n,).

    Documents on which it is undefined (fewer than two items, or a constant side) are left out and
    counted in the note; undefined where none is left.
    """
    features = np.zeros((len(first), 2))
    n = left_out = 0
    for code in np.unique(document):
        inside = np.flatnonzero(document == code)
        within = correlation(coefficient, first[inside], second[inside], names)
        if within.is_defined:
            features[inside[0]] = (within.value, 1.0)
            n += within.n
        else:
            left_out += 1
    used = int(features[:, 1].sum())
    if used == 0:
        point = undefined(f"no document of {left_out} has two items that differ on both sides")
    else:
        note = f"mean over {used} documents"
        note += f", {left_out} left out: fewer than two items, or a constant side" if left_out else ""
        point = Estimate(float(features[:, 0].sum() / used), n=n, note=note)
    return Resampled(point, features, ratio)


def per_system(
    coefficient: Coefficient,
    first: FloatArray,
    second: FloatArray,
    system: IntArray,
    names: tuple[str, str] = ("the first side", "the second side"),
) -> Resampled:
    """The correlation of the systems' means, each system one point; `system` holds codes, -1 for none.

    The bootstrap resamples documents, not systems: what other systems would show it does not tell.
    """
    used = ~(np.isnan(first) | np.isnan(second)) & (system >= 0)
    codes = np.unique(system[used])
    shape = (len(first), len(codes))
    inside = np.equal.outer(np.where(used, system, -1), codes) if len(codes) else np.zeros(shape, dtype=bool)
    x, y = (np.where(used, side, 0.0)[:, None] * inside for side in (first, second))
    features: FloatArray = np.hstack([x, y, inside.astype(float)])

    def means(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        total_x, total_y, count = np.split(sums, 3, axis=-1)
        return divide(total_x, count), divide(total_y, count)

    at = [np.round(side, 12) for side in means(features.sum(axis=0))]
    found = correlation(coefficient, at[0], at[1], (f"systems' means of {names[0]}", names[1]))
    note = found.note or f"of the means of {len(codes)} systems"
    point = Estimate(found.value, n=int(np.count_nonzero(used)), note=note)
    return Resampled(point, features, lambda sums: _of_points(coefficient, *means(sums)))


def difference(first: Resampled, second: Resampled) -> Resampled:
    """`second` minus `first`, of the same items."""
    for part in (first.point, second.point):
        if not part.is_defined:
            return Resampled(part, first.features, first.statistic)
    width = first.features.shape[1]

    def gap(sums: FloatArray) -> FloatArray:
        return second.statistic(sums[..., width:]) - first.statistic(sums[..., :width])

    value = second.point.value - first.point.value
    n = min(first.point.n, second.point.n)
    return Resampled(Estimate(value, n=n), np.hstack([first.features, second.features]), gap)


def mean_of(parts: Sequence[Resampled], names: Sequence[str], *, absolute: bool = False) -> Resampled:
    """The mean of statistics on the same items, or of their absolute values.

    Undefined where one is; the reason names it. `names` are those of the parts.
    """
    for name, part in zip(names, parts, strict=True):
        if not part.point.is_defined:
            reason = part.point.note.removeprefix("undefined: ")
            return Resampled(undefined(f"{name}: {reason}", part.point.n), part.features, part.statistic)
    bounds = np.cumsum([part.features.shape[1] for part in parts])[:-1]

    def mean(sums: FloatArray) -> FloatArray:
        blocks = np.split(sums, bounds, axis=-1)
        values = [part.statistic(block) for part, block in zip(parts, blocks, strict=True)]
        return np.asarray(np.mean([np.abs(value) if absolute else value for value in values], axis=0))

    values = [abs(part.point.value) if absolute else part.point.value for part in parts]
    point = Estimate(math.fsum(values) / len(values), n=min(part.point.n for part in parts))
    return Resampled(point, np.hstack([part.features for part in parts]), mean)


def chance_level(coefficient: Coefficient, n: int) -> float:
    """The mean absolute correlation of n items of which nothing is related; NaN below two items.

    By the normal approximation, sqrt(2 / pi) times the standard deviation under independence without
    ties: 1 / sqrt(n - 1), for Kendall sqrt(2 (2n + 5) / (9n (n - 1))). Source: Kendall (1970).
    """
    if n < 2:
        return NAN
    kendall = coefficient is Coefficient.KENDALL
    variance = 2 * (2 * n + 5) / (9 * n * (n - 1)) if kendall else 1 / (n - 1)
    return math.sqrt(2 / math.pi * variance)


@dataclass(frozen=True)
class Pairs:
    """The distinct pairs of values of two columns, sorted by the first value, then the second.

    Args:
        x, y: the values of each distinct pair, shape (U,).
        cell: which of them each item has, shape (n,); -1 where a value is missing.
    """

    x: FloatArray
    y: FloatArray
    cell: IntArray

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray) -> "Pairs":
        """The pairs of two columns, shape (n,)."""
        both = ~(np.isnan(first) | np.isnan(second))
        cell = np.full(len(first), -1, dtype=np.int64)
        if not both.any():
            return cls(np.zeros(0), np.zeros(0), cell)
        values, where = np.unique(np.column_stack([first, second])[both], axis=0, return_inverse=True)
        cell[both] = where.reshape(-1)
        return cls(values[:, 0], values[:, 1], cell)

    @property
    def features(self) -> FloatArray:
        """One-hot cell of each item, shape (n, U); a zero row where a value is missing."""
        features = np.zeros((len(self.cell), len(self.x)))
        rows = np.flatnonzero(self.cell >= 0)
        features[rows, self.cell[rows]] = 1.0
        return features

    def statistic(self, coefficient: Coefficient) -> Statistic:
        """The coefficient as a function of how often each cell occurs: (..., U) to (...)."""
        match coefficient:
            case Coefficient.SPEARMAN:
                return self._spearman
            case Coefficient.KENDALL:
                return self._kendall
            case Coefficient.PEARSON:
                return self._pearson

    def _pearson(self, counts: FloatArray) -> FloatArray:
        """(n Sxy - Sx Sy) / sqrt((n Sxx - Sx^2)(n Syy - Sy^2)), both sides centred beforehand."""
        if len(self.x) == 0:
            return np.full(counts.shape[:-1], NAN)
        x, y = self.x - self.x.mean(), self.y - self.y.mean()
        n = counts.sum(axis=-1)
        sums = counts @ np.column_stack([x, y, x * x, y * y, x * y])
        sx, sy, sxx, syy, sxy = np.moveaxis(sums, -1, 0)
        spread = np.maximum(n * sxx - sx * sx, 0) * np.maximum(n * syy - sy * sy, 0)
        # Rounding would leave a constant side a spread above 0.
        varies = (self._levels_x.used(counts) > 1) & (self._levels_y.used(counts) > 1)
        return divide(n * sxy - sx * sy, np.sqrt(np.where(varies, spread, 0.0)))

    def _spearman(self, counts: FloatArray) -> FloatArray:
        """Pearson of mid-ranks; in halves, so exact."""
        ranks_x, spread_x = self._levels_x.centred_ranks(counts)
        ranks_y, spread_y = self._levels_y.centred_ranks(counts)
        return divide((counts * ranks_x * ranks_y).sum(axis=-1), np.sqrt(spread_x * spread_y))

    def _kendall(self, counts: FloatArray) -> FloatArray:
        """(concordant - discordant) / sqrt((pairs - tied in x)(pairs - tied in y)), of ordered pairs.

        Repeated draws of one item are tied with each other on both sides.
        """
        if len(self.x) == 0:
            return np.full(counts.shape[:-1], NAN)
        few, many = self._levels_x, self._levels_y
        if few.n >= many.n:
            few, many = many, few
        level, sorted_counts = few.level[many.order], counts[..., many.order]
        score = np.zeros(counts.shape[:-1])
        for one in range(few.n):
            at = np.add.reduceat(sorted_counts * (level == one), many.start, axis=-1)
            below = np.cumsum(at, axis=-1) - at
            side = np.add.reduceat(sorted_counts * np.sign(level - one), many.start, axis=-1)
            score += (below * side).sum(axis=-1)
        n = counts.sum(axis=-1)
        untied = [n * n - (side.counts(counts) ** 2).sum(axis=-1) for side in (few, many)]
        return divide(2 * score, np.sqrt(untied[0] * untied[1]))

    @cached_property
    def _levels_x(self) -> "_Levels":
        return _Levels.of(self.x)

    @cached_property
    def _levels_y(self) -> "_Levels":
        return _Levels.of(self.y)


@dataclass(frozen=True, slots=True)
class _Levels:
    """The distinct values of a column of cells, lowest first.

    Args:
        order: sorts the cells, shape (U,).
        start: where each level starts in it, shape (levels,).
        level: of each cell, shape (U,).
    """

    order: IntArray
    start: IntArray
    level: IntArray

    @classmethod
    def of(cls, values: FloatArray) -> "_Levels":
        """Those of `values`, shape (U,)."""
        order = np.argsort(values, kind="stable")
        _, start, level = np.unique(values[order], return_index=True, return_inverse=True)
        back = np.empty(len(values), dtype=np.int64)
        back[order] = level.reshape(-1)
        return cls(order, start, back)

    @property
    def n(self) -> int:
        """How many."""
        return len(self.start)

    def counts(self, cells: FloatArray) -> FloatArray:
        """Counts of cells by level: (..., U) to (..., levels)."""
        summed: FloatArray = np.add.reduceat(cells[..., self.order], self.start, axis=-1)
        return summed

    def used(self, cells: FloatArray) -> IntArray:
        """How many levels occur: (..., U) to (...)."""
        used: IntArray = np.count_nonzero(self.counts(cells) > 0, axis=-1)
        return used

    def centred_ranks(self, cells: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Each cell's mid-rank minus the mean rank, (..., U), and their sum of squares over items, (...)."""
        if self.n == 0:
            return np.zeros(cells.shape), np.zeros(cells.shape[:-1])
        at = self.counts(cells)
        below = np.cumsum(at, axis=-1)
        centred = below - at / 2 - below[..., -1:] / 2
        return centred[..., self.level], (at * centred**2).sum(axis=-1)


def _of_points(coefficient: Coefficient, x: FloatArray, y: FloatArray) -> FloatArray:
    """The coefficient of few points in each of many draws: (..., S) to (...); NaN points are left out."""
    there = (~np.isnan(x) & ~np.isnan(y)).astype(float)
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    if coefficient is Coefficient.PEARSON:
        n = there.sum(axis=-1, keepdims=True)
        gaps = [(side - divide((side * there).sum(axis=-1, keepdims=True), n)) * there for side in (x, y)]
        spread = [(gap * gap).sum(axis=-1) for gap in gaps]
        # The means of a constant side differ by rounding alone.
        spread = [np.where(each > _SAME**2, each, 0.0) for each in spread]
        return divide((gaps[0] * gaps[1]).sum(axis=-1), np.sqrt(spread[0] * spread[1]))
    both = there[..., :, None] * there[..., None, :]
    signs = [_signs(side) * both for side in (x, y)]
    if coefficient is Coefficient.KENDALL:
        untied = [np.abs(sign).sum(axis=(-2, -1)) for sign in signs]
        return divide((signs[0] * signs[1]).sum(axis=(-2, -1)), np.sqrt(untied[0] * untied[1]))
    ranks = [sign.sum(axis=-1) for sign in signs]  # twice the centred mid-rank
    squares = [(rank * rank).sum(axis=-1) for rank in ranks]
    return divide((ranks[0] * ranks[1]).sum(axis=-1), np.sqrt(squares[0] * squares[1]))


def _signs(side: FloatArray) -> FloatArray:
    gap = side[..., :, None] - side[..., None, :]
    signs: FloatArray = np.where(np.abs(gap) > _SAME, np.sign(gap), 0.0)
    return signs
