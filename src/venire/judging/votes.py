"""Pure aggregation: a panel's votes to one prediction, two orders' predictions to one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.records import Order, Prediction, Preference, Ratings, Reason, Unscored, Vote, Winner


class MajorityRule(StrEnum):
    """What a majority is."""

    PLURALITY = "plurality"  # more usable votes than any other winner
    ABSOLUTE = "absolute"  # more than half of all judges, those without a usable vote included


class TieRule(StrEnum):
    """What becomes of votes without a majority."""

    STRONGEST = "strongest"  # the strongest judge's vote, if it is among the leading ones; else unscored
    UNSCORED = "unscored"  # no judgment: `Reason.NO_MAJORITY`
    TIE = "tie"  # a tie, with confidence .5


@dataclass(frozen=True, slots=True)
class Count:
    """What the votes of a panel come to.

    `prediction` after the tie rule; `majority` whether the votes alone named it; `by_winner` counts
    the usable votes.
    """

    prediction: Prediction
    majority: bool
    by_winner: Mapping[Winner, int]


def count_votes(votes: Sequence[Vote], *, strongest: str, rule: MajorityRule, tie_rule: TieRule) -> Count:
    """The panel's verdict on one pair in one order; the order of `votes` does not matter.

    A vote that is `Unscored` is no vote. A vote for a tie is a vote like any other. The confidence
    is the winner's share of the usable votes. No usable vote at all: `Reason.NO_VOTES`, whatever
    the tie rule.

    Args:
        votes: one a judge, by distinct judges.
        strongest: the name of the strongest judge.
        rule: what a majority is.
        tie_rule: what becomes of votes without one.

    Source: Verga et al. 2024, "Replacing Judges with Juries" (PoLL), max voting; the tie rules are ours.
    """
    usable = {vote.judge: vote.prediction.winner for vote in votes if isinstance(vote.prediction, Preference)}
    by_winner = Counter(usable.values())
    if not usable:
        reasons = sorted({v.prediction.reason.value for v in votes if isinstance(v.prediction, Unscored)})
        return Count(Unscored(Reason.NO_VOTES, ", ".join(reasons)), False, by_winner)
    most = max(by_winner.values())
    leading = [winner for winner in Winner if by_winner[winner] == most]
    confidence = most / len(usable)
    if len(leading) == 1 and (rule is MajorityRule.PLURALITY or 2 * most > len(votes)):
        return Count(Preference(leading[0], confidence), True, by_winner)
    return Count(_without_majority(leading, usable.get(strongest), confidence, tie_rule), False, by_winner)


def _without_majority(
    leading: Sequence[Winner], strongest: Winner | None, confidence: float, tie_rule: TieRule
) -> Prediction:
    if tie_rule is TieRule.TIE:
        return Preference(Winner.TIE, 0.5)
    if tie_rule is TieRule.STRONGEST and strongest is not None and strongest in leading:
        return Preference(strongest, confidence)
    return Unscored(
        Reason.NO_MAJORITY, f"{confidence:.2f} of the usable votes for {' and '.join(leading)} each"
    )


def both_orders(as_given: Prediction, swapped: Prediction) -> Prediction:
    """The final word on a pair that was judged in both orders, both predictions mapped back.

    They agree: their winner (a tie included), with the mean of the two confidences (None unless both
    are known). They disagree: a tie with confidence .5. One is missing: unscored, for half a
    comparison has no position consistency, and the other order's bias would go unchecked.

    Source: papers/advanced-evaluation, "Position Bias Mitigation Protocol" and example 2.
    """
    for order, prediction in ((Order.AS_GIVEN, as_given), (Order.SWAPPED, swapped)):
        if isinstance(prediction, Unscored):
            detail = f"{order.value}: {prediction.detail}" if prediction.detail else order.value
            return Unscored(prediction.reason, detail)
    first, second = _preference(as_given), _preference(swapped)
    if first.winner is not second.winner:
        return Preference(Winner.TIE, 0.5)
    if first.confidence is None or second.confidence is None:
        return Preference(first.winner)
    return Preference(first.winner, (first.confidence + second.confidence) / 2)


def final(by_order: Mapping[Order, Prediction]) -> Prediction:
    """The final word over the orders judged: `both_orders` of two, or the only one."""
    if len(by_order) == 1:
        return next(iter(by_order.values()))
    return both_orders(by_order[Order.AS_GIVEN], by_order[Order.SWAPPED])


def position_consistent(by_order: Mapping[Order, Prediction]) -> bool | None:
    """Whether both orders name the same winner; None unless both have a judgment."""
    winners = [p.winner for p in by_order.values() if isinstance(p, Preference)]
    return winners[0] is winners[1] if len(winners) == 2 else None


def _preference(prediction: Prediction) -> Preference:
    if isinstance(prediction, Preference):
        return prediction
    kind = Ratings.__name__ if isinstance(prediction, Ratings) else type(prediction).__name__
    raise TypeError(f"expected a preference in each order, got {kind}")
