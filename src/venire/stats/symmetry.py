"""Whether two labellings disagree evenly or to one side: Bowker's and Stuart and Maxwell's tests."""

import math
from dataclasses import dataclass

import numpy as np

from venire.errors import DataError
from venire.stats.estimate import NAN, FloatArray, IntArray

FEW_PAIRS = (
    10  # discordant items of a pair of labels; below, the chi-square approximation is said to be rough
)


@dataclass(frozen=True, slots=True)
class SymmetryTest:
    """A chi-square test on a square table of counts.

    `statistic` and `p` are NaN where the test is undefined; `note` then says why, and otherwise what
    speaks against its approximation.
    """

    statistic: float
    df: int
    p: float
    note: str = ""

    @property
    def is_defined(self) -> bool:
        """Whether there is a p."""
        return not math.isnan(self.p)


@dataclass(frozen=True, slots=True)
class Cell:
    """An off-diagonal cell: `first` and `second` are labels' codes, `mirrored` the cell across the diagonal.

    `excess` is (count - mirrored) / sqrt(count + mirrored): its square is the pair's part of Bowker's
    statistic.
    """

    first: int
    second: int
    count: int
    mirrored: int

    @property
    def excess(self) -> float:
        """How far this cell outweighs the mirrored one, in standard deviations under symmetry."""
        both = self.count + self.mirrored
        return (self.count - self.mirrored) / math.sqrt(both) if both else 0.0


def bowker(table: IntArray) -> SymmetryTest:
    """Bowker's test that cell (i, j) is as frequent as (j, i), for all pairs of labels.

    A pair of labels that no item is torn between adds nothing, neither to the statistic nor to the
    degrees of freedom. Undefined where the two sides agree on all items.
    Source: Bowker (1948); statistic by statsmodels `SquareTable.symmetry`, without its shift of zeros.

    Args:
        table: counts of (first, second), shape (K, K).

    Raises:
        DataError: the table is not square.
    """
    _check(table)
    between = [cell for cell in _cells(table) if cell.first < cell.second]
    if not between:
        return SymmetryTest(NAN, 0, NAN, "undefined: the two sides agree on every item")
    from scipy.stats import chi2
    from statsmodels.stats.contingency_tables import SquareTable

    statistic = float(SquareTable(table, shift_zeros=False).symmetry(method="bowker").statistic)
    df = len(between)
    return SymmetryTest(statistic, df, float(chi2.sf(statistic, df)), _rough(between))


def stuart_maxwell(table: IntArray) -> SymmetryTest:
    """Stuart and Maxwell's test that both sides use the labels equally often.

    Labels on which the two sides never disagree are left out: they add nothing and make the covariance
    singular. Undefined where the sides agree on all items, or the labels fall into groups between which
    there is no disagreement (the covariance is singular then).
    Source: Stuart (1955), Maxwell (1970); statsmodels `SquareTable.homogeneity`.

    Args:
        table: counts of (first, second), shape (K, K).

    Raises:
        DataError: the table is not square.
    """
    _check(table)
    torn = _torn(table)
    if len(torn) == 0:
        return SymmetryTest(NAN, 0, NAN, "undefined: the two sides agree on every item")
    if not _is_connected(table, torn):
        return SymmetryTest(
            NAN, 0, NAN, "undefined: labels fall into groups between which nobody disagrees (singular)"
        )
    from statsmodels.stats.contingency_tables import SquareTable

    kept = table[np.ix_(torn, torn)]
    made = SquareTable(kept, shift_zeros=False).homogeneity(method="stuart_maxwell")
    between = [cell for cell in _cells(table) if cell.first < cell.second]
    return SymmetryTest(float(made.statistic), int(made.df), float(made.pvalue), _rough(between))


def worst_cell(table: IntArray) -> Cell | None:
    """The off-diagonal cell that outweighs its mirror most; of equal ones the larger, then the first.

    None where the two sides agree on every item.
    """
    _check(table)
    cells = _cells(table)
    return max(cells, key=lambda cell: (cell.excess, cell.count, -cell.first, -cell.second), default=None)


def _check(table: IntArray) -> None:
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise DataError(f"table: expected as many rows as columns, got the shape {table.shape}")


def _cells(table: IntArray) -> list[Cell]:
    """The off-diagonal cells of pairs of labels that some item is torn between, row by row."""
    size = len(table)
    return [
        Cell(i, j, int(table[i, j]), int(table[j, i]))
        for i in range(size)
        for j in range(size)
        if i != j and table[i, j] + table[j, i] > 0
    ]


def _torn(table: IntArray) -> IntArray:
    """The labels on which the two sides disagree at least once."""
    off: FloatArray = table.sum(axis=0) + table.sum(axis=1) - 2.0 * np.diagonal(table)
    return np.flatnonzero(off > 0)


def _is_connected(table: IntArray, torn: IntArray) -> bool:
    """Whether every label of `torn` is reached from the first one over disagreements."""
    linked = (table + table.T) > 0
    seen, todo = {int(torn[0])}, [int(torn[0])]
    while todo:
        for other in np.flatnonzero(linked[todo.pop()]):
            if int(other) not in seen:
                seen.add(int(other))
                todo.append(int(other))
    return set(map(int, torn)) <= seen


def _rough(between: list[Cell]) -> str:
    fewest = min(cell.count + cell.mirrored for cell in between)
    if fewest >= FEW_PAIRS:
        return ""
    return f"rough: a pair of labels has only {fewest} discordant items (of {FEW_PAIRS} or more wished for)"
