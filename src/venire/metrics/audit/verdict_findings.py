"""Findings that need no question but the plain one: position, length, self-enhancement, accuracy."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from venire.judging.probe import PLAIN, Bias
from venire.metrics.audit.finding import ACCURACY, Finding
from venire.metrics.audit.lengths import length
from venire.metrics.audit.own_family import self_enhancement
from venire.metrics.audit.ratios import Mean
from venire.metrics.audit.readings import Readings, before_of
from venire.metrics.estimators import Estimator
from venire.metrics.join import CODE, NOT_ASKED, UNSCORED
from venire.metrics.pairwise import first_places
from venire.records import Order, Winner
from venire.stats.estimate import NAN, IntArray, divide
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
    columns = list(readings.columns(arm).values())
    verdicts = np.stack(columns)
    asked = int(np.count_nonzero(verdicts != NOT_ASKED))
    facts = {
        "ties": float(divide(np.count_nonzero(verdicts == _TIE), asked)),
        "unscored": float(divide(np.count_nonzero(verdicts == UNSCORED), asked)),
    }
    before = before_of(readings, arm)
    right, change = _right(columns, estimator), None
    if before:
        change = right.change(_right(list(readings.columns(before).values()), estimator), estimator)
    return Finding(arm, ACCURACY, None, right.estimate(estimator), facts=facts, change=change)


def _right(columns: Sequence[IntArray], estimator: Estimator) -> Mean:
    return Mean(*estimator.correct(columns), least=0.0)


def position(readings: Readings, arm: str, estimator: Estimator) -> Finding:
    """How much more often than half the response shown first is picked; exact test on the torn pairs.

    Effect: the first-place rate - .5, over the verdicts that pick one. Test: of the pairs on which both
    orders pick the response shown first, or both the one shown second, as many are to be expected of
    either kind where position plays no part: two-sided exact binomial, NaN with one order only, or no pick.
    """
    columns = readings.columns(arm)
    both_first, both_second = _torn(columns)
    rate = _rate(columns)
    before = before_of(readings, arm)
    change = None
    if before:
        change = rate.change(_rate(readings.columns(before)), estimator)
    first, picked = rate.hits.sum(), rate.base.sum()
    facts = {"first_place_rate": float(divide(first, picked)), "picked": float(picked)}
    p = NAN
    if len(columns) == 2:
        facts |= {"always_first": float(both_first), "always_second": float(both_second)}
        p = mcnemar_exact(both_first, both_second) if picked else NAN
    return Finding(arm, Bias.POSITION, Bias.POSITION, rate.estimate(estimator), p, facts, change)


def _rate(columns: dict[Order, IntArray]) -> Mean:
    return Mean(*first_places(columns), zero=0.5, least=0.0)


def _torn(columns: dict[Order, IntArray]) -> tuple[int, int]:
    """Pairs of which both orders pick the response shown first, and the one shown second."""
    if len(columns) < 2:
        return 0, 0
    given, swapped = columns[Order.AS_GIVEN], columns[Order.SWAPPED]
    first = np.count_nonzero((given == _FIRST) & (swapped == _SECOND))
    second = np.count_nonzero((given == _SECOND) & (swapped == _FIRST))
    return int(first), int(second)
