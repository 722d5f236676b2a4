"""Metrics of preferences against preferences: accuracy, kappa, consistency, coverage."""

from collections.abc import Mapping

import numpy as np

from venire.metrics.estimators import Estimator
from venire.metrics.join import CODE, NOT_ASKED, UNSCORED, Columns, Items
from venire.metrics.measurement import Collector, distinct_names, metric_name
from venire.records import Order, Reason, Slot, Winner
from venire.stats.estimate import BoolArray, Estimate, FloatArray, IntArray

NO_ORDER = "the method shows no order"
ONE_ORDER = "each instance was judged in one order"


def agreement_metrics(columns: Columns, estimator: Estimator, out: Collector) -> None:
    """`accuracy`, `kappa` and `kappa_null_category`: means over the orders, and each order's own."""
    out.estimate("accuracy", estimator.accuracy(columns.main))
    out.estimate("kappa", estimator.kappa(columns.main))
    out.estimate("kappa_null_category", estimator.kappa(columns.main, null_category=True))
    for order in Order:
        names = [metric_name(kind, order) for kind in ("accuracy", "kappa", "kappa_null_category")]
        if order not in columns.by_order:
            out.missing(names, f"no verdict was asked for in the order {order}")
            continue
        column = columns.by_order[order]
        out.estimate(names[0], estimator.accuracy([column]))
        out.estimate(names[1], estimator.kappa([column]))
        out.estimate(names[2], estimator.kappa([column], null_category=True))


def final_metrics(final: IntArray, estimator: Estimator, out: Collector) -> None:
    """`accuracy/final` and `kappa/final` of the method's final predictions."""
    out.estimate("accuracy/final", estimator.accuracy([final]))
    out.estimate("kappa/final", estimator.kappa([final]))


def order_metrics(columns: Columns, estimator: Estimator, out: Collector) -> None:
    """What only the orders tell: first-place rate, consistency, agreement of the orders."""
    position_metrics(columns, estimator, out)
    if not columns.both_orders:
        names = ("accuracy/consistent", "accuracy/both_orders", "kappa/consistent")
        between = ("kappa/between_orders", "kappa_null_category/between_orders")
        out.missing((*names, *between), ONE_ORDER if columns.by_order else NO_ORDER)
        return
    first, second = columns.main
    gold = estimator.gold
    consistent = _consistent(columns)
    everything = np.full(len(gold), True)
    out.estimate("accuracy/consistent", estimator.share_of(first == gold, consistent))
    out.estimate("accuracy/both_orders", estimator.share_of((first == gold) & consistent, everything))
    out.estimate("kappa/consistent", estimator.kappa([np.where(consistent, first, NOT_ASKED)]))
    out.estimate("kappa/between_orders", estimator.kappa_between([(first, second)]))
    null_too = estimator.kappa_between([(first, second)], null_category=True)
    out.estimate("kappa_null_category/between_orders", null_too)


def position_metrics(columns: Columns, estimator: Estimator, out: Collector) -> None:
    """`first_place_rate` and `position_consistency`: what the orders tell without any gold."""
    if columns.by_order:
        out.estimate("first_place_rate", first_place_rate(columns.by_order, estimator))
    else:
        out.missing(["first_place_rate"], NO_ORDER)
    if columns.both_orders:
        consistent = _consistent(columns)
        everything = np.full(len(consistent), True)
        out.estimate("position_consistency", estimator.share_of(consistent, everything))
    else:
        out.missing(["position_consistency"], ONE_ORDER if columns.by_order else NO_ORDER)


def _consistent(columns: Columns) -> BoolArray:
    """Whether both orders name one winner."""
    first, second = columns.main
    return np.equal(first, second) & np.greater_equal(first, 0)


def subset_metrics(items: Items, columns: Columns, estimator: Estimator, out: Collector) -> None:
    """`accuracy/subset/<Subset>`, `kappa/subset/<Subset>` and `accuracy/macro`; nothing without subsets."""
    if not any(items.subset):
        return
    names = distinct_names(subset or "unnamed" for subset in items.subset)
    where = {
        name: np.array([(subset or "unnamed") == value for subset in items.subset])
        for value, name in names.items()
    }
    out.estimate("accuracy/macro", estimator.accuracy_macro(columns.main, list(where.values())))
    for name, inside in where.items():
        out.estimate(metric_name("accuracy/subset", name), estimator.accuracy_within(columns.main, inside))
        within = [np.where(inside, column, NOT_ASKED) for column in columns.main]
        out.point(metric_name("kappa/subset", name), estimator.kappa(within))


def coverage_metrics(
    columns: Columns, why: Mapping[Reason, int], estimator: Estimator, out: Collector
) -> None:
    """`accuracy/worst`, `accuracy/best`, and those of `scored_metrics`."""
    hits, base = estimator.correct(columns.main)
    right, asked = (estimator.resampler.total(each) for each in (hits, base))
    unscored = _verdicts_that(np.stack(columns.main) == UNSCORED, estimator)
    scored_metrics(columns, why, estimator, out)
    out.put("accuracy/worst", right / asked)
    out.put("accuracy/best", (right + unscored) / asked)


def scored_metrics(columns: Columns, why: Mapping[Reason, int], estimator: Estimator, out: Collector) -> None:
    """`coverage`, and `unscored/*` by reason (those that occur)."""
    out.put("coverage", coverage(columns, estimator))
    out.put("unscored/total", sum(why.values()))
    for reason in Reason:
        if why.get(reason, 0):
            out.put(metric_name("unscored", reason), why[reason])


def coverage(columns: Columns, estimator: Estimator) -> float:
    """The share of scored verdicts among those that were to be given, over all orders."""
    verdicts = np.stack(columns.main)
    return _verdicts_that(verdicts >= 0, estimator) / _verdicts_that(verdicts != NOT_ASKED, estimator)


def _verdicts_that(marked: BoolArray, estimator: Estimator) -> int:
    """How many verdicts are marked; shape (columns, n)."""
    return sum(estimator.resampler.count(column) for column in marked)


def first_place_rate(by_order: Mapping[Order, IntArray], estimator: Estimator) -> Estimate:
    """How often the response shown first was picked, of the verdicts that pick one (ties do not)."""
    return estimator.share(*first_places(by_order))


def first_places(by_order: Mapping[Order, IntArray]) -> tuple[FloatArray, FloatArray]:
    """Per item: verdicts that pick the response shown first, and verdicts that pick one (ties do not)."""
    first = [column == CODE[order.winner(Slot.A)] for order, column in by_order.items()]
    picked = [(column >= 0) & (column != CODE[Winner.TIE]) for column in by_order.values()]
    return np.sum(first, axis=0, dtype=np.float64), np.sum(picked, axis=0, dtype=np.float64)
