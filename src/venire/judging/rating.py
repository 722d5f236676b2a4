"""Direct rating: one judge, one response, the dimensions asked -> a rating each.

The parts that other rating steps build on: `ratings_of_reply` (the field `ratings` of a reply, checked
against the scales), `with_overall`, `dimension_values` for prompts (`_dimensions.jinja`, `_ratings.jinja`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema, create_model

from venire.errors import ConfigError, DataError
from venire.judging.ask import ask
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.judging.matter import Matter
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import (
    OVERALL,
    Call,
    Dimension,
    Instance,
    Message,
    Persona,
    PersonaLevel,
    Ratings,
    Reason,
    Unscored,
)

RATE = "rate"
NOT_APPLICABLE = "N/A"
# A scale with at most this many points is shown as a list of them.
_MOST_SHOWN = 11
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class OwnScale:
    """The scale of the dimension that a persona itself cares about most.

    The sources leave it open; 1 to 5 is a choice.

    Args:
        low, high: its ends.
        step: between ratings, from `low` on; None: any number.
    """

    low: float = 1.0
    high: float = 5.0
    step: float | None = 1.0

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ConfigError(f"high: expected more than low ({self.low:g}), got {self.high:g}")
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise ConfigError(
                f"step: expected more than 0, up to {self.high - self.low:g}, got {self.step:g}"
            )


class RatingReply(Reply):
    """Feedback, then one rating a dimension; None where the judge says "N/A"."""

    feedback: str = ""
    ratings: Mapping[str, float | None]

    @property
    def decision(self) -> object:
        """The ratings."""
        return dict(self.ratings)


@dataclass(frozen=True, slots=True)
class Rated:
    """What a judge made of a response: its ratings or why there are none, and the calls it took.

    `ratings` holds every dimension asked that is not N/A, on its own scale, without `OVERALL`.
    """

    ratings: Ratings | Unscored
    feedback: str
    text: str
    calls: tuple[Call, ...]


async def rate(
    judge: PromptedJudge,
    matter: Matter,
    dimensions: Sequence[Dimension],
    llm: LLM,
    *,
    prompt: str = RATE,
    replicate: int = 0,
) -> Rated:
    """The judge's ratings of a response on its own; a persona is told at the head of the question.

    A reply with a dimension missing, or with a rating that is no point of the scale, is asked again
    and then no rating: nothing is clipped, rounded or filled in.
    """
    return await ask_ratings(
        judge,
        rating_messages(matter, dimensions, prompt=prompt),
        matter,
        dimensions,
        llm,
        stage="rate",
        replicate=replicate,
    )


async def ask_ratings(
    judge: PromptedJudge,
    messages: tuple[Message, ...],
    matter: Matter,
    dimensions: Sequence[Dimension],
    llm: LLM,
    *,
    stage: str,
    replicate: int = 0,
) -> Rated:
    """The ratings that the judge gives in reply to `messages`, which ask for feedback and ratings."""
    form = rating_form(tuple(dimensions))
    asked = await ask(judge, messages, form, llm, stage=stage, subject=matter.subject(), replicate=replicate)
    if isinstance(asked.reply, Unscored):
        return Rated(asked.reply, "", asked.text, asked.calls)
    return Rated(ratings_given(asked.reply.ratings), asked.reply.feedback, asked.text, asked.calls)


def rating_messages(
    matter: Matter, dimensions: Sequence[Dimension], *, prompt: str = RATE
) -> tuple[Message, ...]:
    """The question of `rate`."""
    return render(prompt, **matter.values, dimensions=dimension_values(dimensions))


@cache
def rating_form(dimensions: tuple[Dimension, ...]) -> type[RatingReply]:
    """The reply that rates exactly `dimensions`."""
    return create_model("RatingReply", __base__=RatingReply, ratings=(ratings_of_reply(dimensions), ...))


def ratings_of_reply(dimensions: tuple[Dimension, ...]) -> Any:
    """The type of a reply's field `ratings`: an object of dimension name to number or "N/A".

    Read as name to number, None for "N/A"; further names are ignored. Anything else is a validation
    error: a name missing, a text, null, a number off the scale or between its points.
    """

    def read(value: object) -> dict[str, float | None]:
        if not isinstance(value, Mapping):
            raise ValueError("expected an object of dimension to rating")
        return {each.name: _rating(each, value) for each in dimensions}

    shown = {"anyOf": [{"type": "number"}, {"type": "string", "enum": [NOT_APPLICABLE]}]}
    schema: dict[str, Any] = {"type": "object", "properties": {each.name: shown for each in dimensions}}
    return Annotated[dict[str, float | None], BeforeValidator(read), WithJsonSchema(schema)]


def _rating(dimension: Dimension, given: Mapping[Any, object]) -> float | None:
    if dimension.name not in given:
        raise ValueError(f"{dimension.name} is missing")
    value = given[dimension.name]
    if isinstance(value, str) and value.strip().casefold() == NOT_APPLICABLE.casefold():
        return None
    point = point_of(dimension, value)
    if point is not None:
        return point
    steps = "" if dimension.step is None else f" in steps of {dimension.step:g}"
    raise ValueError(
        f'{dimension.name}: expected a number from {dimension.low:g} to {dimension.high:g}{steps} or "N/A", '
        f"got {value!r}"
    )


def point_of(dimension: Dimension, value: object) -> float | None:
    """The point of the dimension's scale that a reply's `value` is; None where it is none, or no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if on_scale(dimension, float(value)) else None


