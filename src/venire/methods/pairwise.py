"""`method=pairwise`: one judge compares the two responses, in one order or in both."""

from dataclasses import dataclass

from venire.judging.judge import Judge
from venire.judging.pairs import pair_outcome
from venire.llm.protocol import LLM
from venire.methods.comparing import Comparing
from venire.records import Instance, Outcome


@dataclass(frozen=True, slots=True)
class Pairwise(Comparing):
    """One judge's pairwise comparison.

    Args:
        judged_by: the judge.
        orders, prompt, allow_tie, seed: see `Comparing`.

    Source: papers/advanced-evaluation, "Pairwise Comparison Implementation".
    """

    judged_by: Judge

    @property
    def name(self) -> str:
        """`pairwise`."""
        return "pairwise"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The one judge."""
        return (self.judged_by,)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The judge's verdict in each order, and the final word over them."""
        ballots = await self.ballots(instance, llm)
        by_order = {order: ballot.vote.prediction for order, (ballot,) in ballots.items()}
        return pair_outcome(instance, by_order, ballots)
