"""`method=majority`: a panel votes on each pair, or on each claim of its responses (PoLL)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.judging.ballot import Ballot
from venire.judging.judge import Judge
from venire.judging.pairs import pair_outcome
from venire.judging.tie_break import TieBreak
from venire.judging.unit import Unit
from venire.judging.votes import Count, MajorityRule, TieRule, count_votes
from venire.llm.protocol import LLM
from venire.methods.units import ByUnit, refuse
from venire.records import Instance, Order, Outcome


@dataclass(frozen=True, slots=True)
class Majority(ByUnit):
    """The panel's majority over holistic pairwise verdicts, or over verdicts on claims.

    Holistic: within each order the votes, mapped back, are counted; the two panel verdicts are then
    held against each other like a single judge's. A judge without a usable reply has no vote.
    Claims: plurality for each claim (a tie: the strongest judge's verdict if it is among the tied ones,
    else `uncertain`), reduced to scores; see `ByUnit`.

    Args:
        panel: who votes.
        rule: holistic only: `plurality` of the usable votes, or `absolute`: more than half of the panel.
        tie_rule: holistic: without a majority, the `strongest` judge's vote if it is among the leading
            ones (else unscored), `unscored`, or a `tie`. Claims: equal scores are put before the
            `strongest` judge, or stand as a `tie`.
        unit, orders, prompt, allow_tie, seed, and the settings of claims: see `ByUnit`.

    Source: Verga et al. 2024, "Replacing Judges with Juries"; spec, section 1, "Baselines"
    (`majority`, both units; ties by the strongest judge).
    """

    rule: MajorityRule = MajorityRule.PLURALITY
    tie_rule: TieRule = TieRule.STRONGEST

    def __post_init__(self) -> None:
        ByUnit.__post_init__(self)
        if self.unit is Unit.CLAIMS:
            refuse("rule", self.rule, MajorityRule.PLURALITY, "verdicts on claims are counted by plurality")
            if self.tie_rule is TieRule.UNSCORED:
                raise ConfigError("tie_rule: with unit=claims, expected strongest or tie, got unscored")

    @property
    def name(self) -> str:
        """`majority`."""
        return "majority"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The whole panel."""
        return self.panel.judges

    @property
    def tie_break(self) -> TieBreak | None:
        """Claims: the strongest judge's comparison, where the tie rule says so."""
        return TieBreak(self.prompt, self.allow_tie) if self.tie_rule is TieRule.STRONGEST else None

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The panel's verdict in each order and the final word over them, or its verdict over claims.

        Holistic: `detail` has `counts` (usable votes by winner, order by order) and `no_majority` (the orders
        in which the tie rule, or no vote at all, decided).
        """
        if self.unit is Unit.CLAIMS:
            return await self.judge_claims(instance, llm)
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
