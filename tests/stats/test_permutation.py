import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from tests.seeds import on_each_seed

from venire.stats import permutation
from venire.stats.agreement import cell_features, kappa_from_sums
from venire.stats.intervals import ratio
from venire.stats.paired import mcnemar_exact
from venire.stats.permutation import sign_flip, swap_test


def rng(seed=0):
    return np.random.default_rng(seed)


def codes(n):
    return np.arange(n)


@on_each_seed(200)
def test_of_one_verdict_an_item_it_is_mcnemars_exact_test(seed):
    random = rng(seed)
    n = int(random.integers(1, 120))
    gaps = random.integers(-1, 2, size=n).astype(float)
    expected = mcnemar_exact(int((gaps < 0).sum()), int((gaps > 0).sum()))
    assert sign_flip(gaps, codes(n), rng=rng()).p == pytest.approx(expected, rel=1e-9)


@on_each_seed(200)
def test_it_counts_the_worlds_that_are_as_far_from_zero(seed):
    # Halves (two orders), thirds (seeds) or scores, in clusters or not; ties and constants among them.
    random = rng(seed)
    n = int(random.integers(1, 11))
    gaps = (
        random.integers(-2, 3, size=n) / 2,
        random.integers(-3, 4, size=n) / 3,
        random.normal(size=n),
        np.full(n, 0.5),
    )[seed % 4]
    cluster = np.unique(random.integers(0, n, size=n), return_inverse=True)[1] if seed % 3 else codes(n)
    sums = np.array([gaps[cluster == code].sum() for code in range(cluster.max() + 1)])
    far = abs(sums.sum()) - 1e-9
    worlds = [abs(np.dot(signs, sums)) >= far for signs in itertools.product((-1, 1), repeat=len(sums))]
    assert sign_flip(gaps, cluster, rng=rng()).p == pytest.approx(np.mean(worlds), rel=1e-9)


def test_it_equals_scipys_permutation_test():
    gaps = rng(3).normal(0.3, 1, size=12)
    theirs = stats.permutation_test(
        (gaps, np.zeros(12)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    ours = sign_flip(gaps, codes(12), rng=rng())
    assert ours.p == pytest.approx(theirs.pvalue)
    assert ours.note == "exact sign-flip test, 12 differ"


def test_many_scores_are_tested_over_random_worlds():
    gaps = rng(4).normal(0.2, 1, size=100)
    ours = sign_flip(gaps, codes(100), rng=rng(1))
    theirs = stats.permutation_test(
        (gaps, np.zeros(100)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=2,
    )
    # 10,000 worlds: a standard error of sqrt(p (1 - p) / 10,000), below .005
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.015)
    assert ours.note == "sign-flip test, 10000 random worlds"
    assert ours == sign_flip(gaps, codes(100), rng=rng(1))
    assert ours != sign_flip(gaps, codes(100), rng=rng(2))


def test_the_smallest_p_of_random_worlds_counts_the_given_one():
    assert sign_flip(np.abs(rng().normal(5, 1, size=60)), codes(60), rng=rng()).p == 1 / 10_001


def test_halves_far_in_the_tail_keep_their_digits():
    # All 80 clusters point one way: 2 worlds of 2 ** 80.
    assert sign_flip(np.full(80, 0.5), codes(80), rng=rng()).p == pytest.approx(2.0**-79, rel=1e-9)


def test_nothing_that_differs_and_no_item():
    assert sign_flip(np.zeros(5), codes(5), rng=rng()).p == 1.0
    assert sign_flip(np.array([0.1, -0.1]), np.array([0, 0]), rng=rng()).p == 1.0
    none = sign_flip(np.zeros(0), codes(0), rng=rng())
    assert math.isnan(none.p)
    assert none.note == "no test: no common items"


def test_repeated_items_of_one_cluster_are_one_piece_of_evidence():
    gaps = np.ones(8)
    assert sign_flip(gaps, codes(8), rng=rng()).p == pytest.approx(2 / 2**8)
    assert sign_flip(gaps, np.repeat([0, 1], 4), rng=rng()).p == pytest.approx(2 / 2**2)


def kappa_or_nan(gold, verdict):
    return math.nan if len({*gold, *verdict}) == 1 else cohen_kappa_score(gold, verdict)


@pytest.mark.filterwarnings("ignore")
@on_each_seed(200)
def test_swapped_kappas_equal_those_of_scikit_learn_world_by_world(seed):
    random = rng(seed)
    n = int(random.integers(2, 7))
    gold, first, second = random.integers(0, 2, size=(3, n))
    cluster = np.unique(random.integers(0, n, size=n), return_inverse=True)[1] if seed % 2 else codes(n)
    features = [cell_features(gold, side, 2) for side in (first, second)]
    ours = swap_test(*features, kappa_from_sums, cluster, rng=rng())
    given = kappa_or_nan(gold, second) - kappa_or_nan(gold, first)
    if math.isnan(given):
        assert math.isnan(ours.p)
        return
    extreme = []
    for swaps in itertools.product((False, True), repeat=int(cluster.max()) + 1):
        swapped = np.array(swaps)[cluster]
        one, two = np.where(swapped, second, first), np.where(swapped, first, second)
        gap = kappa_or_nan(gold, two) - kappa_or_nan(gold, one)
        extreme.append(not abs(gap) < abs(given) - 1e-9)
    assert ours.p == pytest.approx(np.mean(extreme))


def test_swapping_of_a_mean_is_the_sign_flip():
    first, second = rng(5).integers(0, 2, size=(2, 300)).astype(float)
    features = [np.column_stack([side, np.ones(300)]) for side in (first, second)]
    swapped = swap_test(*features, ratio, codes(300), rng=rng(1))
    assert swapped.p == pytest.approx(sign_flip(second - first, codes(300), rng=rng()).p, abs=0.015)
    assert swapped.note == f"swap test, {permutation.DRAWS} random worlds"
    assert swapped == swap_test(*features, ratio, codes(300), rng=rng(1))


def test_sides_that_do_not_differ_have_p_one():
    features = cell_features(np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1]), 2)
    assert swap_test(features, features, kappa_from_sums, codes(4), rng=rng()).p == 1.0


def test_one_item_and_no_item_have_no_kappa_to_test():
    one = cell_features(np.array([0]), np.array([0]), 2)
    assert math.isnan(swap_test(one, one, kappa_from_sums, codes(1), rng=rng()).p)
    assert math.isnan(swap_test(one[:0], one[:0], kappa_from_sums, codes(0), rng=rng()).p)
