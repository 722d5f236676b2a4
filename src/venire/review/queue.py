"""What people should look at: the outcomes that a run is unsure of, each with the reasons.

This is the seam for whatever shows items to people: a file (`review/sheets.py`), the page (`page/`).
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError, DataError
from venire.records import (
    Instance,
    Outcome,
    Prediction,
    Preference,
    Ratings,
    Reason,
    Unscored,
)

ESCALATED = "escalated"  # the key of `Outcome.detail` by which a method hands an instance to people


class Why(StrEnum):
    """Why an outcome is uncertain."""

    ESCALATED = "escalated"  # the method left it to people
    UNSCORED = "unscored"  # there is no judgment
    INCONSISTENT = "inconsistent"  # the two orders name different winners
    LOW_CONFIDENCE = "low_confidence"  # the final confidence is below a threshold
    INCOMPLETE = "incomplete"  # some dimension that judges rate has no rating
    NOT_RUN = "not_run"  # the run stopped before it: nobody was unsure


UNCERTAIN = tuple(why for why in Why if why is not Why.NOT_RUN)
BELOW = 0.7


@dataclass(frozen=True, slots=True)
class ReviewFilter:
    """Which outcomes are uncertain.

    Args:
        reasons: any of these; see `Why`.
        below: a final confidence below this is low; no confidence at all is not.
    """

    reasons: tuple[Why, ...] = UNCERTAIN
    below: float = BELOW

    def __post_init__(self) -> None:
        if not self.reasons:
            raise ConfigError(f"--include: expected some of {', '.join(Why)}, got none")
        if not 0 <= self.below <= 1:
            raise ConfigError(f"--below: expected 0 to 1, got {self.below:g}")


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One item for people.

    Args:
        handle: names it without telling who wrote the responses, or from which part of the data it is.
        instance: the item itself.
        why: the reasons, in the order of `Why`.
        outcome: what the run made of it.
    """

    handle: str
    instance: Instance
    why: tuple[Why, ...]
    outcome: Outcome


def handle_of(instance_id: str) -> str:
    """`item-<12 hex>`: an id that tells nothing. Ids of data sets often hold the names of models."""
    return f"item-{hashlib.sha256(instance_id.encode()).hexdigest()[:12]}"


def ids_by_handle(instance_ids: Iterable[str]) -> dict[str, str]:
    """Instance ids by themselves and by their handles.

    Raises:
        DataError: two handles are the same, which 12 hex digits make next to impossible.
    """
    found: dict[str, str] = {}
    for instance_id in instance_ids:
        for name in (instance_id, handle_of(instance_id)):
            if found.setdefault(name, instance_id) != instance_id:
                raise DataError(f"{name}: two instances have this handle; rename one of {instance_id}")
    return found


def review_queue(
    instances: Sequence[Instance], outcomes: Sequence[Outcome], chosen: ReviewFilter = ReviewFilter()
) -> tuple[ReviewItem, ...]:
    """The uncertain ones, in the data set's order; an instance without an outcome was not run."""
    by_id: Mapping[str, Outcome] = {outcome.instance_id: outcome for outcome in outcomes}
    ids_by_handle(instance.id for instance in instances)
    found = []
    for instance in instances:
        outcome = by_id.get(instance.id, Outcome(instance.id, Unscored(Reason.NOT_RUN)))
        why = tuple(each for each in why_uncertain(instance, outcome, chosen.below) if each in chosen.reasons)
        if why:
            found.append(ReviewItem(handle_of(instance.id), instance, why, outcome))
    return tuple(found)


def why_uncertain(instance: Instance, outcome: Outcome, below: float = BELOW) -> Iterator[Why]:
    """Every reason why this outcome is uncertain; none where the run is sure of it."""
    prediction = outcome.prediction
    if ESCALATED in outcome.detail or _is(prediction, Reason.ESCALATED):
        yield Why.ESCALATED
    elif _is(prediction, Reason.NOT_RUN):
        yield Why.NOT_RUN
    elif isinstance(prediction, Unscored):
        yield Why.UNSCORED
    winners = {each.winner for each in outcome.by_order.values() if isinstance(each, Preference)}
    if len(winners) > 1:
        yield Why.INCONSISTENT
    match prediction:
        case Preference(confidence=float() as confidence) if confidence < below:
            yield Why.LOW_CONFIDENCE
        case Ratings(by_dimension=ratings) if any(
            each.asked and each.name not in ratings for each in instance.dimensions
        ):
            yield Why.INCOMPLETE


def _is(prediction: Prediction, reason: Reason) -> bool:
    return isinstance(prediction, Unscored) and prediction.reason is reason
