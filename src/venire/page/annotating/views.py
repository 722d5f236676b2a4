"""An item as its template shows it: questions with their choices, texts in the order of this annotator."""

from collections.abc import Mapping
from dataclasses import dataclass

from venire.judging.criteria import Criterion
from venire.page.annotating.answers import CRITERION, NO_RATING, RATING, VERDICT
from venire.page.annotating.work import Guide, Item, Work
from venire.records import Dimension, Order, Slot, Winner
from venire.review.labels import Label, OnCriterion, content_of_criteria


@dataclass(frozen=True, slots=True)
class Choice:
    """One point to choose: its value in the form, what it is called, the key that chooses it."""

    value: str
    text: str
    key: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; without choices a number from `low` to `high`."""

    field: str
    legend: str
    about: str
    choices: tuple[Choice, ...]
    given: str
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class ShownResponse:
    """A response as it stands there: `A`, `B`, or empty for the only one."""

    slot: str
    text: str
    model: str


def responses_of(item: Item, sides: Order, *, names: bool) -> tuple[ShownResponse, ...]:
    """The responses in the order in which they are shown."""
    responses = item.instance.responses
    if not item.instance.is_pairwise:
        return tuple(ShownResponse("", each.text, (names and each.generator) or "") for each in responses)
    ordered = responses if sides is Order.AS_GIVEN else responses[::-1]
    return tuple(
        ShownResponse(slot.value, each.text, (names and each.generator) or "")
        for slot, each in zip((Slot.A, Slot.B), ordered, strict=True)
    )


def questions_of(work: Work, item: Item, sides: Order, given: Mapping[str, str]) -> tuple[Question, ...]:
    """What is asked of `item`; `given` are the fields of the form as they were filled in."""
    if item.asked:
        return tuple(
            _rating_question(place, each, given.get(f"{RATING}{place}", ""))
            for place, each in enumerate(item.asked)
        )
    taken = [slot for slot in _SIDES if sides.winner(slot) in work.winners]
    choices = [Choice(slot.value, _SIDES[slot], str(number)) for number, slot in enumerate(taken, start=1)]
    on = [
        _criterion_question(place, each, given.get(f"{CRITERION}{place}", ""))
        for place, each in enumerate(work.criteria_of(item))
    ]
    legend = "All in all: which response is better?" if on else "Which response is better?"
    return (*on, Question(VERDICT, legend, "", tuple(choices), given.get(VERDICT, "")))


_SIDES = {Slot.A: "A is better", Slot.B: "B is better", Slot.TIE: "Equally good: a tie"}
_SIDES_ON = {Slot.A: "A", Slot.B: "B", Slot.TIE: "tie"}
_NO_RATING = Choice(NO_RATING, NO_RATING, "-", about="does not apply")


def _criterion_question(place: int, criterion: Criterion, given: str) -> Question:
    sides = [Choice(slot.value, text, str(key)) for key, (slot, text) in enumerate(_SIDES_ON.items(), 1)]
    return Question(f"{CRITERION}{place}", criterion.name, criterion.description, (*sides, _NO_RATING), given)


_MOST_POINTS = 21  # that are shown to choose from; of a finer scale the number is typed


def _rating_question(place: int, dimension: Dimension, given: str) -> Question:
    points = dimension.points if len(dimension.points) <= _MOST_POINTS else ()
    keys = dimension.tokens or [""] * len(points)
    choices = [Choice(f"{each:g}", f"{each:g}", key) for each, key in zip(points, keys, strict=bool(points))]
    return Question(
        f"{RATING}{place}",
        dimension.name,
        dimension.description,
        (*choices, _NO_RATING) if choices else (),
        given,
        dimension.low,
        dimension.high,
    )


def fields_of(
    item: Item, label: Label | None, sides: Order, criteria: tuple[Criterion, ...] = ()
) -> dict[str, str]:
    """The form as it was filled in for `label`; what it was not asked is open."""
    if label is None:
        return {}
    if isinstance(label.verdict, Winner):
        said = label.on_criteria(content_of_criteria(criteria))
        on = {
            f"{CRITERION}{place}": _slot(said[each.key], sides)
            for place, each in enumerate(criteria)
            if each.key in said
        }
        return {**on, VERDICT: sides.slot(label.verdict).value, "comment": label.comment}
    ratings = {
        f"{RATING}{place}": f"{label.verdict[each.name]:g}" if each.name in label.verdict else NO_RATING
        for place, each in enumerate(item.asked)
    }
    return {**ratings, "comment": label.comment}


def _slot(winner: OnCriterion, sides: Order) -> str:
    return NO_RATING if winner is None else sides.slot(winner).value


def said(label: Label, sides: Order) -> str:
    """What a label says, in a few words, as its annotator saw the sides."""
    if isinstance(label.verdict, Winner):
        on = ", ".join(f"{key} {_slot(winner, sides)}" for key, winner in label.by_criterion.items())
        return _SIDES_ON[sides.slot(label.verdict)] + (f" ({on})" if on else "")
    return ", ".join(f"{name} {value:g}" for name, value in label.verdict.items())


def judged_of(item: Item, sides: Order) -> str:
    """What the run said, with its sides as they are shown."""
    names = {Winner.FIRST: sides.slot(Winner.FIRST), Winner.SECOND: sides.slot(Winner.SECOND)}
    text = item.judged
    for winner, slot in names.items():
        text = text.replace(winner.value, f"response {slot.value}")
    return text


def guides_of(work: Work, item: Item) -> tuple[Guide, ...]:
    """What stands beside `item`: of criteria, where it is rated, only those that it is rated on.

    Where it is rated on none of them all stand there: their names are other ones, and a rubric that was asked
    for is not left out in silence.
    """
    asked = {each.name.casefold() for each in item.asked}
    if not any(each.names & asked for each in work.guides):
        return work.guides
    return tuple(each for each in work.guides if not each.names or each.names & asked)
