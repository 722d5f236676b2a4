"""`method=pairwise`: one judge compares the two responses, in one order or in both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.judging.criteria import Criteria, Criterion, criteria_for
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import together
from venire.judging.pairs import pair_outcome
from venire.judging.pairwise_criteria import (
    PAIRWISE_CRITERIA,
    CriteriaBallot,
    compare_on,
    criteria_detail,
    pair_result,
)
from venire.llm.protocol import LLM
from venire.methods.comparing import Comparing, prompts_of
from venire.records import Instance, Order, Outcome


@dataclass(frozen=True, slots=True)
class Pairwise(Comparing):
    """One judge's pairwise comparison.

    Args:
        judged_by: the judge.
        criteria: compared on each of them, too; the prompt is then `pairwise_criteria`. None: on the whole.
        orders, prompt, allow_tie, seed: see `Comparing`.

    Source: papers/advanced-evaluation, "Pairwise Comparison Implementation".
    """

    judged_by: Judge
    criteria: Criteria | None = None

    @property
    def name(self) -> str:
        """`pairwise`."""
        return "pairwise"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The one judge."""
        return (self.judged_by,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The comparison's prompt, the persona's where the judge has one, and the re-ask's."""
        return prompts_of(self.judges, self.prompt if self.criteria is None else PAIRWISE_CRITERIA)

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is no pair, what a recorded judge has no verdict on, and criteria that nobody is asked.

        Raises:
            DataError, MissingRecording, ConfigError
        """
        if self.criteria is not None:
            self._check_criteria()
        # named in full: a class with slots is made anew, and `super()` looks for the one before
        Comparing.check(self, instances)

    def _check_criteria(self) -> None:
        if not isinstance(self.judged_by, PromptedJudge):
            raise ConfigError(
                f"criteria: {self.judged_by.name} is recorded, its verdicts are on the whole; drop criteria"
            )
        if self.prompt != "pairwise":
            raise ConfigError(
                f"method.prompt: with criteria the prompt is {PAIRWISE_CRITERIA}, got {self.prompt!r}; drop "
                "one of the two"
            )

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The judge's verdict in each order, and the final word over them.

        `detail.result` has it in the guide's form, `detail.criteria` each criterion's.
        """
        if self.criteria is not None:
            return await self._judge_on(criteria_for(self.criteria, instance), instance, llm)
        ballots = await self.ballots(instance, llm)
        by_order = {order: ballot.vote.prediction for order, (ballot,) in ballots.items()}
        return pair_outcome(instance, by_order, ballots, {"result": pair_result(by_order)})

    async def _judge_on(self, criteria: Sequence[Criterion], instance: Instance, llm: LLM) -> Outcome:
        assert isinstance(self.judged_by, PromptedJudge)  # `check` refuses recorded ones
        judge, orders = self.judged_by, self.orders.of(self.seed, instance.id)
        made = await together(
            compare_on(judge, instance, order, criteria, llm, allow_tie=self.allow_tie) for order in orders
        )
        ballots: Mapping[Order, CriteriaBallot] = dict(zip(orders, made, strict=True))
        by_order = {order: each.ballot.vote.prediction for order, each in ballots.items()}
        detail = {"result": pair_result(by_order), **criteria_detail(criteria, ballots)}
        return pair_outcome(
            instance, by_order, {order: (each.ballot,) for order, each in ballots.items()}, detail
        )
