"""What a correction teaches: the fields of a rubric entry.

The entry names the claim's pattern (topic and cause of error), by which later prompts that show it
are matched to their claims. It takes a right correction and a rationale that states a good reason
for it. Without, the entry blames a pattern that no claim has: it teaches nothing and only takes up
room. The name says neither which it is nor anything of the gold.
"""

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.claim_latent import content_words
from venire.llm.simulated.claim_verdicts import reasoned_for
from venire.llm.simulated.draws import digest
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.replies import MARK
from venire.llm.simulated.shown import claim_under_review, shown_in
from venire.records import Request, Verdict

_RIGHT = {1: Verdict.ACCEPT, -1: Verdict.REJECT}
_WORDS_NAMED = 8
_UNNAMED = "quality"  # of the dimension, where no judge gave a tag


def induce(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The rubric entry that the prompt's correction leads to.

    Raises:
        BackendError: the response cannot be found, is in no human preference, or no correction is shown.
    """
    candidate, _ = here.candidates.of(request)
    shown = shown_in(request)
    text = claim_under_review(shown, request)
    if shown.correction is None:
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows no correction; expected the "
            "panel's verdict and the one after review"
        )
    this = here.claims.fact(candidate, text)
    understood = shown.correction.after is _RIGHT[this.sign] and reasoned_for(
        this.sign, shown.assessments, here.simulation.claims.review.conviction
    )
    misread = digest(here.simulation.seed, "misread", candidate.content, this.key)[:6]
    dimension = shown.tags[0] if shown.tags else _UNNAMED
    about = " ".join(content_words(text)[:_WORDS_NAMED])
    return {
        "dimension": dimension,
        "boundary": f"{MARK} Claims on {dimension} that are prone to the same error.",
        "criterion": f"{MARK} {dimension}: {about} (pattern {this.pattern if understood else misread})",
        "positive_example": f"{MARK} {shown.correction.after}: {text}",
        "negative_example": f"{MARK} {shown.correction.before}: {text}",
    }
