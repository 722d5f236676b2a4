"""`method=single`: the strongest judge of a panel alone, the baseline of what a panel adds."""

from dataclasses import dataclass

from venire.judging.judge import Judge
from venire.judging.pairs import pair_outcome
from venire.judging.tie_break import TieBreak
from venire.judging.unit import Unit
from venire.llm.protocol import LLM
from venire.methods.units import ByUnit
from venire.records import Instance, Outcome


@dataclass(frozen=True, slots=True)
class Single(ByUnit):
    """The panel's strongest judge, on the pair or on claims; the others are not asked.

    It sends the very requests that this judge sends as a member of `majority`, so that on one store
    either pays for both. Claims: its own verdicts are reduced to scores; see `ByUnit`.

    Args:
        panel: whose strongest judge is asked.
        unit, orders, prompt, allow_tie, seed, and the settings of claims: see `ByUnit`.

    Source: spec, section 1, "Baselines" (`single`, both units).
    """

    @property
    def name(self) -> str:
        """`single`."""
        return "single"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The strongest judge."""
        return (self.panel.strongest_judge,)

    @property
    def tie_break(self) -> TieBreak:
        """Claims: its own comparison of the pair."""
        return TieBreak(self.prompt, self.allow_tie)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The strongest judge's verdict in each order and the final word over them, or that over claims."""
        if self.unit is Unit.CLAIMS:
            return await self.judge_claims(instance, llm)
        ballots = await self.ballots(instance, llm)
        by_order = {order: ballot.vote.prediction for order, (ballot,) in ballots.items()}
        return pair_outcome(instance, by_order, ballots)
