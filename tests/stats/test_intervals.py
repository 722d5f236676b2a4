import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from tests.seeds import on_each_seed

from venire.stats.agreement import cell_features, kappa_from_sums
from venire.stats.features import Cells
from venire.stats.intervals import MOST_UNITS, Resampler, bootstrap, ratio, replicates, share, wilson


def resampler(cluster, draws=2000, seed=7):
    return Resampler.draw(np.asarray(cluster), draws, np.random.default_rng(seed))


def mean_features(values):
    return np.column_stack([values, np.ones(len(values))])


@on_each_seed(200)
def test_wilson_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    n = 1 if seed < 4 else int(rng.integers(1, 500))
    k = (0, n, int(rng.integers(0, n + 1)))[seed % 3]
    level = (0.95, 0.9, 0.99)[seed % 3]
    ours = wilson(k, n, level)
    expected = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= ours.low <= k / n <= ours.high <= 1


def test_wilson_of_eight_in_ten():
    # p = .8, z = 1.959964, z**2 = 3.841459: centre (.8 + .192073) / 1.384146 = .716740,
    # half 1.959964 * sqrt(.016 + .009604) / 1.384146 = .226577 (rounded).
    interval = wilson(8, 10)
    assert (interval.low, interval.high) == pytest.approx((0.490162, 0.943318), abs=1e-6)


def test_wilson_of_nothing_has_no_bounds():
    interval = wilson(0, 0)
    assert math.isnan(interval.low)
    assert "n is 0" in interval.note


def test_counts_are_resamplings_of_as_many_clusters_as_there_are():
    counts = resampler([0, 0, 1, 2], draws=50).counts
    assert counts.shape == (50, 3)
    assert (counts.sum(axis=1) == 3).all()


@on_each_seed(200)
def test_bca_equals_a_draw_by_draw_computation(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    values = rng.integers(0, 3, size=n) / 2 if seed % 2 else rng.exponential(size=n)
    cluster = rng.integers(0, 4, size=n) if seed % 5 == 0 else np.arange(n)
    cluster = np.unique(cluster, return_inverse=True)[1]
    if np.ptp(values) == 0:
        values[0] += 1
    drawn = resampler(cluster, draws=300, seed=seed)
    ours = bootstrap(mean_features(values), ratio, drawn)
    assert (ours.low, ours.high) == pytest.approx(bca_by_loops(values, cluster, drawn.counts), abs=1e-9)


def bca_by_loops(values, cluster, counts):
    """Efron's BCa interval of a mean over resampled clusters, written out; plain where it has no value."""
    groups = [values[cluster == code] for code in range(counts.shape[1])]
    means = []
    for row in counts.astype(int):
        chosen = [group for group, times in zip(groups, row, strict=True) for _ in range(times)]
        means.append(np.concatenate(chosen).mean())
    means = np.array(means)
    left_out = [
        np.concatenate(groups[:i] + groups[i + 1 :]).mean() for i in range(len(groups)) if len(groups) > 1
    ]
    gaps = np.mean(left_out) - np.array(left_out)
    acceleration = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5) if np.any(gaps) else 0.0
    equal = np.isclose(means, values.mean(), atol=1e-12, rtol=0)
    below = ((means < values.mean()) & ~equal).mean() + equal.mean() / 2
    bias = stats.norm.ppf(below)
    levels = []
    for z in stats.norm.ppf([0.025, 0.975]):
        levels.append(stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z))))
    return np.quantile(means, levels)


def test_bca_of_a_mean_agrees_with_scipys_own_draws():
    # Two independent sets of 20,000 draws; each bound's Monte Carlo error is about .01 of the width.
    values = np.random.default_rng(3).exponential(size=80)
    ours = bootstrap(mean_features(values), ratio, resampler(np.arange(80), draws=20_000))
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=5).confidence_interval
    width = theirs.high - theirs.low
    assert abs(ours.low - theirs.low) < 0.04 * width
    assert abs(ours.high - theirs.high) < 0.04 * width


def test_same_seed_same_interval():
    values = np.arange(50.0)
    first = bootstrap(mean_features(values), ratio, resampler(np.arange(50), seed=1))
    assert first == bootstrap(mean_features(values), ratio, resampler(np.arange(50), seed=1))


def test_another_seed_another_interval():
    values = np.arange(50.0)
    first = bootstrap(mean_features(values), ratio, resampler(np.arange(50), seed=1))
    assert first != bootstrap(mean_features(values), ratio, resampler(np.arange(50), seed=2))


