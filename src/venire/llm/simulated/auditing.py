"""What an audit asks of a simulated judge beside plain verdicts: quotes, scores, checks, rewritten texts."""

import re

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.leans import shown_responses
from venire.llm.simulated.messages import first_message
from venire.llm.simulated.pairwise import seen, verdict
from venire.llm.simulated.questions import Question
from venire.llm.simulated.replies import MARK, reasoning
from venire.records import Request, Slot

EVIDENCE_VERDICT = frozenset({"evidence", "reasoning", "winner", "confidence"})
PAIR_SCORES = frozenset({"reasoning", "score_a", "score_b"})
_QUOTED = 60  # characters at most
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_MIDDLE, _POINTS_PER_LOGIT = 5.5, 1.0
_FILLER = (
    " To put it in other words, and at somewhat greater length, that is what is to be said about it here."
)


def evidence_verdict(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """A plain verdict with the beginning of the response that it names (of A in a tie) as its quote."""
    said = verdict(here, request, question, viewer, call)
    named = "B" if said["winner"] == Slot.B.value else "A"
    quote = shown_responses(request).get(named, "").strip()[:_QUOTED]
    return {"evidence": [{"response": named, "quote": quote}], **said}


def pair_scores(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """Whole scores from 1 to 10, the evidence apart and around the middle of the scale.

    Position does not enter: the responses are scored and not chosen between.
    """
    noise, words = call.random(), call.random()
    evidence = seen(here, request, viewer, noise, position=0.0)
    half = evidence * _POINTS_PER_LOGIT / 2
    finding = f"The latent evidence for the response shown first is {evidence:+.2f} logits."
    return {
        "reasoning": reasoning(finding, here.simulation.style.reasoning_words, words),
        "score_a": _score(_MIDDLE + half),
        "score_b": _score(_MIDDLE - half),
    }


def _score(value: float) -> int:
    return int(min(10, max(1, round(value))))


def fact_check(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The response's last sentence, which nobody looked up: `unverifiable`; nothing of an empty response."""
    text = _response(here, request)
    sentences = [found for each in _SENTENCE.findall(text) if (found := each.strip())]
    return {
        "checks": [
            {"statement": each, "finding": f"{MARK} Nothing was looked up.", "verdict": "unverifiable"}
            for each in sentences[-1:]
        ]
    }


def rewrite(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The response with a sentence more; no word of it is changed."""
    return {"rewritten": _response(here, request) + _FILLER}


def _response(here: World, request: Request) -> str:
    """The text of the response that is asked about, as the prompt shows it.

    Raises:
        BackendError: the prompt shows none.
    """
    text = first_message(request, "user")
    found = re.search(r'<response id="([0-9a-f]{16})">\n(.*?)\n</response id="\1">', text, re.DOTALL)
    if found is None:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows no response; expected material with "
            'the label "response"'
        )
    return found[2]
