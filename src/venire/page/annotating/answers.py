"""The fields of a form to an answer, or what is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass

from venire.judging.criteria import Criterion
from venire.judging.rating import on_scale
from venire.page.annotating.work import Answer, Item
from venire.page.times import seconds_of
from venire.records import Dimension, Order, Slot, Winner
from venire.review.labels import OnCriterion, Verdict

VERDICT, RATING, CRITERION = "verdict", "rating-", "criterion-"
NO_RATING = "N/A"
COMMENT, SECONDS = "comment", "seconds"
LONGEST_COMMENT = 10_000


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no label: for the person, and which field ("": none of them)."""

    field: str
    text: str


def answer_of(
    form: Mapping[str, str],
    item: Item,
    *,
    winners: tuple[Winner, ...],
    sides: Order,
    criteria: tuple[Criterion, ...] = (),
) -> Answer | Fault:
    """What the form says of `item`, whose responses were shown in the order `sides`.

    Args:
        winners: verdicts on the whole that the data set knows; on a criterion a tie is always one.
        criteria: that the two responses are compared on, too.

    Nothing is filled in: a rating that is left open is a fault, one that does not apply has to be said.
    """
    on = _on_criteria(form, criteria, sides)
    if isinstance(on, Fault):
        return on
    verdict = _ratings(form, item) if item.asked else _winner(form, winners, sides)
    if isinstance(verdict, Fault):
        return verdict
    comment = "\n".join(form.get(COMMENT, "").splitlines()).strip()
    if len(comment) > LONGEST_COMMENT:
        return Fault(
            COMMENT, f"The comment has {len(comment)} characters; at most {LONGEST_COMMENT} are kept."
        )
    return Answer(verdict, comment, seconds_of(form.get(SECONDS, "")), on)


def _on_criteria(
    form: Mapping[str, str], criteria: tuple[Criterion, ...], sides: Order
) -> dict[str, OnCriterion] | Fault:
    said: dict[str, OnCriterion] = {}
    for place, criterion in enumerate(criteria):
        field = f"{CRITERION}{place}"
        given = form.get(field, "")
        try:
            said[criterion.key] = None if given == NO_RATING else sides.winner(Slot(given))
        except ValueError:
            return Fault(field, f"{criterion.name}: choose which response is better, or N/A.")
    return said


def _winner(form: Mapping[str, str], winners: tuple[Winner, ...], sides: Order) -> Verdict | Fault:
    given = form.get(VERDICT, "")
    try:
        winner = sides.winner(Slot(given))
    except ValueError:
        return Fault(VERDICT, "Choose which response is better.")
    return winner if winner in winners else Fault(VERDICT, "This verdict is not one of the data set's.")


def _ratings(form: Mapping[str, str], item: Item) -> Verdict | Fault:
    ratings: dict[str, float] = {}
    for place, dimension in enumerate(item.asked):
        field = f"{RATING}{place}"
        given = form.get(field, "").strip()
        if not given:
            return Fault(field, f"{dimension.name}: choose a rating, or N/A.")
        if given.casefold() == NO_RATING.casefold():  # typed, too
            continue
        rating = _rating(given, dimension)
        if rating is None:
            return Fault(field, f"{dimension.name}: expected {dimension.low:g} to {dimension.high:g}.")
        ratings[dimension.name] = rating
    return ratings or Fault(f"{RATING}0", "Rate at least one; what cannot be rated at all is passed over.")


def _rating(given: str, dimension: Dimension) -> float | None:
    try:
        value = float(given)
    except ValueError:
        return None
    return value if on_scale(dimension, value) else None
