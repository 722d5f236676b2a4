"""Debates: what the agents of a stakeholder group say to each other about one response."""

from dataclasses import dataclass
from enum import StrEnum

from venire.records.judgment import Ratings, Unscored


class Choice(StrEnum):
    """How the speaker of a turn was chosen."""

    COORDINATOR = "coordinator"  # the coordinator named one who may speak
    ONLY_ONE = "only_one"  # nobody else may speak any more: the coordinator is not asked
    UNKNOWN = "unknown"  # the coordinator named nobody of this group: the rule chose
    CLOSED = "closed"  # the coordinator named one who may speak no more: the rule chose
    FAILED = "failed"  # the coordinator gave no usable reply: the rule chose


class Standing(StrEnum):
    """How an agent's part in a debate stands, and how it ended."""

    OPEN = "open"  # may speak; at the end of a debate: the group's turns ran out
    CLOSED = "closed"  # said NO MORE COMMENTS
    TURN_LIMIT = "turn_limit"  # has had all its turns
    REPEATED = "repeated"  # said again what it had said before
    FAILED = "failed"  # gave no usable reply when it had the floor


class Ending(StrEnum):
    """Why a group's debate ended."""

    ALL_ENDED = "all_ended"  # no agent may speak any more
    TURN_LIMIT = "turn_limit"  # the group's turns ran out
    ONE_AGENT = "one_agent"  # nobody to debate with: there was none
    NO_RATINGS = "no_ratings"  # no agent's first rating could be used: there was none
    OFF = "off"  # the method has no debate
    READ_ONLY = "read_only"  # the others' ratings were read once, nothing was said


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a debate.

    Args:
        turn: its number in the group's debate, from 1.
        speaker: the agent.
        message: as it was said; empty where `failed`.
        feedback: given beside it, where it was.
        ratings: given beside it, where they were; final where `closing`.
        closing: whether the speaker said NO MORE COMMENTS.
        repeats: the speaker's earlier turn that says the same, or None.
        failed: why nothing was said; such a turn is shown to nobody.
        choice: how the speaker was chosen.
        named: whom the coordinator named, as it wrote it; empty where it was not asked or failed.
        reason: the coordinator's.
        cut: earlier turns that the speaker was not shown, since the history had grown too long.
    """

    turn: int
    speaker: str
    message: str
    feedback: str = ""
    ratings: Ratings | None = None
    closing: bool = False
    repeats: int | None = None
    failed: Unscored | None = None
    choice: Choice = Choice.COORDINATOR
    named: str = ""
    reason: str = ""
    cut: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Opinion:
    """An agent's ratings at one time, or why there are none.

    `cut` has the turns that it was not shown when it was asked for them.
    """

    ratings: Ratings | Unscored
    feedback: str = ""
    cut: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One agent's part: its rating before the debate and after, and how its speaking ended.

    Args:
        agent: its name.
        shown_as: what the others call it.
        dimension: the name of its own dimension in its ratings; empty for none.
        opening: before the debate, independently.
        final: after it.
        standing: how its part ended; OPEN where it never had one.
        asked_again: whether `final` was asked for after the debate; else it came with the last words, or
            is the opening.
    """

    agent: str
    shown_as: str
    dimension: str
    opening: Opinion
    final: Opinion
    standing: Standing = Standing.OPEN
    asked_again: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """What happened in one stakeholder group, on one response."""

    group: str
    parts: tuple[Part, ...]
    turns: tuple[Utterance, ...] = ()
    ending: Ending = Ending.OFF

    @property
    def cut(self) -> tuple[int, ...]:
        """The turns that somebody was not shown."""
        said = (turn for each in self.turns for turn in each.cut)
        final = (turn for part in self.parts for turn in part.final.cut)
        return tuple(sorted({*said, *final}))