def on_scale(dimension: Dimension, value: float) -> bool:
    """Whether `value` is a point of the dimension's scale."""
    if not dimension.low <= value <= dimension.high:
        return False
    if dimension.step is None:
        return True
    steps = (value - dimension.low) / dimension.step
    return abs(steps - round(steps)) < _SLACK


def ratings_given(by_name: Mapping[str, float | None]) -> Ratings:
    """Those that are not N/A."""
    return Ratings({name: value for name, value in by_name.items() if value is not None})


def rescaled(dimension: Dimension, value: float) -> float:
    """`value` with the ends of the scale at 0 and 1."""
    return (value - dimension.low) / (dimension.high - dimension.low)


def with_overall(by_name: Mapping[str, float], dimensions: Sequence[Dimension]) -> Ratings | Unscored:
    """The ratings on `dimensions` and `OVERALL`, the mean of these rescaled to [0, 1].

    Only the dimensions that were rated count; a data set's own dimension of that name stays as it is.
    No rating at all is no judgment.
    """
    rated = [each for each in dimensions if each.name in by_name]
    if not rated:
        return Unscored(Reason.UNDEFINED, "no dimension was rated: every one is N/A")
    overall = sum(rescaled(each, by_name[each.name]) for each in rated) / len(rated)
    return Ratings({OVERALL: overall} | {each.name: by_name[each.name] for each in rated})


def prediction_of(ratings: Ratings | Unscored, dimensions: Sequence[Dimension]) -> Ratings | Unscored:
    """`ratings` on `dimensions`, with `OVERALL`; without ratings, why there are none."""
    return ratings if isinstance(ratings, Unscored) else with_overall(ratings.by_dimension, dimensions)


def mean_of(rated: Sequence[Mapping[str, float]], dimensions: Sequence[Dimension]) -> dict[str, float]:
    """The mean on each of `dimensions` over those that have it; absent where none has."""
    values = {each.name: [one[each.name] for one in rated if each.name in one] for each in dimensions}
    return {name: fmean(given) for name, given in values.items() if given}


def ratings_detail(made: Ratings | Unscored) -> dict[str, float] | None:
    """Ratings by dimension, JSON-ready; None where there are none."""
    return None if isinstance(made, Unscored) else dict(made.by_dimension)


def dimension_values(dimensions: Sequence[Dimension]) -> list[dict[str, object]]:
    """`dimensions` as prompts show them; `levels` is empty where the scale has too many points to list."""
    return [
        {
            "name": each.name,
            "description": each.description,
            "low": _plain(each.low),
            "high": _plain(each.high),
            "step": None if each.step is None else _plain(each.step),
            "levels": list(map(_plain, each.points)) if len(each.points) <= _MOST_SHOWN else [],
        }
        for each in dimensions
    ]


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def asked_dimensions(instance: Instance) -> tuple[Dimension, ...]:
    """Those that judges rate."""
    return tuple(each for each in instance.dimensions if each.asked)


def own_dimension(
    persona: Persona | None, dimensions: Sequence[Dimension], scale: OwnScale
) -> Dimension | None:
    """The persona's own dimension, named in the manner of a key (`sparks_curiosity`).

    None where it has none, is not told that it has one, or rates it among `dimensions`.
    """
    if persona is None or not tells_dimension(persona) or not persona.dimension.strip():
        return None
    name = re.sub(r"\W+", "_", persona.dimension.strip().casefold()).strip("_")[:64] or "own_view"
    if name in {each.name for each in dimensions} | {OVERALL}:
        return None
    return Dimension(name, persona.dimension.strip(), scale.low, scale.high, scale.step)


def tells_dimension(persona: Persona) -> bool:
    """Whether the persona's level tells what it cares about: not the one-line role, and not nothing."""
    return persona.level not in (PersonaLevel.SIMPLE, PersonaLevel.NONE)


def check_rated(judges: Sequence[Judge], instances: Sequence[Instance]) -> None:
    """Nothing, where all `instances` have one response and dimensions, and `judges` can be asked.

    Raises:
        DataError: an instance is a pair, or no dimension of it is asked.
        ConfigError: a judge is recorded: there are no recorded ratings.
    """
    for judge in judges:
        if isinstance(judge, RecordedJudge):
            raise ConfigError(
                f"judge: {judge.name} is recorded and has no ratings; choose a judge with a model"
            )
    for instance in instances:
        if len(instance.responses) != 1:
            raise DataError(
                f"{instance.id}: expected one response to rate, got {len(instance.responses)}; "
                "choose a rated data set (dataset=mslr), or a method that compares"
            )
        if not asked_dimensions(instance):
            raise DataError(
                f"{instance.id}: expected at least one dimension to rate, got none; "
                "dataset.dimensions says which are rated"
            )
