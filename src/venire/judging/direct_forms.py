"""The replies of direct scoring: their fields, and in which order these come.

The order of the fields is the order of the judge's thoughts: with `before` the score follows from its
evidence, with `after` the reasons are found for a score that stands, with `none` there are none.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema, create_model

from venire.judging.criteria import Criterion
from venire.judging.rating import NOT_APPLICABLE
from venire.judging.reply import Reply, part
from venire.judging.scales import Scale, read_score


class Justification(StrEnum):
    """When a score is justified. Source: papers/advanced-evaluation, "Chain-of-Thought Requirement"."""

    BEFORE = "before"
    AFTER = "after"
    NONE = "none"


def _some(texts: list[str]) -> list[str]:
    kept = [text.strip() for text in texts if any(map(str.isalnum, text))]
    if not kept:
        raise ValueError("expected at least one finding")
    return kept


def _said(text: str) -> str:
    if not any(map(str.isalnum, text)):
        raise ValueError("it is empty")
    return text.strip()


Evidence = Annotated[list[str], AfterValidator(_some)]
Said = Annotated[str, AfterValidator(_said)]


class JustifiedReply(Reply):
    """Evidence and justification, then the score; None where the criterion does not apply."""

    evidence: Evidence
    justification: Said
    score: float | None
    improvement: str = ""

    @property
    def decision(self) -> object:
        """The score."""
        return self.score


class ScoreFirstReply(Reply):
    """The score, then its reasons."""

    score: float | None
    evidence: Evidence
    justification: Said
    improvement: str = ""

    @property
    def decision(self) -> object:
        """The score."""
        return self.score


class BareReply(Reply):
    """A score without reasons."""

    score: float | None
    improvement: str = ""

    @property
    def decision(self) -> object:
        """The score."""
        return self.score


ScoreReply = JustifiedReply | ScoreFirstReply | BareReply
_FORMS: Mapping[Justification, type[ScoreReply]] = {
    Justification.BEFORE: JustifiedReply,
    Justification.AFTER: ScoreFirstReply,
    Justification.NONE: BareReply,
}


class SetReply(Reply):
    """A `ScoreReply` for each criterion, by its key."""

    criteria: Mapping[str, ScoreReply]

    @property
    def decision(self) -> object:
        """The scores."""
        return {key: each.score for key, each in self.criteria.items()}


class SummedUpReply(SetReply):
    """The same with a summary."""

    overall_summary: str = ""


@cache
def score_form(
    scale: Scale, justification: Justification, *, allow_not_applicable: bool = True
) -> type[ScoreReply]:
    """The reply that scores on `scale`; a score off it, or a reason left out, is a validation error."""

    def read(value: object) -> float | None:
        return read_score(scale, value, allow_not_applicable=allow_not_applicable)

    schema = _score_schema(scale, allow_not_applicable=allow_not_applicable)
    typed: Any = (Annotated[float | None, BeforeValidator(read), WithJsonSchema(schema)], ...)
    base = _FORMS[justification]
    return create_model(base.__name__, __base__=base, score=typed)


@cache
def set_form(
    criteria: tuple[Criterion, ...],
    justification: Justification,
    *,
    summary: bool,
    allow_not_applicable: bool = True,
) -> type[SetReply]:
    """The reply that scores on each of `criteria`; one that is missing is a validation error."""
    forms = {
        each.key: score_form(each.scale, justification, allow_not_applicable=allow_not_applicable)
        for each in criteria
    }

    def read(value: object) -> dict[str, ScoreReply]:
        if not isinstance(value, Mapping):
            raise ValueError("expected an object of criterion to its findings")
        lacking = [key for key in forms if key not in value]
        if lacking:
            raise ValueError(f"{lacking[0]} is missing")
        return {key: part(key, form, value[key]) for key, form in forms.items()}

    properties = {key: form.model_json_schema() for key, form in forms.items()}
    schema = {"type": "object", "properties": properties}
    typed: Any = (Annotated[Mapping[str, ScoreReply], BeforeValidator(read), WithJsonSchema(schema)], ...)
    base = SummedUpReply if summary else SetReply
    return create_model(base.__name__, __base__=base, criteria=typed)


def _score_schema(scale: Scale, *, allow_not_applicable: bool) -> dict[str, Any]:
    """Points as they are named in a reply; kept to types and enumerations, which all strict modes take."""
    if scale.words:
        also = [NOT_APPLICABLE] if allow_not_applicable else []
        return {"type": "string", "enum": [*scale.choices, *also]}
    whole = all(isinstance(each, int) for each in scale.choices)
    number: dict[str, Any] = {"type": "integer" if whole and scale.points else "number"}
    if scale.points:
        number["enum"] = list(scale.choices)
    if not allow_not_applicable:
        return number
    return {"anyOf": [number, {"type": "string", "enum": [NOT_APPLICABLE]}]}
