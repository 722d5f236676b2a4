"""Findings of probes: what a change to a response does to its chances, and what asking again does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from venire.judging.probe import DRIFT, PLAIN, Bias
from venire.metrics.audit.finding import Finding, not_applicable, with_interval
from venire.metrics.audit.ratios import Mean
from venire.metrics.audit.readings import Item, Readings, before_of, mean_won
from venire.metrics.estimators import Estimator
from venire.metrics.measurement import metric_name
from venire.records import Order, Prediction, Preference
from venire.stats.estimate import Estimate, divide, undefined
from venire.stats.paired import mcnemar_exact


def probe_findings(readings: Readings, estimator: Estimator) -> Iterator[Finding]:
    """Every probe under every arm that was asked it, then drift, then what could not be asked."""
    for arm in readings.arms:
        for probe in readings.probes:
            if any(item.of(arm, probe) for item in readings.items):
                yield shift(readings, arm, probe, estimator)
    if readings.replicates is not None:
        yield drift(readings, estimator)
    for name, reason in readings.not_applicable.items():
        bias = Bias.DRIFT if name == DRIFT else readings.probes[name][0] if name in readings.probes else None
        yield not_applicable(*((PLAIN, name) if bias else (name, "accuracy")), bias, reason)


@dataclass(frozen=True, slots=True)
class _Shift:
    """One changed response's chances, ties half: before and after; None where an order has no verdict."""

    at: int
    target: int
    variant: str
    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


def shift(readings: Readings, arm: str, probe: str, estimator: Estimator) -> Finding:
    """How much more often the changed response wins than it did unchanged, ties half.

    Mean over changed responses of the difference of their wins, each the mean of the orders. Pairs that
    lack a verdict before or after are left out and counted; `worst` and `best` are what the effect would be
    if all of them had turned against the response, or to its favour. Exact sign test over the items.
    """
    found = list(_shifts(readings, arm, probe))
    mean = _mean(found, len(readings.items))
    items = mean.hits
    before = before_of(readings, arm)
    change = _change(found, list(_shifts(readings, before, probe)), estimator) if before else None
    scored = [each for each in found if each.difference is not None]
    left_out = len(found) - len(scored)
    total = sum(each.difference or 0.0 for each in scored)
    facts = {
        "raised": float((items > 0).sum()),
        "lowered": float((items < 0).sum()),
        "win_rate_before": _mean_of([each.before for each in scored]),
        "win_rate_after": _mean_of([each.after for each in scored]),
        "left_out": float(left_out),
        "worst": float(divide(total - left_out, len(found))),
        "best": float(divide(total + left_out, len(found))),
    }
    for variant in sorted({each.variant for each in found if each.variant}):
        own = _mean([each for each in scored if each.variant == variant], len(readings.items))
        facts[metric_name("variant", variant, "n")] = float(own.base.sum())
        facts |= with_interval(metric_name("variant", variant, "shift"), own.estimate(estimator))
    bias, meaning = readings.probes[probe]
    p = mcnemar_exact(int((items > 0).sum()), int((items < 0).sum())) if scored else float("nan")
    return Finding(arm, probe, bias, mean.estimate(estimator), p, facts, change, meaning)


def _shifts(readings: Readings, arm: str, probe: str) -> Iterator[_Shift]:
    for at, item in enumerate(readings.items):
        for (target, _), by_order in item.of(arm, probe).items():
            assert target is not None
            variant = item.variants.get((probe, target), "")
            before, after = (_of_both_orders(each, target) for each in (item.as_is(arm), by_order))
            yield _Shift(at, target, variant, before, after)


def _of_both_orders(by_order: Mapping[Order, Prediction], target: int) -> float | None:
    return mean_won(by_order, target) if len(by_order) == len(Order) else None


def _change(found: Sequence[_Shift], before: Sequence[_Shift], estimator: Estimator) -> Estimate:
    """The mean difference minus that before, over the responses that have both: what one asks is unscored of
    must not look like what the other does.
    """
    sides = [
        {(each.at, each.target): each for each in side if each.difference is not None}
        for side in (found, before)
    ]
    both = [key for key in sides[0] if key in sides[1]]
    means = [_mean([side[key] for key in both], len(estimator.gold)) for side in sides]
    return means[0].change(means[1], estimator)


def _mean(found: Sequence[_Shift], n: int) -> Mean:
    """The mean difference; each item's sum of differences over its changed responses that have one."""
    hits, base = np.zeros(n), np.zeros(n)
    for each in found:
        if each.difference is not None:
            hits[each.at] += each.difference
            base[each.at] += 1
    return Mean(hits, base)


def _mean_of(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(divide(sum(known), len(known)))


def drift(readings: Readings, estimator: Estimator) -> Finding:
    """How much more often verdicts differ between epochs than within one, over pairs of replicates.

    Per anchor and order. Within an epoch it is noise (`noise`): the same question, asked again at once.
    Undefined with one epoch: the noise is known then, and nothing to compare it with.
    """
    size = readings.replicates or 1
    n = len(readings.items)
    within, between = [np.zeros((2, n)) for _ in range(2)]
    epochs: set[int] = set()
    for at, item in enumerate(readings.items):
        for order in Order:
            said = [(number, _winner(item, number, order)) for (_, number) in item.of(PLAIN, DRIFT)]
            epochs |= {(number - 1) // size for number, _ in said}
            for (one, first), (other, second) in combinations(said, 2):
                if first is None or second is None:
                    continue
                same = (one - 1) // size == (other - 1) // size
                counted = within if same else between
                counted[:, at] += (first != second, 1)
    noise = Mean(within[0], within[1])
    estimate = noise.estimate(estimator)
    anchors = int(np.count_nonzero(within[1]))
    facts = with_interval("noise", estimate)
    facts |= {"anchors": float(anchors), "epochs": float(len(epochs))}
    if len(epochs) < 2:
        why = "one epoch only: score the anchors again on another day with method.drift.epochs=2"
        return Finding(PLAIN, DRIFT, Bias.DRIFT, undefined(why, anchors), facts=facts)
    gone = Mean(between[0], between[1])
    facts["between_epochs"] = float(divide(between[0].sum(), between[1].sum()))
    return Finding(PLAIN, DRIFT, Bias.DRIFT, gone.change(noise, estimator), facts=facts)


def _winner(item: Item, number: int, order: Order) -> str | None:
    prediction = item.of(PLAIN, DRIFT)[None, number].get(order)
    return prediction.winner.value if isinstance(prediction, Preference) else None
