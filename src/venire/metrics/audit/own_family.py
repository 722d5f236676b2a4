"""Whether a judge favours what its own family wrote, whichever response the humans prefer."""

from dataclasses import dataclass

import numpy as np

from venire.judging.families import families_of
from venire.judging.probe import Bias
from venire.metrics.audit.finding import Finding, refused, with_interval
from venire.metrics.audit.ratios import Mean
from venire.metrics.audit.readings import Item, Readings, before_of, mean_won, won
from venire.metrics.estimators import Estimator
from venire.records import Preference, PreferenceGold
from venire.stats.estimate import NAN, BoolArray, Estimate, FloatArray, IntArray, divide, undefined
from venire.stats.logistic import logistic

_NAME = Bias.SELF_ENHANCEMENT
_DESERVED, _UNDESERVED = 1.0, 0.0


def self_enhancement(readings: Readings, arm: str, estimator: Estimator) -> Finding:
    """How much more often than half a response of the judge's own family wins, the gold held even; ties half.

    Over the pairs of which exactly one response is of the judge's family and the gold prefers one. The win
    rate is taken where its own response is the better one and where it is the worse one; the effect is
    the mean of the two - .5. A judge that errs as often against its family as for it has 0, however
    good its family is: the plain difference to the humans' win rate (`excess`) is drawn towards one half by
    every error. Test: the intercept of the logistic regression of its wins on the gold, robust over clusters.

    Refused where no pair has generators of known families, none sets the judge's family against another,
    or its own response is the better one in all of them, or in none.
    """
    pairs = _pairs_of(readings)
    if isinstance(pairs, str):
        return refused(arm, _NAME, _NAME, pairs)
    wins = _wins(readings, arm, pairs)
    effect = _even(wins, estimator)
    before = before_of(readings, arm)
    change = _change(wins, _wins(readings, before, pairs), estimator) if before else None
    used = wins.used
    facts = {
        "own_win_rate": _mean(wins.judged, used),
        "own_win_rate_by_humans": _mean(wins.human, used),
        "own_win_rate_where_better": _mean(wins.judged, wins.where(_DESERVED)),
        "own_win_rate_where_worse": _mean(wins.judged, wins.where(_UNDESERVED)),
        "unknown_generators": float(pairs.unknown),
        "left_out": float(len(pairs.own) - np.count_nonzero(used)),
    }
    facts |= with_interval("excess", _excess(wins, estimator))
    return Finding(arm, _NAME, _NAME, effect, _p(wins, estimator), facts, change)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Items of which one response is of the judge's family: item to that response; and what is not known."""

    own: dict[int, int]
    unknown: int


def _pairs_of(readings: Readings) -> _Pairs | str:
    """The pairs to look at, or why there are none."""
    families = [item.families or families_of(item.instance) for item in readings.items]
    known = {at: each for at, each in enumerate(families) if len(each) == 2 and None not in each}
    if not known:
        return "no pair has generators whose families are known"
    mine = readings.judge_family
    own = {at: each.index(mine) for at, each in known.items() if each.count(mine) == 1}
    if not own:
        return f"no pair sets a response of the judge's family ({mine or 'unknown'}) against another one"
    deserved = {_by_humans(readings.items[at], response) for at, response in own.items()}
    if not {_DESERVED, _UNDESERVED} <= deserved:
        return (
            "the judge's family is better in all pairs, or in none: its errors look like a bias, or hide it"
        )
    return _Pairs(own, len(families) - len(known))


@dataclass(frozen=True, slots=True)
class _Wins:
    """Wins of the judge's own family, by the judge and by the humans, shape (n,); NaN where there is none."""

    judged: FloatArray
    human: FloatArray

    @property
    def used(self) -> BoolArray:
        """Where the judge has a verdict, and the humans prefer one."""
        told: BoolArray = ~np.isnan(self.judged) & np.isin(self.human, (_DESERVED, _UNDESERVED))
        return told

    def where(self, human: float) -> BoolArray:
        """The pairs of that gold."""
        inside: BoolArray = self.used & (self.human == human)
        return inside

    @property
    def features(self) -> FloatArray:
        """Wins and pairs where its own is better, then where it is worse; shape (n, 4)."""
        columns = []
        for human in (_DESERVED, _UNDESERVED):
            inside = self.where(human)
            columns += [np.where(inside, self.judged, 0.0), inside.astype(float)]
        return np.column_stack(columns)


def _wins(readings: Readings, arm: str, pairs: _Pairs) -> _Wins:
    judged, human = (np.full(len(readings.items), NAN) for _ in range(2))
    for at, response in pairs.own.items():
        mean = mean_won(readings.items[at].as_is(arm), response)
        judged[at] = NAN if mean is None else mean
        human[at] = _by_humans(readings.items[at], response)
    return _Wins(judged, human)


def _by_humans(item: Item, response: int) -> float:
    """1, .5 or 0 as the gold has it; NaN without a preference."""
    gold = item.instance.gold
    mean = won(Preference(gold.winner), response) if isinstance(gold, PreferenceGold) else None
    return NAN if mean is None else mean


def _evenly(sums: FloatArray) -> FloatArray:
    """Of summed features, the mean of the two win rates - .5; shape (..., 4) to (...)."""
    rates = divide(sums[..., 0], sums[..., 1]) + divide(sums[..., 2], sums[..., 3])
    even: FloatArray = rates / 2 - 0.5
    return even


def _even(wins: _Wins, estimator: Estimator) -> Estimate:
    features, n = wins.features, int(np.count_nonzero(wins.used))
    value = float(_evenly(features.sum(axis=0)))
    if np.isnan(value):
        return undefined("no verdict where its own is better, or none where it is worse", n)
    return estimator.unbounded(value, features, _evenly, n)


def _excess(wins: _Wins, estimator: Estimator) -> Estimate:
    """The own family's win rate by the judge minus that by the humans, over the pairs of the effect."""
    gaps = np.where(wins.used, wins.judged - wins.human, 0.0)
    return Mean(gaps, wins.used.astype(float)).estimate(estimator)


def _change(wins: _Wins, before: _Wins, estimator: Estimator) -> Estimate:
    """The effect minus that before, over the pairs that both judged, resampled together."""
    both = wins.used & before.used
    features = np.hstack([wins.features, before.features]) * both[:, None]

    def difference(sums: FloatArray) -> FloatArray:
        return _evenly(sums[..., :4]) - _evenly(sums[..., 4:])

    n = int(np.count_nonzero(both))
    value = float(difference(features.sum(axis=0)))
    if np.isnan(value):
        return undefined("of one of the two there is no effect", n)
    return estimator.unbounded(value, features, difference, n)


def _p(wins: _Wins, estimator: Estimator) -> float:
    """Of the intercept, where the gold is +1 (its own is better) and -1: 0 is an even judge."""
    rows: IntArray = np.flatnonzero(wins.used)
    gold = 2 * wins.human[rows] - 1
    made = logistic(wins.judged[rows], {"gold": gold}, estimator.resampler.cluster[rows], estimator.level)
    return made["intercept"].p


def _mean(values: FloatArray, used: BoolArray) -> float:
    return float(divide(values[used].sum(), np.count_nonzero(used)))
