"""What simulated judges reply where criteria are scored or compared on, and where rubrics are asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.direct_shown import (
    ShownCriterion,
    compared_on,
    criteria_shown,
    justification_shown,
    scores_shown,
)
from venire.llm.simulated.draws import quick_normal, uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.pairwise import seen, verdict, winner
from venire.llm.simulated.questions import Question
from venire.llm.simulated.rating_replies import NOT_APPLICABLE, left_out, number
from venire.llm.simulated.rating_shown import materials, told_of
from venire.llm.simulated.rating_views import reading_of, views
from venire.llm.simulated.replies import MARK, logit, reasoning
from venire.records import Dimension, Request

SCORED = frozenset({"evidence", "justification", "score", "improvement"})
SCORED_BARE = frozenset({"score", "improvement"})
SCORED_AT_ONCE = frozenset({"criteria"})
SCORED_AND_SUMMED_UP = frozenset({"criteria", "overall_summary"})
SUMMED_UP = frozenset({"overall_summary"})
COMPARED = frozenset({"criteria", "reasoning", "winner", "confidence"})
RUBRIC = frozenset({"aspects", "levels", "edge_cases", "scoring_guidelines"})


@dataclass(frozen=True, slots=True)
class Seen:
    """The evidence on one criterion, in logits: what is there at every call, and the slip of this one."""

    steady: float
    slip: float
    applies: bool = True


def score_one(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A score on the criterion that the prompt shows, in the order of fields that it asks for.

    Raises:
        BackendError: the response cannot be found, or the prompt shows no criterion.
    """
    words, fault = call.random(), call.random()
    shown = criteria_shown(request)[:1]
    key = request.subject.dimension if request.subject else ""
    (evidence,) = _evidence(
        here, request, viewer, [replace(each, key=key or each.scale.name) for each in shown]
    )
    made = _reply(here, request, shown[0], evidence, words)
    off, missing = here.simulation.ratings.faults.struck(fault, 1)
    if off is not None:
        made["score"] = _beyond(shown[0])
    if missing is not None:
        del made["score"]
    return made


