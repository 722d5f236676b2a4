"""Parameters of the simulated judges: ranges, defaults for the unnamed, hashes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from venire.build import build
from venire.errors import ConfigError
from venire.llm.simulated import BlindSpots, Confidence, ReplyStyle, Simulation, simulation_endpoint

CONFIG = Path(__file__).parents[2] / "conf" / "simulation" / "default.yaml"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BlindSpots(rate=1.2), r"^rate: expected 0 to 1, got 1\.2$"),
        (lambda: BlindSpots(size=-1), "^size: expected 0 to 50, got -1$"),
        (lambda: BlindSpots(common=0.7, topic=0.4), r"^common: .* got 1\.1$"),
        (lambda: Confidence(slope=float("nan")), "^slope: expected 0 to 50, got nan$"),
        (lambda: ReplyStyle(refused=-0.1), "^refused: expected 0 to 1"),
        (lambda: ReplyStyle(fenced=0.5, malformed=0.6), r"^fenced: .* got 1\.15$"),
        (lambda: ReplyStyle(reasoning_words=-1), "^reasoning_words: expected 0 to 10000, got -1$"),
        (lambda: Simulation(noise=-0.5), "^noise: expected 0 to 50"),
        (lambda: Simulation(difficulty_sd=float("inf")), "^difficulty_sd: expected 0 to 50, got inf$"),
        (lambda: Simulation(skill={"default": 1, "acme": 99}), r"^skill\.acme: expected -50 to 50, got 99$"),
        (lambda: Simulation(skill={"acme": 1}), r"^skill\.default: missing"),
        (lambda: Simulation(position_bias={}), r"^position_bias\.default: missing"),
        (lambda: Simulation(latency_s=-1), "^latency_s: expected 0 to 600"),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_its_key(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_a_family_that_is_not_named_takes_the_default() -> None:
    simulation = Simulation(skill={"default": 0.5, "acme": 2.0}, position_bias={"default": 0.1, "acme": 0.0})
    assert (simulation.skill_of("acme"), simulation.skill_of("nobody")) == (2.0, 0.5)
    assert (simulation.position_bias_of("acme"), simulation.position_bias_of("nobody")) == (0.0, 0.1)


def test_the_longest_subset_name_that_covers_a_subset_counts() -> None:
    simulation = Simulation(difficulty_by_subset={"Adversarial": 0.5, "Adversarial/Manual": 1.5})
    subsets = ("Adversarial/Manual", "Adversarial/Neighbor", "Adversarial", "Adversarially", "Natural", "")
    assert [simulation.subset_difficulty(subset) for subset in subsets] == [1.5, 0.5, 0.5, 0, 0, 0]


def test_the_hash_covers_every_parameter_but_the_waiting_time() -> None:
    base = Simulation()
    assert len(base.parameter_hash) == 12
    assert replace(base, latency_s=1.0).parameter_hash == base.parameter_hash
    others = [
        replace(base, seed=1),
        replace(base, skill={"default": 1.1}),
        replace(base, blind_spots=None),
        replace(base, blind_spots=BlindSpots(topic=0.2)),
        replace(base, style=ReplyStyle(reasoning_words=61)),
    ]
    assert len({base.parameter_hash, *(other.parameter_hash for other in others)}) == 6


def test_the_hash_does_not_depend_on_the_order_in_which_families_are_named() -> None:
    one = Simulation(skill={"default": 1.0, "a": 2.0, "b": 3.0})
    other = Simulation(skill={"b": 3.0, "a": 2.0, "default": 1.0})
    assert one.parameter_hash == other.parameter_hash


def test_the_endpoint_names_the_parameters_and_what_else_decides_a_reply() -> None:
    simulation = Simulation()
    plain = simulation_endpoint(simulation)
    assert plain == f"simulated:{simulation.parameter_hash}"
    told = simulation_endpoint(simulation, family="acme", data_fingerprint="f0")
    assert told.startswith("simulated:")
    assert len(told) == len(plain) == len("simulated:") + 12
    endpoints = {
        plain,
        told,
        simulation_endpoint(simulation, family="acme"),
        simulation_endpoint(simulation, data_fingerprint="f0"),
        simulation_endpoint(simulation, family="acme", data_fingerprint="f1"),
    }
    assert len(endpoints) == 5


def test_the_default_configuration_builds() -> None:
    built = build(yaml.safe_load(CONFIG.read_text("utf-8")), "simulation")
    assert isinstance(built, Simulation)
    assert built.blind_spots == BlindSpots()
    assert built.skill_of("openai") == 1.2


def test_a_bad_value_in_the_configuration_is_named_by_its_full_key() -> None:
    node = yaml.safe_load(CONFIG.read_text("utf-8"))
    node["blind_spots"]["rate"] = 7
    with pytest.raises(ConfigError, match=r"^simulation\.blind_spots\.rate: expected 0 to 1, got 7"):
        build(node, "simulation")
