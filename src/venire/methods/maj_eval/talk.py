"""What phases 1 and 2 hand on: a group's agents, their first ratings, and what came of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.agent import Agent, Group
from venire.judging.matter import Matter
from venire.judging.rating import Rated
from venire.records import Call, Ending, Opinion, Part, Standing, Transcript, Unscored


@dataclass(frozen=True, slots=True)
class Opened:
    """A group after phase 1: each agent's independent rating, in the agents' order."""

    group: Group
    matter: Matter
    rated: tuple[Rated, ...]

    @property
    def openings(self) -> tuple[Opinion, ...]:
        """The ratings as opinions."""
        return tuple(opinion_of(each) for each in self.rated)

    @property
    def calls(self) -> tuple[Call, ...]:
        """Agent by agent."""
        return tuple(call for each in self.rated for call in each.calls)

    @property
    def is_silent(self) -> bool:
        """Whether no agent gave a usable rating."""
        return all(isinstance(each.ratings, Unscored) for each in self.rated)


@dataclass(frozen=True, slots=True)
class Talk:
    """A group after phase 2: its transcript, and the calls of that phase in time order."""

    transcript: Transcript
    calls: tuple[Call, ...] = ()


def opinion_of(rated: Rated, cut: tuple[int, ...] = ()) -> Opinion:
    """A rating as an opinion of one who was not shown the turns `cut`."""
    return Opinion(rated.ratings, rated.feedback, cut)


def part_of(
    agent: Agent,
    opening: Opinion,
    final: Opinion,
    standing: Standing = Standing.OPEN,
    *,
    asked_again: bool = False,
) -> Part:
    """The record of an agent's part."""
    return Part(agent.name, agent.shown_as, agent.own, opening, final, standing, asked_again)


def unchanged(opened: Opened) -> tuple[Part, ...]:
    """The parts of agents whose first ratings are their final ones."""
    return tuple(
        part_of(agent, opening, opening)
        for agent, opening in zip(opened.group.agents, opened.openings, strict=True)
    )


def without_talk(opened: Opened) -> Talk | None:
    """The first ratings as final ones: of a group of one, and where no first one could be used; else None."""
    if opened.is_silent:
        ending = Ending.NO_RATINGS
    elif len(opened.group.agents) == 1:
        ending = Ending.ONE_AGENT
    else:
        return None
    return Talk(Transcript(opened.group.name, unchanged(opened), ending=ending))


def final_opinions(parts: Sequence[Part]) -> tuple[Opinion, ...]:
    """Of each agent."""
    return tuple(part.final for part in parts)
