"""How far the judges of a panel err independently of each other, and what each of them is worth to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from venire.metrics.estimators import Estimator, mean_over
from venire.metrics.measurement import Collector, metric_name
from venire.metrics.panel import Bench, accuracies, best_judge, named, right_votes
from venire.records import Order
from venire.stats import independence, panel
from venire.stats.estimate import Estimate, FloatArray, IntArray, undefined
from venire.stats.intervals import Statistic

BOTH = "mean of the orders"
ONLY = "verdicts"


@dataclass(frozen=True, slots=True)
class Without:
    """The panel without one judge. A majority of an even number may be half right: a coin decides.

    Args:
        judge: who is left out.
        majority: share of items of which more than half of the others are right.
        with_coin: the same, half counting one half.
        change: `with_coin` less that of the whole panel.
        correlation, votes: of the others, as of the panel.
    """

    judge: str
    majority: Estimate
    with_coin: Estimate
    change: Estimate
    correlation: Estimate
    votes: Estimate


@dataclass(frozen=True, slots=True)
class Independence:
    """A panel's verdicts in one order, or the mean of both.

    Args:
        view: which.
        judges: their names; `accuracy` and `without` are in this order, rows and columns of `errors` too.
        n: items.
        accuracy: share of items that a judge is right on; unscored verdicts are not right.
        errors: correlation of being right between each two judges; NaN where one always or never is.
        correlation: the mean over the pairs.
        votes: effective votes.
        majority: share of items of which more than half of the judges are right.
        expected: the same if each judge were right independently of the others, as often as it is.
        gap: majority less expected.
        expected_within: as `expected`, independently within each subset.
        best: the judge with the highest accuracy (over all orders).
        lead: its accuracy less `majority`.
        without: the panel without each judge.
    """

    view: str
    judges: tuple[str, ...]
    n: int
    accuracy: tuple[Estimate, ...]
    errors: FloatArray
    correlation: Estimate
    votes: Estimate
    majority: Estimate
    expected: Estimate
    gap: Estimate
    expected_within: Estimate
    best: str
    lead: Estimate
    without: tuple[Without, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A panel's right and wrong, an entry for each order of a view: whether right (n, J), and asked (n,)."""

    judges: tuple[str, ...]
    right: tuple[FloatArray, ...]
    asked: tuple[FloatArray, ...]

    def less(self, place: int) -> "_Seen":
        """Without a judge."""
        names = tuple(name for index, name in enumerate(self.judges) if index != place)
        return _Seen(names, tuple(np.delete(each, place, axis=1) for each in self.right), self.asked)

    def features(self) -> list[FloatArray]:
        """`vote_features` of each order; 0 where nobody was asked."""
        return [
            independence.vote_features(right) * asked[:, None]
            for right, asked in zip(self.right, self.asked, strict=True)
        ]


def independence_of(bench: Bench, estimator: Estimator, subset: Sequence[str] = ()) -> list[Independence]:
    """Each order's, then the mean of both where both were shown; one alone where there are no orders.

    Args:
        bench: two judges or more.
        estimator: with the items' gold.
        subset: the items' subsets; `expected_within` is undefined with fewer than two.
    """
    matrices = bench.main
    best = best_judge(accuracies(bench, estimator))
    group = _codes(subset, len(estimator.gold))
    views: list[tuple[str, list[IntArray]]] = [(ONLY, matrices)]
    if len(matrices) > 1:
        shown = {str(order): bench.in_order(order) for order in Order}
        views = [(name, [matrix]) for name, matrix in shown.items() if matrix is not None]
        views.append((BOTH, matrices))
    return [
        _independence(view, _seen(bench, each, estimator.gold), estimator, group, best)
        for view, each in views
    ]


def independence_metrics(bench: Bench, estimator: Estimator, out: Collector) -> None:
    """`panel/majority_accuracy`, `panel/independent_accuracy`, `panel/independence_gap`, and by order."""
    views = {"": bench.main} | {
        str(order): [matrix] for order in Order if (matrix := bench.in_order(order)) is not None
    }
    for view, matrices in views.items():
        features = _seen(bench, matrices, estimator.gold).features()
        for name, statistic in _STATISTICS.items():
            out.estimate(metric_name("panel", name, view), _mean(features, statistic, estimator))


_STATISTICS: Mapping[str, Statistic] = {
    "majority_accuracy": independence.majority_from_sums,
    "independent_accuracy": independence.expected_from_sums,
    "independence_gap": independence.gap_from_sums,
}


def error_matrix(bench: Bench, gold: IntArray) -> FloatArray:
    """Correlation of being right between each two judges, the mean over the orders; shape (judges, judges).

    NaN where a judge is always or never right.
    """
    return _errors(_seen(bench, bench.main, gold))


