import time

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from venire.errors import DataError
from venire.stats import agreement
from venire.stats.agreement import (
    alpha_features,
    alpha_from_sums,
    cell_features,
    codes,
    cohen_kappa,
    confusion,
    counts_by_label,
    fleiss_features,
    fleiss_from_sums,
    fleiss_kappa,
    kappa_from_sums,
    kappa_of_table,
    krippendorff_alpha,
    weighted_kappa,
)

SEEDS = range(200)


def random_pair(seed):
    """Two labellings of 1 to 40 items by 2 to 4 labels; every third is skewed to few labels."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 5)), int(rng.integers(1, 41))
    used = int(rng.integers(1, k + 1)) if seed % 3 == 0 else k
    first = rng.integers(used, size=n)
    second = np.where(rng.random(n) < 0.6, first, rng.integers(used, size=n))
    return first, second, k


def random_ratings(seed):
    """Ratings of 1 to 30 items by 2 to 6 judges, some missing; every third is skewed to few labels."""
    rng = np.random.default_rng(seed)
    k, shape = int(rng.integers(2, 5)), (int(rng.integers(1, 31)), int(rng.integers(2, 7)))
    used = int(rng.integers(1, k + 1)) if seed % 3 == 0 else k
    ratings = rng.integers(used, size=shape)
    if seed % 2:
        ratings[rng.random(shape) < 0.15] = -1
    return ratings, k


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns where kappa is undefined
@pytest.mark.parametrize("seed", SEEDS)
def test_cohens_kappa_equals_scikit_learn_and_its_closed_form(seed):
    first, second, k = random_pair(seed)
    ours = kappa_of_table(confusion(first, second, k))
    closed = kappa_from_sums(cell_features(first, second, k).sum(axis=0))
    expected = cohen_kappa_score(first, second, labels=list(range(k)))
    assert ours.n == len(first)
    if len({*first, *second}) == 1:
        assert not ours.is_defined
        assert "one label only" in ours.note
        assert np.isnan(closed)
    else:
        assert ours.value == pytest.approx(expected, abs=1e-12)
        assert closed == pytest.approx(expected, abs=1e-12)


def test_cohens_kappa_of_a_table_worked_by_hand():
    # 20 a/a, 5 a/b, 10 b/a, 15 b/b: p_o = 35/50 = .7, p_e = .5*.6 + .5*.4 = .5, kappa = .2/.5 = .4.
    # Source of the table: Wikipedia, "Cohen's kappa", simple example.
    first = ["a"] * 25 + ["b"] * 25
    second = ["a"] * 20 + ["b"] * 5 + ["a"] * 10 + ["b"] * 15
    estimate = cohen_kappa(first, second, ["a", "b"])
    assert estimate.value == pytest.approx(0.4, abs=1e-15)
    assert estimate.n == 50


def test_a_declared_label_that_nobody_used_changes_nothing():
    labels = ["a", "b", "a", "a"], ["a", "b", "b", "a"]
    assert cohen_kappa(*labels, ["a", "b", "tie"]).value == cohen_kappa(*labels, ["a", "b"]).value


def test_constant_but_different_labels_have_kappa_zero():
    # p_o = 0 and p_e = 0: (0 - 0) / (1 - 0).
    assert cohen_kappa(["a", "a"], ["b", "b"], ["a", "b"]).value == 0.0


def test_labels_outside_the_declared_set_are_an_error_that_names_them():
    with pytest.raises(DataError, match=r"expected 'A', 'B' as declared, got '0', 'a'"):
        cohen_kappa(["A", "a", "0"], ["A", "B", "B"], ["A", "B"])


def test_codes_above_the_declared_labels_are_an_error():
    with pytest.raises(DataError, match="codes below 2"):
        confusion(np.array([0, 2]), np.array([0, 1]), 2)


def test_labellings_of_different_length_are_an_error():
    with pytest.raises(DataError, match="3 and 2"):
        confusion(np.array([0, 1, 1]), np.array([0, 1]), 2)


def test_no_item_at_all_is_undefined_with_a_reason():
    estimate = cohen_kappa([], [], ["a", "b"])
    assert not estimate.is_defined
    assert "no item" in estimate.note
    assert codes([], ["a"]).shape == (0,)


def test_items_without_a_label_are_left_out():
    # Only items 1 and 3 have both labels; they agree on two labels, so kappa is 1.
    table = confusion(np.array([0, -1, 1, -2]), np.array([0, 1, 1, -1]), 2)
    assert table.tolist() == [[1, 0], [0, 1]]
    assert kappa_of_table(table).value == 1.0


def test_fleiss_kappa_of_a_table_worked_by_hand():
    # 3 items, 2 judges: aa, ab, bb. P_i = 1, 0, 1: mean 2/3. Shares 3/6, 3/6: P_e = 1/2.
    # kappa = (2/3 - 1/2) / (1/2) = 1/3.
    assert fleiss_kappa(np.array([[0, 0], [0, 1], [1, 1]]), 2).value == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_kappa_equals_its_definition_and_its_closed_form(seed):
    ratings, k = random_ratings(seed)
    ours = fleiss_kappa(ratings, k)
    closed = fleiss_from_sums(fleiss_features(ratings, k).sum(axis=0), ratings.shape[1])
    complete = [row for row in ratings.tolist() if min(row) >= 0]
    used = {label for row in complete for label in row}
    if len(used) < 2:
        assert not ours.is_defined
        assert np.isnan(closed)
        return
    expected = fleiss_by_pairs(complete)
    assert ours.n == len(complete)
    assert ours.value == pytest.approx(expected, abs=1e-12)
    assert closed == pytest.approx(expected, abs=1e-12)


def fleiss_by_pairs(rows):
    """Fleiss' kappa from his definition: agreeing pairs of judges, item by item."""
    judges = len(rows[0])
    agreeing = sum(a == b for row in rows for i, a in enumerate(row) for j, b in enumerate(row) if i != j)
    observed = agreeing / (len(rows) * judges * (judges - 1))
    flat = [label for row in rows for label in row]
    chance = sum((flat.count(label) / len(flat)) ** 2 for label in set(flat))
    return (observed - chance) / (1 - chance)


