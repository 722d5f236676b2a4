"""Rubric generation: one criterion -> what each point of its scale looks like.

About no instance (no `Request.subject`), so that all instances of all runs share one stored reply a judge,
criterion, strictness and domain. Stage `rubric`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    WithJsonSchema,
    create_model,
)

from venire.judging.ask import ask
from venire.judging.criteria import Criterion
from venire.judging.judge import PromptedJudge
from venire.judging.reply import Reply, part
from venire.judging.rubric import (
    CriterionRubric,
    EdgeCase,
    GeneratedRubric,
    RubricLevel,
    same_descriptions,
)
from venire.judging.scales import Scale
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Message, Unscored

WRITE_RUBRIC = "write_rubric"
RUBRIC_STAGE = "rubric"


def _said(text: str) -> str:
    """`text` on one line; an empty one is a validation error."""
    if not any(map(str.isalnum, text)):
        raise ValueError("it is empty")
    return " ".join(text.split())


def _some(texts: list[str]) -> list[str]:
    """The texts that say something, at least one."""
    kept = [" ".join(text.split()) for text in texts if any(map(str.isalnum, text))]
    if not kept:
        raise ValueError("expected at least one")
    return kept


Said = Annotated[str, AfterValidator(_said)]
Some = Annotated[list[str], AfterValidator(_some)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class LevelReply(_Part):
    """One level."""

    description: Said
    characteristics: Some
    label: Said
    example: str


class EdgeCaseReply(_Part):
    """One edge case."""

    situation: Said
    guidance: Said


class RubricReply(Reply):
    """What the criterion measures, then the levels by the score that they stand for."""

    aspects: Some
    levels: dict[str, LevelReply]
    edge_cases: list[EdgeCaseReply]
    scoring_guidelines: Some


@dataclass(frozen=True, slots=True)
class WrittenRubric:
    """The rubric that a model wrote, or why it wrote none.

    `aspects`: what it says that the criterion measures; more than one is a warning.
    """

    rubric: CriterionRubric | Unscored
    aspects: tuple[str, ...]
    calls: tuple[Call, ...]


async def write_rubric(
    judge: PromptedJudge, criterion: Criterion, wanted: GeneratedRubric, llm: LLM
) -> WrittenRubric:
    """The judge's rubric of `criterion`; it writes in nobody's person.

    A reply that leaves out a level, or gives two the same description, is asked again and then no rubric.

    Source: papers/advanced-evaluation, "Rubric Generation".
    """
    nobody = replace(judge, persona=None)
    messages = rubric_messages(criterion, wanted)
    asked = await ask(nobody, messages, rubric_form(criterion.scale), llm, stage=RUBRIC_STAGE, subject=None)
    if isinstance(asked.reply, Unscored):
        return WrittenRubric(asked.reply, (), asked.calls)
    return WrittenRubric(_rubric(criterion, wanted, asked.reply), tuple(asked.reply.aspects), asked.calls)


def rubric_messages(criterion: Criterion, wanted: GeneratedRubric) -> tuple[Message, ...]:
    """The question of `write_rubric`."""
    return render(
        WRITE_RUBRIC,
        criterion=criterion.name,
        description=criterion.description,
        domain=wanted.domain,
        strictness=wanted.strictness.value,
        scores=list(map(str, criterion.scale.choices)),
    )


@cache
def rubric_form(scale: Scale) -> type[RubricReply]:
    """The reply that describes exactly the points of `scale`."""
    scores = tuple(map(str, scale.choices))

    def read(value: object) -> dict[str, LevelReply]:
        if not isinstance(value, Mapping):
            raise ValueError("expected an object of score to level")
        lacking = [score for score in scores if score not in value]
        strange = [str(score) for score in value if score not in scores]
        if lacking or strange:
            told = f"{lacking[0]} is missing" if lacking else f"{strange[0]} is no score of the scale"
            raise ValueError(f"expected the levels {', '.join(scores)}, {told}")
        made = {score: part(score, LevelReply, value[score]) for score in scores}
        fault = next(same_descriptions([(score, made[score].description) for score in scores]), None)
        if fault is not None:
            raise ValueError(fault)
        return made

    level = LevelReply.model_json_schema()
    shown = {"type": "object", "properties": dict.fromkeys(scores, level)}
    typed = Annotated[dict[str, LevelReply], BeforeValidator(read), WithJsonSchema(shown)]
    return create_model("RubricReply", __base__=RubricReply, levels=(typed, ...))


def _rubric(criterion: Criterion, wanted: GeneratedRubric, reply: RubricReply) -> CriterionRubric:
    scale = criterion.scale
    levels = tuple(
        RubricLevel(
            low=point,
            high=point,
            label=reply.levels[str(scale.shown(point))].label,
            description=reply.levels[str(scale.shown(point))].description,
            characteristics=tuple(reply.levels[str(scale.shown(point))].characteristics),
            example=" ".join(reply.levels[str(scale.shown(point))].example.split()),
        )
        for point in scale.points
    )
    return CriterionRubric(
        key=criterion.key,
        criterion=criterion.name,
        description=criterion.description,
        scale=scale,
        levels=levels,
        edge_cases=tuple(EdgeCase(each.situation, each.guidance) for each in reply.edge_cases),
        guidelines=tuple(reply.scoring_guidelines),
        strictness=wanted.strictness,
        domain=wanted.domain,
    )
