"""G-Eval: evaluation steps that a judge writes once a dimension, and its score as an expectation.

Two questions, on one dimension at a time:

- stage `steps`: about no instance (no `Request.subject`), so that all instances of all runs share one
  stored reply a judge and dimension; field `steps`.
- stage `score`, `Subject(instance, response_index, dimension=...)`. By log probabilities: no schema,
  `max_tokens` 1, one of `Dimension.tokens` is asked. By samples: `samples` replicates at a temperature,
  field `score`, a number on the dimension's own scale.

Source: Liu et al. 2023, "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment", section 2.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema, create_model, field_validator

from venire.errors import ConfigError
from venire.judging.ask import Asked, ask
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.one_token import AskedToken, ask_token, bare
from venire.judging.rating import dimension_values, point_of
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Dimension, Message, Reason, Unscored

GEVAL_STEPS = "geval_steps"
GEVAL_SCORE = "geval_score"
_MOST_SAMPLES = 100
# Steps are numbered where they are shown; a number that the judge wrote is left out.
_NUMBER = re.compile(r"^(?:step )?\d+ ?[.):] ?", re.IGNORECASE)


class ScoringMode(StrEnum):
    """What the expectation is taken over."""

    LOGPROBS = "logprobs"  # the probabilities of the levels' tokens
    SAMPLES = "samples"  # repeated answers


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a score is made.

    Args:
        mode: one for the whole run; the two are never mixed.
        samples: how often a judge is asked, by samples.
        sampling_temperature: of samples.
        minimum_covered: the least share of the probability, or of the samples, that must lie on the
            scale; with less there is no score.
    """

    mode: ScoringMode = ScoringMode.LOGPROBS
    samples: int = 20
    sampling_temperature: float = 1.0
    minimum_covered: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= _MOST_SAMPLES:
            raise ConfigError(f"samples: expected 1 to {_MOST_SAMPLES}, got {self.samples}")
        if not 0 < self.minimum_covered <= 1:
            raise ConfigError(f"minimum_covered: expected more than 0, up to 1, got {self.minimum_covered:g}")
        if not 0 < self.sampling_temperature <= 2:
            raise ConfigError(
                f"sampling_temperature: expected more than 0, up to 2, got {self.sampling_temperature:g}"
            )


class StepsReply(Reply):
    """The evaluation steps, at least one."""

    steps: list[str]

    @field_validator("steps")
    @classmethod
    def _not_blank(cls, steps: list[str]) -> list[str]:
        kept = [text for each in steps if (text := _NUMBER.sub("", " ".join(each.split())))]
        if not kept:
            raise ValueError("expected at least one step")
        return kept

    @property
    def decision(self) -> object:
        """The steps."""
        return tuple(self.steps)


class ScoreReply(Reply):
    """A score on the dimension's scale."""

    score: float

    @property
    def decision(self) -> object:
        """The score."""
        return self.score


@dataclass(frozen=True, slots=True)
class Scored:
    """A judge's score on one dimension, or why there is none.

    Args:
        dimension: its name.
        score: on the dimension's scale, between its points, too.
        covered: the share of the probability, or of the samples, that lies on the scale; the score is
            the mean over that share. NaN where nothing was asked.
        weights: the share of each rating, renormalised to the covered share; empty without a score.
        steps: by which it was scored.
        calls: those about the steps first.
    """

    dimension: str
    score: float | Unscored
    covered: float
    weights: Mapping[float, float]
    steps: tuple[str, ...]
    calls: tuple[Call, ...]


async def score(
    judge: PromptedJudge, matter: Matter, dimension: Dimension, llm: LLM, *, scoring: Scoring
) -> Scored:
    """The judge's score of a response on one dimension: sum p(s) s over the scale, on the steps it wrote."""
    asked = await ask(judge, steps_messages(dimension), StepsReply, llm, stage="steps", subject=None)
    if isinstance(asked.reply, Unscored):
        failed = replace(asked.reply, detail=f"no evaluation steps: {asked.reply.detail}")
        return Scored(dimension.name, failed, math.nan, {}, (), asked.calls)
    steps = tuple(asked.reply.steps)
    match scoring.mode:
        case ScoringMode.LOGPROBS:
            found = await _by_logprobs(judge, matter, dimension, steps, llm, scoring)
        case ScoringMode.SAMPLES:
            found = await _by_samples(judge, matter, dimension, steps, llm, scoring)
    return replace(found, steps=steps, calls=(*asked.calls, *found.calls))


def steps_messages(dimension: Dimension) -> tuple[Message, ...]:
    """The question for the evaluation steps: the same for all instances.

    G-Eval's prompt also introduces the task; here the dimension's description has to, since a request
    may be another one for each instance.
    """
    return render(GEVAL_STEPS, dimensions=dimension_values([dimension]))


def check_scale(dimension: Dimension, judge: PromptedJudge) -> None:
    """Nothing, where a point of the dimension's scale is one token, and the judge tells enough candidates.

    Raises:
        ConfigError: says what to do instead.
    """
    count = len(dimension.tokens)
    if count < 2:
        found = f"{len(dimension.points)} points" if dimension.points else "any number"
        raise ConfigError(
            f"method.scoring: logprobs needs scales of 2 to 9 points, {dimension.name} has {found}; "
            "set method.scoring=samples"
        )
    if judge.top_logprobs < count:
        raise ConfigError(
            f"method.scoring: logprobs needs the probabilities of {count} candidates for "
            f"{dimension.name}, {judge.name} tells {judge.top_logprobs or 'none'} (judge.top_logprobs); "
            "set method.scoring=samples"
        )


