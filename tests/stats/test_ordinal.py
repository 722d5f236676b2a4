import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from tests.seeds import on_each_seed

from venire.stats.ordinal import moment_features, quadratic_kappa, quadratic_kappa_from_sums


def test_by_hand():
    # x 1 2 3, y 1 3 3: squares apart 0 1 0, times n 3; all pairs (x_i - y_j)^2: 0 4 4, 1 1 1, 4 0 0 = 15.
    # 1 - 3/15 = .8
    assert quadratic_kappa(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 3.0])).value == pytest.approx(0.8)


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns where kappa is undefined
@on_each_seed(200)
def test_equal_to_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(1, int(rng.integers(2, 7)), size=(2, int(rng.integers(1, 30))))
    theirs = cohen_kappa_score(first, second, labels=list(range(1, 7)), weights="quadratic")
    ours = quadratic_kappa(first.astype(float), second.astype(float))
    assert ours.value == pytest.approx(theirs, abs=1e-12, nan_ok=True)


def test_a_shift_of_the_scale_changes_nothing_and_a_bias_does():
    first, second = np.array([0.0, 1.0, 2.0, 2.0]), np.array([0.0, 2.0, 1.0, 2.0])
    value = quadratic_kappa(first, second).value
    assert quadratic_kappa(first + 1000, second + 1000).value == pytest.approx(value)
    assert quadratic_kappa(first, second + 1).value < value


def test_it_is_lins_concordance_of_numbers_between_the_points():
    first, second = np.array([0.5, 1.5, 2.0, 4.0]), np.array([1.0, 1.0, 2.5, 3.0])
    lin = 2 * np.cov(first, second, ddof=0)[0, 1]
    lin /= first.var() + second.var() + (first.mean() - second.mean()) ** 2
    assert quadratic_kappa(first, second).value == pytest.approx(lin)


def test_one_rating_throughout_is_undefined_and_one_side_constant_is_zero():
    assert "one and the same" in quadratic_kappa(np.full(3, 0.1), np.full(3, 0.1)).note
    assert quadratic_kappa(np.full(3, 2.0), np.array([1.0, 2.0, 3.0])).value == pytest.approx(0.0)
    assert "no item" in quadratic_kappa(np.array([np.nan]), np.array([1.0])).note


def test_missing_ratings_are_left_out():
    with_gaps = quadratic_kappa(np.array([1.0, np.nan, 2.0, 3.0]), np.array([1.0, 2.0, np.nan, 2.0]))
    assert with_gaps.n == 2
    assert with_gaps.value == quadratic_kappa(np.array([1.0, 3.0]), np.array([1.0, 2.0])).value


def test_all_draws_at_once_give_what_each_gives_alone():
    features = moment_features(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 3.0]))
    sums = np.stack([features.sum(axis=0), 3 * features[2], features[0] + 2 * features[1]])
    together = quadratic_kappa_from_sums(sums)
    np.testing.assert_array_equal(together, [float(quadratic_kappa_from_sums(row)) for row in sums])
    assert np.isnan(together[1])
