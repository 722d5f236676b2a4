"""The index over earlier focal corrections: which of them are about something like this claim.

FAISS HNSW by inner product, which of unit vectors is the cosine. It knows nothing of edge weights:
take more candidates than are needed, and filter them by w.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import faiss

Floats = npt.NDArray[np.floating]

_LINKS = 32  # M: links of a node in the graph's upper levels, half of those in the lowest
_BUILD_BREADTH = 40  # efConstruction
_SEARCH_BREADTH = 512  # efSearch: recall of .998 at 10,000 random vectors of 256 dimensions


class Candidate(NamedTuple):
    """An earlier correction: where it stands in the order of adding, and its cosine."""

    position: int
    cosine: float


class PrecedentIndex:
    """Vectors in the order of adding, and their nearest ones.

    It behaves as a value: `added` makes another index and leaves this one as it is, so the memory
    frozen at a block's start never sees what is added later. Results depend on the vectors and
    their order only, not on how many were added at a time.

    Indexes that grew out of each other share one graph. The one that stands at its end searches
    it; an older one (never asked by a run that goes on) rebuilds its own part first.

    Source: JuryFlow, stage 2 ("FAISS HNSW"); spec, section 1, stage 4, "Cross-instance".
    """

    __slots__ = ("_graph", "_size")

    def __init__(self, graph: "_Graph", size: int) -> None:
        self._graph = graph
        self._size = size

    @classmethod
    def empty(cls, dimensions: int) -> "PrecedentIndex":
        """An index of nothing, for vectors of so many dimensions."""
        return cls(_Graph(dimensions), 0)

    def __len__(self) -> int:
        return self._size

    def added(self, vectors: Sequence[Floats] | Floats) -> "PrecedentIndex":
        """The index with `vectors` (unit rows) behind those of this one.

        Raises:
            ValueError: they are of another size.
        """
        rows = np.asarray(vectors, dtype=np.float32)
        if rows.size == 0:
            return self
        if rows.ndim != 2 or rows.shape[1] != self._graph.dimensions:
            raise ValueError(f"expected rows of {self._graph.dimensions} dimensions, got shape {rows.shape}")
        graph = self._own_graph()
        graph.append(rows)
        return PrecedentIndex(graph, self._size + len(rows))

    def nearest(self, vector: Floats, k: int, at_least: float | None = None) -> list[Candidate]:
        """At most `k` candidates, the most similar first, equally similar ones by position.

        Args:
            vector: of unit length, shape (dimensions,).
            k: how many.
            at_least: leaves out those of a smaller cosine.
        """
        if k < 1 or self._size == 0:
            return []
        graph = self._graph = self._own_graph()
        query = np.asarray(vector, dtype=np.float32)
        found = graph.search(query, min(self._size, max(k, _SEARCH_BREADTH)))
        # Cosines anew, in double precision and one way for all: ties are then ties.
        cosines = graph.rows(found).astype(np.float64) @ query.astype(np.float64)
        ranked = np.lexsort((found, -cosines))
        if at_least is not None:
            ranked = ranked[cosines[ranked] >= at_least]
        return [Candidate(int(found[rank]), float(cosines[rank])) for rank in ranked[:k]]

    def _own_graph(self) -> "_Graph":
        return self._graph if self._graph.size == self._size else self._graph.prefix(self._size)


class _Graph:
    """A growing HNSW graph and the vectors in it."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.size = 0
        self._vectors = np.zeros((0, dimensions), dtype=np.float32)
        self._made: faiss.IndexHNSWFlat | None = None

    def append(self, rows: npt.NDArray[np.float32]) -> None:
        """Put `rows` behind the others."""
        index = self._index()
        if self.size + len(rows) > len(self._vectors):
            room = np.zeros((max(64, self.size + len(rows)), self.dimensions), dtype=np.float32)
            self._vectors = np.concatenate([self._vectors, room])
        self._vectors[self.size : self.size + len(rows)] = rows
        # One at a time: FAISS sorts what is added at once, and the graph would depend on the groups.
        for row in rows:
            index.add(row[None, :])
        self.size += len(rows)

    def prefix(self, size: int) -> "_Graph":
        """A graph of the first `size` vectors, as it was when there were no more."""
        graph = _Graph(self.dimensions)
        graph.append(self._vectors[:size])
        return graph

    def rows(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The vectors at `positions`, shape (positions, dimensions)."""
        return self._vectors[positions]

    def search(self, vector: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.int64]:
        """The positions of about the `k` nearest."""
        index = self._index()
        index.hnsw.efSearch = max(k, _SEARCH_BREADTH)
        _, positions = index.search(vector[None, :], k)
        return np.asarray(positions[0][positions[0] >= 0], dtype=np.int64)

    def _index(self) -> "faiss.IndexHNSWFlat":
        if self._made is None:
            import faiss

            faiss.omp_set_num_threads(1)  # with more, the graph depends on their timing
            self._made = faiss.IndexHNSWFlat(self.dimensions, _LINKS, faiss.METRIC_INNER_PRODUCT)
            self._made.hnsw.efConstruction = _BUILD_BREADTH
        return self._made
