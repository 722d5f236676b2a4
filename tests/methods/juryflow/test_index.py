"""The precedent index against exact search, which is its oracle."""

import time

import numpy as np
import pytest

from venire.methods.juryflow.index import PrecedentIndex

DIMENSIONS = 64


def units(n: int, seed: int = 0, dimensions: int = DIMENSIONS) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def grown(vectors: np.ndarray, step: int = 1) -> PrecedentIndex:
    index = PrecedentIndex.empty(vectors.shape[1])
    for start in range(0, len(vectors), step):
        index = index.added(vectors[start : start + step])
    return index


def exact(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    """The k nearest by cosine, equal ones by position."""
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    return [int(position) for position in np.argsort(-cosines, kind="stable")[:k]]


def test_three_vectors_are_ranked_by_their_cosine() -> None:
    index = PrecedentIndex.empty(2).added(np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]]))
    # with (1, 0): 0, 1 and .6
    candidates = index.nearest(np.array([1.0, 0.0]), 3)
    assert [candidate.position for candidate in candidates] == [1, 2, 0]
    assert [candidate.cosine for candidate in candidates] == pytest.approx([1.0, 0.6, 0.0])


def test_what_is_less_similar_than_asked_for_is_left_out() -> None:
    index = PrecedentIndex.empty(2).added(np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]]))
    assert [c.position for c in index.nearest(np.array([1.0, 0.0]), 3, at_least=0.5)] == [1, 2]
    assert index.nearest(np.array([-1.0, 0.0]), 3, at_least=0.5) == []


@pytest.mark.parametrize("k", [0, -1])
def test_asking_for_nothing_gives_nothing(k: int) -> None:
    assert grown(units(3)).nearest(units(1)[0], k) == []


def test_an_empty_index_has_no_candidates_and_adding_nothing_changes_nothing() -> None:
    empty = PrecedentIndex.empty(DIMENSIONS)
    assert (len(empty), empty.nearest(units(1)[0], 5)) == (0, [])
    assert len(empty.added(np.zeros((0, DIMENSIONS)))) == 0
    assert len(empty.added([])) == 0


def test_fewer_vectors_than_asked_for_are_all_given() -> None:
    assert [c.position for c in grown(units(1)).nearest(units(1)[0], 5)] == [0]


def test_a_zero_row_is_similar_to_nothing() -> None:
    index = PrecedentIndex.empty(2).added(np.array([[0.0, 0.0], [1.0, 0.0]]))
    assert [c.position for c in index.nearest(np.array([1.0, 0.0]), 2, at_least=0.1)] == [1]


def test_vectors_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected rows of 64 dimensions, got shape \(1, 3\)"):
        PrecedentIndex.empty(DIMENSIONS).added(units(1, dimensions=3))


def test_recall_at_a_thousand_vectors_is_that_of_exact_search() -> None:
    vectors, queries = units(1000), units(100, seed=1)
    index = grown(vectors)
    hits = [
        len({c.position for c in index.nearest(query, 10)} & set(exact(vectors, query, 10)))
        for query in queries
    ]
    assert sum(hits) / 1000 >= 0.95


def test_equally_similar_ones_come_in_the_order_of_adding() -> None:
    distinct = units(50)
    vectors = distinct[np.random.default_rng(1).integers(0, 50, 1000)]  # each about twenty times
    index = grown(vectors)
    for query in distinct:
        assert [c.position for c in index.nearest(query, 10)] == exact(vectors, query, 10)


def test_a_frozen_index_never_sees_what_is_added_later() -> None:
    vectors, queries = units(400), units(40, seed=1)
    frozen = grown(vectors[:200])
    before = [frozen.nearest(query, 5) for query in queries]
    later = frozen.added(vectors[200:])
    assert [frozen.nearest(query, 5) for query in queries] == before
    assert (len(frozen), len(later)) == (200, 400)
    # and the later one is none the worse for it
    assert [later.nearest(query, 5) for query in queries] == [
        grown(vectors).nearest(query, 5) for query in queries
    ]


def test_two_indexes_may_grow_from_one() -> None:
    vectors, query = units(120), units(1, seed=1)[0]
    root = grown(vectors[:100])
    left, right = root.added(vectors[100:110]), root.added(vectors[110:])
    assert left.nearest(query, 110) == grown(vectors[:110]).nearest(query, 110)
    expected = grown(np.concatenate([vectors[:100], vectors[110:]]))
    assert right.nearest(query, 110) == expected.nearest(query, 110)


@pytest.mark.parametrize("step", [3, 500])
def test_results_do_not_depend_on_how_many_are_added_at_a_time(step: int) -> None:
    vectors, queries = units(2000), units(20, seed=1)
    one_by_one, grouped = grown(vectors), grown(vectors, step)
    for query in queries:
        assert one_by_one.nearest(query, 10) == grouped.nearest(query, 10)


def test_ten_thousand_are_added_one_by_one_without_rebuilding() -> None:
    # Rebuilding at each step would take hours; a step takes well under a millisecond of CPU.
    vectors = units(10_000, dimensions=16)
    began = time.process_time()
    assert len(grown(vectors)) == 10_000
    assert time.process_time() - began < 30