def test_one_judge_has_no_fleiss_kappa():
    assert not fleiss_kappa(np.array([[0], [1]]), 2).is_defined


def test_krippendorffs_alpha_of_data_worked_by_hand():
    # Units aa, ab, bb, and one with a single label, which is left out. N = 6, n_a = n_b = 3.
    # Observed disagreement: 2 of 6 coincidences. Expected: 2 * 3 * 3 / (6 * 5) = .6. 1 - (1/3)/.6 = 4/9.
    ratings = np.array([[0, 0], [0, 1], [1, 1], [1, -1]])
    estimate = krippendorff_alpha(ratings, 2)
    assert estimate.value == pytest.approx(4 / 9, abs=1e-15)
    assert estimate.n == 3


@pytest.mark.parametrize("seed", SEEDS)
def test_krippendorffs_alpha_equals_the_package_on_the_raw_ratings_and_its_closed_form(seed):
    ratings, k = random_ratings(seed)
    ours = krippendorff_alpha(ratings, k)
    closed = alpha_from_sums(alpha_features(ratings, k).sum(axis=0))
    pairable = ratings[(ratings >= 0).sum(axis=1) >= 2]
    if len(np.unique(pairable[pairable >= 0])) < 2:
        assert not ours.is_defined
        assert np.isnan(closed)
        return
    raw = np.where(ratings < 0, np.nan, ratings).T  # the package wants (judges, items)
    expected = krippendorff.alpha(reliability_data=raw, level_of_measurement="nominal")
    assert ours.value == pytest.approx(expected, abs=1e-12)
    assert closed == pytest.approx(expected, abs=1e-12)


def test_alpha_needs_an_item_that_two_judges_labelled():
    estimate = krippendorff_alpha(np.array([[0, -1], [-1, 1]]), 2)
    assert not estimate.is_defined
    assert "at least two judges" in estimate.note


