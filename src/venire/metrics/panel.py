"""Metrics of the judges behind a method's verdicts: each one's own, and how they agree and err together."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import DataError
from venire.metrics.estimators import N_WINNERS, Estimator, mean_over
from venire.metrics.join import NOT_ASKED, Columns, Judgments, columns, each_once, orders_asked
from venire.metrics.measurement import Collector, distinct_names, metric_name
from venire.metrics.pairwise import coverage
from venire.records import Order, Outcome, Prediction
from venire.stats import agreement, panel
from venire.stats.estimate import BoolArray, Estimate, FloatArray, IntArray, undefined
from venire.stats.intervals import Statistic


@dataclass(frozen=True, slots=True)
class Bench:
    """The judges' verdicts on the same items: a column set for each judge, by name."""

    judges: Mapping[str, Columns]

    @property
    def main(self) -> list[IntArray]:
        """One matrix (n, judges) for each column of `Columns.main`."""
        return [
            np.stack(column, axis=1) for column in zip(*(c.main for c in self.judges.values()), strict=True)
        ]

    def in_order(self, order: Order) -> IntArray | None:
        """The matrix (n, judges) of one order, None where it was not shown."""
        found = [c.by_order[order] for c in self.judges.values() if order in c.by_order]
        return np.stack(found, axis=1) if found else None


def bench_of(outcomes: Sequence[Outcome | None]) -> Bench:
    """The votes of all outcomes as columns; a judge without a vote where others have one is unscored.

    Raises:
        DataError: a judge voted twice on an instance in one order.
    """
    votes = each_once(_by_judge, outcomes)
    names = sorted({name for each in votes for name in each})
    asked = orders_asked(each_once(_together, votes))
    return Bench({name: columns([each.get(name, {}) for each in votes], asked) for name in names})


def judge_metrics(bench: Bench, estimator: Estimator, out: Collector) -> None:
    """`judge/<name>/*` and `panel/best_judge_accuracy`."""
    names = distinct_names(bench.judges)
    accuracy = accuracies(bench, estimator)
    for judge, columns_ in bench.judges.items():
        prefix = metric_name("judge", names[judge])
        out.estimate(f"{prefix}/accuracy", accuracy[judge])
        out.point(f"{prefix}/kappa", estimator.kappa(columns_.main))
        out.put(f"{prefix}/coverage", coverage(columns_, estimator))
        for order, column in columns_.by_order.items():
            out.point(f"{prefix}/accuracy/{order}", estimator.accuracy([column]))
    best = best_judge(accuracy)
    out.put("panel/best_judge_accuracy", accuracy[best].value, f"{best}, best over all judged orders")
    for order, column in bench.judges[best].by_order.items():
        out.put(f"panel/best_judge_accuracy/{order}", estimator.accuracy([column]).value, best)


def accuracies(bench: Bench, estimator: Estimator) -> dict[str, Estimate]:
    """Each judge's accuracy over all orders."""
    return {judge: estimator.accuracy(columns_.main) for judge, columns_ in bench.judges.items()}


def best_judge(accuracy: Mapping[str, Estimate]) -> str:
    """The judge with the highest accuracy; of equals the first by name."""
    return max(sorted(accuracy), key=lambda judge: accuracy[judge].value)


def panel_metrics(bench: Bench, estimator: Estimator, out: Collector) -> None:
    """`panel/*`: agreement, shared errors, effective votes, verdicts without a majority."""
    matrices = bench.main
    out.estimate("panel/fleiss_kappa", _fleiss(matrices, estimator))
    out.estimate("panel/krippendorff_alpha", _alpha(matrices, estimator))
    out.estimate("panel/error_correlation", _correlation(matrices, estimator, bench))
    out.estimate("panel/effective_votes", _votes(matrices, estimator, bench))
    for order in Order:
        matrix = bench.in_order(order)
        if matrix is not None:
            out.estimate(f"panel/effective_votes/{order}", _votes([matrix], estimator, bench))
    count = estimator.resampler.count
    out.put("panel/no_majority", sum(count(_without_majority(matrix)) for matrix in matrices))


def _fleiss(matrices: Sequence[IntArray], estimator: Estimator) -> Estimate:
    judges = matrices[0].shape[1]
    points = [
        _agreement(matrix, estimator, agreement.fleiss_kappa, agreement.fleiss_kappa_of_many)
        for matrix in matrices
    ]
    features = [agreement.fleiss_features(matrix, N_WINNERS) for matrix in matrices]
    return _interval(points, features, lambda sums: agreement.fleiss_from_sums(sums, judges), estimator)


