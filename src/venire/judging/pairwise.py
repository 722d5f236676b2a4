"""Pairwise comparison: one judge, one pair, one order -> one ballot; and a panel in several orders."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from venire.judging.ask import ask
from venire.judging.ballot import Ballot
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.judging.matter import pair_values
from venire.judging.recorded import compare_recorded
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Instance, Order, Prediction, Preference, Slot, Subject, Unscored, Vote

_SLOTS = {slot.value.casefold(): slot.value for slot in Slot}


def _label(value: object) -> object:
    """The label without regard to case and outer white space (`Tie` is `tie`); nothing else is mended."""
    return _SLOTS.get(value.strip().casefold(), value) if isinstance(value, str) else value


WithTie = Annotated[Literal["A", "B", "tie"], BeforeValidator(_label)]
Either = Annotated[Literal["A", "B"], BeforeValidator(_label)]
# The schema asks for a number; a reply without confidence, or with null, still has a verdict.
Confidence = Annotated[Annotated[float, Field(ge=0, le=1)] | None, WithJsonSchema({"type": "number"})]


class PairwiseReply(Reply):
    """A verdict that may be a tie. Only `winner` must be there."""

    reasoning: str = ""
    winner: WithTie
    confidence: Confidence = None

    @property
    def decision(self) -> object:
        """The winner."""
        return self.winner


class ForcedReply(Reply):
    """A verdict that must name one of the two."""

    reasoning: str = ""
    winner: Either
    confidence: Confidence = None

    @property
    def decision(self) -> object:
        """The winner."""
        return self.winner


async def compare(
    judge: Judge,
    instance: Instance,
    order: Order,
    llm: LLM,
    *,
    prompt: str,
    allow_tie: bool,
    stage: str = "judge",
    replicate: int = 0,
) -> Ballot:
    """The judge's vote on a pair shown in `order`, mapped back to the data set's own order.

    A recorded judge answers from its recordings; prompt and `allow_tie` are not its own then.
    Source: papers/advanced-evaluation, "Pairwise Comparison Implementation".
    """
    if isinstance(judge, RecordedJudge):
        return await compare_recorded(judge, instance, order, llm, stage=stage)
    return await _compare_prompted(
        judge, instance, order, llm, prompt=prompt, allow_tie=allow_tie, stage=stage, replicate=replicate
    )


async def _compare_prompted(
    judge: PromptedJudge,
    instance: Instance,
    order: Order,
    llm: LLM,
    *,
    prompt: str,
    allow_tie: bool,
    stage: str,
    replicate: int,
) -> Ballot:
    messages = render(prompt, **pair_values(instance, order), allow_tie=allow_tie)
    form: type[PairwiseReply] | type[ForcedReply] = PairwiseReply if allow_tie else ForcedReply
    subject = Subject(instance.id, order)
    asked = await ask(judge, messages, form, llm, stage=stage, subject=subject, replicate=replicate)
    prediction = _mapped_back(asked.reply, order)
    rationale = "" if isinstance(asked.reply, Unscored) else asked.reply.reasoning
    return Ballot(Vote(judge.name, order, prediction, rationale, asked.text), asked.calls)


def _mapped_back(reply: PairwiseReply | ForcedReply | Unscored, order: Order) -> Prediction:
    if isinstance(reply, Unscored):
        return reply
    return Preference(order.winner(Slot(reply.winner)), reply.confidence)


async def poll(
    judges: Sequence[Judge],
    instance: Instance,
    orders: Sequence[Order],
    llm: LLM,
    *,
    prompt: str,
    allow_tie: bool,
    stage: str = "judge",
) -> Mapping[Order, tuple[Ballot, ...]]:
    """Every judge's ballot in every order, all asked at once: order by order, in the judges' order.

    An error that stops the run (budget, refused key) is raised once all other calls of the instance
    have ended: what they cost is then in the ledger and their replies are in the store.
    """
    pairs = [(order, judge) for order in orders for judge in judges]
    ended = await asyncio.gather(
        *(
            compare(judge, instance, order, llm, prompt=prompt, allow_tie=allow_tie, stage=stage)
            for order, judge in pairs
        ),
        return_exceptions=True,
    )
    ballots: dict[Order, list[Ballot]] = {order: [] for order in orders}
    for (order, _), ballot in zip(pairs, ended, strict=True):
        if isinstance(ballot, BaseException):
            raise ballot
        ballots[order].append(ballot)
    return {order: tuple(made) for order, made in ballots.items()}
