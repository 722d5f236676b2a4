"""Shares of a request: whole tokens that add up, dollars that sum the same in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.llm.embedding import Embedded, unit_rows
from venire.llm.embedding_shares import apportion, shares
from venire.records import Attempt, AttemptStatus, Usage


def test_tokens_go_by_weight_and_the_remainder_to_the_largest_fraction() -> None:
    # 10 over 1 : 1 : 2 is 2.5, 2.5, 5: the first of the equal fractions gets the odd one
    assert apportion(10, [1, 1, 2]) == [3, 2, 5]
    # 7 over 3 : 2 is 4.2, 2.8
    assert apportion(7, [3, 2]) == [4, 3]


def test_the_edges_of_apportioning() -> None:
    assert apportion(5, []) == []
    assert apportion(0, [1, 2]) == [0, 0]
    assert apportion(3, [0, 0]) == [2, 1]
    assert apportion(9, [4]) == [9]


@given(st.integers(0, 10**7), st.lists(st.integers(0, 10**5), min_size=1, max_size=40))
def test_shares_are_whole_and_add_up(total: int, weights: list[int]) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    assert min(parts) >= 0


@given(
    st.floats(0, 10, allow_nan=False),
    st.lists(st.integers(1, 5000), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_dollars_sum_to_the_last_bit_however_they_are_grouped(
    cost: float, sizes: list[int], rng: object
) -> None:
    texts = {str(number): "x" * size for number, size in enumerate(sizes)}
    embedded = Embedded(np.ones((len(sizes), 2), dtype=np.float32), "m", Usage(100, 0))
    attempt = Attempt(AttemptStatus.OK, 0.0, 0.1, Usage(100, 0), cost)
    costs = [each.cost_usd for each in shares(texts, embedded, [attempt]).values()]
    shuffled = list(costs)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    middle = len(costs) // 2
    assert sum(costs) == sum(shuffled) == sum(shuffled[:middle]) + sum(shuffled[middle:])
    assert sum(costs) == pytest.approx(cost, abs=len(sizes) * 2**-41)


def test_unit_rows_keep_direction_and_leave_zeros() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32))
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0.0, 0.0]]))
    assert rows.dtype == np.float32
    assert unit_rows(np.zeros((0, 4), dtype=np.float32)).shape == (0, 4)