def test_clusters_that_repeat_an_item_widen_the_interval():
    # Every value ten times over: 400 rows tell no more than 40. The width grows by about sqrt(10).
    values = np.random.default_rng(0).random(40)
    rows, cluster = np.repeat(values, 10), np.repeat(np.arange(40), 10)
    blind = bootstrap(mean_features(rows), ratio, resampler(np.arange(400)))
    honest = bootstrap(mean_features(rows), ratio, resampler(cluster))
    alone = bootstrap(mean_features(values), ratio, resampler(np.arange(40)))
    assert 2.5 < (honest.high - honest.low) / (blind.high - blind.low) < 3.9
    assert (honest.low, honest.high) == pytest.approx((alone.low, alone.high))
    assert "over 40 clusters" in honest.note


def test_draws_on_which_the_statistic_is_undefined_are_counted():
    # One item of label 1 among six: (5/6)**6 = .335 of the draws miss it, and kappa is undefined there.
    gold = np.array([0, 0, 0, 0, 0, 1])
    verdict = np.array([0, 0, 0, 0, 1, 1])
    interval = bootstrap(cell_features(gold, verdict, 2), kappa_from_sums, resampler(np.arange(6)))
    assert "undefined and left out" in interval.note
    assert "fewer than 50 items" in interval.note


def test_no_interval_where_no_draw_differs():
    gold = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    interval = bootstrap(cell_features(gold, gold, 2), kappa_from_sums, resampler(np.arange(8)))
    assert math.isnan(interval.low)
    assert "no bootstrap draw differs" in interval.note


def test_no_interval_of_an_undefined_statistic():
    gold = np.zeros(8, dtype=int)
    interval = bootstrap(cell_features(gold, gold, 2), kappa_from_sums, resampler(np.arange(8)))
    assert math.isnan(interval.high)


def test_no_draws_give_no_interval():
    interval = bootstrap(mean_features(np.arange(9.0)), ratio, resampler(np.arange(9), draws=0))
    assert math.isnan(interval.low)
    assert "no bootstrap draws" in interval.note


def test_a_share_of_independent_items_has_wilsons_interval():
    hits, base = np.array([1.0] * 8 + [0.0] * 3), np.array([1.0] * 10 + [0.0])
    estimate = share(hits, base, resampler(np.arange(11)))
    assert (estimate.value, estimate.n) == (0.8, 10)
    assert (estimate.low, estimate.high) == pytest.approx((0.490162, 0.943318), abs=1e-6)


def test_a_share_over_repeated_clusters_has_a_bootstrap_interval():
    hits = np.array([1.0, 0.0] * 20)
    estimate = share(hits, np.ones(40), resampler(np.repeat(np.arange(10), 4), draws=500))
    # Each cluster holds two hits of four: no draw differs, so Wilson over the 10 clusters stands in.
    assert estimate.value == 0.5
    assert "over 10 items" in estimate.note
    assert (estimate.low, estimate.high) == pytest.approx((0.236593, 0.763407), abs=1e-6)


def test_all_right_in_both_orders_is_not_certain():
    # No draw differs from 1, so Wilson over the 12 items stands in: 12 / (12 + 3.841459) = .757506.
    estimate = share(np.full(12, 2.0), np.full(12, 2.0), resampler(np.arange(12)))
    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert estimate.low == pytest.approx(0.757506, abs=1e-6)


def test_one_item_has_a_share_and_an_interval():
    # n = 1, k = 1: low = 1 / (1 + z**2) = 1 / 4.841459 = .206549.
    estimate = share(np.ones(1), np.ones(1), resampler([0]))
    assert (estimate.value, estimate.n) == (1.0, 1)
    assert estimate.low == pytest.approx(0.206549, abs=1e-6)


def test_a_share_of_nothing_is_undefined():
    estimate = share(np.zeros(3), np.zeros(3), resampler(np.arange(3)))
    assert not estimate.is_defined
    assert "share of nothing" in estimate.note


def test_no_items_at_all_are_undefined():
    empty = np.zeros(0)
    assert not share(empty, empty, resampler(np.zeros(0, dtype=int))).is_defined


def test_more_clusters_than_units_are_drawn_in_random_groups_of_equal_size():
    many = resampler(np.arange(MOST_UNITS + 1), draws=3)
    assert many.counts.shape == (3, MOST_UNITS)
    sizes = np.bincount(many.group)
    assert (sizes.min(), sizes.max(), len(sizes)) == (1, 2, MOST_UNITS)
    assert (many.n_clusters, many.is_clustered) == (MOST_UNITS + 1, False)
    assert many.units(np.arange(MOST_UNITS + 1) < 7) == 7  # clusters, as ever


def test_as_many_clusters_as_units_are_drawn_one_by_one():
    assert resampler(np.arange(MOST_UNITS), draws=1).group is None


