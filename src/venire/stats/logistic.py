"""Logistic regression that says so where it has no answer, and win rates at equal length."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from venire.stats.estimate import NAN, Codes, Estimate, FloatArray, undefined
from venire.stats.intervals import FEW_CLUSTERS

_INTERCEPT = "intercept"
_TOLERANCE = 1e-7
# A robust error below it, of columns of size 1, is rounding: no cluster differs from another.
_NO_ERROR = 1e-9
_CANCELLED = "no interval: the rows of each cluster cancel each other out, so that no cluster differs"
# Of the bootstrap's fits: most steps, longest step, when a fit has converged, and log odds that only a
# separated draw reaches.
_NEWTON_STEPS, _LONGEST_STEP, _CONVERGED, _FARTHEST = 60, 4.0, 1e-8, 30.0


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A log odds ratio with its interval, its Wald p (NaN where undefined) and the odds ratio."""

    estimate: Estimate
    p: float

    @property
    def odds_ratio(self) -> float:
        """The odds ratio of one more unit: e to the coefficient; NaN where that is undefined."""
        return math.exp(self.estimate.value) if self.estimate.is_defined else NAN


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted model: the coefficients by name, `intercept` among them."""

    coefficients: Mapping[str, Coefficient]

    def __getitem__(self, name: str) -> Coefficient:
        return self.coefficients[name]


def logistic(
    outcome: FloatArray, covariates: Mapping[str, FloatArray], cluster: Codes, level: float = 0.95
) -> Logistic:
    """The logistic regression of `outcome` on an intercept and `covariates`, errors robust by cluster.

    A covariate that is constant has no coefficient (NaN, with the reason); the others are estimated
    without it. Every coefficient is NaN, with the reason, where the outcome is constant, the covariates
    determine each other, or they separate the outcomes: the maximum likelihood is then at infinity, and
    what a solver stops at is no estimate. Separation, complete or quasi-complete, is found exactly, by a
    linear programme (Konis 2007), not by looking for large numbers. A coefficient has no interval and no p
    where the rows of each cluster cancel each other out (a judge that always picks what is shown first,
    asked in both orders).

    Args:
        outcome: in [0, 1], shape (n,); .5 is half a success (a tie).
        covariates: name to values, each of shape (n,).
        cluster: codes; rows of one cluster are not independent of each other.
        level: of the intervals (normal, on the log odds).

    Source: Albert and Anderson (1984) on separation; statsmodels `Logit`, `cov_type="cluster"`.
    """
    names = [_INTERCEPT, *covariates]
    n = len(outcome)
    fault = _fault(outcome, cluster)
    if fault:
        return _nothing(names, fault, n)
    constant = [name for name, values in covariates.items() if np.ptp(values) == 0]
    used = {name: values for name, values in covariates.items() if name not in constant}
    design = np.column_stack([np.ones(n), *used.values()])
    # Columns of one size: what is nearly collinear then does not hang on the covariates' units.
    scale = np.sqrt((design**2).mean(axis=0))
    if np.linalg.matrix_rank(design / scale, tol=_TOLERANCE * math.sqrt(n)) < design.shape[1]:
        return _nothing(names, f"{' and '.join(used)} determine each other (collinear)", n)
    if separates(design / scale, outcome):
        return _nothing(names, "the covariates separate the outcomes: the coefficients are infinite", n)
    fitted = _fit(outcome, design / scale, cluster, level)
    if isinstance(fitted, str):
        return _nothing(names, fitted, n)
    found = {
        name: _scaled(coefficient, factor)
        for name, coefficient, factor in zip([_INTERCEPT, *used], fitted, scale.tolist(), strict=True)
    }
    left_out = {name: _undefined(f"{name} is the same in every row", n) for name in constant}
    return Logistic({name: (found | left_out)[name] for name in names})


def separates(design: FloatArray, outcome: FloatArray) -> bool:
    """Whether some direction orders all successes at or above all failures, and not all of them equal.

    Then the likelihood has no maximum. Rows of a fractional outcome are success and failure at once.

    Args:
        design: shape (n, k), with the intercept.
        outcome: in [0, 1], shape (n,).

    Source: Konis (2007), "Linear programming algorithms for detecting separated data".
    """
    from scipy.optimize import linprog

    signed = np.unique(np.vstack([design[outcome > 0], -design[outcome < 1]]), axis=0)
    found = linprog(
        -signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1, 1), method="highs"
    )
    return found.status == 0 and float(found.fun or 0.0) < -_TOLERANCE * len(signed)


def resampled_coefficients(
    outcome: FloatArray, covariates: Sequence[FloatArray], cluster: Codes, counts: FloatArray
) -> FloatArray:
    """The coefficients of `logistic` on bootstrap draws of whole clusters, intercept first; shape (B, 1 + k).

    A row of NaN is a draw without an estimate: separated, collinear, or not converged. The draws are fitted
    together, by Newton's method, which is the same maximum as statsmodels finds.

    Args:
        outcome: in [0, 1], shape (n,).
        covariates: each of shape (n,).
        cluster: codes 0 .. C - 1, shape (n,).
        counts: how often each draw takes each cluster, shape (B, C).
    """
    design = np.column_stack([np.ones(len(outcome)), *covariates])
    weights = counts[:, cluster]
    beta: FloatArray = np.zeros((len(counts), design.shape[1]))
    step = np.full_like(beta, np.inf)
    for _ in range(_NEWTON_STEPS):
        fitted = 0.5 * (1 + np.tanh(0.5 * beta @ design.T))
        gradient = (weights * (outcome - fitted)) @ design
        curvature = np.einsum("bn,ni,nj->bij", weights * fitted * (1 - fitted), design, design)
        step = np.einsum("bij,bj->bi", np.linalg.pinv(curvature, hermitian=True), gradient)
        beta = beta + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max(initial=0.0) < _CONVERGED:
            break
    lost = ~(np.abs(step) < _CONVERGED).all(axis=1) | (np.abs(beta @ design.T).max(axis=1) > _FARTHEST)
    beta[lost] = NAN
    return beta


def win_rate_at_equal_length(
    wins: FloatArray, difference: FloatArray, cluster: Codes, level: float = 0.95
) -> Estimate:
    """The win rate that the regression of `wins` on length predicts where both are equally long.

    logit P(win) = a + b * tanh(difference / sd(difference)), at difference 0: 1 / (1 + exp(-a)). NaN with
    the reason where `logistic` has none, or where the difference is one and the same, and not 0, in all
    rows: nothing then tells length from anything else. Source: Dubois et al. 2024, "Length-Controlled
    AlpacaEval". Deviation: without its term for the difficulty of each instruction, for want of the many
    models that it is estimated from.

    Args:
        wins: in [0, 1], shape (n,); .5 for a tie.
        difference: own length minus the other's, shape (n,).
        cluster: codes; rows of one cluster are not independent of each other.
        level: of the interval, normal on the log odds.
    """
    n = len(wins)
    spread = float(np.std(difference)) if n else 0.0
    if n and spread == 0 and difference[0] != 0:
        return undefined("the length difference is the same in every row", n)
    shaped = np.tanh(difference / spread) if spread > 0 else np.zeros(n)
    covariates = {"length": shaped} if spread > 0 else {}
    intercept = logistic(wins, covariates, cluster, level)[_INTERCEPT].estimate
    if not intercept.is_defined:
        return intercept
    value, low, high = (_share(each) for each in (intercept.value, intercept.low, intercept.high))
    return Estimate(value, low, high, n, intercept.note)


def _share(log_odds: float) -> float:
    return log_odds if math.isnan(log_odds) else 0.5 * (1 + math.tanh(log_odds / 2))


def _fault(outcome: FloatArray, cluster: Codes) -> str:
    """Why there is nothing to fit; empty where there is."""
    if len(outcome) == 0:
        return "there is no row"
    if np.ptp(outcome) == 0 and outcome[0] in (0.0, 1.0):
        return "every outcome is the same"
    if len(np.unique(cluster)) < 2:
        return "there is only one cluster of rows"
    return ""


def _fit(outcome: FloatArray, design: FloatArray, cluster: Codes, level: float) -> list[Coefficient] | str:
    """The coefficients of the columns of `design`, or why there are none."""
    from statsmodels.discrete.discrete_model import Logit
    from statsmodels.tools.sm_exceptions import ModelWarning, PerfectSeparationError

    _, groups = np.unique(cluster, return_inverse=True)
    keywords = {"groups": groups}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # what it warns of is looked at below
            made = Logit(outcome, design).fit(disp=0, maxiter=200, cov_type="cluster", cov_kwds=keywords)
    except (PerfectSeparationError, np.linalg.LinAlgError) as error:
        return f"no maximum of the likelihood was found ({type(error).__name__})"
    errors = np.asarray(made.bse)
    if not made.mle_retvals["converged"] or not np.isfinite(errors).all():
        return "no maximum of the likelihood was found (no convergence)"
    z = NormalDist().inv_cdf((1 + level) / 2)
    n, clusters = len(outcome), len(np.unique(groups))
    note = f"{level:.0%} normal interval, errors robust over {clusters} clusters"
    if clusters < FEW_CLUSTERS:
        note += f"; fewer than {FEW_CLUSTERS} clusters: perhaps too narrow"
    values = zip(made.params.tolist(), errors.tolist(), made.pvalues.tolist(), strict=True)
    return [
        Coefficient(Estimate(value, value - z * error, value + z * error, n, note), p)
        if error > _NO_ERROR
        else Coefficient(Estimate(value, n=n, note=_CANCELLED), NAN)
        for value, error, p in values
    ]


def _scaled(coefficient: Coefficient, factor: float) -> Coefficient:
    """The coefficient of a column in its own units, fitted on that column divided by `factor`."""
    was = coefficient.estimate
    return Coefficient(
        Estimate(was.value / factor, was.low / factor, was.high / factor, was.n, was.note), coefficient.p
    )


def _undefined(reason: str, n: int) -> Coefficient:
    return Coefficient(undefined(reason, n), NAN)


def _nothing(names: list[str], reason: str, n: int) -> Logistic:
    return Logistic({name: _undefined(reason, n) for name in names})
