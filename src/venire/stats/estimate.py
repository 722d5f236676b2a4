"""A number with its interval, or the reason why there is none."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int32] | IntArray  # 4 bytes each where there are many

NAN = math.nan


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic over `n` items with its interval.

    `value` is NaN where the statistic is undefined, `low` and `high` where there is no interval;
    `note` then says why, and otherwise by which method the interval was made.
    """

    value: float
    low: float = NAN
    high: float = NAN
    n: int = 0
    note: str = ""

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


def undefined(reason: str, n: int = 0) -> Estimate:
    """An estimate without a value, and why."""
    return Estimate(NAN, n=n, note=f"undefined: {reason}")


def divide(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """The quotient element by element; NaN where the denominator is 0. Shapes broadcast."""
    over, under = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    out: FloatArray = np.full(over.shape, np.nan)
    np.divide(over, under, out=out, where=np.not_equal(under, 0))
    return out
