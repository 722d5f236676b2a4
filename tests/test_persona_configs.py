"""Which set of personas a run has: the data set's, a chosen one, one of one's own, a placebo."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from tests.test_configs import CONF, SETS, refused

from venire.build import build
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
    if not (CONF / "dataset" / f"{dataset}.yaml").is_file():
        pytest.skip("the data set is not there yet")
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
