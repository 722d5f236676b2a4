"""The steps of a debate, one model call each (re-asks aside): a turn, a choice of speaker, final ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, WithJsonSchema, create_model

from venire.judging.agent import Agent, Group
from venire.judging.ask import ask
from venire.judging.history import History
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.rating import (
    Rated,
    ask_ratings,
    dimension_values,
    rating_form,
    ratings_given,
    ratings_of_reply,
)
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Dimension, Ratings, Unscored

DEBATE = "debate"
COORDINATE = "coordinate"
FINAL = "final"


def nonblank(text: str) -> str:
    """`text`, which says something."""
    if not text.strip():
        raise ValueError("expected a text, got none")
    return text


class Turn(Reply):
    """What a speaker says; its ratings where it gives any."""

    message: Annotated[str, AfterValidator(nonblank)]
    feedback: str = ""
    ratings: Mapping[str, float | None] | None = None

    @property
    def decision(self) -> object:
        """The message and the ratings."""
        return self.message.strip(), self.ratings and dict(self.ratings)


class Next(Reply):
    """Who speaks next, the reason before the name."""

    reason: str = ""
    next_speaker: Annotated[str, AfterValidator(nonblank)]

    @property
    def decision(self) -> object:
        """The name."""
        return self.next_speaker


@dataclass(frozen=True, slots=True)
class Said:
    """A turn: what was said, or why nothing was; the calls that it took."""

    message: str | Unscored
    feedback: str
    ratings: Ratings | None
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """The name that the coordinator gave, as it wrote it, or why there is none; with its reason."""

    speaker: str | Unscored
    reason: str
    calls: tuple[Call, ...]


async def speak(agent: Agent, matter: Matter, history: History, llm: LLM) -> Said:
    """What the agent says when it has the floor; nothing is said for it where it gives no usable reply.

    Source: MAJ-EVAL, phase 2.
    """
    messages = render(
        DEBATE,
        **matter.values,
        **_seat_values(agent, history),
        **history.values,
    )
    form = turn_form(agent.dimensions)
    asked = await ask(agent.judge, messages, form, llm, stage="debate", subject=matter.subject())
    if isinstance(asked.reply, Unscored):
        return Said(asked.reply, "", None, asked.calls)
    given = asked.reply.ratings
    ratings = None if given is None else ratings_given(given)
    return Said(asked.reply.message.strip(), asked.reply.feedback.strip(), ratings, asked.calls)


async def name_next(
    coordinator: PromptedJudge,
    group: Group,
    matter: Matter,
    history: History,
    llm: LLM,
    *,
    taken: Mapping[str, int],
    open_to: Sequence[Agent],
) -> Named:
    """Whom the coordinator gives the floor: open conflicts first, then views not yet heard.

    It is shown what was said, not the material; `taken` has each agent's turns so far, `open_to` those who
    may still speak. What it names is not checked here.

    Source: MAJ-EVAL, phase 2.
    """
    people = [
        {
            "name": agent.shown_as,
            "view": agent.view,
            "turns": taken[agent.name],
            "open": agent in open_to,
        }
        for agent in group.agents
    ]
    messages = render(
        COORDINATE,
        group=group.shown_as,
        description=group.description,
        people=people,
        **history.values,
    )
    form = next_form(tuple(agent.shown_as for agent in open_to))
    asked = await ask(coordinator, messages, form, llm, stage="coordinate", subject=matter.subject())
    if isinstance(asked.reply, Unscored):
        return Named(asked.reply, "", asked.calls)
    return Named(asked.reply.next_speaker.strip(), asked.reply.reason.strip(), asked.calls)


async def rate_finally(agent: Agent, matter: Matter, history: History, llm: LLM, *, debated: bool) -> Rated:
    """The agent's final ratings: after the debate, or (`debated` false) after reading the others' once."""
    messages = render(
        FINAL,
        **matter.values,
        **_seat_values(agent, history),
        **history.values,
        debated=debated,
    )
    return await ask_ratings(agent.judge, messages, matter, agent.dimensions, llm, stage="final")


def _seat_values(agent: Agent, history: History) -> dict[str, object]:
    return {
        "me": agent.shown_as,
        "others": [other.shown_as for other in history.agents if other.name != agent.name],
        "dimensions": dimension_values(agent.dimensions),
    }


@cache
def turn_form(dimensions: tuple[Dimension, ...]) -> type[Turn]:
    """A turn's reply; ratings, where given, are of all `dimensions`."""
    field = ratings_of_reply(dimensions)
    return create_model("Turn", __base__=Turn, ratings=(_or_null(field, dimensions), None))


def _or_null(ratings: Any, dimensions: tuple[Dimension, ...]) -> Any:
    schema = rating_form(dimensions).model_json_schema()["properties"]["ratings"]
    return Annotated[ratings | None, WithJsonSchema({"anyOf": [schema, {"type": "null"}]})]


@cache
def next_form(speakers: tuple[str, ...]) -> type[Next]:
    """The coordinator's reply; the schema names the `speakers`, any other name is read all the same."""
    named = Annotated[
        str,
        AfterValidator(nonblank),
        WithJsonSchema({"type": "string", "enum": list(speakers)}),
    ]
    return create_model("Next", __base__=Next, next_speaker=(named, ...))
