"""A control: the tokens that MAJ-EVAL takes, spent on asking for independent ratings again and again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count, islice

from venire.errors import ConfigError
from venire.judging.agent import Agent
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.rating import Rated, asked_dimensions, prediction_of, rate
from venire.llm.protocol import LLM
from venire.methods.maj_eval.aggregate import scores
from venire.methods.maj_eval.method import MajEval
from venire.methods.maj_eval.talk import opinion_of
from venire.records import (
    Call,
    Dimension,
    Instance,
    Opinion,
    Outcome,
    Prediction,
    Ratings,
    Reason,
    Unscored,
    Vote,
)


class Sampled(StrEnum):
    """Who is asked again and again."""

    JUDGE = "judge"  # the model without a persona: self-consistency of a single judge
    AGENTS = "agents"  # every agent in turn, in person


@dataclass(frozen=True, slots=True)
class _Seat:
    """Who gives a sample: a judge, what it rates, and the group that its ratings count in."""

    judge: PromptedJudge
    dimensions: tuple[Dimension, ...]
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SameTokens(MajEval):
    """The mean of as many independent ratings as MAJ-EVAL's tokens pay for (self-consistency).

    On each instance MAJ-EVAL itself is run first, to know what it takes there: its calls are in the store
    where it was run before with the same settings, else they are paid. They are shown under stage
    `budget`. Then independent ratings are sampled (stage `replicate`), as long as one more of mean size
    fits into what is left of these tokens, input and output together; at least one is. Tokens of samples
    that cannot be used count, too. Where a provider does not tell its tokens there is no judgment.

    Args:
        sampled: who is asked: the judge alone, as `method=rating` does, or all agents in turn.
        replicate_temperature: of the samples; None: the judge's own. At temperature 0 most samples repeat
            the first, and the control would be a straw man.
        most: samples of an instance at most.

    Source: Wang et al. 2023, "Self-Consistency Improves Chain of Thought Reasoning"; issue "MAJ-EVAL",
    "Controls". That ratings are averaged, not counted, is a choice.
    """

    sampled: Sampled = Sampled.JUDGE
    replicate_temperature: float | None = 0.7
    most: int = 400

    def __post_init__(self) -> None:
        MajEval.__post_init__(self)
        if self.replicate_temperature is not None and not 0 <= self.replicate_temperature <= 2:
            raise ConfigError(f"replicate_temperature: expected 0 to 2, got {self.replicate_temperature}")
        if self.most < 1:
            raise ConfigError(f"most: expected at least 1 sample, got {self.most}")

    @property
    def name(self) -> str:
        """`same_tokens_self_consistency`."""
        return "same_tokens_self_consistency"

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The mean of the samples; `detail["budget"]` has the tokens of both and the number of samples."""
        pilot = await MajEval.judge(self, instance, memory, llm)
        budget = tokens_of(pilot.calls)
        shown = tuple(replace(call, stage="budget") for call in pilot.calls)
        if budget is None:
            return Outcome(instance.id, _unknown("MAJ-EVAL's own calls"), calls=shown)
        sampled = await self._samples(instance, budget, llm)
        calls = tuple(replace(call, stage="replicate") for _, made in sampled for call in made.calls)
        spent = tokens_of(calls)
        usable = sum(isinstance(made.ratings, Ratings) for _, made in sampled)
        facts = {"tokens": budget, "spent": spent, "samples": len(sampled), "usable": usable}
        prediction = self._mean(sampled, instance) if spent is not None else _unknown("the samples")
        return Outcome(
            instance_id=instance.id,
            prediction=prediction,
            votes=tuple(_vote(seat, made, asked_dimensions(instance)) for seat, made in sampled),
            calls=(*calls, *shown),
            detail={"budget": facts, "pilot": {"variants": pilot.detail["variants"]}},
        )

    async def _samples(self, instance: Instance, budget: int, llm: LLM) -> list[tuple[_Seat, Rated]]:
        """Samples in the order in which they were named; how many depends on their own tokens alone."""
        turns = self._turns(asked_dimensions(instance))
        made: list[tuple[_Seat, Rated]] = []
        more = 1
        while more > 0:
            taken = list(islice(turns, more))
            rated = await together(
                rate(
                    self._sampling(seat.judge),
                    Matter(instance, 0),
                    seat.dimensions,
                    llm,
                    prompt=self.prompt,
                    replicate=replicate,
                )
                for seat, replicate in taken
            )
            made += [(seat, each) for (seat, _), each in zip(taken, rated, strict=True)]
            spent = tokens_of([call for _, each in made for call in each.calls])
            more = 0 if not spent else (budget - spent) * len(made) // spent
            more = min(more, self.most - len(made))
        return made

    def _turns(self, dimensions: tuple[Dimension, ...]) -> Iterator[tuple[_Seat, int]]:
        """Who gives the next sample, and the number of its replicate; round after round without end."""
        seats = self._seats(dimensions)
        for replicate in count(1):
            for seat in seats:
                yield seat, replicate

    def _seats(self, dimensions: tuple[Dimension, ...]) -> list[_Seat]:
        assert isinstance(self.judged_by, PromptedJudge)
        if self.sampled is Sampled.JUDGE:
            return [_Seat(self.judged_by, dimensions, "")]
        agents = [agent for group in self._groups(dimensions) for agent in group.agents]
        return [_seat(agent) for agent in agents]

    def _sampling(self, judge: PromptedJudge) -> PromptedJudge:
        if self.replicate_temperature is None:
            return judge
        return replace(judge, temperature=self.replicate_temperature)

    def _mean(self, sampled: Sequence[tuple[_Seat, Rated]], instance: Instance) -> Prediction:
        """One judge: the mean of its samples. Agents: as MAJ-EVAL's score, every sample an opinion."""
        groups: dict[str, list[Opinion]] = {}
        for seat, made in sampled:
            groups.setdefault(seat.group, []).append(opinion_of(made))
        return scores(list(groups.values()), asked_dimensions(instance))[self.score]


def tokens_of(calls: Sequence[Call]) -> int | None:
    """Input and output tokens of `calls`; None where some are not known."""
    total = 0
    for call in calls:
        if not call.usage_complete or call.usage.input_tokens is None or call.usage.output_tokens is None:
            return None
        total += call.usage.input_tokens + call.usage.output_tokens
    return total


def _seat(agent: Agent) -> _Seat:
    return _Seat(agent.judge, agent.dimensions, agent.group)


def _vote(seat: _Seat, made: Rated, dimensions: Sequence[Dimension]) -> Vote:
    prediction = prediction_of(made.ratings, dimensions)
    return Vote(seat.judge.name, None, prediction, made.feedback, made.text)


def _unknown(whose: str) -> Unscored:
    return Unscored(Reason.UNDEFINED, f"the tokens of {whose} are not known: there is no budget to keep")
