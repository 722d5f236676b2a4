"""`method=geval`: one judge scores each dimension by evaluation steps that it wrote itself (G-Eval)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.geval import (
    GEVAL_SCORE,
    GEVAL_STEPS,
    Scored,
    Scoring,
    ScoringMode,
    check_scale,
    score,
)
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.rating import asked_dimensions, check_rated, with_overall
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent, prompts_of
from venire.records import Dimension, Instance, Outcome, Prediction, Ratings, Unscored, Vote


@dataclass(frozen=True, slots=True)
class GEval(Independent):
    """G-Eval: a score is the expectation over the points of a dimension's scale.

    The steps of a dimension are asked for once a judge, whatever the number of instances. A dimension
    whose score failed is absent from the ratings, with its reason in `detail.unscored`; `overall` is
    there only where every dimension has a score.

    Args:
        judged_by: the judge.
        scoring: `logprobs` or `samples`, for the whole run.
        samples, sampling_temperature: by samples: how often the judge is asked, and at which temperature.
        minimum_covered: the least share of the probability, or of the samples, that must be on the scale.

    Source: Liu et al. 2023, "G-Eval". Deviations: a probability off the scale is left out and the rest
    renormalised (its share is logged), or the dimension is unscored; points that are no single digits are
    asked by their place, so that each is one token on any scale; scales have no "N/A", as in the source.
    """

    judged_by: Judge
    scoring: ScoringMode = ScoringMode.LOGPROBS
    samples: int = 20
    sampling_temperature: float = 1.0
    minimum_covered: float = 0.5

    def __post_init__(self) -> None:
        _ = self._how  # checks the settings

    @property
    def name(self) -> str:
        """`geval`."""
        return "geval"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The one judge."""
        return (self.judged_by,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """Those of the steps, the score and re-asks."""
        return prompts_of(self.judges, GEVAL_STEPS, GEVAL_SCORE)

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is not rated, and log probabilities that nobody will tell.

        Raises:
            DataError, ConfigError
        """
        check_rated(self.judges, instances)
        if self.scoring is ScoringMode.LOGPROBS and isinstance(self.judged_by, PromptedJudge):
            for dimension in dict.fromkeys(each for one in instances for each in asked_dimensions(one)):
                check_scale(dimension, self.judged_by)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """Scores on the dimensions asked; `detail` says how each came about."""
        judge = self.judged_by
        assert isinstance(judge, PromptedJudge)  # `check` refuses recorded ones
        dimensions = asked_dimensions(instance)
        matter = Matter(instance, 0)
        scored = await together(score(judge, matter, each, llm, scoring=self._how) for each in dimensions)
        prediction = _prediction(scored, dimensions)
        return Outcome(
            instance_id=instance.id,
            prediction=prediction,
            votes=(Vote(judge.name, None, prediction),),
            calls=tuple(call for each in scored for call in each.calls),
            detail={"scoring": self.scoring.value} | _detail(scored),
        )

    @property
    def _how(self) -> Scoring:
        return Scoring(self.scoring, self.samples, self.sampling_temperature, self.minimum_covered)


def _prediction(scored: Sequence[Scored], dimensions: Sequence[Dimension]) -> Prediction:
    scores = {each.dimension: each.score for each in scored if not isinstance(each.score, Unscored)}
    if not scores:
        return next(each.score for each in scored if isinstance(each.score, Unscored))
    if len(scores) < len(dimensions):
        return Ratings(scores)
    return with_overall(scores, dimensions)


def _detail(scored: Sequence[Scored]) -> dict[str, object]:
    """`covered`, `weights` and `steps` by dimension, and `unscored`: the reason of those without a score."""
    failed = {each.dimension: each.score for each in scored if isinstance(each.score, Unscored)}
    return {
        "covered": {each.dimension: each.covered for each in scored if not math.isnan(each.covered)},
        "weights": {
            each.dimension: {f"{rating:g}": weight for rating, weight in each.weights.items()}
            for each in scored
        },
        "steps": {each.dimension: list(each.steps) for each in scored},
        "unscored": {name: why.as_detail for name, why in failed.items()},
    }
