"""What JuryFlow's stages gain on simulated judges, with their blind spots and without.

A world is a seed of the simulation: other truths, blind spots, leans. All differences are paired by
world. Tolerances are stated where they are used; all seeds are fixed. These are properties of the
model of judges that docs/simulation.md describes, and no findings about judges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from tests.llm.simulated_jury import (
    ARMS,
    FAMILIES,
    OFF,
    STANDARD,
    Gain,
    Straight,
    Tally,
    gain,
    tally,
)

from venire.data.llmbar import LLMBar
from venire.data.sample import Sample
from venire.llm.embedding import OFFLINE
from venire.llm.embedding_wordllama import WordLlamaBackend
from venire.llm.simulated import SimulatedBackend, Simulation
from venire.records import Instance

pytestmark = pytest.mark.slow

Worlds = Mapping[str, Sequence[Tally]]
# Without blind spots only these are compared.
OFF_ARMS = (
    "majority",
    "focal",
    "no_rubric",
    "no_propagation",
    "one model: majority",
    "one model: whole",
    "whole",
)


@pytest.fixture(scope="module")
def weights() -> WordLlamaBackend:
    """The offline embedding model, loaded once."""
    return WordLlamaBackend(OFFLINE)


@pytest.fixture(scope="module", params=["sample", "llmbar"])
def source(request: pytest.FixtureRequest) -> Callable[[int], list[Instance]]:
    """The instances of each world: the sample's 32; a tenth of LLMBar, another one each."""
    if request.param == "sample":
        return lambda world: list(Sample().load().instances)
    data_root = request.getfixturevalue("data_root")
    loaded = LLMBar(root=str(data_root)).load().instances
    return lambda world: [instance for place, instance in enumerate(loaded) if place % 10 == world]


def worlds(
    source: Callable[[int], list[Instance]],
    simulation: Simulation,
    arms: Sequence[str],
    weights: WordLlamaBackend,
) -> Worlds:
    """Every arm in four worlds; in three, differences of a point are not all sure."""
    found: dict[str, list[Tally]] = {name: [] for name in arms}
    for world in range(4):
        instances = source(world)
        families = {f"{family}/model": family for family in FAMILIES}
        backend = SimulatedBackend(replace(simulation, seed=world), instances, families)
        llm = Straight(backend, weights)
        for name in arms:
            found[name].append(tally(ARMS[name], llm, instances))
    return found


@pytest.fixture(scope="module")
def on(source: Callable[[int], list[Instance]], weights: WordLlamaBackend) -> Worlds:
    """With blind spots."""
    return worlds(source, STANDARD, tuple(ARMS), weights)


@pytest.fixture(scope="module")
def off(source: Callable[[int], list[Instance]], weights: WordLlamaBackend) -> Worlds:
    """Without."""
    return worlds(source, OFF, OFF_ARMS, weights)


def claims(made: Worlds, better: str, worse: str) -> Gain:
    return gain([t.claims for t in made[better]], [t.claims for t in made[worse]])


def pairs(made: Worlds, better: str, worse: str) -> Gain:
    return gain([t.pairs for t in made[better]], [t.pairs for t in made[worse]])


def more(made: Worlds) -> Gain:
    """By how much more JuryFlow gains over majority with the mixed panel than with one model; claims."""
    return gain(
        [whole.claims - alone.claims for whole, alone in zip(made["whole"], made["majority"], strict=True)],
        [
            whole.claims - alone.claims
            for whole, alone in zip(made["one model: whole"], made["one model: majority"], strict=True)
        ],
    )


def test_a_mixed_panel_gains_much_over_its_majority_and_one_model_less(on: Worlds) -> None:
    """At least .05 of the claims and .02 of the pairs; one model at most two thirds of that."""
    mixed, alone = claims(on, "whole", "majority"), claims(on, "one model: whole", "one model: majority")
    assert mixed.sure
    assert mixed.mean > 0.05
    assert pairs(on, "whole", "majority").mean > 0.02
    assert alone.mean < mixed.mean * 2 / 3
    assert more(on).sure


def test_one_model_with_personas_is_right_less_often_than_a_mixed_panel(on: Worlds) -> None:
    assert claims(on, "whole", "one model: whole").sure
    assert pairs(on, "whole", "one model: whole").mean > 0.02


def test_looking_again_at_what_is_disputed_helps(on: Worlds) -> None:
    assert claims(on, "focal", "majority").sure
    assert pairs(on, "focal", "majority").mean > 0


def test_the_rubric_helps_with_propagation_and_without(on: Worlds) -> None:
    assert claims(on, "no_propagation", "focal").sure
    assert claims(on, "whole", "no_rubric").sure


def test_propagation_helps_with_the_rubric_and_without(on: Worlds) -> None:
    """Small in the sample's responses of two to four claims, so no more than the sign is asked for."""
    assert claims(on, "no_rubric", "focal").mean > 0.002
    assert claims(on, "whole", "no_propagation").mean > 0.002


def test_beta_has_an_optimum_between_propagating_everywhere_and_nowhere(on: Worlds) -> None:
    assert claims(on, "no_rubric", "beta=0").sure
    assert claims(on, "no_rubric", "beta=.9").mean > 0.002
    calls = [on[name][0].reevaluations for name in ("beta=0", "no_rubric", "beta=.9")]
    assert calls == sorted(calls, reverse=True)


def test_without_blind_spots_the_gaps_close(on: Worlds, off: Worlds) -> None:
    """What is left is under .025 of the claims, .03 of the pairs, and a quarter of the gain."""
    for whole, alone in (("whole", "majority"), ("one model: whole", "one model: majority")):
        assert abs(claims(off, whole, alone).mean) < 0.025
        assert abs(pairs(off, whole, alone).mean) < 0.03
    assert claims(off, "whole", "majority").mean < claims(on, "whole", "majority").mean / 4
    assert more(off).mean < more(on).mean / 4


def test_without_blind_spots_neither_propagation_nor_rubric_helps(off: Worlds) -> None:
    """Within .005 of the claims."""
    for better, worse in (
        ("no_rubric", "focal"),
        ("whole", "no_propagation"),
        ("no_propagation", "focal"),
        ("whole", "no_rubric"),
    ):
        assert claims(off, better, worse).mean < 0.005
