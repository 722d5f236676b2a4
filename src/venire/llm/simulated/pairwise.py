"""The pairwise verdict of a simulated judge: `{"reasoning", "winner", "confidence"}`."""

import numpy as np

from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.replies import logistic, logit, reasoning
from venire.records import Request, Slot


def verdict(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The answer's fields, in the order of the judging schema; no tie where its schema has none.

    Raises:
        BackendError: the instance cannot be found, or has no human preference.
    """
    # all draws before any use: a parameter never moves another one's draws
    noise, words, certainty = call.random(), call.random(), call.standard_normal()
    simulation = here.simulation
    evidence = seen(here, request, viewer, noise, position=simulation.position_bias_of(viewer.family))
    band = simulation.tie_width if question.admits("winner", Slot.TIE.value) else 0.0
    said = simulation.confidence
    confidence = logistic(said.shift + said.slope * abs(evidence) + said.noise_sd * certainty)
    finding = f"The latent evidence for the response shown first is {evidence:+.2f} logits."
    return {
        "reasoning": reasoning(finding, simulation.style.reasoning_words, words),
        "winner": winner(evidence, band).value,
        "confidence": round(confidence, 2),
    }


def seen(here: World, request: Request, viewer: Viewer, noise: float, *, position: float) -> float:
    """The evidence for the response shown first in one call, all leans and the call's noise in it; logits.

    Args:
        noise: uniform in [0, 1).
        position: the lean to the response shown first.

    Raises:
        BackendError: the instance cannot be found, or has no human preference.
    """
    pair, direction = here.subjects.pair(request)
    evidence = direction * here.evidence(pair, viewer)
    evidence += position + here.simulation.noise * logit(noise)
    if here.simulation.leans is not None and request.subject is not None:
        instance = here.subjects.instances[request.subject.instance_id]
        evidence += here.simulation.leans.for_the_first(request, instance)
    return evidence


def winner(evidence: float, tie_width: float) -> Slot:
    """The response that `evidence` for the one shown first speaks for; a tie within `tie_width` of none."""
    if abs(evidence) < tie_width:
        return Slot.TIE
    return Slot.A if evidence >= 0 else Slot.B
