"""From a confidence to the probability of being right: isotonic regression and Platt scaling.

Both are fitted on items whose gold is known and that are not evaluated (the development split).
"""

import warnings
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from venire.errors import DataError
from venire.stats.calibration import Graded
from venire.stats.estimate import FloatArray


class Recalibration(StrEnum):
    """How a confidence becomes a probability."""

    ISOTONIC = "isotonic"
    PLATT = "platt"


@dataclass(frozen=True, slots=True)
class Isotonic:
    """A rising step curve: `knots` ascending, `levels` not falling, both of shape (K,).

    Linear between knots, constant outside of them.
    """

    knots: FloatArray
    levels: FloatArray

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """The probabilities of being right; NaN stays NaN."""
        return np.interp(confidence, self.knots, self.levels)


@dataclass(frozen=True, slots=True)
class Platt:
    """1 / (1 + exp(-(slope * confidence + intercept)))."""

    slope: float
    intercept: float

    def __call__(self, confidence: FloatArray) -> FloatArray:
        """The probabilities of being right; NaN stays NaN."""
        return np.asarray(0.5 * (1 + np.tanh((self.slope * confidence + self.intercept) / 2)))


Curve = Isotonic | Platt


def fit(kind: Recalibration, items: Graded) -> Curve:
    """The curve of `kind` through `items`.

    Raises:
        DataError: there is no item.
    """
    match kind:
        case Recalibration.ISOTONIC:
            return fit_isotonic(items)
        case Recalibration.PLATT:
            return fit_platt(items)


def fit_isotonic(items: Graded) -> Isotonic:
    """The rising curve with the least squared error to right (1) and wrong (0).

    By scipy's pool-adjacent-violators, on the share of right items at each distinct confidence, weighted
    by their number. It follows few items closely: below some hundred, Platt's two numbers are safer.

    Raises:
        DataError: there is no item.

    Source: Zadrozny & Elkan (2002).
    """
    _check(items)
    from scipy.optimize import isotonic_regression

    table = items.table
    n = table.sum(axis=1)
    made = isotonic_regression(table[:, 1] / n, weights=n)
    return Isotonic(items.values, np.asarray(made.x, dtype=np.float64))


def fit_platt(items: Graded) -> Platt:
    """The logistic curve of highest likelihood, with Platt's targets in the place of 1 and 0.

    Of n1 right and n0 wrong items the targets are (n1 + 1) / (n1 + 2) and 1 / (n0 + 2): so a split that is
    all right has a curve, too, and none is ever certain. One distinct confidence: a constant curve.

    Raises:
        DataError: there is no item.

    Source: Platt (1999), "Probabilistic Outputs for Support Vector Machines", section 2.2.
    """
    _check(items)
    table = items.table
    wrong, right = table.sum(axis=0)
    targets = np.array([1 / (wrong + 2), (right + 1) / (right + 2)])
    wanted = table @ targets
    n = table.sum(axis=1)
    if len(items.values) == 1:
        share = float(wanted.sum() / n.sum())
        return Platt(0.0, float(np.log(share / (1 - share))))
    return Platt(*_logistic(items.values, wanted / n, n))


def _logistic(x: FloatArray, shares: FloatArray, n: FloatArray) -> tuple[float, float]:
    """Slope and intercept of highest likelihood; the shares lie inside of (0, 1), so the maximum exists."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    design = np.column_stack([x, np.ones(len(x))])
    # Of two confidences no residual is left; the scale that is made of it is not looked at.
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        # A curve through all shares is no separation here: they are never 0 or 1.
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        made = GLM(shares, design, family=Binomial(), var_weights=n).fit(tol=1e-12)
    return float(made.params[0]), float(made.params[1])


def _check(items: Graded) -> None:
    if items.n == 0:
        raise DataError("recalibration: expected development items with a confidence, got none")
