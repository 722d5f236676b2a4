"""Stage 4 (a): the focal claims are re-evaluated, each on its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.judging.convene import Hearing, Shelf
from venire.judging.judge import PromptedJudge
from venire.judging.matter import together
from venire.judging.review import Dispute, Finding, Reviewed, reevaluate
from venire.llm.protocol import LLM
from venire.methods.juryflow.graph import Graph
from venire.records import Call, RubricEntry, Unscored, Verdict


class Kind(StrEnum):
    """Why a claim was re-evaluated."""

    FOCAL = "focal"
    PROPAGATION = "propagation"


@dataclass(frozen=True, slots=True)
class Reevaluation:
    """One claim re-evaluated.

    Args:
        kind: see `Kind`.
        claim: its index.
        text: the claim.
        before: the panel's plurality verdict; None where nobody had ruled.
        after: the reviewer's verdict, or why there is none: the panel's then stays.
        rationale: the reviewer's.
        calls: that it took.
        weight: of the edge to c*, where it was propagated along one.
        precedents: ids of the corrections that were shown.
    """

    kind: Kind
    claim: int
    text: str
    before: Verdict | None
    after: Verdict | Unscored
    rationale: str
    calls: tuple[Call, ...]
    weight: float | None = None
    precedents: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the reviewer overruled a verdict of the panel."""
        return self.before is not None and isinstance(self.after, Verdict) and self.after is not self.before

    @property
    def finding(self) -> Finding | None:
        """As evidence for other claims; None where the reviewer gave no verdict."""
        if isinstance(self.after, Unscored):
            return None
        return Finding(self.text, self.before, self.after, self.rationale)


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Who reviews, and what of the rubric is shown to it."""

    reviewer: PromptedJudge
    shelf: Shelf | None = None
    examples: int = 2

    def dispute(self, graph: Graph, claim: int) -> Dispute:
        """What the reviewer is shown of a claim: rubric entries by that claim's own relevance."""
        hearing = graph.hearing
        return Dispute(
            hearing.matter,
            hearing.claims[claim],
            hearing.of_claim(claim),
            self._entries(hearing, claim),
            self.examples,
        )

    def _entries(self, hearing: Hearing, claim: int) -> tuple[RubricEntry, ...]:
        if self.shelf is None or hearing.vectors is None:
            return ()
        return self.shelf.entries_for(hearing.vectors[[claim]])


async def review_focal(
    reviewing: Reviewing, graph: Graph, claims: Sequence[int], llm: LLM
) -> tuple[Reevaluation, ...]:
    """The re-evaluations of the focal claims, in their order; one call each (re-asks aside).

    Source: JuryFlow, stage 4; spec, section 1, stage 4 (a).
    """
    reviewed = await together(
        reevaluate(reviewing.reviewer, reviewing.dispute(graph, claim), llm) for claim in claims
    )
    return tuple(
        reevaluation(Kind.FOCAL, graph, claim, made) for claim, made in zip(claims, reviewed, strict=True)
    )


def reevaluation(
    kind: Kind,
    graph: Graph,
    claim: int,
    made: Reviewed,
    *,
    weight: float | None = None,
    precedents: tuple[str, ...] = (),
) -> Reevaluation:
    """The record of a review of `claim`."""
    node = graph.nodes[claim]
    return Reevaluation(
        kind, claim, node.text, node.verdict, made.verdict, made.rationale, made.calls, weight, precedents
    )