def test_alpha_takes_seconds_on_fifty_thousand_ratings():
    # 10,000 items, 5 judges, one rating in ten missing. CPU time, which a busy machine does not stretch:
    # 0.007 s where this was written.
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=(10_000, 1))
    ratings = np.where(rng.random((10_000, 5)) < 0.7, truth, rng.integers(3, size=(10_000, 5)))
    ratings[rng.random(ratings.shape) < 0.1] = -1
    started = time.process_time()
    ours = krippendorff_alpha(ratings, 3)
    closed = alpha_from_sums(alpha_features(ratings, 3).sum(axis=0))
    assert time.process_time() - started < 5
    raw = np.where(ratings < 0, np.nan, ratings).T
    expected = krippendorff.alpha(reliability_data=raw, level_of_measurement="nominal")
    assert ours.value == pytest.approx(expected, abs=1e-12)
    assert closed == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_the_judges_changes_nothing(seed):
    ratings, k = random_ratings(seed)
    shuffled = np.random.default_rng(seed).permuted(ratings, axis=1)
    assert np.array_equal(counts_by_label(ratings, k), counts_by_label(shuffled, k))


def test_closed_forms_take_any_leading_shape():
    cells = np.array([[[20, 5, 10, 15], [5, 0, 0, 0]], [[1, 0, 0, 1], [0, 1, 1, 0]]], dtype=float)
    # .4 as above; one label only: undefined; full agreement; full disagreement of balanced labels.
    assert kappa_from_sums(cells) == pytest.approx(np.array([[0.4, np.nan], [1.0, -1.0]]), nan_ok=True)


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns where kappa is undefined
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_equals_scikit_learn(seed, weights):
    first, second, k = random_pair(seed)
    ours = weighted_kappa(confusion(first, second, k), weights)
    if len({*first, *second}) == 1:
        assert not ours.is_defined
        return
    expected = cohen_kappa_score(first, second, labels=list(range(k)), weights=weights)
    assert (ours.value, ours.n) == (pytest.approx(expected, abs=1e-12), len(first))


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_by_label_are_those_of_plain_counting_and_forget_what_is_missing(seed):
    ratings, k = random_ratings(seed)
    assert counts_by_label(ratings, k).tolist() == [
        [row.count(code) for code in range(k)] for row in ratings.tolist()
    ]


@pytest.mark.parametrize("judges", [3, 4, 5])
def test_coefficients_of_many_items_are_those_of_the_packages(judges):
    rng = np.random.default_rng(judges)
    kinds = np.where(rng.random((30, judges)) < 0.1, -1, rng.integers(0, 3, (30, judges)))
    kind = rng.integers(0, len(kinds), 3000)
    weights = np.bincount(kind, minlength=len(kinds))
    each, once = kinds[kind], np.ones(len(kind), dtype=np.int64)
    pairs = (
        (agreement.fleiss_kappa, agreement.fleiss_kappa_of_many),
        (agreement.krippendorff_alpha, agreement.krippendorff_alpha_of_many),
    )
    for plain, of_many in pairs:
        expected, found = plain(each, 3), of_many(kinds, 3, weights)
        assert found.value == pytest.approx(expected.value, abs=1e-12)
        assert found.n == expected.n
        assert of_many(each, 3, once) == found  # to the last bit
        assert of_many(each[rng.permutation(len(each))], 3, once) == found


@pytest.mark.parametrize(
    "ratings", [[[1, 1, 1], [1, 1, 1]], [[-1, -1, 0], [1, -1, -1]], [[0], [1]], [[-1, -1], [-1, -1]]]
)
def test_coefficients_of_many_items_are_undefined_where_those_of_few_are(ratings):
    rows, once = np.array(ratings), np.ones(2, dtype=np.int64)
    plain = (agreement.fleiss_kappa(rows, 3), agreement.krippendorff_alpha(rows, 3))
    of_many = (
        agreement.fleiss_kappa_of_many(rows, 3, once),
        agreement.krippendorff_alpha_of_many(rows, 3, once),
    )
    assert [(each.note, each.n) for each in of_many] == [(each.note, each.n) for each in plain]