def score_at_once(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A score on every criterion, each drawn to the mean of all; a summary where one is asked for.

    Raises:
        BackendError: as `score_one`.
    """
    words, fault = call.random(), call.random()
    shown = criteria_shown(request)
    found = _evidence(here, request, viewer, shown)
    halo = here.simulation.direct.halo
    mean = math.fsum(each.steady for each in found) / len(found)
    drawn = [replace(each, steady=(1 - halo) * each.steady + halo * mean) for each in found]
    made = {
        criterion.key: _reply(here, request, criterion, evidence, words)
        for criterion, evidence in zip(shown, drawn, strict=True)
    }
    off, missing = here.simulation.ratings.faults.struck(fault, len(shown))
    if off is not None:
        made[shown[off].key]["score"] = _beyond(shown[off])
    if missing is not None:
        del made[shown[missing].key]
    if "overall_summary" not in question.fields and question.fields:
        return {"criteria": made}
    told = reasoning(f"The mean evidence is {mean:+.2f} logits.", _words(here), words)
    return {"criteria": made, "overall_summary": told}


def sum_up(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Words; they move nothing."""
    return {"overall_summary": reasoning("The findings stand above.", _words(here), call.random())}


def compare_on_criteria(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A plain verdict, and before it one on each criterion around the same evidence.

    Raises:
        BackendError: the instance cannot be found or has no human preference, or no criterion is shown.
    """
    keys = question.within.get("criteria") or compared_on(request)
    said = verdict(here, request, question, viewer, call)
    pair, direction = here.subjects.pair(request)
    simulation, made = here.simulation, {}
    for key in keys:
        position = simulation.position_bias_of(viewer.family)
        evidence = seen(here, request, viewer, call.random(), position=position)
        own = [quick_normal(simulation.seed, "on a criterion", pair.content, side, key) for side in (1, -1)]
        evidence += direction * simulation.direct.criterion_sd * (own[0] - own[1])
        finding = f"{MARK} The latent evidence for the response shown first is {evidence:+.2f} logits."
        # on a single criterion a tie is always an answer
        made[key] = {"comparison": finding, "winner": winner(evidence, simulation.tie_width).value}
    return {"criteria": made, **said}


def write_rubric(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Words for each level, one like the other but for its place; they move no score, the strictness does.

    Raises:
        BackendError: the prompt shows no scale.
    """
    scores = question.within.get("levels") or scores_shown(request)
    shown = dict(materials(request))
    name = " ".join(shown.get("criterion", "the criterion").split())
    parts = [part.strip() for part in name.split(" and ") if part.strip()]
    levels = {
        score: {
            "description": f"{MARK} {name}: {place} of {len(scores) - 1} steps above the worst, no more.",
            "characteristics": [f"{MARK} what step {place} asks for is there"],
            "label": f"step {place}",
            "example": "",
        }
        for place, score in enumerate(scores)
    }
    return {
        "aspects": parts or [name],
        "levels": levels,
        "edge_cases": [
            {"situation": f"{MARK} Two levels seem to fit.", "guidance": f"{MARK} Take the lower one."}
        ],
        "scoring_guidelines": [reasoning("Judge by the levels.", _words(here), call.random())],
    }


def _evidence(
    here: World, request: Request, viewer: Viewer, criteria: Sequence[ShownCriterion]
) -> list[Seen]:
    """What the judge sees on each criterion: around the humans' ratings, or their preference.

    Raises:
        BackendError: the response is of neither.
    """
    subject = request.subject
    instance = here.subjects.instances.get(subject.instance_id) if subject else None
    if instance is not None and instance.is_pairwise:
        return _evidence_of_a_pair(here, request, viewer, criteria)
    return _evidence_of_rated(here, request, viewer, criteria)


def _evidence_of_rated(
    here: World, request: Request, viewer: Viewer, criteria: Sequence[ShownCriterion]
) -> list[Seen]:
    reading = reading_of(here, request, viewer)
    dimensions = [
        reading.response.scales.get(each.key) or replace(each.scale, name=each.key) for each in criteria
    ]
    return [
        Seen(view.steady, view.evidence - view.steady, not left_out(reading, view.dimension.name))
        for view in views(reading, dimensions)
    ]


def _evidence_of_a_pair(
    here: World, request: Request, viewer: Viewer, criteria: Sequence[ShownCriterion]
) -> list[Seen]:
    subject, rules, seed = request.subject, here.simulation.direct, here.simulation.seed
    if (
        subject is None
        or subject.response_index is None
        or subject.instance_id not in here.subjects.content_of
    ):
        raise BackendError(
            f"simulation: a request of stage {request.stage!r} asks for scores of one of two responses; "
            "expected Request.subject with response_index, of an instance with a human preference"
        )
    content, direction = here.subjects.content_of[subject.instance_id]
    side = (direction or 1) * (1 if subject.response_index == 0 else -1)
    # the persona alone stands for the system message, so that all criteria are seen with one lean
    who = replace(viewer, system=told_of(request).words)
    whole = rules.level_sd * quick_normal(seed, "level", content)
    whole += side * here.evidence(here.subjects.pairs[content], who) / 2
    sampling = (request.temperature, request.top_p, request.sampling_seed, request.replicate)
    call = tuple(None if each is None else float(each) for each in sampling)
    return [
        Seen(
            whole + rules.criterion_sd * quick_normal(seed, "on a criterion", content, side, each.key),
            rules.noise
            * logit(uniform(seed, "score", viewer.model, who.system, content, side, each.key, call)),
        )
        for each in criteria
    ]


def _reply(
    here: World, request: Request, criterion: ShownCriterion, seen_: Seen, words: float
) -> dict[str, object]:
    rules, order = here.simulation.direct, justification_shown(request)
    rubric = bool(criterion.strictness)
    evidence = (
        seen_.steady + rules.shift(criterion.strictness) + rules.slip(order, rubric=rubric) * seen_.slip
    )
    span = here.simulation.ratings.material.span if _is_rated(here, request) else rules.span
    score = _point(criterion, evidence, span) if seen_.applies else NOT_APPLICABLE
    improvement = f"{MARK} No model read this response."
    finding = f"The latent evidence on {criterion.scale.name} is {evidence:+.2f} logits."
    reasons = {
        "evidence": [f"{MARK} {finding}"],
        "justification": reasoning(finding, _words(here), words),
    }
    match order:
        case "before":
            return {**reasons, "score": score, "improvement": improvement}
        case "after":
            return {"score": score, **reasons, "improvement": improvement}
        case _:
            return {"score": score, "improvement": improvement}


def _is_rated(here: World, request: Request) -> bool:
    return request.subject is not None and request.subject.instance_id in here.rated.by_id


def _point(criterion: ShownCriterion, evidence: float, span: float) -> int | float | str:
    """The point of the scale that is nearest to the evidence; one end beyond the span."""
    scale, place = criterion.scale, min(1.0, max(0.0, 0.5 + evidence / (2 * span)))
    if scale.step is None:
        return round(scale.low + (scale.high - scale.low) * place, 2)
    nearest = round(place * (criterion.points - 1))
    return criterion.words[nearest] if criterion.words else number(scale.low + nearest * scale.step)


def _beyond(criterion: ShownCriterion) -> int | float | str:
    scale: Dimension = criterion.scale
    return "excellent" if criterion.words else number(scale.high + (scale.step or scale.high - scale.low))


def _words(here: World) -> int:
    return here.simulation.style.reasoning_words
