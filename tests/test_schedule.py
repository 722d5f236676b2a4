import pytest

from venire.errors import ConfigError
from venire.records import Instance, Response
from venire.schedule import Schedule, seeded_order

INSTANCES = tuple(Instance(str(i), "p", (Response("a"),)) for i in range(6))


def ids(seed: int, n: int = 6) -> list[str]:
    return [instance.id for instance in seeded_order(INSTANCES[:n], seed)]


def test_the_order_is_the_seeds_permutation() -> None:
    # numpy.random.default_rng(0).permutation(6) of numpy 2.4.6, printed.
    assert ids(0) == ["3", "2", "5", "4", "0", "1"]
    assert ids(0) == ids(0)
    assert ids(0) != ids(1)


def test_the_order_has_every_instance_once() -> None:
    assert sorted(ids(5)) == [str(i) for i in range(6)]
    assert ids(5, n=1) == ["0"]
    assert ids(5, n=0) == []


def test_the_order_depends_on_the_instances_number_and_not_on_their_ids() -> None:
    renamed = [Instance(f"x{i}", "q", (Response("a"),)) for i in range(6)]
    assert [instance.id[1:] for instance in seeded_order(renamed, 0)] == ids(0)


@pytest.mark.parametrize("block", [0, -3])
def test_a_block_has_at_least_one_instance(block: int) -> None:
    with pytest.raises(ConfigError, match=rf"^block: expected at least 1, got {block}$"):
        Schedule(block)


def test_the_papers_schedule_is_sequential() -> None:
    assert Schedule().block == 1
