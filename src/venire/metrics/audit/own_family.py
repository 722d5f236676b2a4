"""Whether a judge favours what its own family wrote, beyond what the humans say of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.judging.families import families_of
from venire.judging.probe import Bias
from venire.metrics.audit.finding import Finding, refused
from venire.metrics.audit.ratios import Mean
from venire.metrics.audit.readings import Item, Readings, before_of, mean_won, won
from venire.metrics.estimators import Estimator
from venire.records import Preference, PreferenceGold
from venire.stats.estimate import NAN, BoolArray, FloatArray, divide
from venire.stats.paired import mcnemar_exact


def self_enhancement(readings: Readings, arm: str, estimator: Estimator) -> Finding:
    """How much more often than by the humans a response of the judge's own family wins, ties half.

    Over the pairs of which exactly one response is of the judge's family; the humans' verdicts on the very
    same pairs are what it deserves. Exact sign test over the pairs on which the two differ. Refused where
    no pair has generators of known families, or the family of none is the judge's.
    """
    name = Bias.SELF_ENHANCEMENT
    families = [item.families or families_of(item.instance) for item in readings.items]
    known = [None not in each and len(each) == 2 for each in families]
    if not any(known):
        return refused(arm, name, name, "no pair has generators whose families are known")
    own = [
        [family == readings.judge_family for family in each] if is_known else []
        for each, is_known in zip(families, known, strict=True)
    ]
    one_sided = [sum(each) == 1 for each in own]
    if not any(one_sided):
        family = readings.judge_family or "unknown"
        why = f"no pair sets a response of the judge's family ({family}) against another one"
        return refused(arm, name, name, why)
    wins = _own_wins(readings, arm, own, one_sided)
    before = before_of(readings, arm)
    change = None
    if before:
        change = wins.excess.change(_own_wins(readings, before, own, one_sided).excess, estimator)
    facts = {
        "own_win_rate": wins.rate(wins.judged),
        "own_win_rate_by_humans": wins.rate(wins.human),
        "unknown_generators": float(len(known) - sum(known)),
        "left_out": float(sum(one_sided) - np.count_nonzero(wins.used)),
    }
    hits = wins.excess.hits
    p = mcnemar_exact(int((hits > 0).sum()), int((hits < 0).sum()))
    return Finding(arm, name, name, wins.excess.estimate(estimator), p, facts, change)


@dataclass(frozen=True, slots=True)
class _Wins:
    """Wins of the judge's own family on each pair, by the judge and by the humans, shape (n,); else NaN."""

    judged: FloatArray
    human: FloatArray

    @property
    def used(self) -> BoolArray:
        """Where both have one."""
        return ~np.isnan(self.judged) & ~np.isnan(self.human)

    @property
    def excess(self) -> Mean:
        """The judge's wins minus the humans'."""
        hits: FloatArray = np.where(self.used, self.judged - self.human, 0.0)
        return Mean(hits, self.used.astype(float))

    def rate(self, wins: FloatArray) -> float:
        """Their mean where both have one; NaN where nothing has."""
        return float(divide(wins[self.used].sum(), np.count_nonzero(self.used)))


def _own_wins(
    readings: Readings, arm: str, own: Sequence[Sequence[bool]], one_sided: Sequence[bool]
) -> _Wins:
    judged, human = np.full(len(own), NAN), np.full(len(own), NAN)
    for at, item in enumerate(readings.items):
        if not one_sided[at]:
            continue
        mine = own[at].index(True)
        mean = mean_won(item.as_is(arm), mine)
        judged[at] = NAN if mean is None else mean
        human[at] = _by_humans(item, mine)
    return _Wins(judged, human)


def _by_humans(item: Item, response: int) -> float:
    """1, .5 or 0 as the gold has it; NaN without a preference."""
    gold = item.instance.gold
    mean = won(Preference(gold.winner), response) if isinstance(gold, PreferenceGold) else None
    return NAN if mean is None else mean
