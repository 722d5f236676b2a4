"""`method=chateval`: several roles of one model discuss a response; their ratings are averaged (ChatEval)."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.judging.chateval import (
    CHATEVAL_SUMMARY,
    CHATEVAL_TURN,
    SUMMARISER,
    Communication,
    Discussion,
    Seats,
    Statement,
    discuss,
)
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import Matter
from venire.judging.persona import PERSONA
from venire.judging.rating import (
    asked_dimensions,
    check_rated,
    mean_of,
    prediction_of,
    ratings_detail,
    with_overall,
)
from venire.judging.roles import RoleSet
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent, prompts_of
from venire.records import Dimension, Instance, Outcome, Prediction, Ratings, Unscored, Vote


@dataclass(frozen=True, slots=True)
class ChatEval(Independent):
    """ChatEval for ratings: the mean over roles of what each rates in the last turn.

    A role without usable ratings in the last turn has no part in the mean (its earlier ratings do not
    stand in), and a rating of N/A none on its dimension. Without any role there is no judgment.

    Args:
        judged_by: the model of all roles, and of the summariser.
        roles: who they are.
        communication: who hears what.
        turns: how often each speaks.

    Source: Chan et al. 2023, "ChatEval", section 2. Deviations: ratings are given in every turn, not only
    in the last one (the last one counts); the last turn is not summarised, since nobody would read it.
    """

    judged_by: Judge
    roles: RoleSet
    communication: Communication = Communication.ONE_BY_ONE
    turns: int = 2

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise ConfigError(f"turns: expected at least 1, got {self.turns}")
        if SUMMARISER in {role.name for role in self.roles.roles}:
            raise ConfigError(f"roles: no role may be called {SUMMARISER}")

    @property
    def name(self) -> str:
        """`chateval`."""
        return "chateval"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The one model."""
        return (self.judged_by,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """Those of turns, personas and re-asks, and of summaries where there are any."""
        summarised = self.communication is Communication.SIMULTANEOUS_WITH_SUMMARISER
        summary = (CHATEVAL_SUMMARY,) if summarised else ()
        return tuple(dict.fromkeys((*prompts_of(self.judges, CHATEVAL_TURN, *summary), PERSONA)))

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is not rated.

        Raises:
            DataError, ConfigError
        """
        check_rated(self.judges, instances)
        if isinstance(self.judged_by, PromptedJudge) and self.judged_by.persona is not None:
            raise ConfigError("judge.persona: expected null, since method=chateval gives its judge roles")

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The mean of the last turn's ratings; `detail` has the discussion, `votes` each role's last word."""
        judge = self.judged_by
        assert isinstance(judge, PromptedJudge)  # `check` refuses recorded ones
        dimensions = asked_dimensions(instance)
        seats = Seats(judge, self.roles.roles, self.turns, self.communication)
        discussion = await discuss(seats, Matter(instance, 0), dimensions, llm)
        last = discussion.of_turn(self.turns)
        return Outcome(
            instance_id=instance.id,
            prediction=_mean(last, dimensions),
            votes=tuple(_vote(each, dimensions) for each in last),
            calls=tuple(discussion.calls),
            detail={"communication": self.communication.value} | _detail(discussion),
        )


def _mean(last: Sequence[Statement], dimensions: Sequence[Dimension]) -> Prediction:
    """The mean over roles of each dimension's ratings, and `OVERALL`; why there is none, else."""
    given = [each.ratings.by_dimension for each in last if isinstance(each.ratings, Ratings)]
    if not given:
        return next(each.ratings for each in last if isinstance(each.ratings, Unscored))
    return with_overall(mean_of(given, dimensions), dimensions)


def _vote(statement: Statement, dimensions: Sequence[Dimension]) -> Vote:
    prediction = prediction_of(statement.ratings, dimensions)
    return Vote(statement.role, None, prediction, statement.message, statement.text)


def _detail(discussion: Discussion) -> dict[str, object]:
    """`statements` and `summaries` in order, and `failed`: the turns and roles that said nothing usable."""
    return {
        "statements": [
            {
                "turn": each.turn,
                "role": each.role,
                "message": each.message,
                "ratings": ratings_detail(each.ratings),
            }
            for each in discussion.statements
        ],
        "summaries": [
            {"turn": turn, "summary": "" if isinstance(summary, Unscored) else summary}
            | ({"failed": summary.reason.value} if isinstance(summary, Unscored) else {})
            for turn, summary in discussion.summaries.items()
        ],
        "failed": [
            {"turn": each.turn, "role": each.role, "reason": each.ratings.reason.value}
            for each in discussion.statements
            if isinstance(each.ratings, Unscored)
        ],
    }
