"""From where an accuracy varies: items, the order of the responses, and asking the same question again.

`right` has shape (items, orders, seeds), each value in [0, 1]. Items are drawn at random; both orders are
always shown; seeds are replicates of the same question within an item and an order.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from venire.stats.estimate import NAN, FloatArray, IntArray

Cube = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one verdict by where they come from; NaN where the data cannot tell.

    Args:
        items: between items, over what orders and seeds have in common.
        order: between the two orders of an item beyond noise (items times order).
        noise: between seeds within an item and an order; NaN with one seed, and `order` then holds it, too.
        order_gap: accuracy in the first order less that in the second; NaN with one order.
        se_items, se_order, se_noise: the parts of the standard error of the mean over all; their squares add
            up to the square of `se`, unless a part was cut at 0.
        se: standard error of the mean over items, as any interval over items has it.
        seeds_seen: standard deviation of the seeds' own accuracies; NaN with one seed.
        seeds_expected: the same if noise were independent between items: what is above it moves whole runs.
    """

    items: float
    order: float
    noise: float
    order_gap: float
    se_items: float
    se_order: float
    se_noise: float
    se: float
    seeds_seen: float
    seeds_expected: float


def components(right: Cube) -> Components:
    """The variance components of a balanced set of verdicts, by the analysis of variance.

    Mean squares of items, items times orders, and replicates within these; components from their expected
    values, those below 0 cut at 0. NaN for fewer than two items.

    Source: Searle, Casella & McCulloch (1992), ch. 4; Brennan (2001), generalizability theory.
    """
    n, orders, seeds = right.shape
    if n < 2:
        return Components(*[NAN] * 10)
    cells = right.mean(axis=2)
    items, by_order, mean = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    of_items = orders * seeds * ((items - mean) ** 2).sum() / (n - 1)
    squares = float(((right - cells[:, :, None]) ** 2).sum())
    within = squares / (n * orders * (seeds - 1)) if seeds > 1 else NAN
    noise = within if seeds > 1 else 0.0
    if orders > 1:
        crossed = cells - items[:, None] - by_order[None, :] + mean
        of_order = seeds * (crossed**2).sum() / ((n - 1) * (orders - 1))
    else:
        of_order = noise
    order = max(float(of_order - noise) / seeds, 0.0)
    between = max(float(of_items - of_order) / (orders * seeds), 0.0)
    by_seed = right.mean(axis=(0, 1))
    return Components(
        items=between,
        order=order if orders > 1 else NAN,
        noise=within,
        order_gap=float(by_order[0] - by_order[1]) if orders > 1 else NAN,
        se_items=float(np.sqrt(between / n)),
        se_order=float(np.sqrt(order / (n * orders))) if orders > 1 else NAN,
        se_noise=float(np.sqrt(noise / (n * orders * seeds))) if seeds > 1 else NAN,
        se=float(np.sqrt(of_items / (n * orders * seeds))),
        seeds_seen=float(by_seed.std(ddof=1)) if seeds > 1 else NAN,
        seeds_expected=float(np.sqrt(noise / (n * orders))) if seeds > 1 else NAN,
    )


@dataclass(frozen=True, slots=True)
class Nested:
    """Standard errors of the mean by the bootstrap.

    Args:
        items: over clusters of items, the seeds as they are.
        seeds: over the seeds of each item, the items as they are: noise alone; NaN with one seed.
        both: over clusters, and within each item drawn over its seeds.
    """

    items: float
    seeds: float
    both: float


def nested_bootstrap(right: Cube, cluster: IntArray, *, draws: int, rng: np.random.Generator) -> Nested:
    """How far the mean would move with other items, with other replies, and with both.

    A seed's verdicts in both orders of an item are drawn together. `both` holds noise twice, once as a
    part of how item means differ and once drawn anew, so it is never too small. NaN without an item.

    Source: Davison & Hinkley (1997), section 3.8.
    """
    n, _, seeds = right.shape
    if n == 0:
        return Nested(NAN, NAN, NAN)
    by_seed: FloatArray = right.mean(axis=1)
    members = np.split(np.argsort(cluster, kind="stable"), np.cumsum(np.bincount(cluster))[:-1])
    means = np.empty((draws, 3))
    for draw in range(draws):
        chosen = rng.integers(0, len(members), size=len(members))
        items = np.concatenate([members[code] for code in chosen])
        for column, rows in enumerate((items, np.arange(n), items)):
            drawn = rng.integers(0, seeds, size=(len(rows), seeds))
            taken = drawn if column else np.arange(seeds)[None, :]
            means[draw, column] = by_seed[rows[:, None], taken].mean()
    spread = means.std(axis=0, ddof=1)
    return Nested(float(spread[0]), float(spread[1]) if seeds > 1 else NAN, float(spread[2]))
