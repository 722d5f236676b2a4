"""A test on each seed sees all of them, and its failure says which."""

import pytest
from tests.seeds import on_each_seed


def test_every_seed_is_tested_once_with_the_other_arguments() -> None:
    seen = []

    @on_each_seed(3)
    def looked_at(seed: int, name: str) -> None:
        seen.append((seed, name))

    looked_at(name="a")
    assert seen == [(0, "a"), (1, "a"), (2, "a")]


def test_a_failure_ends_it_and_says_the_seed() -> None:
    @on_each_seed(3)
    def fails_at_one(seed: int) -> None:
        assert seed != 1

    with pytest.raises(AssertionError) as caught:
        fails_at_one()
    assert caught.value.__notes__ == ["at seed 1 of 3"]


@pytest.mark.parametrize("score", ["a", "b"])
@on_each_seed(2)
def test_it_stands_beside_other_parameters(seed: int, score: str) -> None:
    assert seed in (0, 1)
    assert score in ("a", "b")
