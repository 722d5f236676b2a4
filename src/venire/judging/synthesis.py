"""Synthesis: what several groups found, brought together in words by an aggregator."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AfterValidator

from venire.judging.agent import Group
from venire.judging.ask import ask
from venire.judging.debate import nonblank
from venire.judging.history import opinion_values
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.rating import dimension_values
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Dimension, Opinion, Unscored

AGGREGATE = "aggregate"


class SynthesisReply(Reply):
    """Agreements and disputes, a sentence each, then the reading of both."""

    agreements: list[str]
    disputes: list[str]
    reading: Annotated[str, AfterValidator(nonblank)]

    @property
    def decision(self) -> object:
        """The reading."""
        return self.reading


@dataclass(frozen=True, slots=True)
class Synthesised:
    """What the groups agree on, where they differ and what it comes to, or why this could not be had."""

    agreements: tuple[str, ...] = ()
    disputes: tuple[str, ...] = ()
    reading: str = ""
    unscored: Unscored | None = None
    calls: tuple[Call, ...] = field(default=(), compare=False)


async def synthesise(
    aggregator: PromptedJudge,
    matter: Matter,
    opinions: Sequence[tuple[Group, Sequence[Opinion]]],
    dimensions: Sequence[Dimension],
    llm: LLM,
) -> Synthesised:
    """The aggregator's summary of all groups' final ratings and feedback; it moves no score.

    It is shown the request and the response, without context and reference: it rates nothing.

    Source: MAJ-EVAL, phase 3, qualitative part.
    """
    messages = render(
        AGGREGATE,
        prompt=matter.values["prompt"],
        response=matter.values["response"],
        dimensions=dimension_values(dimensions),
        groups=[
            {
                "name": group.shown_as,
                "description": group.description,
                "agents": [
                    {"speaker": agent.shown_as, **opinion_values(opinion)}
                    for agent, opinion in zip(group.agents, held, strict=True)
                ],
            }
            for group, held in opinions
        ],
    )
    asked = await ask(aggregator, messages, SynthesisReply, llm, stage="aggregate", subject=matter.subject())
    if isinstance(asked.reply, Unscored):
        return Synthesised(unscored=asked.reply, calls=asked.calls)
    return Synthesised(
        tuple(text.strip() for text in asked.reply.agreements if text.strip()),
        tuple(text.strip() for text in asked.reply.disputes if text.strip()),
        asked.reply.reading.strip(),
        calls=asked.calls,
    )
