"""ChatEval's discussion of one response: roles speak for a fixed number of turns and rate.

Stage `discuss`: one turn of one role, `Request.role` is the role's name; fields `message`, `ratings`.
Stage `summarise`: the summariser's account of a turn; field `summary`.

Source: Chan et al. 2023, "ChatEval: Towards Better LLM-based Evaluators through Multi-Agent Debate",
section 2 (roles, communication strategies).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from pydantic import create_model, field_validator

from venire.judging.agent import in_seat
from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.rating import dimension_values, ratings_given, ratings_of_reply
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Dimension, Persona, Ratings, Unscored

CHATEVAL_TURN = "chateval_turn"
CHATEVAL_SUMMARY = "chateval_summary"
SUMMARISER = "summariser"


class Communication(StrEnum):
    """Who hears what, and when."""

    ONE_BY_ONE = "one_by_one"  # in order, each hears all that was said before, of this turn, too
    SIMULTANEOUS = "simultaneous"  # all at once, each hears the turns before
    SIMULTANEOUS_WITH_SUMMARISER = (
        "simultaneous_with_summariser"  # all at once, each hears a summary of each turn
    )


@dataclass(frozen=True, slots=True)
class Statement:
    """What a role said in a turn, or why it said nothing.

    Args:
        turn: from 1.
        role: its name.
        message: empty where `ratings` is unscored: a failed statement is shown to nobody.
        ratings: on the dimensions' scales; those rated N/A are absent.
        text: the reply as it came.
    """

    turn: int
    role: str
    message: str
    ratings: Ratings | Unscored
    text: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A text that later speakers are shown, and whose it is."""

    speaker: str
    turn: int
    text: str


@dataclass(slots=True)
class Discussion:
    """A discussion as it goes on.

    Args:
        statements: in the order of turns and roles.
        heard: what the next speaker is shown.
        summaries: by turn; `Unscored` where the summariser failed: the messages themselves were shown then.
        calls: in a fixed order, whatever the timing.
    """

    statements: list[Statement] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    summaries: dict[int, str | Unscored] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def of_turn(self, turn: int) -> list[Statement]:
        """The statements of one turn, in the roles' order."""
        return [each for each in self.statements if each.turn == turn]


class TurnReply(Reply):
    """A message, then the ratings."""

    message: str
    ratings: Mapping[str, float | None]

    @field_validator("message")
    @classmethod
    def _not_blank(cls, message: str) -> str:
        if not message.strip():
            raise ValueError("expected some text")
        return message.strip()

    @property
    def decision(self) -> object:
        """The ratings."""
        return dict(self.ratings)


class SummaryReply(Reply):
    """An account of what was said."""

    summary: str

    @field_validator("summary")
    @classmethod
    def _not_blank(cls, summary: str) -> str:
        if not summary.strip():
            raise ValueError("expected some text")
        return summary.strip()


@dataclass(frozen=True, slots=True)
class Seats:
    """Who discusses: one judge in several roles, over `turns` turns."""

    judge: PromptedJudge
    roles: tuple[Persona, ...]
    turns: int
    communication: Communication


async def discuss(seats: Seats, matter: Matter, dimensions: Sequence[Dimension], llm: LLM) -> Discussion:
    """All turns of all roles; no reduction. A role that failed in one turn is asked in the next one again."""
    discussion = Discussion()
    for turn in range(1, seats.turns + 1):
        if seats.communication is Communication.ONE_BY_ONE:
            for role in seats.roles:
                said = await _speak(seats, role, turn, matter, dimensions, discussion.heard, llm)
                _take(discussion, said)
                discussion.heard += _audible(said.statement, dimensions)
            continue
        together_said = await together(
            _speak(seats, role, turn, matter, dimensions, discussion.heard, llm) for role in seats.roles
        )
        for said in together_said:
            _take(discussion, said)
        if turn < seats.turns:  # nobody would hear the last turn
            await _pass_on(seats, turn, matter, dimensions, discussion, llm)
    return discussion


@dataclass(frozen=True, slots=True)
class _Said:
    statement: Statement
    calls: tuple[Call, ...]


def _take(discussion: Discussion, said: _Said) -> None:
    discussion.statements.append(said.statement)
    discussion.calls += said.calls


async def _speak(
    seats: Seats,
    role: Persona,
    turn: int,
    matter: Matter,
    dimensions: Sequence[Dimension],
    heard: Sequence[Heard],
    llm: LLM,
) -> _Said:
    judge = in_seat(seats.judge, role.name, role)
    messages = render(
        CHATEVAL_TURN,
        **matter.values,
        dimensions=dimension_values(dimensions),
        role=role.name,
        others=[each.name for each in seats.roles if each.name != role.name],
        heard=_heard_values(heard),
        turn=turn,
        turns=seats.turns,
    )
    form = turn_form(tuple(dimensions))
    asked = await ask(judge, messages, form, llm, stage="discuss", subject=matter.subject())
    if isinstance(asked.reply, Unscored):
        return _Said(Statement(turn, role.name, "", asked.reply, asked.text), asked.calls)
    ratings = ratings_given(asked.reply.ratings)
    return _Said(Statement(turn, role.name, asked.reply.message, ratings, asked.text), asked.calls)


@cache
def turn_form(dimensions: tuple[Dimension, ...]) -> type[TurnReply]:
    """The reply that speaks and rates exactly `dimensions`."""
    return create_model("TurnReply", __base__=TurnReply, ratings=(ratings_of_reply(dimensions), ...))


def _audible(statement: Statement, dimensions: Sequence[Dimension]) -> list[Heard]:
    """A statement as others hear it, its ratings at the end; nothing where it failed."""
    if isinstance(statement.ratings, Unscored):
        return []
    given = statement.ratings.by_dimension
    shown = ", ".join(
        f"{each.name} {given[each.name]:g}" if each.name in given else f"{each.name} N/A"
        for each in dimensions
    )
    return [Heard(statement.role, statement.turn, f"{statement.message}\n({shown})")]


async def _pass_on(
    seats: Seats,
    turn: int,
    matter: Matter,
    dimensions: Sequence[Dimension],
    discussion: Discussion,
    llm: LLM,
) -> None:
    """Let everybody hear the turn: the messages, or their summary.

    Where the summary failed the messages stand in for it: nobody is left to speak into silence.
    """
    said = [heard for each in discussion.of_turn(turn) for heard in _audible(each, dimensions)]
    if seats.communication is Communication.SIMULTANEOUS or not said:
        discussion.heard += said
        return
    messages = render(
        CHATEVAL_SUMMARY,
        **matter.values,
        dimensions=dimension_values(dimensions),
        heard=_heard_values(discussion.heard),
        said=_heard_values(said),
    )
    judge = in_seat(seats.judge, SUMMARISER)
    asked = await ask(judge, messages, SummaryReply, llm, stage="summarise", subject=matter.subject())
    discussion.calls += asked.calls
    if isinstance(asked.reply, Unscored):
        discussion.summaries[turn] = asked.reply
        discussion.heard += said
    else:
        discussion.summaries[turn] = asked.reply.summary
        discussion.heard.append(Heard(SUMMARISER, turn, asked.reply.summary))


def _heard_values(heard: Sequence[Heard]) -> list[dict[str, object]]:
    return [{"speaker": each.speaker, "turn": each.turn, "text": each.text} for each in heard]
