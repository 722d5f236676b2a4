"""Features of many items: tables of counts as codes, and items a part at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from venire.stats.estimate import Codes, FloatArray, IntArray

_ITEMS_AT_ONCE = 65_536


@dataclass(frozen=True, slots=True)
class Cells:
    """Features of items that are one-hot in each block: what a table of counts is made of.

    Args:
        codes: the cell of each item in each block, 0 .. size - 1, negative for none, shape (n, blocks).
        size: cells of a block.
    """

    codes: IntArray
    size: int

    @property
    def width(self) -> int:
        """F."""
        return int(self.codes.shape[1]) * self.size

    def add_to(self, sums: FloatArray, units: Codes, rows: slice | Codes) -> None:
        """Add those of some items, whose `rows` these are, to the sums within units, shape (F, U)."""
        n_units = sums.shape[1]
        for block, column in enumerate(self.codes.T):
            cells = column[rows]
            known = cells >= 0
            at = cells[known] * n_units + units[known]
            counts = np.bincount(at, minlength=self.size * n_units).reshape(self.size, n_units)
            sums[block * self.size : (block + 1) * self.size] += counts

    @property
    def dense(self) -> FloatArray:
        """As an array of features, shape (n, blocks * size)."""
        n, blocks = self.codes.shape
        features = np.zeros((n, blocks, self.size))
        rows, columns = np.nonzero(self.codes >= 0)
        features[rows, columns, self.codes[rows, columns]] = 1.0
        return features.reshape(n, blocks * self.size)


Features = FloatArray | Cells  # of shape (n, F)


def parts_of(n: int) -> Iterator[slice]:
    """0 .. n - 1 in order, some at a time: what is made of all items is made of so many."""
    return (slice(start, min(start + _ITEMS_AT_ONCE, n)) for start in range(0, n, _ITEMS_AT_ONCE))


def weights_of(codes: Codes) -> IntArray:
    """How often each code 0 .. K - 1 occurs, shape (K,)."""
    size = int(codes.max(initial=-1)) + 1
    counts = np.zeros(size, dtype=np.int64)
    for part in parts_of(len(codes)):  # bincount copies what are no 8 bytes each
        counts += np.bincount(codes[part], minlength=size)
    return counts
