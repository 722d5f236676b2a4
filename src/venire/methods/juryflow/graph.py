"""Stage 2: the disagreement graph over a response's claims. Pure."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from venire.errors import ConfigError
from venire.judging.align import FloatArray
from venire.judging.convene import Hearing
from venire.judging.verdicts import plurality
from venire.records import ClaimJudgment, Verdict


class TagRule(StrEnum):
    """Which of the judges' tags are a claim's. Source: spec, section 1, stage 2 (a choice)."""

    HALF = "half"  # those of at least half of the judges that tagged it; where there are none, all
    UNION = "union"


class Edges(StrEnum):
    """Which weights the edges carry."""

    COMPUTED = "computed"
    SHUFFLED = "shuffled"  # a control: the weights permuted over the edges, so that they tell nothing


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """How claims are connected.

    Args:
        alpha: share of embedding similarity in an edge's weight; the rest is shared tags.
        tag_rule: which tags are a claim's.
        edges: see `Edges`.
    """

    alpha: float = 0.5
    tag_rule: TagRule = TagRule.HALF
    edges: Edges = Edges.COMPUTED

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise ConfigError(f"alpha: expected 0 to 1, got {self.alpha}")


@dataclass(frozen=True, slots=True)
class Node:
    """One claim: who voted what, d_i, T_i, and the panel's plurality verdict (None: nobody ruled)."""

    index: int
    text: str
    votes: Mapping[Verdict, int]
    disagreement: float
    tags: tuple[str, ...]
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Graph:
    """G = (V, E, w) over the claims of a hearing.

    `nodes` in claim order; `weights` w_ij: symmetric, shape (claims, claims), zero diagonal.
    """

    hearing: Hearing
    nodes: tuple[Node, ...]
    weights: FloatArray

    @property
    def edges(self) -> list[list[float]]:
        """`[i, j, w]` with i < j for every weight above 0, rounded to four decimals, for files."""
        rows, columns = np.nonzero(np.triu(self.weights, k=1) > 0)
        return [
            [int(i), int(j), round(float(self.weights[i, j]), 4)] for i, j in zip(rows, columns, strict=True)
        ]


def disagreement_graph(
    hearing: Hearing, settings: GraphSettings, strongest: str, rng: np.random.Generator
) -> Graph:
    """G = (V, E, w) of one response; `rng` is drawn from only where edges are shuffled.

    Source: JuryFlow, "Disagreement graph"; spec, section 1, stage 2.
    """
    nodes = tuple(
        _node(claim.index, claim.text, hearing.of_claim(claim.index), settings.tag_rule, strongest)
        for claim in hearing.claims
    )
    vectors = hearing.vectors if hearing.vectors is not None else np.zeros((len(nodes), 0))
    weights = edge_weights(vectors, [node.tags for node in nodes], settings.alpha)
    return Graph(hearing, nodes, shuffled(weights, rng) if settings.edges is Edges.SHUFFLED else weights)


def _node(
    index: int, text: str, judgments: Sequence[ClaimJudgment], tag_rule: TagRule, strongest: str
) -> Node:
    votes = Counter(each.verdict for each in judgments if each.verdict is not None)
    return Node(
        index=index,
        text=text,
        votes={verdict: votes[verdict] for verdict in Verdict if votes[verdict]},
        disagreement=disagreement(list(votes.values())),
        tags=claim_tags(judgments, tag_rule),
        verdict=plurality(judgments, strongest),
    )


def disagreement(votes: Sequence[int]) -> float:
    """d_i: the entropy of the valid verdicts over log 3, in [0, 1]; 0 where there is none.

    `votes` counts them by verdict. Source: spec, section 1, stage 2.
    """
    total = sum(votes)
    shares = [count / total for count in votes if count]
    # fsum: the same whatever the verdicts' order, so that ties are ties. abs: unanimity is 0, not -0.
    return abs(math.fsum(share * math.log(share) for share in shares)) / math.log(len(Verdict))


def claim_tags(judgments: Sequence[ClaimJudgment], rule: TagRule) -> tuple[str, ...]:
    """T_i: the claim's tags, sorted; none where no judge tagged it."""
    tagged = [each.tags for each in judgments if each.tags]
    counts = Counter(tag for tags in tagged for tag in tags)
    often = [tag for tag, count in counts.items() if 2 * count >= len(tagged)]
    return tuple(sorted(often if rule is TagRule.HALF and often else counts))


def edge_weights(vectors: FloatArray, tags: Sequence[tuple[str, ...]], alpha: float) -> FloatArray:
    """w_ij = alpha * max(0, cos(e_i, e_j)) + (1 - alpha) * |T_i & T_j| / |T_i | T_j|, zero diagonal.

    Args:
        vectors: e_i, unit rows, shape (claims, dimensions).
        tags: T_i.
        alpha: see `GraphSettings`.

    Rounded to six decimals: vectors are single precision, and a weight that equals a threshold must
    not pass it by their rounding.

    Source: spec, section 1, stage 2.
    """
    n = len(tags)
    shared = np.array([[jaccard(one, other) for other in tags] for one in tags]).reshape(n, n)
    weights = alpha * np.clip(vectors @ vectors.T, 0.0, 1.0) + (1.0 - alpha) * shared
    np.fill_diagonal(weights, 0.0)
    return np.asarray(np.round(weights, _DECIMALS), dtype=np.float64)


_DECIMALS = 6


def weight(cosine: float, tags: tuple[str, ...], other: tuple[str, ...], alpha: float) -> float:
    """The same weight between two claims of different responses."""
    return round(alpha * min(1.0, max(0.0, cosine)) + (1.0 - alpha) * jaccard(tags, other), _DECIMALS)


@lru_cache(maxsize=4096)
def jaccard(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """Shared tags over all tags; 0 where there are none."""
    union = set(one) | set(other)
    return len(set(one) & set(other)) / len(union) if union else 0.0


def shuffled(weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The same weights on other edges: a random permutation of the pairs; still symmetric."""
    above = np.triu_indices(len(weights), k=1)
    permuted = np.zeros_like(weights)
    permuted[above] = rng.permutation(weights[above])
    return np.asarray(permuted + permuted.T)
