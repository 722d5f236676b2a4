"""Which set of personas a run has: the data set's, a chosen one, one of one's own, a placebo."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from tests.test_configs import CONF, SETS, refused

from venire.build import build
from venire.identity import Composed, Identity, identity_of
from venire.records import PersonaLevel, PersonaOrigin, PersonaSet


def composed(*overrides: str) -> DictConfig:
    with initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        return compose("config", list(overrides))


def chosen(*overrides: str) -> PersonaSet:
    built = build(OmegaConf.to_container(composed(*overrides).persona, resolve=True), "persona")
    assert isinstance(built, PersonaSet)
    return built


def test_the_shipped_sets_are_these() -> None:
    assert sorted(SETS) == ["mslr", "shuffled", "storysparkqa", "transport"]


@pytest.mark.parametrize("name", sorted({*SETS} - {"shuffled"}))
def test_a_hand_written_set_says_so_and_has_every_part_of_every_persona(name: str) -> None:
    shipped = chosen(f"persona={name}")
    assert shipped.name == name
    assert shipped.origin is PersonaOrigin.HAND_WRITTEN
    assert "# Hand-written" in (CONF / "persona" / f"{name}.yaml").read_text(encoding="utf-8")
    assert [len(group.personas) for group in shipped.groups] == [2, 2, 2, 2]
    for persona in shipped.personas:
        parts = (persona.demographics, persona.perspective, persona.expertise, persona.traits)
        assert all((*parts, persona.relations, persona.role, persona.dimension)), persona.name
        assert not persona.evidence


@pytest.mark.parametrize("dataset", ["mslr", "storysparkqa"])
def test_a_data_set_of_the_paper_has_its_own_set_unless_another_is_chosen(dataset: str) -> None:
    assert chosen(f"dataset={dataset}").name == dataset
    assert chosen(f"dataset={dataset}", "persona=transport").name == "transport"
    assert chosen(f"dataset={dataset}", "persona=shuffled").name == f"shuffled_{dataset}"


def test_a_data_set_without_a_set_of_its_own_has_none() -> None:
    assert "persona" not in composed("dataset=sample")


def test_a_level_and_a_left_out_group_are_overrides() -> None:
    made = chosen("persona=mslr", "persona.level=no_demographics", "~persona.groups.patients")
    assert {persona.level for persona in made.personas} == {PersonaLevel.NO_DEMOGRAPHICS}
    assert [group.name for group in made.groups] == ["clinicians", "evidence_synthesists", "research_editors"]


def test_a_placebo_takes_any_set_s_place() -> None:
    placebo = chosen("persona=shuffled", "persona@persona.own=storysparkqa", "persona.level=simple")
    assert placebo.origin is PersonaOrigin.SHUFFLED
    assert [len(group.personas) for group in placebo.groups] == [2, 2, 2, 2]
    assert {p.name for p in placebo.personas} == {p.name for p in chosen("persona=transport").personas}
    assert placebo.task == chosen("persona=storysparkqa").task


def test_the_name_of_a_set_that_is_nowhere_is_refused() -> None:
    message = refused("persona=nowhere")
    assert message.startswith("persona: no such set: 'nowhere'; looked in conf/persona")


def test_a_set_of_ones_own_is_found_in_a_config_folder(tmp_path: Path) -> None:
    (tmp_path / "persona").mkdir()
    text = (CONF / "persona" / "mslr.yaml").read_text(encoding="utf-8")
    (tmp_path / "persona" / "own.yaml").write_text(text.replace("name: mslr", "name: own"), encoding="utf-8")
    made = chosen("persona=own", f"hydra.searchpath=['file://{tmp_path}']")
    assert made.name == "own"


SET = {
    "_target_": "venire.personas.persona_set",
    "name": "soup",
    "task": "Judging soups.",
    "origin": "built",
    "level": "detailed",
    "groups": {"cooks": {"description": "d", "personas": {"chef": {"role": "a chef"}}}},
    "provenance": {"cost": {"calls": 7}},
}


def identified(persona: Mapping[str, object], choice: str = "soup") -> Identity:
    """The identity of a run whose method takes `persona`."""
    plain: dict[str, Any] = {
        "dataset": {"_target_": "d", "limit": None},
        "method": {"_target_": "m", "persona": persona, "seed": 0},
        "backend": "simulated",
        "replicate": "shared",
        "seed": 0,
        **{key: {} for key in ("schedule", "simulation", "metrics")},
    }
    choices = {"dataset": "menu", "method": "maj_eval", "persona": choice}
    return identity_of(Composed(plain, choices, (), {"persona": "persona"}), "")


def test_params_tell_a_set_by_name_level_origin_and_groups_and_not_its_people() -> None:
    params = identified(SET).params
    assert {key: value for key, value in params.items() if key.startswith("persona")} == {
        "persona": "soup",
        "persona.name": "soup",
        "persona.level": "detailed",
        "persona.origin": "built",
        "persona.groups": "cooks",
    }


def test_another_word_of_a_persona_is_another_run_and_another_provenance_is_none() -> None:
    groups = {"cooks": {"description": "d", "personas": {"chef": {"role": "a cook"}}}}
    assert identified({**SET, "groups": groups}).config_hash != identified(SET).config_hash
    assert identified({**SET, "level": "simple"}).config_hash != identified(SET).config_hash
    assert identified({**SET, "provenance": {}}).config_hash == identified(SET).config_hash


def test_a_data_set_s_own_personas_go_without_saying_in_a_run_s_name() -> None:
    assert identified(SET, "soup").name == "maj_eval soup menu"
    assert identified(SET, "menu").name == "maj_eval menu"


def test_a_method_that_needs_personas_says_so_where_there_are_none() -> None:
    message = refused("dataset=sample", "method=maj_eval", "backend=simulated")
    assert message.startswith("persona: this method needs a set of personas, and dataset=sample has none")
