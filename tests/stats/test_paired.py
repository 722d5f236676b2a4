import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from tests.seeds import on_each_seed

from venire.stats.paired import mcnemar_exact, paired_difference


@pytest.mark.parametrize(
    ("only_second", "only_first", "p"),
    [
        # Net 5 of 419 items (+1.2 points) and net 12 (+2.9) at growing discordance, from this project's
        # power analysis; and GPT-4 with and without rules on recorded LLMBar, both orders.
        (13, 8, 0.383),
        (23, 18, 0.533),
        (34, 29, 0.615),
        (44, 39, 0.661),
        (16, 4, 0.012),
        (27, 15, 0.088),
        (37, 25, 0.162),
        (48, 36, 0.230),
    ],
)
def test_mcnemar_at_published_counts(only_second: int, only_first: int, p: float) -> None:
    assert mcnemar_exact(only_first, only_second) == pytest.approx(p, abs=5e-4)
    assert mcnemar_exact(only_second, only_first) == mcnemar_exact(only_first, only_second)


@pytest.mark.parametrize(("counts", "p"), [((33, 5), 4.3e-6), ((44, 5), 7.6e-9)])
def test_mcnemar_far_in_the_tail(counts: tuple[int, int], p: float) -> None:
    assert mcnemar_exact(*counts) == pytest.approx(p, rel=0.02)


def test_mcnemar_of_one_discordant_item_says_nothing() -> None:
    # Either side is certain to hold it: p = 2 * 1/2, capped at 1.
    assert mcnemar_exact(1, 0) == 1.0
    assert mcnemar_exact(0, 0) == 1.0


def test_mcnemar_of_five_to_none_by_hand() -> None:
    assert mcnemar_exact(5, 0) == pytest.approx(2 / 2**5)


@on_each_seed(200)
def test_mcnemar_equals_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    b, c = int(rng.integers(0, 60)), int(rng.integers(0, 60))
    theirs = mcnemar([[10, b], [c, 10]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(theirs, rel=1e-9)


def difference(first, second, cluster=None, *, draws=2000, seed=0):
    first, second = np.array(first, dtype=float), np.array(second, dtype=float)
    codes = np.arange(len(first)) if cluster is None else np.array(cluster)
    return paired_difference(first, second, codes, draws=draws, rng=np.random.default_rng(seed))


def test_the_difference_is_the_mean_of_the_items_differences() -> None:
    # (1 - 0) + (0 - 1) + (1 - 0) + (.5 - .5) over 4 items
    estimate = difference([0, 1, 0, 0.5], [1, 0, 1, 0.5])
    assert estimate.value == pytest.approx(0.25)
    assert estimate.n == 4
    assert estimate.low < 0.25 < estimate.high


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("clustered", [False, True])
def test_the_interval_equals_a_draw_by_draw_computation(seed: int, clustered: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    cluster = (
        np.unique(rng.integers(0, n // 2, size=n), return_inverse=True)[1] if clustered else np.arange(n)
    )
    first, second = rng.integers(0, 3, size=(2, n)) / 2
    gaps = second - first
    if np.ptp([gaps[cluster == code].sum() for code in np.unique(cluster)]) == 0:
        pytest.skip("the clusters do not differ")
    ours = paired_difference(first, second, cluster, draws=300, rng=np.random.default_rng(seed))
    assert (ours.low, ours.high) == pytest.approx(bca_by_loops(gaps, cluster, 300, seed), abs=1e-9)


def bca_by_loops(gaps, cluster, draws, seed):
    """Efron's BCa interval of the mean gap over resampled clusters, draw by draw."""
    groups = [gaps[cluster == code] for code in range(cluster.max() + 1)]
    size = len(groups)
    counts = np.random.default_rng(seed).multinomial(size, [1 / size] * size, size=draws)
    means = np.array(
        [np.concatenate([np.tile(g, k) for g, k in zip(groups, row, strict=True)]).mean() for row in counts]
    )
    value = gaps.mean()
    equal = np.isclose(means, value, atol=1e-12, rtol=0)
    below = ((means < value) & ~equal).mean() + equal.mean() / 2
    if below in (0.0, 1.0):
        return np.quantile(means, [0.025, 0.975])
    left_out = np.array([np.concatenate(groups[:i] + groups[i + 1 :]).mean() for i in range(size)])
    spread = left_out.mean() - left_out
    skew = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5) if np.any(spread) else 0.0
    bias = stats.norm.ppf(below)
    shifted = [1 - skew * (bias + z) for z in stats.norm.ppf([0.025, 0.975])]
    if min(shifted) <= 0:
        return np.quantile(means, [0.025, 0.975])
    levels = [
        stats.norm.cdf(bias + (bias + z) / shift)
        for z, shift in zip(stats.norm.ppf([0.025, 0.975]), shifted, strict=True)
    ]
    return np.quantile(means, levels)


def test_pairing_narrows_the_interval_of_configurations_that_agree() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, size=300).astype(float)
    second = np.where(rng.random(300) < 0.05, 1 - first, first)
    paired = difference(first, second)
    shuffled = difference(first, rng.permutation(second))
    assert paired.high - paired.low < 0.5 * (shuffled.high - shuffled.low)


def test_clusters_that_repeat_items_widen_the_interval() -> None:
    gaps = np.random.default_rng(2).integers(-1, 2, size=60)
    zeros = np.zeros(180)
    repeated = np.repeat(gaps, 3)
    single = difference(zeros, repeated)
    clustered = difference(zeros, repeated, np.repeat(np.arange(60), 3))
    # Three copies of each item carry the information of one: the width grows by about sqrt(3).
    assert (clustered.high - clustered.low) / (single.high - single.low) == pytest.approx(
        math.sqrt(3), rel=0.15
    )
    assert "60 clusters" in clustered.note


def test_a_configuration_and_itself_differ_by_nothing_without_an_interval() -> None:
    # Not [0, 0]: that no item of a sample differs does not say that none would.
    same = difference([0, 1, 1, 0.5], [0, 1, 1, 0.5])
    assert same.value == 0.0
    assert math.isnan(same.low)
    assert same.note == "no interval: no bootstrap draw differs"


def test_a_constant_difference_has_no_bootstrap_interval_and_says_why() -> None:
    constant = difference([0, 0, 0], [1, 1, 1])
    assert constant.value == 1.0
    assert math.isnan(constant.low)
    assert constant.note == "no interval: no bootstrap draw differs"
    one = difference([0], [1])
    assert (one.value, one.n) == (1.0, 1)
    assert math.isnan(one.high)


def test_no_common_item_has_no_difference() -> None:
    none = difference([], [])
    assert math.isnan(none.value)
    assert none.note == "undefined: no common items"


def test_few_items_are_warned_of() -> None:
    assert "fewer than 50 items" in difference([0, 1, 0, 1], [1, 1, 0, 0]).note


def test_the_seed_decides_the_interval() -> None:
    first, second = np.random.default_rng(3).integers(0, 2, size=(2, 50))
    assert difference(first, second, seed=1) == difference(first, second, seed=1)
    assert difference(first, second, seed=1) != difference(first, second, seed=2)
