"""What simulated judges say of claims: a list at once, and one claim alone."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.candidates import Candidate
from venire.llm.simulated.claim_latent import Fact, Reader, cause_of
from venire.llm.simulated.draws import Part, digest, quick_normal, uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.replies import logit, reasoning
from venire.llm.simulated.shown import Assessment, Shown, claim_under_review, shown_in
from venire.records import Request, Verdict

_PATTERN = re.compile(r"\bpattern ([0-9a-f]{6})\b")
_STATED = re.compile(r"evidence for it is ([+-]\d+\.\d+) logits")
_UNSTATED = {Verdict.ACCEPT: 1.0, Verdict.UNCERTAIN: 0.0, Verdict.REJECT: -1.0}


def judge_claims(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A judgment of every claim that the prompt lists, in its order.

    Raises:
        BackendError: the response cannot be found, is in no human preference, or no claim is shown.
    """
    reading = _reading(here, request, viewer, kind="judge")
    if not reading.shown.claims:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} lists no claim; expected material with the "
            'labels "claim 1", "claim 2", ...'
        )
    return {"judgments": [_judgment(reading, number, text) for number, text in reading.shown.claims.items()]}


def review(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The verdict on the claim under review, with the evidence of a related one where that is shown.

    Raises:
        BackendError: the response cannot be found, is in no human preference, or no claim is shown.
    """
    reading = _reading(here, request, viewer, kind="review")
    this = here.claims.fact(reading.candidate, claim_under_review(reading.shown, request))
    evidence = _reviewed(reading, this)
    return {
        "rationale": _rationale(reading, this, "The", evidence),
        "verdict": _verdict(reading, evidence).value,
    }


@dataclass(frozen=True, slots=True)
class _Reading:
    """One call: who reads what of which candidate; `slip` is what the call's noise hangs on."""

    here: World
    candidate: Candidate
    shown: Shown
    reader: Reader
    slip: tuple[Part, ...]
    patterns: tuple[frozenset[str], ...]


def _reading(here: World, request: Request, viewer: Viewer, *, kind: str) -> _Reading:
    candidate, _ = here.candidates.of(request)
    shown = shown_in(request)
    reader = Reader(viewer.model, viewer.family, digest(shown.persona))
    # not the whole prompt: with and without a rubric, judges are compared on the same slips
    slip = (here.simulation.seed, "slip", kind, reader.model, reader.persona, candidate.content)
    floats = (None if n is None else float(n) for n in (request.temperature, request.top_p))
    sampling = (*floats, request.sampling_seed, request.replicate)
    patterns = tuple(frozenset(_PATTERN.findall(entry)) for entry in shown.rubric)
    return _Reading(here, candidate, shown, reader, (*slip, *sampling), patterns)


def _judgment(reading: _Reading, number: int, text: str) -> dict[str, object]:
    this = reading.here.claims.fact(reading.candidate, text)
    sight = reading.here.claims.sight(reading.candidate, this, reading.reader)
    spared, noise = _guided(reading, this)
    evidence = sight.plain + spared * sight.blind + noise * _slip(reading, this)
    return {
        "claim": number,
        "rationale": _rationale(reading, this, f"Claim {number}: the", evidence),
        "verdict": _verdict(reading, evidence).value,
        "tags": _tags(reading, this),
    }


def _reviewed(reading: _Reading, this: Fact) -> float:
    """The evidence that a second look at one claim finds."""
    rules = reading.here.simulation.claims.review
    sight = reading.here.claims.sight(reading.candidate, this, reading.reader)
    guided, noise = _guided(reading, this)
    transfer = _transferred(reading, this)
    spared = guided * transfer.spared * (1 - rules.lift)
    heeded = reading.shown.assessments if transfer.attentive else ()
    against = -math.copysign(1, sight.plain + spared * sight.blind)
    if reasoned_for(against, heeded, rules.conviction):
        spared *= 1 - rules.conflict_lift
    heard = transfer.lean + rules.heed * _mean_stated(heeded)
    return sight.plain + spared * sight.blind + heard + rules.noise * noise * _slip(reading, this)


def _guided(reading: _Reading, this: Fact) -> tuple[float, float]:
    """The share of a blind spot that rubric and precedents leave, and the scale of the noise."""
    simulation = reading.here.simulation
    rules, causes = simulation.claims, simulation.claims.material.causes
    taught = [this.pattern in names for names in reading.patterns]
    followed = [cause_of(simulation.seed, causes, text) == this.cause for text in reading.shown.precedents]
    noise = rules.noise
    spared = 1.0
    for cases, guidance in ((taught, rules.rubric), (followed, rules.precedents)):
        spared *= 1 - guidance.lift if any(cases) else 1
        noise *= 1 + guidance.clutter * cases.count(False)
    return spared, noise


@dataclass(frozen=True, slots=True)
class _Transferred:
    """What the review of another claim does: the share of a blind spot that it leaves (above 1: deepens),
    a lean, and whether the reviewer still attends to the assessments.
    """

    spared: float = 1.0
    lean: float = 0.0
    attentive: bool = True


def _transferred(reading: _Reading, this: Fact) -> _Transferred:
    evidence = reading.shown.evidence
    if evidence is None:
        return _Transferred()
    simulation = reading.here.simulation
    rules = simulation.claims.transfer
    other = reading.here.claims.fact(reading.candidate, evidence.claim)
    if other.cause != this.cause:
        place = (reading.reader.model, reading.candidate.content, this.key, other.key)
        astray = quick_normal(simulation.seed, "distraction", *place)
        return _Transferred(lean=rules.distraction * astray, attentive=False)
    right = other.sign * _UNSTATED[evidence.verdict]  # +1, -1, or 0 where the review was uncertain
    return _Transferred(spared=1 - right * rules.lift)


def reasoned_for(side: float, assessments: Sequence[Assessment], conviction: float) -> bool:
    """Whether a rationale states at least `conviction` logits for `side` (+1 to accept, -1 to reject)."""
    return any(side * _stated(each) >= conviction for each in assessments)


def _mean_stated(assessments: Sequence[Assessment]) -> float:
    """Mean evidence of the rationales; 0 without any; a verdict without a figure counts as one logit."""
    if not assessments:
        return 0.0
    return math.fsum(map(_stated, assessments)) / len(assessments)


def _stated(assessment: Assessment) -> float:
    found = [float(figure) for figure in _STATED.findall(assessment.rationale)]
    return math.fsum(found) / len(found) if found else _UNSTATED[assessment.verdict]


def _slip(reading: _Reading, this: Fact) -> float:
    """A standard logistic number of this call and claim."""
    other = reading.shown.evidence
    return logit(uniform(*reading.slip, this.key, "" if other is None else other.claim))


def _verdict(reading: _Reading, evidence: float) -> Verdict:
    if abs(evidence) < reading.here.simulation.claims.uncertain_width:
        return Verdict.UNCERTAIN
    return Verdict.ACCEPT if evidence > 0 else Verdict.REJECT


def _rationale(reading: _Reading, this: Fact, opening: str, evidence: float) -> str:
    words = uniform(*reading.slip, this.key, "words")
    finding = f"{opening} latent evidence for it is {evidence:+.2f} logits."
    return reasoning(finding, reading.here.simulation.claims.rationale_words, words)


def _tags(reading: _Reading, this: Fact) -> list[str]:
    """The tag of the claim's cause or, less often, any; sometimes a second one beside it."""
    names = reading.shown.tags
    if not names:
        return []
    rules = reading.here.simulation.claims.tagging
    judge = (reading.reader.model, reading.reader.persona)
    place = (reading.here.simulation.seed, "tag", *judge, reading.candidate.content, this.key)
    first = this.cause % len(names)
    if uniform(*place, "missed") >= rules.accuracy:
        first = int(uniform(*place, "first") * len(names))
    chosen = {first}
    if uniform(*place, "more") < rules.second:
        chosen.add(int(uniform(*place, "second") * len(names)))
    return [name for at, name in enumerate(names) if at in chosen]
