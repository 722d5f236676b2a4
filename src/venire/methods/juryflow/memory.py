"""What JuryFlow carries from instance to instance: the rubric, and earlier focal re-evaluations."""

from dataclasses import dataclass, field, replace

import numpy as np

from venire.errors import ConfigError
from venire.judging.align import FloatArray
from venire.judging.review import Finding
from venire.methods.juryflow.graph import weight
from venire.methods.juryflow.index import PrecedentIndex
from venire.records import Rubric, RubricEntry


@dataclass(frozen=True, slots=True)
class RubricSettings:
    """How the rubric grows, and how much of it is shown.

    Args:
        duplicate_threshold: an entry whose criterion has at least this cosine with an existing one adds
            its examples there.
        shown: K, the entries that a prompt shows, the most relevant ones.
        examples: how many examples of either kind an entry shows, the latest ones.
    """

    duplicate_threshold: float = 0.85
    shown: int = 12
    examples: int = 2

    def __post_init__(self) -> None:
        if not 0 < self.duplicate_threshold <= 1:
            raise ConfigError(f"duplicate_threshold: expected above 0 to 1, got {self.duplicate_threshold}")
        for name in ("shown", "examples"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name}: expected at least 0, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Learnt:
    """A new rubric entry with its criterion's vector, shape (dimensions,)."""

    entry: RubricEntry
    vector: FloatArray = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Correction:
    """A focal re-evaluation as a precedent for claims of later instances.

    Args:
        id: `<instance id>/<response index>/<claim index>`.
        finding: what was found.
        tags: the claim's.
        vector: the claim's, shape (dimensions,).
    """

    id: str
    finding: Finding
    tags: tuple[str, ...]
    vector: FloatArray = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Additions:
    """What an instance adds to the memory: the first response's part first."""

    learnt: tuple[Learnt, ...] = ()
    corrections: tuple[Correction, ...] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory before an instance; `remember` makes the next one and leaves this as it is.

    Args:
        rubric: in the order of learning.
        criteria: their vectors, shape (entries, dimensions).
        corrections: in the order of their making.
        index: over their vectors; None where there is none yet.
    """

    rubric: Rubric = field(default_factory=Rubric)
    criteria: FloatArray = field(default_factory=lambda: np.zeros((0, 0)), compare=False, repr=False)
    corrections: tuple[Correction, ...] = ()
    index: PrecedentIndex | None = field(default=None, compare=False, repr=False)


def remember(memory: Memory, additions: Additions, duplicate_threshold: float) -> Memory:
    """The memory with `additions`: near-duplicate entries merged, the others appended.

    Source: JuryFlow, stage 5, "deduplication and integration".
    """
    for learnt in additions.learnt:
        memory = _integrate(memory, learnt, duplicate_threshold)
    if not additions.corrections:
        return memory
    vectors = [correction.vector for correction in additions.corrections]
    index = memory.index or PrecedentIndex.empty(len(vectors[0]))
    return replace(
        memory,
        corrections=(*memory.corrections, *additions.corrections),
        index=index.added(vectors),
    )


_ROUNDING = 1e-6  # vectors are float32: a cosine that equals the threshold counts as reaching it


def _integrate(memory: Memory, learnt: Learnt, threshold: float) -> Memory:
    entries = memory.rubric.entries
    cosines = memory.criteria @ learnt.vector if entries else np.zeros(0)
    if entries and cosines.max() >= threshold - _ROUNDING:
        nearest = int(np.argmax(cosines))
        merged = _merged(entries[nearest], learnt.entry)
        return replace(memory, rubric=Rubric((*entries[:nearest], merged, *entries[nearest + 1 :])))
    criteria = np.vstack([memory.criteria, learnt.vector]) if entries else learnt.vector[None, :]
    return replace(memory, rubric=Rubric((*entries, learnt.entry)), criteria=criteria)


def _merged(entry: RubricEntry, other: RubricEntry) -> RubricEntry:
    """`entry` with the other's examples and sources; its own criterion stays."""
    return replace(
        entry,
        positive_examples=_joined(entry.positive_examples, other.positive_examples),
        negative_examples=_joined(entry.negative_examples, other.negative_examples),
        source_ids=_joined(entry.source_ids, other.source_ids),
    )


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


@dataclass(frozen=True, slots=True)
class RubricShelf:
    """What prompts show of a memory's rubric."""

    memory: Memory
    shown: int

    def entries_for(self, vectors: FloatArray) -> tuple[RubricEntry, ...]:
        """The K entries whose criterion is nearest to any of the claims, in the order of learning.

        Args:
            vectors: of the claims, unit rows, shape (claims, dimensions); no claim: no entry.
        """
        entries = self.memory.rubric.entries
        if not entries or len(vectors) == 0:
            return ()
        relevance = (self.memory.criteria @ vectors.T).max(axis=1)
        # Stable: of equally relevant ones the earlier.
        best = np.argsort(-relevance, kind="stable")[: self.shown]
        return tuple(entries[index] for index in sorted(best))


@dataclass(frozen=True, slots=True)
class Precedents:
    """How precedents of a claim are found.

    Args:
        memory: earlier corrections, of other instances.
        alpha: of the graph: a precedent's weight is that of an edge.
        threshold: only those with a weight above it.
        most: k, how many at most.
    """

    memory: Memory
    alpha: float
    threshold: float
    most: int

    def of(self, vector: FloatArray, tags: tuple[str, ...]) -> tuple[Correction, ...]:
        """The k corrections with the highest weight above the threshold, highest first, then earlier.

        The index knows cosines only: far more are taken than needed, then filtered by weight.
        """
        if self.memory.index is None or self.most == 0:
            return ()
        weighed = []
        for position, cosine in self.memory.index.nearest(vector, max(_TAKEN, self.most)):
            correction = self.memory.corrections[position]
            weighed.append((weight(cosine, tags, correction.tags, self.alpha), -position, correction))
        above = [each for each in weighed if each[0] > self.threshold]
        return tuple(each[2] for each in sorted(above, key=lambda each: each[:2], reverse=True)[: self.most])


_TAKEN = 512  # as many as the index looks at anyway
