import itertools

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from tests.seeds import on_each_seed

from venire.stats.agreement import kappa_from_sums
from venire.stats.coincidence import (
    Level,
    agreeing,
    alpha_from_coincidences,
    coincidences,
    pair_tables,
    weighted_kappa_from_sums,
)

EVERY = np.ones(3, dtype=bool)
DECIDED = np.array([True, True, False])

# Three units, labels 0, 1 and 2 (a tie): {0, 0, 1}, {1, 2}, {2}.
COUNTS = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])


def test_a_unit_of_three_annotators_has_three_pairs_and_one_of_one_has_none():
    # {0, 0, 1}: the pairs 00, 01, 01; {1, 2}: the pair 12.
    hits, base = agreeing(pair_tables(COUNTS), EVERY)
    assert hits.tolist() == [1.0, 0.0, 0.0]
    assert base.tolist() == [3.0, 1.0, 0.0]


def test_pairs_with_a_label_that_does_not_count_are_left_out():
    hits, base = agreeing(pair_tables(COUNTS), DECIDED)
    assert hits.tolist() == [1.0, 0.0, 0.0]
    assert base.tolist() == [3.0, 0.0, 0.0]


def test_chance_of_pairs_is_the_share_of_each_label_over_them():
    # Halved pair table of {0,0,1} and {1,2}: 00 1, 01 and 10 1 each, 12 and 21 1/2 each; 4 pairs, 1 agrees.
    # Labels over the pairs: 0 in 2/4, 1 in 1.5/4, 2 in .5/4: chance .25 + .140625 + .015625 = .40625.
    # (.25 - .40625) / (1 - .40625) = -.2631578947...
    assert kappa_from_sums(pair_tables(COUNTS).sum(axis=0)) == pytest.approx(-0.26315789473684)


def test_units_of_many_annotators_weigh_by_annotators_not_by_pairs():
    # Krippendorff: the ordered pairs of a unit over m - 1, so that each annotation counts once.
    assert coincidences(COUNTS).sum(axis=1).tolist() == [3.0, 2.0, 0.0]


def random_counts(seed):
    """Counts of 2 to 12 units by 2 to 5 labels, some with fewer than two; some labels rare."""
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(2, 6))
    shares = rng.dirichlet(np.full(labels, 0.5 if seed % 3 == 0 else 2.0))
    sizes = rng.integers(0, 5, size=int(rng.integers(2, 13)))
    return np.array([rng.multinomial(size, shares) for size in sizes], dtype=float)


@pytest.mark.filterwarnings("ignore")  # the package divides by zero where alpha is undefined
@on_each_seed(200)
@pytest.mark.parametrize("level", Level)
def test_alpha_equals_the_package_krippendorff(seed, level):
    counts = random_counts(seed)
    values = np.array([0.0, 1.0, 2.5, 3.0, 7.0])[: counts.shape[1]]
    ours = float(alpha_from_coincidences(coincidences(counts).sum(axis=0), values, level))
    pairable = counts[counts.sum(axis=1) >= 2]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:
        assert np.isnan(ours)
        return
    theirs = krippendorff.alpha(value_counts=pairable, value_domain=values, level_of_measurement=level.value)
    assert ours == pytest.approx(theirs, abs=1e-12)


def random_tables(seed):
    """Two ratings of 2 to 30 items on 2 to 5 points, as labels and as a table."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 6)), int(rng.integers(2, 31))
    first = rng.integers(k, size=n)
    second = np.where(rng.random(n) < 0.5, first, rng.integers(k, size=n))
    table = np.zeros(k * k)
    np.add.at(table, first * k + second, 1.0)
    return first, second, table, k


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns where kappa is undefined
@on_each_seed(200)
def test_weighted_kappa_equals_scikit_learn(seed):
    first, second, table, k = random_tables(seed)
    ours = float(weighted_kappa_from_sums(table, np.arange(k, dtype=float)))
    theirs = cohen_kappa_score(first, second, labels=list(range(k)), weights="quadratic")
    if np.isnan(theirs):
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_weighted_kappa_is_undefined_where_both_sides_say_one_thing():
    assert np.isnan(weighted_kappa_from_sums(np.array([5.0, 0.0, 0.0, 0.0]), np.array([0.0, 1.0])))


def test_all_draws_at_once_give_what_each_gives_alone():
    tables = np.stack([random_counts(seed)[:2].repeat(3, axis=0) for seed in (4,)])
    met = np.stack([coincidences(tables[0])[rows].sum(axis=0) for rows in ([0, 1], [0, 0], [1, 5])])
    values = np.arange(tables.shape[-1], dtype=float)
    for level in Level:
        together = alpha_from_coincidences(met, values, level)
        alone = [float(alpha_from_coincidences(each, values, level)) for each in met]
        np.testing.assert_array_equal(together, alone)


@on_each_seed(200)
def test_pairs_equal_those_of_the_annotators_one_by_one(seed):
    counts = random_counts(seed)
    labels = counts.shape[1]
    kept = np.random.default_rng(seed).random(labels) < 0.7
    tables = pair_tables(counts)
    agreed, pairs = agreeing(tables, kept)
    for unit, row in enumerate(counts.astype(int)):
        said = np.repeat(np.arange(labels), row)
        expected = np.zeros((labels, labels))
        for one, two in itertools.combinations(said, 2):
            expected[one, two] += 0.5
            expected[two, one] += 0.5
        assert tables[unit].tolist() == expected.ravel().tolist()
        counted = [(a, b) for a, b in itertools.combinations(said, 2) if kept[a] and kept[b]]
        assert (agreed[unit], pairs[unit]) == (sum(a == b for a, b in counted), len(counted))
