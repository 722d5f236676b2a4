"""A score of which one token is asked: the probabilities of a scale's levels, and the token that is drawn."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from venire.errors import BackendError
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.rating_replies import rating, scored_dimension
from venire.llm.simulated.rating_views import View, reading_of, views
from venire.llm.simulated.replies import Form, logistic
from venire.records import Dimension, Request

OTHER = "The"  # a token that is no answer
LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class ScoreToken:
    """The token, and the log probability of each candidate, the likeliest first."""

    text: str
    logprobs: Mapping[str, float]


def score_token(
    here: World, request: Request, viewer: Viewer, how: Form, call: np.random.Generator
) -> ScoreToken:
    """The point of the scale (`Dimension.tokens`) of the response on the dimension of the request's subject.

    The probabilities are those of the judge's rating over the slips of its calls. At temperature 0 the
    likeliest token is the reply, else the one to which this call's slip leads. Malformed: no level.

    Raises:
        BackendError: the response or the dimension cannot be found, or its scale has no levels.
    """
    reading = reading_of(here, request, viewer)
    (view,) = views(reading, [scored_dimension(reading, request)])
    rules = here.simulation.ratings
    other = 1 - LEAST if how is Form.MALFORMED else rules.faults.other_tokens
    levels = _levels(view, rules.material.span, rules.noise)
    tokens = view.dimension.tokens
    drawn = None
    if request.temperature != 0 and how is not Form.MALFORMED:
        strayed = call.random() < other
        drawn = (
            OTHER
            if strayed
            else tokens[_place(view.dimension, float(rating(view.dimension, view.evidence, reading)))]
        )
    return token_of(dict(zip(tokens, levels, strict=True)), other, request, drawn)


def token_of(answers: Mapping[str, float], other: float, request: Request, drawn: str | None) -> ScoreToken:
    """The token `drawn`, else the likeliest, with as many candidates as `request` asks for.

    Args:
        answers: the probability of each token that is an answer, among these.
        other: the probability of a token that is none.
    """
    shares = {token: (1 - other) * share for token, share in answers.items()} | {OTHER: other}
    ranked = sorted(
        (token for token in shares if shares[token] > LEAST), key=lambda token: (-shares[token], token)
    )
    shown = ranked[: request.logprobs or 1]
    return ScoreToken(drawn or ranked[0], {token: math.log(shares[token]) for token in shown})


def _levels(view: View, span: float, noise: float) -> list[float]:
    """The probability of each level of the scale."""
    scale = view.dimension
    if not scale.tokens or scale.high <= scale.low:
        raise BackendError(f"simulation: one token was asked on {scale.name}, whose scale has no levels")
    last = _place(scale, scale.high)
    ends = [span * (2 * (place + 0.5) / last - 1) for place in range(last)]
    below = [0.0, *(_below(end - view.steady, noise) for end in ends), 1.0]
    return [max(0.0, upper - lower) for lower, upper in pairwise(below)]


def _below(distance: float, noise: float) -> float:
    """The probability that a slip is smaller than `distance`."""
    if noise == 0:
        return 1.0 if distance > 0 else 0.0
    return logistic(distance / noise)


def _place(scale: Dimension, value: float) -> int:
    return round((value - scale.low) / (scale.step or 1.0))
