"""Findings that need no question but the plain one: position, length, self-enhancement, accuracy."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from venire.judging.probe import PLAIN, Bias
from venire.metrics.audit.finding import ACCURACY, Finding
from venire.metrics.audit.lengths import length
from venire.metrics.audit.own_family import self_enhancement
from venire.metrics.audit.ratios import Mean
from venire.metrics.audit.readings import Readings, before_of
from venire.metrics.estimators import Estimator
from venire.metrics.join import CODE, NOT_ASKED, UNSCORED
from venire.records import Order, Slot, Winner
from venire.stats.estimate import NAN, FloatArray, IntArray, divide
from venire.stats.paired import mcnemar_exact

_FIRST, _SECOND, _TIE = (CODE[winner] for winner in (Winner.FIRST, Winner.SECOND, Winner.TIE))


def verdict_findings(readings: Readings, estimator: Estimator) -> Iterator[Finding]:
    """The accuracy of every arm, and of the biases those that it is against; of the plain one all."""
    of: Mapping[Bias, Callable[[Readings, str, Estimator], Finding]] = {
        Bias.POSITION: position,
        Bias.LENGTH: length,
        Bias.SELF_ENHANCEMENT: self_enhancement,
    }
    for arm in readings.arms:
        if not readings.columns(arm):
            continue
        yield accuracy(readings, arm, estimator)
        for bias, measure in of.items():
            if arm == PLAIN or bias in readings.against[arm]:
                yield measure(readings, arm, estimator)


def accuracy(readings: Readings, arm: str, estimator: Estimator) -> Finding:
    """The mean accuracy of the orders. A tie is right where the gold is one; no verdict is not right."""
    columns = readings.columns(arm)

    def right(name: str) -> Mean:
        made = np.stack(list(readings.columns(name).values()))
        hits = (made == estimator.gold).sum(axis=0, dtype=np.float64)
        return Mean(hits, (made != NOT_ASKED).sum(axis=0, dtype=np.float64), least=0.0)

    verdicts = np.stack(list(columns.values()))
    asked = int(np.count_nonzero(verdicts != NOT_ASKED))
    facts = {
        "ties": float(divide(np.count_nonzero(verdicts == _TIE), asked)),
        "unscored": float(divide(np.count_nonzero(verdicts == UNSCORED), asked)),
    }
    before = before_of(readings, arm)
    change = right(arm).change(right(before), estimator) if before else None
    return Finding(arm, ACCURACY, None, right(arm).estimate(estimator), facts=facts, change=change)


def position(readings: Readings, arm: str, estimator: Estimator) -> Finding:
    """How much more often than half the response shown first is picked; exact test on the torn pairs.

    Effect: the first-place rate - .5, over the verdicts that pick one. Test: of the pairs on which both
    orders pick the response shown first, or both the one shown second, as many are to be expected of
    either kind where position plays no part: two-sided exact binomial, NaN with one order only, or no pick.
    """
    columns = readings.columns(arm)
    first, picked = _first_places(columns)
    both_first, both_second = _torn(columns)
    rate = _rate(columns)
    before = before_of(readings, arm)
    change = None
    if before:
        change = rate.change(_rate(readings.columns(before)), estimator)
    facts = {"first_place_rate": float(divide(first.sum(), picked.sum())), "picked": float(picked.sum())}
    p = NAN
    if len(columns) == 2:
        facts |= {"always_first": float(both_first), "always_second": float(both_second)}
        p = mcnemar_exact(both_first, both_second) if picked.any() else NAN
    return Finding(arm, Bias.POSITION, Bias.POSITION, rate.estimate(estimator), p, facts, change)


def _rate(columns: dict[Order, IntArray]) -> Mean:
    return Mean(*_first_places(columns), zero=0.5, least=0.0)


def _first_places(columns: dict[Order, IntArray]) -> tuple[FloatArray, FloatArray]:
    """Per item: verdicts that pick the response shown first, and verdicts that pick one."""
    first = [column == CODE[order.winner(Slot.A)] for order, column in columns.items()]
    picked = [(column == _FIRST) | (column == _SECOND) for column in columns.values()]
    return np.sum(first, axis=0, dtype=np.float64), np.sum(picked, axis=0, dtype=np.float64)


def _torn(columns: dict[Order, IntArray]) -> tuple[int, int]:
    """Pairs of which both orders pick the response shown first, and the one shown second."""
    if len(columns) < 2:
        return 0, 0
    given, swapped = columns[Order.AS_GIVEN], columns[Order.SWAPPED]
    first = np.count_nonzero((given == _FIRST) & (swapped == _SECOND))
    second = np.count_nonzero((given == _SECOND) & (swapped == _FIRST))
    return int(first), int(second)
