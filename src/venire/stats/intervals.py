"""Intervals: Wilson for a proportion, BCa bootstrap over clusters for everything else.

A statistic is a function of sums of per-item features, shape (..., F) to (...). So one matrix
of resampling counts, made once, serves every statistic of a run: the sums of all draws are one
matrix product, and statistics of the same draws can be subtracted from each other.

Many items may share a row of features (be of one *kind*): then features are of kinds, shape (K, F), and a
resampler with `kind` knows which items they stand for. Sums go over the items in their order all the same,
so that they are the same to the last bit.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from venire.stats.estimate import NAN, BoolArray, Codes, Estimate, FloatArray, IntArray, divide, undefined
from venire.stats.features import Cells, Features, parts_of, weights_of

Statistic = Callable[[FloatArray], FloatArray]

FEW_CLUSTERS = 50  # below, intervals are said to be possibly too narrow (docs/interval_study.md)
NARROW = "perhaps too narrow"  # how a note says it
NO_DRAWS = "no interval: no bootstrap draws asked for"
NO_DRAW_DIFFERS = "no interval: no bootstrap draw differs"
MOST_UNITS = 10_000  # that draws tell apart; more clusters are drawn in so many random groups
_AT_ONCE = 100
ROUNDING = 1e-12  # draws closer than this are equal; sums in another order differ by an ulp


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper bound (NaN where there is none), and how they were made or why not."""

    low: float
    high: float
    note: str

    def around(self, value: float, n: int) -> Estimate:
        """The estimate that this interval belongs to."""
        return Estimate(value, self.low, self.high, n, self.note)


