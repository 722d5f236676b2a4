"""Bowker's and Stuart and Maxwell's tests, and the worst cell of a table."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.seeds import on_each_seed

from venire.errors import DataError
from venire.stats.symmetry import bowker, stuart_maxwell, worst_cell

# Disagreements 10:3, 5:0 and 15:5.
TABLE = np.array([[20, 10, 5], [3, 30, 15], [0, 5, 40]])


def test_bowker_sums_the_squared_excess_of_each_pair_of_labels() -> None:
    # 7**2 / 13 + 5**2 / 5 + 10**2 / 20 = 13.7692; chi-square with 3 degrees of freedom: p .003237 (R:
    # pchisq(13.7692, 3, lower.tail = FALSE)).
    made = bowker(TABLE)
    assert made.statistic == pytest.approx(49 / 13 + 5 + 5)
    assert made.df == 3
    assert made.p == pytest.approx(0.0032367, abs=1e-7)
    assert made.note.startswith("rough: a pair of labels has only 5 discordant items")


def test_stuart_maxwell_compares_the_margins() -> None:
    # Row minus column margins 35 - 23 = 12, 48 - 45 = 3, 45 - 60 = -15. Covariance of the first two:
    # [35 + 23 - 40, -13; -13, 48 + 45 - 60] = [18, -13; -13, 33], determinant 425.
    # d' S^-1 d = (33 * 144 + 2 * 13 * 36 + 18 * 9) / 425 = 5850 / 425.
    made = stuart_maxwell(TABLE)
    assert made.statistic == pytest.approx(5850 / 425)
    assert made.df == 2
    assert made.p == pytest.approx(math.exp(-5850 / 425 / 2))  # chi-square with 2 degrees of freedom


def test_two_labels_are_mcnemar_in_both_tests() -> None:
    # (30 - 10)**2 / 40 = 10; p of chi-square with one degree of freedom .0015654.
    table = np.array([[50, 30], [10, 50]])
    for made in (bowker(table), stuart_maxwell(table)):
        assert (made.statistic, made.df) == (pytest.approx(10.0), 1)
        assert made.p == pytest.approx(0.0015654, abs=1e-7)
        assert made.note == ""


def test_labels_and_pairs_that_nobody_is_torn_between_change_nothing() -> None:
    small = np.array([[50, 30], [10, 50]])
    wide = np.zeros((4, 4), dtype=np.int64)
    wide[np.ix_([0, 2], [0, 2])] = small
    wide[3, 3] = 17
    assert bowker(wide) == bowker(small)
    assert stuart_maxwell(wide) == stuart_maxwell(small)


def test_a_pair_without_a_disagreement_takes_no_degree_of_freedom() -> None:
    # 1 and 3 are never confused: 20**2 / 40 + 0 for 8:8, two degrees of freedom: p exp(-5).
    table = np.array([[5, 30, 0], [10, 5, 8], [0, 8, 5]])
    made = bowker(table)
    assert (made.statistic, made.df) == (pytest.approx(10.0), 2)
    assert made.p == pytest.approx(math.exp(-5))


def test_perfect_agreement_and_an_empty_table_have_no_test() -> None:
    for table in (np.diag([3, 4, 0]), np.zeros((2, 2), dtype=np.int64), np.zeros((0, 0), dtype=np.int64)):
        for made in (bowker(table), stuart_maxwell(table)):
            assert math.isnan(made.p)
            assert made.note == "undefined: the two sides agree on every item"
        assert worst_cell(table) is None


def test_margins_of_groups_that_never_meet_are_undefined_and_bowker_is_not() -> None:
    table = np.zeros((4, 4), dtype=np.int64)
    table[0, 1] = table[2, 3] = 10
    assert math.isnan(stuart_maxwell(table).p)
    assert "singular" in stuart_maxwell(table).note
    assert bowker(table).statistic == pytest.approx(20.0)


def test_the_worst_cell_is_the_one_that_outweighs_its_mirror_most() -> None:
    # Excess 7 / sqrt(13) = 1.94, 5 / sqrt(5) = 2.236, 10 / sqrt(20) = 2.236: of equal ones the larger.
    cell = worst_cell(TABLE)
    assert cell is not None
    assert (cell.first, cell.second, cell.count, cell.mirrored) == (1, 2, 15, 5)
    assert cell.excess == pytest.approx(math.sqrt(5))


def test_an_even_table_still_has_a_largest_cell() -> None:
    cell = worst_cell(np.array([[0, 2], [2, 0]]))
    assert cell is not None
    assert (cell.first, cell.second, cell.excess) == (0, 1, 0.0)
    assert bowker(np.array([[0, 2], [2, 0]])).p == 1.0


def test_a_table_that_is_not_square_is_refused() -> None:
    for test in (bowker, stuart_maxwell, worst_cell):
        with pytest.raises(DataError, match=r"as many rows as columns, got the shape \(2, 3\)"):
            test(np.zeros((2, 3), dtype=np.int64))


@on_each_seed(200)
def test_both_tests_equal_their_formulas_written_out(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 5))
    table = rng.integers(0, (12, 2)[seed % 3 == 0], size=(size, size))
    pairs = [(i, j) for i in range(size) for j in range(i) if table[i, j] + table[j, i] > 0]
    made = bowker(table)
    if not pairs:
        assert not made.is_defined
        return
    statistic = sum((table[i, j] - table[j, i]) ** 2 / (table[i, j] + table[j, i]) for i, j in pairs)
    assert (made.statistic, made.df) == (pytest.approx(statistic), len(pairs))
    assert made.p == pytest.approx(stats.chi2.sf(statistic, len(pairs)))
    homogeneous = stuart_maxwell(table)
    if homogeneous.is_defined and len({each for pair in pairs for each in pair}) == size:
        gap = (table.sum(axis=1) - table.sum(axis=0))[:-1].astype(float)
        spread = -(table + table.T)[:-1, :-1].astype(float)
        np.fill_diagonal(spread, (table.sum(axis=0) + table.sum(axis=1) - 2 * np.diagonal(table))[:-1])
        value = gap @ np.linalg.solve(spread, gap)
        assert homogeneous.statistic == pytest.approx(value, abs=1e-9)
        assert homogeneous.p == pytest.approx(stats.chi2.sf(value, size - 1))


@on_each_seed(200)
def test_no_cell_outweighs_its_mirror_more_than_the_worst(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 6))
    table = rng.integers(0, (20, 3, 1)[seed % 3], size=(size, size))
    excess = {
        (i, j): (table[i, j] - table[j, i]) / math.sqrt(table[i, j] + table[j, i])
        for i in range(size)
        for j in range(size)
        if i != j and table[i, j] + table[j, i]
    }
    cell = worst_cell(table)
    if cell is None:
        assert not excess
        return
    assert cell.excess == pytest.approx(max(excess.values()))
    assert excess[cell.first, cell.second] == pytest.approx(cell.excess)
    assert (cell.count, cell.mirrored) == (table[cell.first, cell.second], table[cell.second, cell.first])