def test_an_interval_over_groups_is_about_that_over_items():
    # 20,000 items, p = .3: the standard error is (.3 * .7 / 20000) ** .5 = .00324, the interval .3 -+ .00635
    values = (np.arange(20_000) % 10 < 3).astype(float)
    interval = bootstrap(mean_features(values), ratio, resampler(np.arange(20_000), draws=300))
    assert (interval.low, interval.high) == pytest.approx((0.29365, 0.30635), abs=1e-3)
    assert interval.note == "95% BCa bootstrap over 10000 random groups of 20000 items, 300 draws"


@pytest.mark.parametrize("size", [30, MOST_UNITS + 30])
def test_cells_are_summed_like_the_features_that_they_stand_for(size):
    rng = np.random.default_rng(1)
    cells = Cells(rng.integers(-1, 4, size=(size, 2)), 4)
    drawn = resampler(np.arange(size) // 2 if size < 100 else np.arange(size), draws=1)
    assert np.array_equal(drawn.by_cluster(cells), drawn.by_cluster(cells.dense))
    assert cells.dense.sum() == (cells.codes >= 0).sum()


@on_each_seed(200)
def test_a_share_is_the_plain_one_with_scipys_interval_where_items_stand_alone(seed):
    rng = np.random.default_rng(seed)
    n = 1 if seed < 4 else int(rng.integers(2, 60))
    base = (rng.random(n) < (0.8, 1.0, 0.1)[seed % 3]).astype(float)
    hits = base * (rng.random(n) < (0.5, 1.0, 0.0)[seed // 3 % 3])
    estimate = share(hits, base, resampler(np.arange(n), draws=10))
    k, counted = int(hits.sum()), int(base.sum())
    if counted == 0:
        assert not estimate.is_defined
        return
    expected = stats.binomtest(k, counted).proportion_ci(0.95, method="wilson")
    assert (estimate.value, estimate.n) == (pytest.approx(k / counted), counted)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@on_each_seed(200)
def test_a_difference_of_kappas_has_scikit_learns_values_on_every_draw(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    gold, first, second = rng.integers(0, 2, size=(3, n))
    if seed % 9 == 0:
        gold[:] = 0
    drawn = resampler(np.arange(n), draws=3, seed=seed)
    sides = [replicates(cell_features(gold, side, 2), kappa_from_sums, drawn) for side in (first, second)]
    made = sides[1].minus(sides[0])
    draws = [np.ones(n), *drawn.counts]
    for counts, ours in zip(draws, [made.value, *made.drawn], strict=True):
        again = [np.repeat(side, counts.astype(int)) for side in (gold, first, second)]
        expected = kappa_or_nan(again[0], again[2]) - kappa_or_nan(again[0], again[1])
        assert ours == pytest.approx(expected, abs=1e-12, nan_ok=True)


def kappa_or_nan(gold, verdict):
    """Scikit-learn's; NaN where all labels are one, of which it warns."""
    return math.nan if len({*gold, *verdict}) == 1 else cohen_kappa_score(gold, verdict)


@pytest.mark.parametrize("clusters", [40, 3 * MOST_UNITS])
def test_features_of_kinds_are_summed_like_those_of_their_items_to_the_last_bit(clusters):
    rng = np.random.default_rng(clusters)
    n, kinds = 70_000, 23
    kind = rng.integers(0, kinds, n)
    cluster = np.unique(rng.integers(0, clusters, n), return_inverse=True)[1]
    features = rng.random((kinds, 3))
    codes = rng.integers(-1, 4, (kinds, 2))
    mask = rng.random(kinds) < 0.4
    each = resampler(cluster, draws=20)
    together = Resampler.draw(
        cluster.astype(np.int32), 20, np.random.default_rng(7), kind=kind.astype(np.int32)
    )
    assert np.array_equal(each.counts, together.counts)
    assert np.array_equal(each.by_cluster(features[kind]), together.by_cluster(features))
    assert np.array_equal(each.by_cluster(Cells(codes[kind], 4)), together.by_cluster(Cells(codes, 4)))
    assert np.array_equal(each.sums(features[kind]), together.sums(features))
    assert each.units(mask[kind]) == together.units(mask)
    assert each.count(mask[kind]) == together.count(mask)
    assert each.total(codes[kind][:, 0] / 2) == together.total(codes[:, 0] / 2)
    shares = [
        share(made, np.ones(len(made)), drawn)
        for made, drawn in ((features[kind][:, 0], each), (features[:, 0], together))
    ]
    assert shares[0] == shares[1]


def test_groups_are_those_of_a_permutation_of_the_clusters():
    size = MOST_UNITS + 7
    expected = np.random.default_rng(7).permutation(size) % MOST_UNITS
    assert np.array_equal(resampler(np.arange(size), draws=1).group, expected)
