"""`method=rating`: one judge rates each response directly, the baseline of what personas and debate add."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import Matter
from venire.judging.rating import RATE, asked_dimensions, check_rated, prediction_of, rate
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent, prompts_of
from venire.prompts.render import require_prompt
from venire.records import Instance, Outcome, Vote


@dataclass(frozen=True, slots=True)
class Rating(Independent):
    """One judge rates each dimension of a response, in one call.

    Args:
        judged_by: the judge; its persona, where it has one, is told.
        prompt: the prompt file, without `.jinja`.

    Source: spec, section 2, "Baselines" (single LLM); papers/advanced-evaluation, "Direct Scoring".
    """

    judged_by: Judge
    prompt: str = RATE

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like=RATE)

    @property
    def name(self) -> str:
        """`rating`."""
        return "rating"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The one judge."""
        return (self.judged_by,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The rating's, the persona's where the judge has one, and the re-ask's."""
        return prompts_of(self.judges, self.prompt)

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is not one response with dimensions to rate.

        Raises:
            DataError, ConfigError
        """
        check_rated(self.judges, instances)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The judge's ratings, and `overall`: their mean, each rescaled to [0, 1]."""
        assert isinstance(self.judged_by, PromptedJudge)
        dimensions = asked_dimensions(instance)
        rated = await rate(self.judged_by, Matter(instance, 0), dimensions, llm, prompt=self.prompt)
        prediction = prediction_of(rated.ratings, dimensions)
        vote = Vote(self.judged_by.name, None, prediction, rated.feedback, rated.text)
        return Outcome(instance.id, prediction, votes=(vote,), calls=rated.calls)
