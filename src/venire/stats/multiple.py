"""Families of tests: p values adjusted for how many were made."""

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

ALPHA = 0.05  # below, an adjusted p is called significant


class Correction(StrEnum):
    """How the p values of a family are adjusted."""

    HOLM = "holm"  # the chance of any false finding is at most alpha, whatever the tests have in common
    BENJAMINI_HOCHBERG = "bh"  # the expected share of false ones among the findings is at most alpha
    NONE = "none"

    @property
    def label(self) -> str:
        """As a column or a sentence names it."""
        return {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "uncorrected"}[self.value]


def family_size(p_values: Sequence[float]) -> int:
    """How many tests were made: NaN is none."""
    return sum(not math.isnan(p) for p in p_values)


def adjusted(p_values: Sequence[float], correction: Correction) -> tuple[float, ...]:
    """The p values, in their order, so that each can be held against alpha; NaN stays and counts for nothing.

    Source: Holm (1979), in steps down; Benjamini & Hochberg (1995), in steps up.
    """
    given = np.array(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(given))
    size = len(tested)
    order = tested[np.argsort(given[tested], kind="stable")]
    ranked = given[order]
    match correction:
        case Correction.HOLM:
            ranked = np.maximum.accumulate(ranked * np.arange(size, 0, -1))
        case Correction.BENJAMINI_HOCHBERG:
            steps = ranked * size / np.arange(1, size + 1)
            ranked = np.minimum.accumulate(steps[::-1])[::-1]
        case Correction.NONE:
            pass
    given[order] = np.minimum(ranked, 1.0)
    return tuple(map(float, given))