def _errors(seen: _Seen) -> FloatArray:
    by_order = [panel.error_correlation(r[a > 0]) for r, a in zip(seen.right, seen.asked, strict=True)]
    return np.asarray(np.mean(by_order, axis=0))


def _seen(bench: Bench, matrices: Sequence[IntArray], gold: IntArray) -> _Seen:
    found = [right_votes(matrix, gold) for matrix in matrices]
    return _Seen(
        tuple(bench.judges), tuple(right for right, _ in found), tuple(a.astype(float) for _, a in found)
    )


def _independence(view: str, seen: _Seen, estimator: Estimator, group: IntArray, best: str) -> Independence:
    features = seen.features()
    names, place = seen.judges, seen.judges.index(best)
    return Independence(
        view=view,
        judges=names,
        n=int(np.any(seen.asked, axis=0).sum()),
        accuracy=tuple(_mean(features, partial(_accuracy, judge=j), estimator) for j in range(len(names))),
        errors=_errors(seen),
        correlation=_of_errors(seen, estimator, votes=False),
        votes=_of_errors(seen, estimator, votes=True),
        majority=_mean(features, independence.majority_from_sums, estimator),
        expected=_mean(features, independence.expected_from_sums, estimator),
        gap=_mean(features, independence.gap_from_sums, estimator),
        expected_within=_within(features, estimator, group),
        best=best,
        lead=_mean(features, partial(_lead, judge=place), estimator),
        without=tuple(_without(seen, j, estimator) for j in range(len(names))),
    )


def _without(seen: _Seen, place: int, estimator: Estimator) -> Without:
    less = seen.less(place)
    before, after = seen.features(), less.features()
    with_coin = partial(independence.majority_from_sums, coin=True)
    width = before[0].shape[1]

    def change(sums: FloatArray) -> FloatArray:
        return np.asarray(with_coin(sums[..., width:]) - with_coin(sums[..., :width]))

    both = [np.hstack(pair) for pair in zip(before, after, strict=True)]
    return Without(
        judge=seen.judges[place],
        majority=_mean(after, independence.majority_from_sums, estimator),
        with_coin=_mean(after, with_coin, estimator),
        change=_mean(both, change, estimator),
        correlation=_of_errors(less, estimator, votes=False),
        votes=_of_errors(less, estimator, votes=True),
    )


def _mean(features: Sequence[FloatArray], statistic: Statistic, estimator: Estimator) -> Estimate:
    """The mean of a statistic over the orders, with its bootstrap interval."""
    everything = np.hstack(features)
    used = estimator.resampler.count(np.any(everything, axis=1))
    if not used:
        return undefined("nobody was asked")
    mean = mean_over(len(features), statistic)
    return estimator.unbounded(float(mean(estimator.resampler.sums(everything))), everything, mean, used)


def _of_errors(seen: _Seen, estimator: Estimator, *, votes: bool) -> Estimate:
    """The mean error correlation or the effective votes, mean over the orders."""
    judges = len(seen.judges)
    asked = [each > 0 for each in seen.asked]
    point_of = panel.effective_votes_of if votes else panel.mean_error_correlation
    for right, some in zip(seen.right, asked, strict=True):
        point = point_of(right[some])
        if not point.is_defined:
            return named(point, right[some], seen.judges)
    from_sums = panel.votes_from_sums if votes else panel.correlation_from_sums
    features = [
        panel.correlation_features(right) * some[:, None]
        for right, some in zip(seen.right, asked, strict=True)
    ]
    return _mean(features, partial(from_sums, n_judges=judges), estimator)


def _within(features: Sequence[FloatArray], estimator: Estimator, group: IntArray) -> Estimate:
    groups = int(group.max(initial=-1)) + 1
    if groups < 2:
        return undefined("the items have fewer than two subsets")
    grouped = [independence.in_groups(each, group) for each in features]
    return _mean(grouped, partial(independence.expected_within_from_sums, groups=groups), estimator)


def _accuracy(sums: FloatArray, judge: int) -> FloatArray:
    return np.asarray(sums[..., 1 + judge] / np.where(sums[..., 0] > 0, sums[..., 0], np.nan))


def _lead(sums: FloatArray, judge: int) -> FloatArray:
    return np.asarray(_accuracy(sums, judge) - independence.majority_from_sums(sums))


def _codes(subset: Sequence[str], n: int) -> IntArray:
    names = {name: code for code, name in enumerate(sorted(set(subset)))}
    return np.array([names[name] for name in subset] if subset else [0] * n, dtype=np.int64)
