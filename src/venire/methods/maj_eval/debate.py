"""Phase 2: the agents of a group debate, chaired by a coordinator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from venire.errors import ConfigError
from venire.judging.agent import COORDINATOR, Agent, in_seat
from venire.judging.closing import repeated, says_no_more
from venire.judging.debate import COORDINATE, DEBATE, FINAL, Said, name_next, rate_finally, speak
from venire.judging.history import History, history_of
from venire.judging.judge import PromptedJudge
from venire.judging.matter import together
from venire.llm.protocol import LLM
from venire.methods.maj_eval.talk import Opened, Talk, opinion_of, part_of, without_talk
from venire.records import (
    Call,
    Choice,
    Ending,
    Opinion,
    Part,
    Standing,
    Transcript,
    Unscored,
    Utterance,
)


class Debating(Protocol):
    """What stands between the first ratings of a group and its final ones."""

    @property
    def judges(self) -> tuple[PromptedJudge, ...]:
        """Models of its own that it asks."""
        ...

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompt files that it renders."""
        ...

    async def hold(self, opened: Opened, chair: PromptedJudge, llm: LLM) -> Talk:
        """The group's talk; `chair` is the model of a coordinator that has none of its own."""
        ...


@dataclass(frozen=True, slots=True)
class FreeDebate:
    """Free debate with a coordinator, within limits.

    Args:
        turns_per_agent: the most turns of one agent; its part then ends.
        turns: the most turns of a group; the debate then ends.
        max_history: characters of earlier messages that a prompt shows at most; the oldest turns are left
            out first, and the record says which. The latest is always shown.
        repetition: from this likeness on a message repeats an earlier one of its speaker, whose part then
            ends (`venire.judging.closing.repeated`); 1: only the same words do.
        coordinator: whose model names the next speaker; None: the agents' model. It has no persona.

    Source: MAJ-EVAL, phase 2; limits and their values are choices.
    """

    turns_per_agent: int = 3
    turns: int = 12
    max_history: int = 24_000
    repetition: float = 0.9
    coordinator: PromptedJudge | None = None

    def __post_init__(self) -> None:
        for name in ("turns_per_agent", "turns"):
            if getattr(self, name) < 1:
                raise ConfigError(
                    f"{name}: expected at least 1, got {getattr(self, name)}; debate=null is no debate"
                )
        if self.max_history < 1:
            raise ConfigError(f"max_history: expected at least 1 character, got {self.max_history}")
        if not 0 < self.repetition <= 1:
            raise ConfigError(f"repetition: expected more than 0, up to 1, got {self.repetition}")

    @property
    def judges(self) -> tuple[PromptedJudge, ...]:
        """The coordinator's model, where it has one of its own."""
        return () if self.coordinator is None else (self.coordinator,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """Of turns, of the coordinator, and of final ratings."""
        return (DEBATE, COORDINATE, FINAL)

    async def hold(self, opened: Opened, chair: PromptedJudge, llm: LLM) -> Talk:
        """The debate, then the final ratings of those who did not give them with their last words.

        There is none in a group of one, nor where nobody gave a usable first rating: the first ratings
        are then final.
        """
        group = opened.group
        if (settled := without_talk(opened)) is not None:
            return settled
        floor = _Floor(self, opened, in_seat(self.coordinator or chair, f"{group.name}/{COORDINATOR}"))
        while floor.open_agents and len(floor.turns) < self.turns:
            await floor.next_turn(llm)
        parts, calls = await _final_parts(floor, llm)
        ending = Ending.TURN_LIMIT if floor.open_agents else Ending.ALL_ENDED
        return Talk(Transcript(group.name, parts, tuple(floor.turns), ending), (*floor.calls, *calls))


@dataclass(slots=True)
class _Floor:
    """A debate under way: turn follows turn, so its state is that of one group and one instance only."""

    settings: FreeDebate
    opened: Opened
    coordinator: PromptedJudge
    turns: list[Utterance] = field(default_factory=list)
    standing: dict[str, Standing] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    @property
    def agents(self) -> tuple[Agent, ...]:
        return self.opened.group.agents

    @property
    def open_agents(self) -> list[Agent]:
        """Those who may speak, in the group's order."""
        return [agent for agent in self.agents if agent.name not in self.standing]

    @property
    def taken(self) -> Mapping[str, int]:
        """Each agent's turns so far, failed ones included."""
        return {agent.name: sum(turn.speaker == agent.name for turn in self.turns) for agent in self.agents}

    @property
    def history(self) -> History:
        return history_of(self.agents, self.opened.openings, self.turns, self.settings.max_history)

    async def next_turn(self, llm: LLM) -> None:
        """One turn: somebody is given the floor and speaks, or fails to."""
        history = self.history
        chosen = await self._choose(history, llm)
        said = await speak(chosen.agent, self.opened.matter, history, llm)
        self.calls += [*chosen.calls, *said.calls]
        utterance = _utterance(len(self.turns) + 1, chosen, said, history)
        if utterance.failed is None and not utterance.closing:
            utterance = self._checked(utterance)
        self.turns.append(utterance)
        standing = self._standing(utterance)
        if standing is not Standing.OPEN:
            self.standing[chosen.agent.name] = standing

    async def _choose(self, history: History, llm: LLM) -> "_Chosen":
        open_to = self.open_agents
        if len(open_to) == 1:
            return _Chosen(open_to[0], Choice.ONLY_ONE)
        taken = self.taken
        named = await name_next(
            self.coordinator,
            self.opened.group,
            self.opened.matter,
            history,
            llm,
            taken=taken,
            open_to=open_to,
        )
        by_rule = min(open_to, key=lambda agent: taken[agent.name])  # ties: the group's order
        if isinstance(named.speaker, Unscored):
            return _Chosen(by_rule, Choice.FAILED, calls=named.calls)
        agent = _called(named.speaker, self.agents)
        if agent is None:
            return _Chosen(by_rule, Choice.UNKNOWN, named.speaker, named.reason, named.calls)
        if agent not in open_to:
            return _Chosen(by_rule, Choice.CLOSED, named.speaker, named.reason, named.calls)
        return _Chosen(agent, Choice.COORDINATOR, named.speaker, named.reason, named.calls)

    def _checked(self, utterance: Utterance) -> Utterance:
        """`utterance` with the earlier turn of its speaker that it repeats, where it does."""
        earlier = [
            (turn.turn, turn.message)
            for turn in self.turns
            if turn.speaker == utterance.speaker and turn.failed is None
        ]
        found = repeated(utterance.message, earlier, self.settings.repetition)
        return utterance if found is None else replace(utterance, repeats=found)

    def _standing(self, utterance: Utterance) -> Standing:
        if utterance.failed is not None:
            return Standing.FAILED
        if utterance.closing:
            return Standing.CLOSED
        if utterance.repeats is not None:
            return Standing.REPEATED
        if self.taken[utterance.speaker] >= self.settings.turns_per_agent:
            return Standing.TURN_LIMIT
        return Standing.OPEN


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Who has the floor, and how this came about."""

    agent: Agent
    choice: Choice
    named: str = ""
    reason: str = ""
    calls: tuple[Call, ...] = ()


def _called(name: str, agents: Sequence[Agent]) -> Agent | None:
    """The agent that others call `name`, without regard to case and white space."""
    wanted = " ".join(name.split()).casefold()
    return next((agent for agent in agents if agent.shown_as.casefold() == wanted), None)


def _utterance(turn: int, chosen: _Chosen, said: Said, history: History) -> Utterance:
    failed = said.message if isinstance(said.message, Unscored) else None
    message = "" if isinstance(said.message, Unscored) else said.message
    return Utterance(
        turn=turn,
        speaker=chosen.agent.name,
        message=message,
        feedback=said.feedback,
        ratings=said.ratings,
        closing=says_no_more(message),
        failed=failed,
        choice=chosen.choice,
        named=chosen.named,
        reason=chosen.reason,
        cut=history.cut,
    )


async def _final_parts(floor: _Floor, llm: LLM) -> tuple[tuple[Part, ...], tuple[Call, ...]]:
    """Every agent's part: its final ratings are those of its last words, else they are asked for."""
    last_words = {
        turn.speaker: Opinion(turn.ratings, turn.feedback)
        for turn in floor.turns
        if turn.closing and turn.ratings is not None
    }
    history = floor.history
    asked = [agent for agent in floor.agents if agent.name not in last_words]
    rated = await together(
        rate_finally(agent, floor.opened.matter, history, llm, debated=True) for agent in asked
    )
    answers = {agent.name: opinion_of(each, history.cut) for agent, each in zip(asked, rated, strict=True)}
    parts = tuple(
        part_of(
            agent,
            opening,
            last_words.get(agent.name) or answers[agent.name],
            floor.standing.get(agent.name, Standing.OPEN),
            asked_again=agent.name in answers,
        )
        for agent, opening in zip(floor.agents, floor.opened.openings, strict=True)
    )
    return parts, tuple(call for each in rated for call in each.calls)
