"""Rubrics of one or several criteria, written by a judge's model; all of them, or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.errors import RunError
from venire.generated.calling import Calling
from venire.generated.replies import LostReply, refuse_rejected, together, why
from venire.judging.criteria import Criterion
from venire.judging.rubric import CriterionRubric, GeneratedRubric
from venire.judging.write_rubric import write_rubric
from venire.llm.protocol import LLM
from venire.records import Call, Reason, Unscored


@dataclass(frozen=True, slots=True)
class Generated:
    """The rubrics in the criteria's order, what the model says each criterion measures, and every call."""

    rubrics: tuple[CriterionRubric, ...]
    aspects: dict[str, tuple[str, ...]]
    calls: tuple[Call, ...]


async def generate_rubrics(
    criteria: Sequence[Criterion], wanted: GeneratedRubric, calling: Calling, llm: LLM
) -> Generated:
    """The rubric of each of `criteria`.

    Raises:
        RunError: the model wrote no usable rubric of one of them, or its provider rejects the request.
        LostReply: a call was not answered.
    """
    written = await together(write_rubric(calling.judge, each, wanted, llm) for each in criteria)
    pairs = list(zip(criteria, written, strict=True))
    for criterion, made in pairs:
        if isinstance(made.rubric, Unscored):
            _refuse(criterion, made.rubric, len(made.calls))
    return Generated(
        rubrics=tuple(made.rubric for made in written if not isinstance(made.rubric, Unscored)),
        aspects={criterion.key: made.aspects for criterion, made in pairs},
        calls=tuple(call for made in written for call in made.calls),
    )


def _refuse(criterion: Criterion, reason: Unscored, tries: int) -> None:
    if reason.reason is Reason.PROVIDER_ERROR:
        refuse_rejected(criterion.key, reason)
        raise LostReply(f"{criterion.key}: no reply: {why(reason)}")
    raise RunError(
        f"{criterion.key}: no usable rubric in {tries} tries ({why(reason)}); take a stronger model, raise "
        "judge.max_tokens, or write the file by hand (docs/rubrics.md)"
    )
