"""What every way of asking has in common: a judge, a pair and an order give one or more verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from venire.judging.judge import Judge
from venire.judging.pairwise import compare
from venire.judging.probe import Bias
from venire.llm.protocol import LLM
from venire.prompts.render import require_prompt
from venire.records import BackendKind, Call, Instance, Order, Prediction, Vote


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict mapped back to the data set's order, and the stage's own numbers of how it came about."""

    prediction: Prediction
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question gave: a verdict for each arm that it serves, and the calls.

    `vote` is the judge's own, where there is one to show.
    """

    verdicts: Mapping[str, Verdict]
    calls: tuple[Call, ...]
    vote: Vote | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A pair in an order, for the calls' records under `stage`, with ties allowed or not."""

    instance: Instance
    order: Order
    stage: str
    allow_tie: bool = True
    replicate: int = 0


class Stage(Protocol):
    """A way of asking."""

    @property
    def against(self) -> tuple[Bias, ...]:
        """The biases that it is meant to lessen; an audit probes these under it."""
        ...

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompt files that it renders."""
        ...

    def names(self, name: str) -> tuple[str, ...]:
        """The arms that one of its questions serves, where it is called `name`."""
        ...

    def can_ask(self, judge: Judge) -> bool:
        """Whether it can be asked of `judge`: a recorded one has its published replies and no others."""
        ...

    async def ask(self, judge: Judge, question: Question, llm: LLM, *, name: str) -> Answer:
        """The verdicts on a pair, one for each of `names`."""
        ...


@dataclass(frozen=True, slots=True)
class Prompted:
    """One comparison by a prompt of its own.

    Args:
        prompt: the prompt file, without `.jinja`.
        against: the biases that its words are meant to lessen.
    """

    prompt: str
    against: tuple[Bias, ...] = ()

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like="pairwise")

    @property
    def prompts(self) -> tuple[str, ...]:
        """The one."""
        return (self.prompt,)

    def names(self, name: str) -> tuple[str, ...]:
        """The one arm."""
        return (name,)

    def can_ask(self, judge: Judge) -> bool:
        """Whether it reads prompts; the plain question (against nothing) can be asked of any judge."""
        return not self.against or reads_prompts(judge)

    async def ask(self, judge: Judge, question: Question, llm: LLM, *, name: str) -> Answer:
        """The judge's verdict."""
        ballot = await compare(
            judge,
            question.instance,
            question.order,
            llm,
            prompt=self.prompt,
            allow_tie=question.allow_tie,
            stage=question.stage,
            replicate=question.replicate,
        )
        return Answer({name: Verdict(ballot.vote.prediction)}, ballot.calls, ballot.vote)


def reads_prompts(judge: Judge) -> bool:
    """Whether new questions can be put to it."""
    return judge.client.kind is not BackendKind.RECORDED
