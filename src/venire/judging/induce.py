"""Rubric induction: one correction -> one rubric entry."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.reply import Reply
from venire.judging.review import Dispute, Finding
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, RubricEntry, Unscored

INDUCE = "induce"


def _nonblank(text: str) -> str:
    if not text.strip():
        raise ValueError("expected a sentence, got none")
    return text


class Induction(Reply):
    """Pattern first (dimension, boundary), then the entry."""

    dimension: str
    boundary: str
    criterion: Annotated[str, AfterValidator(_nonblank)]
    positive_example: str
    negative_example: str

    @property
    def decision(self) -> object:
        """The criterion."""
        return self.criterion


@dataclass(frozen=True, slots=True)
class Induced:
    """A new entry, or why there is none; with the calls it took."""

    entry: RubricEntry | Unscored
    calls: tuple[Call, ...]


async def induce(
    reviewer: PromptedJudge, dispute: Dispute, finding: Finding, tags: tuple[str, ...], llm: LLM
) -> Induced:
    """The rubric entry that a correction teaches: its pattern, a criterion, and one example of either kind.

    Args:
        reviewer: who writes it.
        dispute: the corrected claim as it was reviewed; its rubric is not shown.
        finding: the correction.
        tags: the claim's dimensions.
        llm: the model layer.

    Source: JuryFlow, stage 5 (pattern extraction and entry generation, in one call).
    """
    messages = render(
        INDUCE,
        **{key: value for key, value in dispute.values.items() if key != "rubric"},
        **{key: value for key, value in finding.values.items() if key != "claim"},
        tags=list(tags),
    )
    subject = dispute.matter.subject(dispute.claim.index)
    asked = await ask(reviewer, messages, Induction, llm, stage="rubric", subject=subject)
    if isinstance(asked.reply, Unscored):
        return Induced(asked.reply, asked.calls)
    source = f"{dispute.matter.instance.id}/{dispute.matter.response_index}/{dispute.claim.index}"
    entry = RubricEntry(
        id=source,
        criterion=asked.reply.criterion.strip(),
        dimension=asked.reply.dimension.strip(),
        boundary=asked.reply.boundary.strip(),
        positive_examples=(asked.reply.positive_example.strip(),),
        negative_examples=(asked.reply.negative_example.strip(),),
        source_ids=(source,),
    )
    return Induced(entry, asked.calls)
