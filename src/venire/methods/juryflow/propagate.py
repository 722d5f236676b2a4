"""Stage 4 (b): what the re-evaluation of c* means for the claims related to it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError
from venire.judging.align import FloatArray
from venire.judging.matter import together
from venire.judging.review import propagate
from venire.llm.protocol import LLM
from venire.methods.juryflow.graph import Graph
from venire.methods.juryflow.memory import Correction, Precedents
from venire.methods.juryflow.review import Kind, Reevaluation, Reviewing, reevaluation


class When(StrEnum):
    """When c* propagates."""

    ALWAYS = "always"
    CHANGED = "changed"  # only where its re-evaluation changed the panel's verdict


class CrossInstance(StrEnum):
    """What earlier instances contribute to a propagation call."""

    PRECEDENT = "precedent"  # similar earlier corrections are shown
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Propagation:
    """How far a correction spreads.

    Args:
        beta: claims whose edge to c* weighs more are re-evaluated.
        when: see `When`.
        cross_instance: see `CrossInstance`.
        precedents: k, the most earlier corrections that a call shows.
        precedent_threshold: their weight must be above it.
    """

    beta: float = 0.5
    when: When = When.ALWAYS
    cross_instance: CrossInstance = CrossInstance.PRECEDENT
    precedents: int = 3
    precedent_threshold: float = 0.5

    def __post_init__(self) -> None:
        for name in ("beta", "precedent_threshold"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name}: expected 0 to 1, got {getattr(self, name)}")
        if self.precedents < 0:
            raise ConfigError(f"precedents: expected at least 0, got {self.precedents}")


async def propagate_from(
    focal: Sequence[Reevaluation],
    graph: Graph,
    reviewing: Reviewing,
    llm: LLM,
    *,
    settings: Propagation,
    precedents: Precedents,
) -> tuple[Reevaluation, ...]:
    """The re-evaluations of the claims related to c*, by index; one call each (re-asks aside).

    None without c*, where its re-evaluation failed (there is no evidence), or where it did not change
    the verdict and `when` is `changed`.

    Args:
        focal: the focal re-evaluations, that of c* first.
        graph: of the response.
        reviewing: who reviews.
        llm: the model layer.
        settings: beta and the like.
        precedents: earlier corrections.

    Source: JuryFlow, stage 4; spec, section 1, stage 4 (b).
    """
    anchor = focal[0] if focal else None
    finding = anchor.finding if anchor else None
    if anchor is None or finding is None or (settings.when is When.CHANGED and not anchor.changed):
        return ()
    row = graph.weights[anchor.claim]

    async def one(claim: int) -> Reevaluation:
        shown = _precedents(graph, claim, precedents)
        findings = [each.finding for each in shown]
        made = await propagate(reviewing.reviewer, reviewing.dispute(graph, claim), finding, findings, llm)
        ids = tuple(each.id for each in shown)
        return reevaluation(Kind.PROPAGATION, graph, claim, made, weight=float(row[claim]), precedents=ids)

    done = {each.claim for each in focal}
    return tuple(await together(one(claim) for claim in related(row, settings.beta, done)))


def related(row: FloatArray, beta: float, done: Collection[int]) -> tuple[int, ...]:
    """The claims j with w(c*, j) > beta that were not re-evaluated, by index.

    `row` has the weights w(c*, j), shape (claims,).
    """
    return tuple(index for index, weight in enumerate(row) if weight > beta and index not in done)


def _precedents(graph: Graph, claim: int, precedents: Precedents) -> tuple[Correction, ...]:
    vectors = graph.hearing.vectors
    return () if vectors is None else precedents.of(vectors[claim], graph.nodes[claim].tags)
