"""How independent the judges of a panel are: correlation of their errors, effective votes.

`correct` is a matrix of 0 and 1, shape (n, judges); `weights` say how often each row counts, shape (n,),
None: once. As in `agreement`, each statistic comes also
as a closed form on sums of per-item features, for the bootstrap.
"""

import numpy as np

from venire.stats.estimate import NAN, Estimate, FloatArray, IntArray, divide, undefined


def error_correlation(correct: FloatArray, weights: IntArray | None = None) -> FloatArray:
    """Phi between the judges' correctness, shape (judges, judges); NaN where a judge is constant."""
    n = _size(correct, weights)
    counted = correct if weights is None else correct * weights[:, None]
    right = counted.sum(axis=0)
    spread = n * right - right**2
    both = counted.T @ correct
    return divide(n * both - np.outer(right, right), np.sqrt(np.outer(spread, spread)))


def _size(correct: FloatArray, weights: IntArray | None) -> int:
    return len(correct) if weights is None else int(weights.sum())


def mean_error_correlation(correct: FloatArray, weights: IntArray | None = None) -> Estimate:
    """The mean phi over all pairs of judges.

    Undefined for fewer than two judges, and where a judge is always or never right.
    """
    n, judges = _size(correct, weights), correct.shape[1]
    if judges < 2:
        return undefined("needs two judges", n)
    constant = np.flatnonzero((correct == correct[:1]).all(axis=0))
    if len(constant):
        numbers = ", ".join(str(index + 1) for index in constant)
        return undefined(f"judge {numbers} of {judges} is right always or never", n)
    pairs = np.triu_indices(judges, 1)
    return Estimate(float(error_correlation(correct, weights)[pairs].mean()), n=n)


def effective_votes(n_judges: int, correlation: float) -> float:
    """As many independent votes would vary as much as the panel's mean: n / (1 + (n - 1) r).

    NaN where r is, or at r <= -1 / (n - 1), its lowest possible mean.
    Source: Kish (1965), design effect; spec, "effective votes".
    """
    spread = 1 + (n_judges - 1) * correlation
    return n_judges / spread if spread > 0 else NAN


def effective_votes_of(correct: FloatArray, weights: IntArray | None = None) -> Estimate:
    """Effective votes of a panel by its errors; undefined as `mean_error_correlation`."""
    correlation = mean_error_correlation(correct, weights)
    if not correlation.is_defined:
        return correlation
    votes = effective_votes(correct.shape[1], correlation.value)
    if np.isnan(votes):
        return undefined("the errors cancel out exactly, r = -1 / (judges - 1)", correlation.n)
    return Estimate(votes, n=correlation.n)


def correlation_features(correct: FloatArray) -> FloatArray:
    """Per item: 1, right by judge, right by pair of judges; shape (n, 1 + J + J * (J - 1) / 2)."""
    first, second = np.triu_indices(correct.shape[1], 1)
    both = correct[:, first] * correct[:, second]
    return np.column_stack([np.ones(len(correct)), correct, both])


def correlation_from_sums(sums: FloatArray, n_judges: int) -> FloatArray:
    """The mean phi of summed `correlation_features`; NaN where a judge is constant."""
    first, second = np.triu_indices(n_judges, 1)
    n, right, both = sums[..., :1], sums[..., 1 : 1 + n_judges], sums[..., 1 + n_judges :]
    spread = n * right - right * right
    products = right[..., first] * right[..., second]
    phi = divide(n * both - products, np.sqrt(spread[..., first] * spread[..., second]))
    return np.asarray(phi.mean(axis=-1))


def votes_from_sums(sums: FloatArray, n_judges: int) -> FloatArray:
    """Effective votes of summed `correlation_features`; NaN as `effective_votes`."""
    spread = 1 + (n_judges - 1) * correlation_from_sums(sums, n_judges)
    return divide(n_judges, np.where(spread > 0, spread, np.nan))
