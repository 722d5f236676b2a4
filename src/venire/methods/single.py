"""`method=single`: the strongest judge of a panel alone, the baseline of what a panel adds."""

from dataclasses import dataclass

from venire.judging.judge import Judge
from venire.judging.pairs import pair_outcome
from venire.judging.panel import Panel
from venire.llm.protocol import LLM
from venire.methods.comparing import Comparing
from venire.records import Instance, Outcome


@dataclass(frozen=True, slots=True)
class Single(Comparing):
    """The holistic pairwise verdict of the panel's strongest judge; the others are not asked.

    It sends the very requests that this judge sends as a member of `majority`, so that on one store
    either pays for both.

    Args:
        panel: whose strongest judge is asked.
        orders, prompt, allow_tie, seed: see `Comparing`.

    Source: spec, section 1, "Baselines" (`single`, holistic).
    """

    panel: Panel

    @property
    def name(self) -> str:
        """`single`."""
        return "single"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The strongest judge."""
        return (self.panel.strongest_judge,)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The strongest judge's verdict in each order, and the final word over them."""
        ballots = await self.ballots(instance, llm)
        by_order = {order: ballot.vote.prediction for order, (ballot,) in ballots.items()}
        return pair_outcome(instance, by_order, ballots)
