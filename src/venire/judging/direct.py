"""Direct scoring: one judge, one response, criteria -> a score each, with evidence, reasons, an improvement.

Stages: `direct` (scores), `rubric` (a generated rubric, once a criterion), `direct_summary`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from venire.judging.ask import Asked, ask
from venire.judging.criteria import Criterion, effective_weights, weighted_total
from venire.judging.direct_forms import (
    BareReply,
    Justification,
    ScoreReply,
    SetReply,
    SummedUpReply,
    score_form,
    set_form,
)
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.rating import NOT_APPLICABLE
from venire.judging.reply import Reply
from venire.judging.rubric import CriterionRubric, GeneratedRubric, RubricSet, rubric_values
from venire.judging.write_rubric import write_rubric
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Message, Unscored

DIRECT = "direct"
DIRECT_SUMMARY = "direct_summary"

RubricChoice = GeneratedRubric | RubricSet | None


class CriteriaPerCall(StrEnum):
    """How many criteria a call asks about."""

    ONE = "one"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Asking:
    """How a response is scored.

    Args:
        rubric: by which rubric; None: by the scale alone.
        justification, criteria_per_call: see there.
        summary: whether the findings are summed up: in the same call, or in one of its own.
        not_applicable: whether "N/A" is an answer.
        reference: whether the judge is shown the instance's reference, where there is one.
    """

    rubric: RubricChoice = None
    justification: Justification = Justification.BEFORE
    criteria_per_call: CriteriaPerCall = CriteriaPerCall.ONE
    summary: bool = True
    not_applicable: bool = True
    reference: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judge found on one criterion; `score` None where it does not apply."""

    criterion: Criterion
    score: float | Unscored | None
    evidence: tuple[str, ...] = ()
    justification: str = ""
    improvement: str = ""

    @property
    def result(self) -> dict[str, object]:
        """JSON-ready, in the form of papers/advanced-evaluation, example 1."""
        return {
            "criterion": self.criterion.name,
            "score": self.shown,
            "evidence": list(self.evidence),
            "justification": self.justification,
            "improvement": self.improvement,
        }

    @property
    def shown(self) -> int | float | str | None:
        """The score as a reply names it; None where there is none."""
        if isinstance(self.score, Unscored):
            return None
        return NOT_APPLICABLE if self.score is None else self.criterion.scale.shown(self.score)


@dataclass(frozen=True, slots=True)
class Assessment:
    """A response's scores.

    Args:
        findings: one a criterion, in the criteria's order.
        summary: of them; empty where none was asked for, or where it failed.
        rubrics: by criterion, that it was scored by.
        texts: the replies as they came.
        calls: every call.
    """

    findings: tuple[Finding, ...]
    summary: str = ""
    rubrics: Mapping[str, CriterionRubric] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()

    @property
    def scores(self) -> dict[str, float | None]:
        """By key, of the criteria that were scored; None where one does not apply."""
        return {
            each.criterion.key: each.score for each in self.findings if not isinstance(each.score, Unscored)
        }

    @property
    def unscored(self) -> dict[str, Unscored]:
        """By key, why a criterion has no score."""
        return {each.criterion.key: each.score for each in self.findings if isinstance(each.score, Unscored)}

    @property
    def total(self) -> float | None:
        """The weighted total in [0, 1]; None where a criterion is unscored, or none applies."""
        if self.unscored:
            return None
        return weighted_total([each.criterion for each in self.findings], self.scores)

    @property
    def detail(self) -> dict[str, object]:
        """JSON-ready."""
        criteria = [each.criterion for each in self.findings]
        return {
            "criteria": [each.result for each in self.findings],
            "scores": self.scores,
            "summary": self.summary,
            "total": self.total,
            "weights": effective_weights(criteria, self.scores),
            "not_applicable": [key for key, score in self.scores.items() if score is None],
            "unscored": {key: each.as_detail for key, each in self.unscored.items()},
        }


async def assess(
    judge: PromptedJudge, matter: Matter, criteria: Sequence[Criterion], llm: LLM, *, asking: Asking
) -> Assessment:
    """The judge's scores of one response on `criteria`.

    A reply with a score off its scale, without reasons where these come with it, or without a criterion
    that was asked, is asked again and then no score: nothing is clipped, rounded or filled in.

    Source: papers/advanced-evaluation, "Direct Scoring Implementation".
    """
    told, missing, calls = await _rubrics(judge, criteria, llm, asking.rubric)
    able = [each for each in criteria if each.key not in missing]
    match asking.criteria_per_call:
        case CriteriaPerCall.ONE:
            made = await _one_by_one(judge, matter, able, told, llm, asking)
        case CriteriaPerCall.ALL:
            made = await _at_once(judge, matter, able, told, llm, asking)
    found = {each.criterion.key: each for each in made.findings}
    findings = tuple(
        found[each.key] if each.key in found else Finding(each, missing[each.key]) for each in criteria
    )
    return replace(made, findings=findings, rubrics=told, calls=(*calls, *made.calls))


