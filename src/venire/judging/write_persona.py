"""Writing: one dimension of a stakeholder group -> the person who judges by it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import field_validator

from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Subject, Unscored

WRITE = "write_persona"


class PersonaReply(Reply):
    """The one-line role and the five parts of MAJ-EVAL's personas."""

    role: str
    demographics: str
    perspective: str
    expertise: str
    traits: str
    relations: str

    @field_validator("role", "demographics", "perspective", "expertise", "traits", "relations")
    @classmethod
    def says_something(cls, text: str) -> str:
        """A part of blanks or marks alone is none."""
        if not any(letter.isalnum() for letter in text):
            raise ValueError("it is empty")
        return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Seat:
    """What a persona is written from: its group, its dimension, and what was found for it."""

    group: str
    description: str
    dimension: str
    perspectives: Sequence[str]
    quotes: Sequence[str]
    others: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class WrittenPersona:
    """The parts that a model wrote, or why it wrote none; with the calls it took."""

    parts: PersonaReply | Unscored
    calls: tuple[Call, ...]


async def write_persona(
    judge: PromptedJudge, task: str, seat: Seat, llm: LLM, *, subject: str
) -> WrittenPersona:
    """The persona of one (group, dimension); every part says something, or there is none.

    Source: MAJ-EVAL, step 1 (dimension-based persona construction).
    """
    messages = render(
        WRITE,
        task=task,
        group=_lines([f"{seat.group}: {seat.description}"]),
        dimension=_lines([seat.dimension]),
        perspectives=_lines(seat.perspectives),
        quotes=_lines(seat.quotes),
        others=_lines(seat.others) if seat.others else None,
    )
    asked = await ask(judge, messages, PersonaReply, llm, stage="persona_writing", subject=Subject(subject))
    return WrittenPersona(asked.reply, asked.calls)


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(" ".join(text.split()) for text in texts)
