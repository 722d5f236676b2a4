"""A comparison of which one letter is asked: the probabilities of A, B and C, and the letter drawn."""

import numpy as np

from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.pairwise import seen
from venire.llm.simulated.replies import Form, logistic
from venire.llm.simulated.score_tokens import LEAST, ScoreToken, token_of
from venire.llm.simulated.shown import instructions_of
from venire.records import Request

_NO_NOISE = 0.5  # the draw at which a call's noise is 0
_TIE = "\nC = "  # how the prompt names the third letter


def pair_token(
    here: World, request: Request, viewer: Viewer, how: Form, call: np.random.Generator
) -> ScoreToken:
    """The letter of the better response, A shown first, C for neither where the prompt has it.

    The probabilities are those of the judge's verdict over the noise of its calls. At temperature 0 the
    likeliest letter is the reply, else the one to which this call's noise leads. Malformed: no letter.

    Raises:
        BackendError: the instance cannot be found, or has no human preference.
    """
    noise = call.random()
    simulation = here.simulation
    position = simulation.position_bias_of(viewer.family)
    steady = seen(here, request, viewer, _NO_NOISE, position=position)
    band = simulation.tie_width if _TIE in instructions_of(request) else 0.0
    other = 1 - LEAST if how is Form.MALFORMED else 0.0
    first = _beyond(steady - band, simulation.noise)
    second = _beyond(-steady - band, simulation.noise)
    letters = {"A": first, "B": second, "C": max(0.0, 1 - first - second)}
    drawn = None
    if request.temperature != 0 and how is not Form.MALFORMED:
        evidence = seen(here, request, viewer, noise, position=position)
        drawn = "C" if abs(evidence) < band else ("A" if evidence >= 0 else "B")
    return token_of(letters, other, request, drawn)


def _beyond(distance: float, noise: float) -> float:
    """The probability that evidence so far above the band stays above it, over a call's noise."""
    if noise == 0:
        return 1.0 if distance >= 0 else 0.0
    return logistic(distance / noise)