def wilson(successes: float, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion; NaN for n = 0.

    `successes` may be fractional, the sum of n values in [0, 1]: such a mean varies at most as
    much as a proportion does, so the interval is then conservative. Source: Wilson (1927).
    """
    if n == 0:
        return Interval(NAN, NAN, "no interval: n is 0")
    z = NormalDist().inv_cdf((1 + level) / 2)
    p = successes / n
    centre = p + z * z / (2 * n)
    half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    # At 0 and n the bound is p itself; rounding would miss it by a hair.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return Interval(low, high, f"{level:.0%} Wilson interval over {n} items")


def codes_of(names: Sequence[Hashable]) -> IntArray:
    """Codes 0 .. C - 1 of the names by first appearance, shape (n,); -1 where there is None."""
    known = dict.fromkeys(name for name in names if name is not None)
    position = {name: code for code, name in enumerate(known)}
    return np.array([position.get(name, -1) for name in names], dtype=np.int64)


@dataclass(frozen=True)
class Resampler:
    """Bootstrap draws of whole clusters, or, of more than `MOST_UNITS`, of as many random groups of clusters.

    Groups differ in size by one cluster at most. Clusters are independent of each other, so groups of them
    are, too: they are resampled, and left out by the jackknife, in their stead. So memory and time do not
    grow with the clusters. Source: Wolter (2007), "Introduction to Variance Estimation", random groups.

    Args:
        cluster: the cluster of each item as a code 0 .. C - 1, shape (n,).
        counts: how often each draw takes each unit (cluster or group), shape (B, U); rows sum to U.
        group: the group of each cluster as a code 0 .. U - 1, shape (C,); None: each is a unit of its own.
        kind: the row of the features that each item has, shape (n,); None: one of its own.
    """

    cluster: Codes
    counts: FloatArray
    group: Codes | None = None
    kind: Codes | None = None

    @classmethod
    def draw(
        cls, cluster: Codes, draws: int, rng: np.random.Generator, *, kind: Codes | None = None
    ) -> "Resampler":
        """`draws` resamplings with replacement; memory is 8 * draws * U bytes."""
        size = int(cluster.max(initial=-1)) + 1
        group = None
        if size > MOST_UNITS:
            group = np.arange(size, dtype=np.int32)
            rng.shuffle(group)
            group %= MOST_UNITS
            size = MOST_UNITS
        counts = np.zeros((draws, size))
        shares = np.full(size, 1.0 / size) if size else np.zeros(0)
        for start in range(
            0, draws if size else 0, _AT_ONCE
        ):  # the same draws as all at once, in half the room
            counts[start : start + _AT_ONCE] = rng.multinomial(size, shares, min(_AT_ONCE, draws - start))
        return cls(cluster, counts, group, kind)

    @property
    def draws(self) -> int:
        """B."""
        return int(self.counts.shape[0])

    @property
    def n_clusters(self) -> int:
        """C."""
        return int(self.counts.shape[1]) if self.group is None else len(self.group)

    @cached_property
    def is_clustered(self) -> bool:
        """Whether some cluster holds several items."""
        return self.n_clusters < len(self.cluster)

    @cached_property
    def weights(self) -> IntArray | None:
        """How many items each row of features stands for, shape (K,); None: each for one."""
        return None if self.kind is None else weights_of(self.kind)

    def count(self, rows: BoolArray) -> int:
        """How many items the marked rows of features stand for."""
        return int(np.count_nonzero(rows) if self.weights is None else self.weights[rows].sum())

    def total(self, values: FloatArray) -> float:
        """The sum over items; `values` (one a row) are whole or half numbers, so that no order matters."""
        return float(values.sum() if self.weights is None else (values * self.weights).sum())

    def sums(self, features: FloatArray) -> FloatArray:
        """The sum over items in their order: (n, F) or (K, F) to (F,)."""
        if self.kind is None:
            return np.asarray(features.sum(axis=0))
        summed = np.zeros((1, features.shape[1]))
        for part in parts_of(len(self.kind)):
            summed = np.vstack([summed, features[self.kind[part]]]).sum(axis=0, keepdims=True)
        return np.asarray(summed[0])

    def units(self, used: BoolArray) -> int:
        """How many clusters hold a used item; `used` marks rows of features."""
        seen = np.zeros(self.n_clusters, dtype=np.bool_)
        for part in parts_of(len(self.cluster)):
            seen[self.cluster[part][used[self._rows(part)]]] = True
        return int(np.count_nonzero(seen))

    def _rows(self, part: slice) -> slice | Codes:
        """Where the features of some items are."""
        return part if self.kind is None else self.kind[part]

    def drawn_as(self, cluster: Codes) -> Codes:
        """The units, columns of `counts`, that these clusters are drawn as."""
        return cluster if self.group is None else self.group[cluster]

    def by_cluster(self, features: Features) -> FloatArray:
        """Features summed within units, items in their order: (n, F) or (K, F) to (U, F)."""
        if self.group is not None or self.kind is not None:
            return self._by_parts(features)
        dense = features.dense if isinstance(features, Cells) else features
        if not self.is_clustered:
            return dense[np.argsort(self.cluster)]
        sums = np.zeros((self.counts.shape[1], dense.shape[1]))
        np.add.at(sums, self.cluster, dense)
        return sums

    def _by_parts(self, features: Features) -> FloatArray:
        """As `by_cluster`, of many items, in the room of some of them."""
        size = self.counts.shape[1]
        width = features.width if isinstance(features, Cells) else features.shape[1]
        sums = np.zeros((width, size))
        for part in parts_of(len(self.cluster)):
            units, rows = self.drawn_as(self.cluster[part]), self._rows(part)
            if isinstance(features, Cells):
                features.add_to(sums, units, rows)
            else:
                for own, column in zip(sums, features.T, strict=True):
                    np.add.at(own, units, column[rows])
        return np.ascontiguousarray(sums.T)


def bootstrap(
    features: Features, statistic: Statistic, resampler: Resampler, level: float = 0.95
) -> Interval:
    """The BCa interval of `statistic` over resampled clusters; features have shape (n, F).

    Draws on which the statistic is undefined are left out and counted in the note. NaN where the
    statistic itself is undefined, fewer than half of the draws are defined, or no draw differs.
    Source: Efron (1987); acceleration from the jackknife over clusters.
    """
    return replicates(features, statistic, resampler).interval(level)


@dataclass(frozen=True, slots=True)
class Replicates:
    """A statistic on all items, on each draw, and without each cluster: what an interval is made of.

    Statistics of the same draws can be subtracted from each other.

    Args:
        value: on all items.
        drawn: on each draw, shape (B,).
        left_out: without each unit, shape (U,); empty where it is not needed.
        used: which units count, shape (U,).
        resampler: the draws.
    """

    value: float
    drawn: FloatArray
    left_out: FloatArray
    used: BoolArray
    resampler: Resampler

    def minus(self, other: "Replicates") -> "Replicates":
        """What it is less the other; both of the same resampler."""
        return Replicates(
            self.value - other.value,
            self.drawn - other.drawn,
            self.left_out - other.left_out,
            self.used | other.used,
            self.resampler,
        )

    def interval(self, level: float = 0.95) -> Interval:
        """The BCa interval; see `bootstrap`."""
        if np.isnan(self.value):
            return Interval(NAN, NAN, "undefined")
        if len(self.drawn) == 0:
            return Interval(NAN, NAN, NO_DRAWS)
        defined = self.drawn[~np.isnan(self.drawn)]
        if 2 * len(defined) < len(self.drawn):
            return Interval(NAN, NAN, "no interval: undefined on most bootstrap draws")
        if np.ptp(defined) <= ROUNDING:
            return Interval(NAN, NAN, NO_DRAW_DIFFERS)
        levels = _bca_levels(self.value, defined, self.left_out, level)
        low, high = np.quantile(defined, levels)
        used = int(np.count_nonzero(self.used))
        return Interval(float(low), float(high), _bootstrap_note(self.resampler, used, len(defined), level))


def replicates(features: Features, statistic: Statistic, resampler: Resampler) -> Replicates:
    """The statistic of `features`, shape (n, F), on every draw."""
    sums = resampler.by_cluster(features)
    total = sums.sum(axis=0)
    return Replicates(
        float(statistic(total)),
        statistic(resampler.counts @ sums),
        statistic(total - sums),
        np.asarray(sums.any(axis=1)),
        resampler,
    )


def ratio(sums: FloatArray) -> FloatArray:
    """The statistic first feature / second feature, NaN where the second sums to 0."""
    return divide(sums[..., 0], sums[..., 1])


def share(hits: FloatArray, base: FloatArray, resampler: Resampler, level: float = 0.95) -> Estimate:
    """sum(hits) / sum(base) over items, with its interval; both of shape (n,).

    Wilson where each item is counted at most once and no cluster repeats, else `bounded`. Undefined
    where the base sums to 0.
    """
    used = base > 0
    n = resampler.count(used)
    if n == 0:
        return undefined("it is a share of nothing")
    is_proportion = bool(np.isin(base, (0, 1)).all() and np.isin(hits, (0, 1)).all())
    if is_proportion and resampler.units(used) == n:
        right = resampler.total(hits)
        return wilson(right, n, level).around(right / n, n)
    return bounded(np.column_stack([hits, base]), ratio, used, resampler, level)


def bounded(
    features: FloatArray,
    statistic: Statistic,
    used: BoolArray,
    resampler: Resampler,
    level: float = 0.95,
) -> Estimate:
    """A mean or share in [0, 1] over the `used` items, with its bootstrap interval.

    Where no draw differs (all right, all wrong), or none was asked for, Wilson's interval of a
    proportion over the used clusters stands in.
    """
    value = float(statistic(resampler.sums(features)))
    interval = bootstrap(features, statistic, resampler, level)
    if np.isnan(interval.low) and not np.isnan(value):
        units = resampler.units(used)
        stand_in = wilson(value * units, units, level)
        interval = Interval(stand_in.low, stand_in.high, f"{interval.note}; instead {stand_in.note}")
    return interval.around(value, resampler.count(used))


def _bca_levels(value: float, drawn: FloatArray, jackknife: FloatArray, level: float) -> FloatArray:
    """The two quantile levels that BCa reads off the draws; plain percentiles at its edges."""
    tail = (1 - level) / 2
    plain = np.array([tail, 1 - tail])
    lower = np.count_nonzero(drawn < value - ROUNDING)
    at_most = np.count_nonzero(drawn <= value + ROUNDING)
    below = (lower + at_most) / (2 * len(drawn))  # a draw that equals the value counts half
    if below in (0.0, 1.0):
        return plain
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    acceleration = _acceleration(jackknife)
    levels = []
    for z in (normal.inv_cdf(tail), normal.inv_cdf(1 - tail)):
        shift = 1 - acceleration * (bias + z)
        if shift <= 0:
            return plain
        levels.append(normal.cdf(bias + (bias + z) / shift))
    return np.array(levels)


def _acceleration(jackknife: FloatArray) -> float:
    """A sixth of the jackknife values' skewness, its sign reversed; 0 where they do not differ."""
    kept = jackknife[~np.isnan(jackknife)]
    if len(kept) == 0:
        return 0.0
    gaps = kept.mean() - kept
    return float(np.nan_to_num(divide((gaps**3).sum(), 6 * (gaps**2).sum() ** 1.5)))


def _bootstrap_note(resampler: Resampler, used: int, defined: int, level: float) -> str:
    unit = "clusters" if resampler.is_clustered else "items"
    many = f" random groups of {resampler.n_clusters}" if resampler.group is not None else ""
    note = f"{level:.0%} BCa bootstrap over {used}{many} {unit}, {resampler.draws} draws"
    if defined < resampler.draws:
        note += f" ({resampler.draws - defined} of them undefined and left out)"
    if used < FEW_CLUSTERS:
        note += f"; fewer than {FEW_CLUSTERS} {unit}: {NARROW}"
    return note
