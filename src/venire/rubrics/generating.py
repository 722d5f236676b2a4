"""Rubrics of one or several criteria, written by a judge's model; all of them, or none."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from venire.errors import RunError
from venire.judging.criteria import Criterion
from venire.judging.rubric import CriterionRubric, GeneratedRubric
from venire.judging.write_rubric import WrittenRubric, write_rubric
from venire.llm.protocol import LLM
from venire.personas.building import LostReply
from venire.personas.calling import Calling
from venire.records import AttemptStatus, Call, Reason, Unscored
from venire.runner import STOPS


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
    ended = await asyncio.gather(
        *(write_rubric(calling.judge, each, wanted, llm) for each in criteria), return_exceptions=True
    )
    errors = [each for each in ended if isinstance(each, BaseException)]
    if errors:
        raise next((each for each in errors if not isinstance(each, STOPS)), errors[0])
    written = [each for each in ended if isinstance(each, WrittenRubric)]
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
    told = ", ".join(filter(None, (reason.reason.value, " ".join(reason.detail.split())[:300])))
    if reason.reason is Reason.PROVIDER_ERROR:
        if reason.detail.startswith(f"{AttemptStatus.REJECTED}:"):
            raise RunError(f"{criterion.key}: the provider rejects the request: {reason.detail}")
        raise LostReply(f"{criterion.key}: no reply: {told}")
    raise RunError(
        f"{criterion.key}: no usable rubric in {tries} tries ({told}); take a stronger model, raise "
        "judge.max_tokens, or write the file by hand (docs/rubrics.md)"
    )