def _alpha(matrices: Sequence[IntArray], estimator: Estimator) -> Estimate:
    points = [
        _agreement(matrix, estimator, agreement.krippendorff_alpha, agreement.krippendorff_alpha_of_many)
        for matrix in matrices
    ]
    features = [agreement.alpha_features(matrix, N_WINNERS) for matrix in matrices]
    return _interval(points, features, agreement.alpha_from_sums, estimator)


def _agreement(
    matrix: IntArray,
    estimator: Estimator,
    plain: Callable[[IntArray, int], Estimate],
    of_many: Callable[[IntArray, int, IntArray], Estimate],
) -> Estimate:
    if estimator.n <= agreement.MANY:
        return plain(estimator.by_item(matrix), N_WINNERS)
    weights = estimator.resampler.weights
    return of_many(matrix, N_WINNERS, np.ones(len(matrix), np.int64) if weights is None else weights)


def _correlation(matrices: Sequence[IntArray], estimator: Estimator, bench: Bench) -> Estimate:
    return _of_errors(matrices, estimator, bench, panel.mean_error_correlation, panel.correlation_from_sums)


def _votes(matrices: Sequence[IntArray], estimator: Estimator, bench: Bench) -> Estimate:
    return _of_errors(matrices, estimator, bench, panel.effective_votes_of, panel.votes_from_sums)


def _of_errors(
    matrices: Sequence[IntArray],
    estimator: Estimator,
    bench: Bench,
    point_of: Callable[[FloatArray, IntArray | None], Estimate],
    from_sums: Callable[[FloatArray, int], FloatArray],
) -> Estimate:
    """A statistic of the judges' correctness, mean over the matrices."""
    judges, weights = len(bench.judges), estimator.resampler.weights
    points, features = [], []
    for matrix in matrices:
        right, asked = right_votes(matrix, estimator.gold)
        point = point_of(right[asked], None if weights is None else weights[asked])
        points.append(named(point, right[asked], bench.judges))
        features.append(panel.correlation_features(right) * asked[:, None])
    return _interval(points, features, lambda sums: from_sums(sums, judges), estimator)


def right_votes(matrix: IntArray, gold: IntArray) -> tuple[FloatArray, BoolArray]:
    """Whether each judge is right (n, judges), unscored votes not; and which items were asked (n,)."""
    asked = np.any(matrix != NOT_ASKED, axis=1)
    return (matrix == gold[:, None]).astype(float), asked


def named(point: Estimate, right: FloatArray, judges: Collection[str]) -> Estimate:
    """The same estimate; its reason names those of several judges that are always or never right."""
    constant = np.all(right == right[:1], axis=0)
    if point.is_defined or len(judges) < 2 or not constant.any():
        return point
    names = [name for name, same in zip(judges, constant, strict=True) if same]
    return undefined(f"right always or never: {', '.join(names)}", point.n)


def _interval(
    points: Sequence[Estimate], features: Sequence[FloatArray], statistic: Statistic, estimator: Estimator
) -> Estimate:
    """The mean of the points, with the bootstrap interval of their closed form."""
    for point in points:
        if not point.is_defined:
            return point
    value = float(np.mean([point.value for point in points]))
    mean = mean_over(len(points), statistic)
    return estimator.unbounded(value, np.hstack(features), mean, points[0].n)


def _without_majority(matrix: IntArray) -> BoolArray:
    """Which items have usable votes of which no single winner leads, shape (n,)."""
    counts = np.sort(agreement.counts_by_label(matrix, N_WINNERS), axis=1)
    return np.asarray((counts[:, -1] > 0) & (counts[:, -1] == counts[:, -2]))


def _together(votes: Mapping[str, Judgments]) -> Judgments:
    """A vote in each order that any judge voted in."""
    return {order: prediction for ballots in votes.values() for order, prediction in ballots.items()}


def _by_judge(outcome: Outcome | None) -> dict[str, dict[Order | None, Prediction]]:
    found: dict[str, dict[Order | None, Prediction]] = {}
    if outcome is None:
        return found
    for vote in outcome.votes:
        own = found.setdefault(vote.judge, {})
        if vote.order in own:
            order = vote.order or "no order"
            raise DataError(f"votes of {vote.judge!r}: two on {outcome.instance_id!r} in {order}")
        own[vote.order] = vote.prediction
    return found
