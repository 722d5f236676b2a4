"""`method=majority`: a panel votes on each pair (PoLL)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.judging.ballot import Ballot
from venire.judging.judge import Judge
from venire.judging.pairs import pair_outcome
from venire.judging.panel import Panel
from venire.judging.votes import Count, MajorityRule, TieRule, count_votes
from venire.llm.protocol import LLM
from venire.methods.comparing import Comparing
from venire.records import Instance, Order, Outcome


@dataclass(frozen=True, slots=True)
class Majority(Comparing):
    """The panel's majority over holistic pairwise verdicts.

    Within each order the votes, mapped back, are counted; the two panel verdicts are then held
    against each other like a single judge's. A judge without a usable reply has no vote.

    Args:
        panel: who votes.
        rule: `plurality` of the usable votes, or `absolute`: more than half of the panel.
        tie_rule: without a majority, the `strongest` judge's vote if it is among the leading ones
            (else unscored), `unscored`, or a `tie`.
        orders, prompt, allow_tie, seed: see `Comparing`.

    Source: Verga et al. 2024, "Replacing Judges with Juries"; spec, section 1, "Baselines"
    (`majority`, holistic; ties by the strongest judge).
    """

    panel: Panel
    rule: MajorityRule = MajorityRule.PLURALITY
    tie_rule: TieRule = TieRule.STRONGEST

    @property
    def name(self) -> str:
        """`majority`."""
        return "majority"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The whole panel."""
        return self.panel.judges

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The panel's verdict in each order, and the final word over them.

        `detail` has `counts` (usable votes by winner, order by order) and `no_majority` (the orders
        in which the tie rule, or no vote at all, decided).
        """
        ballots = await self.ballots(instance, llm)
        counts = {order: self._count(cast) for order, cast in ballots.items()}
        by_order = {order: count.prediction for order, count in counts.items()}
        return pair_outcome(instance, by_order, ballots, _detail(counts))

    def _count(self, cast: Sequence[Ballot]) -> Count:
        return count_votes(
            [ballot.vote for ballot in cast],
            strongest=self.panel.strongest,
            rule=self.rule,
            tie_rule=self.tie_rule,
        )


def _detail(counts: Mapping[Order, Count]) -> dict[str, object]:
    return {
        "counts": {
            order.value: {winner.value: votes for winner, votes in sorted(count.by_winner.items())}
            for order, count in counts.items()
        },
        "no_majority": [order.value for order, count in counts.items() if not count.majority],
    }