async def _by_logprobs(
    judge: PromptedJudge,
    matter: Matter,
    dimension: Dimension,
    steps: Sequence[str],
    llm: LLM,
    scoring: Scoring,
) -> Scored:
    messages = _score_messages(matter, dimension, steps, in_one_token=True)
    subject = replace(matter.subject(), dimension=dimension.name)
    asked = await ask_token(judge, messages, llm, stage="score", subject=subject)
    found = _read_tokens(asked, dimension, scoring.minimum_covered)
    return replace(found, dimension=dimension.name, calls=(asked.call,))


def _read_tokens(asked: AskedToken, dimension: Dimension, minimum: float) -> Scored:
    """The expectation over the points at the answer's position: the last one that has mass enough on them."""
    if isinstance(asked.positions, Unscored):
        return _unscored(asked.positions.reason, asked.positions.detail)
    if not asked.positions:
        return _unscored(
            Reason.UNPARSED, "the reply has no log probabilities; method.scoring=samples needs none"
        )
    masses = [token_masses(position, dimension.tokens) for position in asked.positions]
    enough = [each for each in masses if sum(each.values()) >= minimum]
    if not enough:
        best = max(sum(each.values()) for each in masses)
        told = f"the scale's points have {best:.3f} of the probability, expected at least {minimum:g}"
        return _unscored(Reason.UNPARSED, f"{told}; the answer was {asked.text[:40]!r}", best)
    covered = sum(enough[-1].values())
    points = zip(dimension.points, dimension.tokens, strict=True)
    weights = {point: enough[-1][token] / covered for point, token in points if token in enough[-1]}
    return _expected(weights, min(covered, 1.0))


def token_masses(position: Mapping[str, float], tokens: Sequence[str]) -> dict[str, float]:
    """The probability of each of `tokens` (single digits) at one position of a reply; absent without any.

    Candidates that spell the same number (`3`, ` 3`, a full-width 3) are one, their probabilities added.

    Args:
        position: candidate to log probability.
        tokens: as in `Dimension.tokens`.
    """
    masses: dict[str, float] = {}
    for candidate, logprob in position.items():
        spelled = bare(candidate)
        if len(spelled) != 1 or not spelled.isdecimal() or not math.isfinite(logprob):
            continue
        digit = str(int(spelled))
        if digit in tokens:
            masses[digit] = masses.get(digit, 0.0) + math.exp(logprob)
    return masses


async def _by_samples(
    judge: PromptedJudge,
    matter: Matter,
    dimension: Dimension,
    steps: Sequence[str],
    llm: LLM,
    scoring: Scoring,
) -> Scored:
    sampled = replace(judge, temperature=scoring.sampling_temperature)
    messages = _score_messages(matter, dimension, steps, in_one_token=False)
    subject = replace(matter.subject(), dimension=dimension.name)
    form = score_form(dimension)
    asked: list[Asked[ScoreReply]] = await together(
        ask(sampled, messages, form, llm, stage="score", subject=subject, replicate=replicate)
        for replicate in range(scoring.samples)
    )
    given = [each.reply.score for each in asked if isinstance(each.reply, ScoreReply)]
    covered = len(given) / scoring.samples
    calls = tuple(call for each in asked for call in each.calls)
    if covered < scoring.minimum_covered or not given:
        first = next(each.reply for each in asked if isinstance(each.reply, Unscored))
        told = f"{len(given)} of {scoring.samples} samples are on the scale, expected at least a share of"
        found = _unscored(first.reason, f"{told} {scoring.minimum_covered:g}; {first.detail}", covered)
    else:
        weights = {rating: given.count(rating) / len(given) for rating in sorted(set(given))}
        found = _expected(weights, covered)
    return replace(found, dimension=dimension.name, calls=calls)


@cache
def score_form(dimension: Dimension) -> type[ScoreReply]:
    """The reply that scores on the scale of `dimension`; a number off it is a validation error."""

    def read(value: object) -> object:
        point = point_of(dimension, value)
        if point is not None:
            return point
        steps = "" if dimension.step is None else f" in steps of {dimension.step:g}"
        raise ValueError(
            f"expected a number from {dimension.low:g} to {dimension.high:g}{steps}, got {value!r}"
        )

    typed = Annotated[float, BeforeValidator(read), WithJsonSchema({"type": "number"})]
    return create_model("ScoreReply", __base__=ScoreReply, score=(typed, ...))


def _score_messages(
    matter: Matter, dimension: Dimension, steps: Sequence[str], *, in_one_token: bool
) -> tuple[Message, ...]:
    tokens = dimension.tokens if in_one_token else ()
    ratings = [f"{point:g}" for point in dimension.points[: len(tokens)]]
    return render(
        GEVAL_SCORE,
        **matter.values,
        dimensions=dimension_values([dimension]),
        steps=list(steps),
        tokens=list(tokens),
        ratings=[] if ratings == list(tokens) else ratings,
    )


def _expected(weights: Mapping[float, float], covered: float) -> Scored:
    mean = math.fsum(rating * weight for rating, weight in weights.items())
    return Scored("", mean, covered, weights, (), ())


def _unscored(reason: Reason, detail: str, covered: float = math.nan) -> Scored:
    return Scored("", Unscored(reason, detail), covered, {}, (), ())
