"""Each response scored, and the scores compared as they are and with length taken out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import orjson
from pydantic import Field

from venire.errors import ConfigError
from venire.judging.apart import read_score
from venire.judging.ask import Asked, ask
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.judging.matter import pair_values
from venire.judging.mitigating.stage import Answer, Question, Verdict
from venire.judging.probe import Bias
from venire.judging.recorded import compare_recorded
from venire.judging.recorded_parser import is_rating
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import (
    Instance,
    Order,
    Prediction,
    Preference,
    Reason,
    Subject,
    Unscored,
    Vote,
    Winner,
)

PAIR_SCORES = "pair_scores"
SCORES = "scores"  # the arm of the scores as they are
_ROUNDING = 1e-9

Score = Annotated[float, Field(ge=1, le=10)]


class PairScores(Reply):
    """A score for each response shown."""

    reasoning: str = ""
    score_a: Score
    score_b: Score

    @property
    def decision(self) -> object:
        """The two scores."""
        return (self.score_a, self.score_b)


@dataclass(frozen=True, slots=True)
class LengthNormalised:
    """The higher score wins after `points_per_doubling` are taken off for each doubling of length.

    For the same replies, the arm `scores` compares the scores as they are: what the normalising changes.
    A recorded judge that rated each output is read from its ratings.

    Args:
        points_per_doubling: scale points for twice the characters; 0 takes nothing off.

    The form and its default are ours: sources name length-normalised scores without a formula.
    """

    points_per_doubling: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.points_per_doubling <= 10:
            raise ConfigError(f"points_per_doubling: expected 0 to 10, got {self.points_per_doubling}")

    @property
    def against(self) -> tuple[Bias, ...]:
        """Length and verbosity."""
        return (Bias.LENGTH, Bias.VERBOSITY)

    @property
    def prompts(self) -> tuple[str, ...]:
        """That of the scores."""
        return (PAIR_SCORES,)

    def names(self, name: str) -> tuple[str, ...]:
        """The scores as they are, and normalised."""
        return (SCORES, name)

    def can_ask(self, judge: Judge) -> bool:
        """Whether it reads prompts, or rated its outputs when it was recorded."""
        return not isinstance(judge, RecordedJudge) or is_rating(judge.strategy)

    async def ask(self, judge: Judge, question: Question, llm: LLM, *, name: str) -> Answer:
        """The verdict by the scores, and by the normalised scores."""
        if isinstance(judge, RecordedJudge):
            ballot = await compare_recorded(
                judge, question.instance, question.order, llm, stage=question.stage
            )
            scores, calls = _recorded_scores(ballot.vote), ballot.calls
        else:
            asked = await _ask(judge, question, llm)
            scores, calls = _mapped_back(asked.reply, question.order), asked.calls
        return Answer(self._verdicts(scores, question.instance, name), calls)

    def _verdicts(
        self, scores: tuple[float, float] | Unscored, instance: Instance, name: str
    ) -> Mapping[str, Verdict]:
        if isinstance(scores, Unscored):
            return {SCORES: Verdict(scores), name: Verdict(scores)}
        lengths = [max(1, len(response.text)) for response in instance.responses]
        longer = math.log2(lengths[0] / lengths[1])
        facts = {"score_1": scores[0], "score_2": scores[1]}
        difference = scores[0] - scores[1]
        return {
            SCORES: Verdict(_higher(difference), facts),
            name: Verdict(_higher(difference - self.points_per_doubling * longer), facts),
        }


async def _ask(judge: PromptedJudge, question: Question, llm: LLM) -> Asked[PairScores]:
    values = pair_values(question.instance, question.order)
    subject = Subject(question.instance.id, question.order)
    return await ask(
        judge,
        render(PAIR_SCORES, **values),
        PairScores,
        llm,
        stage=question.stage,
        subject=subject,
        replicate=question.replicate,
    )


def _mapped_back(reply: PairScores | Unscored, order: Order) -> tuple[float, float] | Unscored:
    if isinstance(reply, Unscored):
        return reply
    scores = (reply.score_a, reply.score_b)
    return scores if order is Order.AS_GIVEN else (scores[1], scores[0])


def _recorded_scores(vote: Vote) -> tuple[float, float] | Unscored:
    """The recorded ratings of the two outputs; none where one is no integer."""
    first, second = (read_score(text) for text in orjson.loads(vote.raw))
    if first is None or second is None:
        why = vote.prediction if isinstance(vote.prediction, Unscored) else None
        return why or Unscored(Reason.UNPARSED, "a rating is no whole number from 0 to 10")
    return float(first), float(second)


def _higher(difference: float) -> Prediction:
    if abs(difference) < _ROUNDING:
        return Preference(Winner.TIE)
    return Preference(Winner.FIRST if difference > 0 else Winner.SECOND)
