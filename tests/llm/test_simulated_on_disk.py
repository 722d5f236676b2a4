"""Judges whose knowledge lies on disk reply as those who hold it, to the letter."""

import random

import pytest
from tests.llm.test_simulated_backend import FAMILIES, ask, pair

from venire.errors import BackendError, DataError
from venire.llm.simulated import SimulatedBackend, Simulation
from venire.llm.simulated.leans import Leans
from venire.llm.simulated.subjects import index
from venire.llm.simulated.subjects_on_disk import index_on_disk
from venire.records import Instance, Order, PreferenceGold, Response, Winner

SIMULATION = Simulation(difficulty_by_subset={"b": 2.0}, leans=Leans(generators={"g1": 1.5, "g2": -1.0}))


def world(seed: int, count: int = 60) -> list[Instance]:
    """Pairs, many of equal text (also swapped, or of other white space), some of them without gold."""
    rng = random.Random(seed)
    texts = ("one", "two", "two ", "Three ü")
    return [
        Instance(
            f"i/{number}",
            rng.choice(("q", "r")),
            tuple(Response(rng.choice(texts), generator=rng.choice((None, "g1", "g2"))) for _ in range(2)),
            PreferenceGold(rng.choice(tuple(Winner))) if rng.random() < 0.9 else None,
            subset=rng.choice(("a", "b", "é")),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_every_reply_is_that_of_judges_who_hold_the_instances(seed: int) -> None:
    instances = world(seed)
    held, on_disk = (
        SimulatedBackend(SIMULATION, instances, FAMILIES, on_disk=where) for where in (False, True)
    )
    for instance in instances:
        for order in Order:
            for model in FAMILIES:
                request = ask(instance, order, model)
                if instance.gold is None:
                    with pytest.raises(BackendError, match="has no human preference"):
                        on_disk.reply(request)
                else:
                    assert on_disk.reply(request) == held.reply(request)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_known_is_what_is_held(seed: int) -> None:
    instances = world(seed)
    held, on_disk = index(instances), index_on_disk(iter(instances))
    assert dict(on_disk.pairs) == dict(held.pairs)
    assert dict(on_disk.content_of) == dict(held.content_of)
    assert set(on_disk.instances) == set(held.instances)
    assert (len(on_disk.instances), len(on_disk.pairs)) == (len(held.instances), len(held.pairs))
    for instance in instances:
        found = on_disk.instances[instance.id]
        assert [each.generator for each in found.responses] == [each.generator for each in instance.responses]
    with pytest.raises(KeyError):
        on_disk.pairs["00"]


def test_unknown_instances_are_refused() -> None:
    made = SimulatedBackend(Simulation(), [pair("a", "x", "y")], FAMILIES, on_disk=True)
    with pytest.raises(BackendError, match="instance 'b' is none of the 1 that"):
        made.reply(ask(pair("b", "x", "y")))


def test_two_instances_of_one_id_are_refused() -> None:
    with pytest.raises(DataError, match="expected instances with ids of their own"):
        index_on_disk([pair("a", "x", "y"), pair("a", "x", "z")])