async def _rubrics(
    judge: PromptedJudge, criteria: Sequence[Criterion], llm: LLM, choice: RubricChoice
) -> tuple[dict[str, CriterionRubric], dict[str, Unscored], tuple[Call, ...]]:
    """The rubric of each criterion, why one has none, and the calls it took to write them."""
    match choice:
        case None:
            return {}, {}, ()
        case RubricSet():
            return {each.key: found for each in criteria if (found := choice.of(each)) is not None}, {}, ()
        case GeneratedRubric():
            written = await together(write_rubric(judge, each, choice, llm) for each in criteria)
    by_key = {each.key: made for each, made in zip(criteria, written, strict=True)}
    told = {key: made.rubric for key, made in by_key.items() if not isinstance(made.rubric, Unscored)}
    missing = {
        key: replace(made.rubric, detail=f"no rubric: {made.rubric.detail}")
        for key, made in by_key.items()
        if isinstance(made.rubric, Unscored)
    }
    return told, missing, tuple(call for made in written for call in made.calls)


async def _one_by_one(
    judge: PromptedJudge,
    matter: Matter,
    criteria: Sequence[Criterion],
    rubrics: Mapping[str, CriterionRubric],
    llm: LLM,
    asking: Asking,
) -> Assessment:
    asked = await together(
        ask(
            judge,
            direct_messages(matter, [each], rubrics, asking=asking),
            score_form(each.scale, asking.justification, allow_not_applicable=asking.not_applicable),
            llm,
            stage="direct",
            subject=replace(matter.subject(), dimension=each.key),
        )
        for each in criteria
    )
    findings = tuple(_finding(each, made.reply) for each, made in zip(criteria, asked, strict=True))
    calls = tuple(call for made in asked for call in made.calls)
    texts = tuple(made.text for made in asked)
    scored = [each for each in findings if not isinstance(each.score, Unscored)]
    if not asking.summary or not scored:
        return Assessment(findings, texts=texts, calls=calls)
    summed = await _sum_up(judge, matter, scored, llm)
    summary = "" if isinstance(summed.reply, Unscored) else summed.reply.overall_summary.strip()
    return Assessment(findings, summary, texts=texts, calls=(*calls, *summed.calls))


async def _at_once(
    judge: PromptedJudge,
    matter: Matter,
    criteria: Sequence[Criterion],
    rubrics: Mapping[str, CriterionRubric],
    llm: LLM,
    asking: Asking,
) -> Assessment:
    if not criteria:
        return Assessment(())
    form = set_form(
        tuple(criteria),
        asking.justification,
        summary=asking.summary,
        allow_not_applicable=asking.not_applicable,
    )
    messages = direct_messages(matter, criteria, rubrics, asking=asking)
    made: Asked[SetReply] = await ask(judge, messages, form, llm, stage="direct", subject=matter.subject())
    reply = made.reply
    if isinstance(reply, Unscored):
        findings = tuple(Finding(each, reply) for each in criteria)
        return Assessment(findings, texts=(made.text,), calls=made.calls)
    summary = reply.overall_summary.strip() if isinstance(reply, SummedUpReply) else ""
    findings = tuple(_finding(each, reply.criteria[each.key]) for each in criteria)
    return Assessment(findings, summary, texts=(made.text,), calls=made.calls)


class SummaryReply(Reply):
    """The findings in a few sentences."""

    overall_summary: str


async def _sum_up(
    judge: PromptedJudge, matter: Matter, findings: Sequence[Finding], llm: LLM
) -> Asked[SummaryReply]:
    messages = render(
        DIRECT_SUMMARY,
        prompt=matter.instance.prompt,
        findings=[
            {
                "name": each.criterion.name,
                "score": str(each.shown),
                "text": "\n".join(
                    filter(None, (each.justification, f"To improve: {each.improvement or 'nothing named'}"))
                ),
            }
            for each in findings
        ],
    )
    return await ask(judge, messages, SummaryReply, llm, stage="direct_summary", subject=matter.subject())


def direct_messages(
    matter: Matter,
    criteria: Sequence[Criterion],
    rubrics: Mapping[str, CriterionRubric],
    *,
    asking: Asking,
) -> tuple[Message, ...]:
    """The question for the scores on `criteria`.

    Of one criterion alone the weight is not told: it moves no score, and other weights share the reply.
    """
    values = matter.values if asking.reference else matter.values | {"reference": None}
    at_once = asking.criteria_per_call is CriteriaPerCall.ALL
    return render(
        DIRECT,
        **values,
        criteria=[_criterion_values(each, rubrics.get(each.key), weighted=at_once) for each in criteria],
        together=at_once,
        justification=asking.justification.value,
        not_applicable=asking.not_applicable,
        summary=asking.summary and at_once,
    )


def _criterion_values(
    criterion: Criterion, rubric: CriterionRubric | None, *, weighted: bool
) -> dict[str, object]:
    scale = criterion.scale
    return {
        "key": criterion.key,
        "name": criterion.name,
        "description": criterion.description,
        "weight": f"{criterion.weight:.2g}" if weighted else None,
        "scores": list(map(str, scale.choices)) if len(scale.points) <= _MOST_SHOWN else [],
        "words": list(scale.words),
        "low": f"{scale.low:g}",
        "high": f"{scale.high:g}",
        "step": None if scale.step is None else f"{scale.step:g}",
        "rubric": None if rubric is None else rubric_values(rubric),
    }


_MOST_SHOWN = 11  # points of a scale that are listed


def _finding(criterion: Criterion, reply: ScoreReply | Unscored) -> Finding:
    if isinstance(reply, Unscored):
        return Finding(criterion, reply)
    improvement = reply.improvement.strip()
    if isinstance(reply, BareReply):
        return Finding(criterion, reply.score, improvement=improvement)
    return Finding(criterion, reply.score, tuple(reply.evidence), reply.justification, improvement)
