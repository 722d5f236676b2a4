"""Stage 3: which disagreements are resolved, and which one anchors propagation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from venire.errors import ConfigError
from venire.judging.matter import Matter
from venire.methods.juryflow.graph import Graph, Node


@dataclass(frozen=True, slots=True)
class Question:
    """What a selector is asked: which disagreement should be resolved first.

    Args:
        graph: over the claims of the response.
        ranked: those with d_i > tau, most disputed first, ties by lower index; never empty.
        budget: m.
        threshold: tau.
        rng: of (seed, instance, response), for selectors that draw.
    """

    graph: Graph
    ranked: tuple[int, ...]
    budget: int
    threshold: float
    rng: np.random.Generator = field(compare=False)

    @property
    def matter(self) -> Matter:
        """The response."""
        return self.graph.hearing.matter

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All its claims."""
        return self.graph.nodes

    @property
    def candidates(self) -> tuple[int, ...]:
        """The top m."""
        return self.ranked[: self.budget]


@dataclass(frozen=True, slots=True)
class Focus:
    """The claims to re-evaluate, c* (`anchor`) first; none: nothing is re-evaluated.

    `seconds` is the time that a human took.
    """

    claims: tuple[int, ...] = ()
    seconds: float | None = None

    @property
    def anchor(self) -> int | None:
        """c*."""
        return self.claims[0] if self.claims else None


class FocalSelector(Protocol):
    """Who chooses. It is asked once a response that has a candidate."""

    @property
    def name(self) -> str:
        """For files and tables."""
        ...

    async def select(self, question: Question) -> Focus:
        """The choice; `Focus()` for none."""
        ...


@dataclass(frozen=True, slots=True)
class Auto:
    """The top m candidates; the most disputed one is c*. Source: JuryFlow, automatic focal selection."""

    @property
    def name(self) -> str:
        """`auto`."""
        return "auto"

    async def select(self, question: Question) -> Focus:
        """See class."""
        return Focus(question.candidates)


@dataclass(frozen=True, slots=True)
class Random:
    """A control: as many claims as `auto` takes, drawn from all claims of the response."""

    @property
    def name(self) -> str:
        """`random`."""
        return "random"

    async def select(self, question: Question) -> Focus:
        """See class."""
        drawn = question.rng.choice(len(question.nodes), size=len(question.candidates), replace=False)
        return Focus(tuple(int(index) for index in drawn))


@dataclass(frozen=True, slots=True)
class Focal:
    """How disputed a claim must be to be re-evaluated, and how many are.

    Args:
        threshold: tau; only claims with d_i above it are candidates.
        budget: m, the most claims of a response that are re-evaluated.
        selector: who chooses.
    """

    threshold: float = 0.5
    budget: int = 2
    selector: FocalSelector = Auto()

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"threshold: expected 0 to 1, got {self.threshold}")
        if self.budget < 1:
            raise ConfigError(f"budget: expected at least 1, got {self.budget}; focal=null re-evaluates none")


async def select_focal(graph: Graph, focal: Focal, rng: np.random.Generator) -> Focus:
    """The claims to re-evaluate; none, and no question, where no claim is disputed enough.

    Source: JuryFlow, "Focal selection"; spec, section 1, stage 3.
    """
    ranked = ranked_claims([node.disagreement for node in graph.nodes], focal.threshold)
    if not ranked:
        return Focus()
    return await focal.selector.select(Question(graph, ranked, focal.budget, focal.threshold, rng))


def ranked_claims(disagreements: Sequence[float], threshold: float) -> tuple[int, ...]:
    """Claims with d_i > tau, most disputed first, ties by lower index."""
    above = [index for index, d in enumerate(disagreements) if d > threshold]
    return tuple(sorted(above, key=lambda index: (-disagreements[index], index)))
