"""Extraction: one part of a document -> the stakeholders it speaks of, with evidence yet to be checked."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Subject, Unscored

EXTRACT = "extract_stakeholders"


class DimensionReply(Reply):
    """What a stakeholder looks at, why, and the passage that says so."""

    dimension: str
    perspective: str
    evidence: str


class StakeholderReply(Reply):
    """A kind of person, and the dimensions on which they would judge."""

    name: str
    description: str
    dimensions: list[DimensionReply]


class Extraction(Reply):
    """The stakeholders of a part; an empty list is a valid one."""

    stakeholders: list[StakeholderReply]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a model found in a part, or why it found nothing usable; with the calls it took."""

    stakeholders: tuple[StakeholderReply, ...] | Unscored
    calls: tuple[Call, ...]


async def extract_stakeholders(
    judge: PromptedJudge, task: str, paragraphs: Sequence[tuple[int, str]], llm: LLM, *, document: str
) -> Extracted:
    """The stakeholders of `task` in a part of `document`; the quotes are as the model gave them.

    Args:
        judge: whose model reads.
        task: what will be judged, in a sentence.
        paragraphs: number and text each; white space is shown as single blanks, a paragraph a line.
        llm: the model call.
        document: what the calls are booked on (`Subject.instance_id`).

    Source: MAJ-EVAL, step 1 (evaluative dimension extraction).
    """
    shown = "\n".join(f"[{number}] {' '.join(text.split())}" for number, text in paragraphs)
    asked = await ask(
        judge,
        render(EXTRACT, task=task, paragraphs=shown),
        Extraction,
        llm,
        stage="persona_extraction",
        subject=Subject(document),
    )
    if isinstance(asked.reply, Unscored):
        return Extracted(asked.reply, asked.calls)
    return Extracted(tuple(asked.reply.stakeholders), asked.calls)
