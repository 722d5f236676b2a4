"""Correlations: by hand, against scipy, and the closed forms of the bootstrap against both."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.seeds import on_each_seed

from venire.stats.correlation import (
    Coefficient,
    Pairs,
    chance_level,
    correlation,
    difference,
    mean_of,
    per_document,
    per_system,
    pooled,
)
from venire.stats.estimate import NAN
from venire.stats.intervals import Resampler

SPEARMAN, KENDALL, PEARSON = Coefficient
THEIRS = {
    SPEARMAN: lambda x, y: stats.spearmanr(x, y).statistic,
    KENDALL: lambda x, y: stats.kendalltau(x, y).statistic,
    PEARSON: lambda x, y: stats.pearsonr(x, y).statistic,
}


def column(*values):
    return np.array([NAN if value is None else value for value in values], dtype=float)


def resampler(cluster, draws=500, seed=3):
    return Resampler.draw(np.asarray(cluster), draws, np.random.default_rng(seed))


# Ties by hand: ranks of 1 1 1 1 2 are 2.5 2.5 2.5 2.5 5, centred -.5 -.5 -.5 -.5 2; those of 5 4 3 2 1
# centred 2 1 0 -1 -2. Products -1 -.5 0 .5 -4 sum to -5, squares to 5 and 10: -5 / sqrt(50) = -.7071.
# Tau-b: of the pairs untied in the first side (4, each with the last) all are discordant:
# -4 / sqrt(4 * 10) = -.6325. Pearson: centred -.2 -.2 -.2 -.2 .8 and 2 1 0 -1 -2 give -2 / sqrt(8) = -.7071.
@pytest.mark.parametrize(
    ("coefficient", "value"), [(SPEARMAN, -0.7071), (KENDALL, -0.6325), (PEARSON, -0.7071)]
)
def test_ties_by_hand(coefficient, value):
    first, second = column(1, 1, 1, 1, 2), column(5, 4, 3, 2, 1)
    found = correlation(coefficient, first, second)
    assert found.value == pytest.approx(value, abs=5e-5)
    assert found.n == 5
    pairs = Pairs.of(first, second)
    assert float(pairs.statistic(coefficient)(pairs.features.sum(axis=0))) == pytest.approx(found.value)


# 1 2 3 4 against 1 3 2 4: d = 0 1 -1 0, rho = 1 - 6 * 2 / (4 * 15) = .8; one of six pairs discordant: 4 / 6;
# equal spacing: r = rho.
@pytest.mark.parametrize(("coefficient", "value"), [(SPEARMAN, 0.8), (KENDALL, 4 / 6), (PEARSON, 0.8)])
def test_no_ties_by_hand(coefficient, value):
    found = correlation(coefficient, column(1, 2, 3, 4), column(1, 3, 2, 4))
    assert found.value == pytest.approx(value)


def test_pearson_sees_distances_and_the_others_only_order():
    first, second = column(1, 2, 3), column(1, 2, 30)
    assert correlation(SPEARMAN, first, second).value == pytest.approx(1.0)
    assert correlation(KENDALL, first, second).value == pytest.approx(1.0)
    # centred -1 0 1 and -10 -9 19: 29 / sqrt(2 * 542)
    assert correlation(PEARSON, first, second).value == pytest.approx(29 / math.sqrt(1084))


@pytest.mark.parametrize("coefficient", Coefficient)
@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ((), (), "undefined: 0 items with both values, it takes two"),
        ((1,), (2,), "undefined: 1 items with both values, it takes two"),
        ((1, None), (2, 3), "undefined: 1 items with both values, it takes two"),
        ((2, 2, 2), (1, 2, 3), "undefined: ratings are all 2, so nothing can go along with them"),
        ((1, 2, 3), (0, 0, 0), "undefined: human ratings are all 0, so nothing can go along with them"),
        ((1, 2, None), (0, 0, 5), "undefined: human ratings are all 0, so nothing can go along with them"),
    ],
)
def test_what_is_undefined_is_nan_with_a_reason(coefficient, first, second, reason):
    found = correlation(coefficient, column(*first), column(*second), ("ratings", "human ratings"))
    assert math.isnan(found.value)
    assert found.note == reason
    made = pooled(coefficient, column(*first), column(*second), ("ratings", "human ratings"))
    assert math.isnan(float(made.statistic(made.features.sum(axis=0))))
    estimate = made.estimate(resampler(np.arange(len(first))))
    assert (estimate.note, math.isnan(estimate.low)) == (reason, True)


@pytest.mark.parametrize("coefficient", Coefficient)
@on_each_seed(200)
def test_the_closed_form_equals_scipy_on_every_resampling(coefficient, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    first = rng.integers(0, 4, n).astype(float)
    second = rng.integers(0, 3, n) + (rng.random(n) if seed % 3 == 0 else 0.0)
    draws = rng.integers(0, n, (10, n))
    pairs = Pairs.of(first, second)
    counts = np.array([np.bincount(draw, minlength=n) for draw in draws]) @ pairs.features
    ours = pairs.statistic(coefficient)(counts)
    for draw, value in zip(draws, ours, strict=True):
        x, y = first[draw], second[draw]
        constant = np.ptp(x) == 0 or np.ptp(y) == 0
        expected = NAN if constant else THEIRS[coefficient](x, y)
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("coefficient", Coefficient)
def test_the_interval_is_close_to_scipy_s_bootstrap(coefficient):
    rng = np.random.default_rng(11)
    first = rng.normal(size=60)
    second = np.round(first + rng.normal(size=60))
    ours = pooled(coefficient, first, second).estimate(resampler(np.arange(60), draws=4000))
    theirs = stats.bootstrap(
        (first, second),
        THEIRS[coefficient],
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="BCa",
        rng=2,
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.value == pytest.approx(THEIRS[coefficient](first, second))
    # Monte Carlo error of a bound of 2,000 draws: about .03 of the width.
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.1 * width)


def test_documents_are_resampled_whole():
    # Twenty documents of five equal items: the interval is that of twenty items, not of a hundred.
    rng = np.random.default_rng(5)
    first = rng.normal(size=20)
    second = first + rng.normal(size=20)
    repeated = [np.repeat(side, 5) for side in (first, second)]
    document = np.repeat(np.arange(20), 5)
    single = pooled(PEARSON, first, second).estimate(resampler(np.arange(20)))
    whole = pooled(PEARSON, *repeated).estimate(resampler(document))
    apart = pooled(PEARSON, *repeated).estimate(resampler(np.arange(100)))
    assert whole.value == pytest.approx(single.value)
    assert (whole.low, whole.high) == pytest.approx((single.low, single.high))
    assert apart.high - apart.low < 0.6 * (whole.high - whole.low)
    assert "over 20 clusters" in whole.note


def test_the_same_seed_gives_the_same_interval_and_another_another():
    first, second = np.arange(40.0) % 7, np.arange(40.0) % 5
    made = pooled(SPEARMAN, first, second)
    same = [made.estimate(resampler(np.arange(40), seed=1)) for _ in range(2)]
    assert same[0] == same[1]
    assert made.estimate(resampler(np.arange(40), seed=2)).low != same[0].low


@pytest.mark.parametrize("coefficient", Coefficient)
def test_per_document_is_the_mean_over_documents_that_have_a_correlation(coefficient):
    # Documents: 1 2 3 with 1 2 3 (1), 1 2 with 2 1 (-1), one item, a constant side.
    first = column(1, 2, 3, 1, 2, 5, 4, 4)
    second = column(1, 2, 3, 2, 1, 5, 1, 2)
    document = np.array([0, 0, 0, 1, 1, 2, 3, 3])
    made = per_document(coefficient, first, second, document)
    assert made.point.value == pytest.approx(0.0)
    assert made.point.n == 5
    assert made.point.note == "mean over 2 documents, 2 left out: fewer than two items, or a constant side"
    estimate = made.estimate(resampler(document))
    assert (estimate.low, estimate.high) == pytest.approx((-1.0, 1.0))
    assert estimate.note.endswith("or a constant side")


def test_per_document_without_any_such_document_is_undefined():
    made = per_document(SPEARMAN, column(1, 2), column(1, 2), np.array([0, 1]))
    assert math.isnan(made.point.value)
    assert made.point.note == "undefined: no document of 2 has two items that differ on both sides"


@pytest.mark.parametrize(("coefficient", "value"), [(SPEARMAN, 0.5), (KENDALL, 1 / 3), (PEARSON, 0.5)])
def test_per_system_correlates_the_systems_means(coefficient, value):
    # Means 1 2 3 and 1 3 2: rho .5, one of three pairs discordant. The item without a system does not count.
    first = column(0, 2, 2, 2, 3, 3, 9)
    second = column(1, 1, 2, 4, 2, 2, -9)
    system = np.array([0, 0, 1, 1, 2, 2, -1])
    made = per_system(coefficient, first, second, system)
    assert made.point.value == pytest.approx(value)
    assert (made.point.n, made.point.note) == (6, "of the means of 3 systems")
    assert float(made.statistic(made.features.sum(axis=0))) == pytest.approx(value)


@pytest.mark.parametrize("coefficient", Coefficient)
def test_systems_that_a_draw_leaves_out_are_no_points_of_it(coefficient):
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=12), rng.normal(size=12)
    system = np.repeat(np.arange(4), 3)
    made = per_system(coefficient, first, second, system)
    without_one = np.arange(12) >= 3
    found = float(made.statistic(made.features[without_one].sum(axis=0)))
    means = [np.array([side[system == code].mean() for code in (1, 2, 3)]) for side in (first, second)]
    assert found == pytest.approx(THEIRS[coefficient](*means))


def test_per_system_needs_two_systems_whose_means_differ():
    one = per_system(PEARSON, column(1, 2), column(1, 2), np.array([0, 0]))
    assert one.point.note == "undefined: 1 items with both values, it takes two"
    none = per_system(PEARSON, column(1, 2), column(1, 2), np.array([-1, -1]))
    assert math.isnan(none.point.value)
    equal = per_system(SPEARMAN, column(0.1, 0.2, 0.15), column(1, 2, 3), np.array([0, 0, 1]))
    assert equal.point.note.startswith("undefined: systems' means of the first side are all 0.15")


def test_a_difference_is_of_the_same_draws():
    rng = np.random.default_rng(8)
    gold = rng.normal(size=50)
    first, second = gold + rng.normal(size=50), gold + 0.5 * rng.normal(size=50)
    parts = [pooled(PEARSON, side, gold) for side in (first, second)]
    gap = difference(*parts).estimate(resampler(np.arange(50)))
    assert gap.value == pytest.approx(parts[1].point.value - parts[0].point.value)
    assert gap.low < gap.value < gap.high
    nothing = difference(parts[0], parts[0]).estimate(resampler(np.arange(50)))
    assert nothing.value == 0.0
    assert math.isnan(nothing.low)


def test_a_difference_to_what_is_undefined_is_undefined():
    fine, constant = pooled(PEARSON, column(1, 2), column(1, 2)), pooled(PEARSON, column(1, 1), column(1, 2))
    assert difference(fine, constant).point.note.startswith("undefined: the first side are all 1")


def test_the_mean_of_absolute_values_forgets_the_sign_and_the_signed_mean_does_not():
    up, down = (
        pooled(KENDALL, column(1, 2, 3), column(1, 2, 3)),
        pooled(KENDALL, column(1, 2, 3), column(3, 2, 1)),
    )
    assert mean_of([up, down], ["a", "b"]).point.value == pytest.approx(0.0)
    assert mean_of([up, down], ["a", "b"], absolute=True).point.value == pytest.approx(1.0)


def test_a_mean_over_what_is_undefined_is_undefined_and_says_over_which():
    up, constant = pooled(KENDALL, column(1, 2), column(1, 2)), pooled(KENDALL, column(1, 1), column(1, 2))
    assert mean_of([up, constant], ["pio", "fluency"]).point.note.startswith(
        "undefined: fluency: the first side"
    )


@pytest.mark.parametrize(
    ("coefficient", "n"), [(SPEARMAN, 102), (PEARSON, 102), (KENDALL, 102), (SPEARMAN, 20)]
)
def test_the_chance_level_is_the_mean_absolute_correlation_of_unrelated_columns(coefficient, n):
    rng = np.random.default_rng(1)
    absolute = [abs(THEIRS[coefficient](*rng.normal(size=(2, n)))) for _ in range(1500)]
    # Standard error of the mean of 1,500: about .02 of it.
    assert chance_level(coefficient, n) == pytest.approx(np.mean(absolute), rel=0.06)
    assert math.isnan(chance_level(coefficient, 1))


def test_the_absolute_mean_of_unrelated_ratings_is_far_from_zero_and_so_is_its_interval():
    # docs/metrics.md: 102 items, four dimensions, nothing related: about .08
    rng = np.random.default_rng(1)
    draws = resampler(np.arange(102), draws=200)
    found = []
    for _ in range(30):
        parts = [pooled(SPEARMAN, *rng.normal(size=(2, 102))) for _ in range(4)]
        found.append(mean_of(parts, list("abcd"), absolute=True).estimate(draws))
    assert np.mean([each.value for each in found]) == pytest.approx(0.08, abs=0.015)
    assert min(each.low for each in found) > 0


def by_scipy(coefficient, x, y):
    """NaN where a side is constant or there are fewer than two items."""
    return NAN if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0 else THEIRS[coefficient](x, y)


def random_columns(seed):
    """Two columns of 1 to 40 items with ties, every third continuous, every fourth constant, some missing."""
    rng = np.random.default_rng(seed)
    n = 1 if seed < 3 else int(rng.integers(2, 41))
    first, second = rng.integers(0, 4, n).astype(float), rng.integers(0, 3, n).astype(float)
    if seed % 3 == 0:
        second += rng.random(n)
    if seed % 4 == 0:
        first[:] = 2.0
    if seed % 2:
        first[rng.random(n) < 0.2] = NAN
        second[rng.random(n) < 0.2] = NAN
    return first, second, rng


@pytest.mark.parametrize("coefficient", Coefficient)
@on_each_seed(200)
def test_pooled_by_document_and_by_system_equal_scipy_on_the_parts(coefficient, seed):
    first, second, rng = random_columns(seed)
    there = ~(np.isnan(first) | np.isnan(second))
    x, y = first[there], second[there]
    found = correlation(coefficient, first, second)
    assert found.n == len(x)
    assert found.value == pytest.approx(by_scipy(coefficient, x, y), abs=1e-12, nan_ok=True)
    made = pooled(coefficient, first, second)
    assert float(made.statistic(made.features.sum(axis=0))) == pytest.approx(
        found.value, abs=1e-9, nan_ok=True
    )

    group = rng.integers(0, 4, len(first))
    within = [by_scipy(coefficient, x[group[there] == g], y[group[there] == g]) for g in range(4)]
    expected = np.mean([each for each in within if not np.isnan(each)] or [NAN])
    by_document = per_document(coefficient, first, second, group).point.value
    assert by_document == pytest.approx(expected, abs=1e-12, nan_ok=True)

    seen = np.unique(group[there])
    means = [np.round([side[group[there] == g].mean() for g in seen], 12) for side in (x, y)]
    of_systems = per_system(coefficient, first, second, group)
    expected = by_scipy(coefficient, *means)
    assert of_systems.point.value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@on_each_seed(200)
def test_differences_and_means_equal_those_of_scipys_values_on_every_draw(seed):
    first, gold, rng = random_columns(seed)
    second = np.where(rng.random(len(first)) < 0.5, first, rng.normal(size=len(first)))
    sides = [pooled(SPEARMAN, side, gold) for side in (first, second)]
    made = [difference(*sides), mean_of(sides, "ab"), mean_of(sides, "ab", absolute=True)]
    if not made[0].point.is_defined:
        assert not any(each.point.is_defined for each in made)
        return
    draws = [np.arange(len(first)), *rng.integers(0, len(first), (3, len(first)))]
    for draw in draws:
        counts = np.bincount(draw, minlength=len(first))
        values = []
        for side in (first, second):
            there = ~(np.isnan(side[draw]) | np.isnan(gold[draw]))
            values.append(by_scipy(SPEARMAN, side[draw][there], gold[draw][there]))
        expected = [values[1] - values[0], np.mean(values), np.mean(np.abs(values))]
        ours = [float(each.statistic(counts @ each.features)) for each in made]
        assert ours == pytest.approx(expected, abs=1e-9, nan_ok=True)
