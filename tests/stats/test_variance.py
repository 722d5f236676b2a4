import math

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from tests.seeds import on_each_seed

from venire.stats.variance import components, nested_bootstrap


def cube(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(2, 8)), int(rng.integers(1, 3)), int(rng.integers(1, 5))
    if seed % 7 == 0:
        return np.full(shape, float(seed % 2))
    return rng.integers(0, 2, size=shape).astype(float)


@on_each_seed(200)
def test_components_equal_textbook_sums_of_squares(seed):
    right = cube(seed)
    n, orders, seeds = right.shape
    mean = right.mean()
    squares_items = sum(orders * seeds * (right[i].mean() - mean) ** 2 for i in range(n))
    squares_crossed = sum(
        seeds * (right[i, o].mean() - right[i].mean() - right[:, o].mean() + mean) ** 2
        for i in range(n)
        for o in range(orders)
    )
    squares_within = sum(
        (right[i, o, s] - right[i, o].mean()) ** 2
        for i in range(n)
        for o in range(orders)
        for s in range(seeds)
    )
    noise = squares_within / (n * orders * (seeds - 1)) if seeds > 1 else 0.0
    crossed = squares_crossed / ((n - 1) * (orders - 1)) if orders > 1 else noise
    of_items = squares_items / (n - 1)
    found = components(right)
    assert found.items == pytest.approx(max((of_items - crossed) / (orders * seeds), 0), abs=1e-12)
    if orders > 1:
        assert found.order == pytest.approx(max((crossed - noise) / seeds, 0), abs=1e-12)
    if seeds > 1:
        assert found.noise == pytest.approx(noise, abs=1e-12)
    # What any interval over items rests on: the spread of the items' means.
    assert found.se == pytest.approx(right.mean(axis=(1, 2)).std(ddof=1) / math.sqrt(n), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_mean_squares_equal_statsmodels(seed):
    right = np.random.default_rng(seed).normal(size=(6, 2, 3))
    rows = [(f"i{i}", f"o{o}", right[i, o, s]) for i, o, s in np.ndindex(right.shape)]
    frame = pd.DataFrame(rows, columns=["item", "order", "right"])
    made = anova_lm(ols("right ~ C(item) * C(order)", frame).fit())
    squares = made["sum_sq"] / made["df"]
    noise, crossed, items = squares["Residual"], squares["C(item):C(order)"], squares["C(item)"]
    found = components(right)
    assert found.noise == pytest.approx(noise)
    assert found.order == pytest.approx(max((crossed - noise) / 3, 0))
    assert found.items == pytest.approx(max((items - crossed) / 6, 0))


def test_known_components_are_found_again():
    # Verdicts as numbers: items 1, items times order .5, noise .25; 4,000 items
    rng = np.random.default_rng(2)
    right = (
        rng.normal(0, 1, size=(4000, 1, 1))
        + rng.normal(0, math.sqrt(0.5), size=(4000, 2, 1))
        + rng.normal(0, 0.5, size=(4000, 2, 3))
        + np.array([0.1, 0.0])[None, :, None]
    )
    found = components(right)
    assert (found.items, found.order, found.noise) == pytest.approx((1.0, 0.5, 0.25), rel=0.08)
    assert found.order_gap == pytest.approx(0.1, abs=0.05)
    # Squares add up: 1/n + .5/(2n) + .25/(6n)
    parts = (found.se_items, found.se_order, found.se_noise)
    assert math.hypot(*parts) == pytest.approx(found.se)
    assert found.seeds_seen < 5 * found.seeds_expected


def test_a_run_that_moves_as_a_whole_shows_in_the_seeds_and_not_in_what_is_expected():
    rng = np.random.default_rng(3)
    right = (rng.random((400, 2, 4)) < np.array([0.5, 0.6, 0.7, 0.8])).astype(float)
    found = components(right)
    assert found.seeds_seen == pytest.approx(0.13, abs=0.02)
    assert found.seeds_expected < 0.03


def test_seeds_that_share_replies_have_no_noise():
    once = np.random.default_rng(4).integers(0, 2, size=(50, 2, 1)).astype(float)
    found = components(np.repeat(once, 3, axis=2))
    assert (found.noise, found.se_noise, found.seeds_seen) == (0.0, 0.0, 0.0)


def test_one_seed_or_one_order_or_one_item_cannot_tell():
    right = np.random.default_rng(5).integers(0, 2, size=(30, 2, 1)).astype(float)
    assert math.isnan(components(right).noise)
    assert math.isnan(components(right[:, :1]).order)
    assert math.isnan(components(right[:1]).items)
    assert math.isnan(components(right[:0]).se)


def test_the_nested_bootstrap_agrees_with_the_components():
    rng = np.random.default_rng(6)
    chance = rng.beta(2, 1, size=(300, 1, 1))
    right = (rng.random((300, 2, 5)) < chance).astype(float)
    found, boot = components(right), nested_bootstrap(right, np.arange(300), draws=800, rng=rng)
    # Standard errors of 800 draws are known to about 2.5%; the plain bootstrap's (n - 1) / n is near 1.
    assert boot.items == pytest.approx(found.se, rel=0.1)
    # Over five seeds a bootstrap's variance is (5 - 1) / 5 of the unbiased one.
    assert boot.seeds == pytest.approx(found.se_noise * math.sqrt(0.8), rel=0.1)
    assert boot.both == pytest.approx(math.hypot(boot.items, boot.seeds), rel=0.1)


def test_whole_clusters_are_drawn():
    base = np.random.default_rng(7).integers(0, 2, size=(40, 1, 2)).astype(float)
    repeated = np.repeat(base, 3, axis=0)
    alone = nested_bootstrap(base, np.arange(40), draws=700, rng=np.random.default_rng(1))
    together = nested_bootstrap(
        repeated, np.repeat(np.arange(40), 3), draws=700, rng=np.random.default_rng(1)
    )
    assert together.items == pytest.approx(alone.items, rel=0.1)


def test_one_seed_has_no_noise_to_draw_and_no_item_nothing():
    one = nested_bootstrap(np.ones((5, 2, 1)), np.arange(5), draws=20, rng=np.random.default_rng(0))
    assert (one.items, one.both) == (0.0, 0.0)
    assert math.isnan(one.seeds)
    none = nested_bootstrap(np.ones((0, 2, 1)), np.arange(0), draws=20, rng=np.random.default_rng(0))
    assert math.isnan(none.both)


@on_each_seed(200)
def test_the_nested_bootstrap_has_the_variances_of_drawing_with_replacement(seed):
    # Over items the plain bootstrap's: the variance of the items' means over n. Over seeds: the mean over
    # items of each one's variance over its seeds, over n times the seeds. Both: the sum, the second with
    # what it is within drawn items, which is the same on average. A spread of 150 draws is known to 6%.
    right = cube(seed)
    n, _, seeds = right.shape
    by_seed = right.mean(axis=1)
    over_items = by_seed.mean(axis=1).var() / n
    over_seeds = by_seed.var(axis=1).mean() / (n * seeds)
    found = nested_bootstrap(right, np.arange(n), draws=150, rng=np.random.default_rng(seed))
    assert found.items == pytest.approx(math.sqrt(over_items), rel=0.3, abs=1e-9)
    assert found.both == pytest.approx(math.sqrt(over_items + over_seeds), rel=0.3, abs=1e-9)
    if seeds > 1:
        assert found.seeds == pytest.approx(math.sqrt(over_seeds), rel=0.3, abs=1e-9)
    else:
        assert math.isnan(found.seeds)
