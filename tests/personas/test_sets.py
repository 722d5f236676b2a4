"""Sets of personas from plain mappings, and the placebo that is made of two."""

import copy
from typing import Any

import pytest

from venire.build import build
from venire.errors import ConfigError
from venire.personas import persona_set, shuffled
from venire.records import Evidence, PersonaLevel, PersonaOrigin, PersonaSet

FILE: dict[str, Any] = {
    "_target_": "venire.personas.persona_set",
    "name": "soup",
    "task": "Judging soups.",
    "groups": {
        "cooks": {
            "description": "Who makes it.",
            "personas": {
                "chef": {
                    "role": "a chef",
                    "dimension": "salt",
                    "evidence": [{"document": "a.md", "paragraph": 3, "quote": "Salt it."}],
                },
                "helper": {"role": "a kitchen helper"},
            },
        },
        "guests": {"description": "Who eats it.", "personas": {"guest": {"role": "a guest"}}},
    },
}


def made(**changes: object) -> PersonaSet:
    built = build({**FILE, **changes}, "persona")
    assert isinstance(built, PersonaSet)
    return built


def with_chef(**parts: object) -> dict[str, Any]:
    file = copy.deepcopy(FILE)
    file["groups"]["cooks"]["personas"]["chef"] = {"role": "a chef", **parts}
    return file


def test_a_file_s_keys_are_the_names_in_its_order() -> None:
    soup = made()
    assert [group.name for group in soup.groups] == ["cooks", "guests"]
    assert [persona.name for persona in soup.personas] == ["chef", "helper", "guest"]
    chef = soup.personas[0]
    assert (chef.role, chef.dimension) == ("a chef", "salt")
    assert chef.evidence == (Evidence("a.md", 3, "Salt it."),)
    assert (soup.level, soup.origin) == (PersonaLevel.DETAILED, PersonaOrigin.HAND_WRITTEN)


@pytest.mark.parametrize("level", PersonaLevel)
def test_the_level_of_a_set_is_that_of_each_of_its_personas(level: PersonaLevel) -> None:
    assert {persona.level for persona in made(level=str(level)).personas} == {level}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({**FILE, "groups": {}}, "persona.groups: expected at least one stakeholder group, got none"),
        (
            {**FILE, "groups": {"cooks": {"description": "d", "personas": {}}}},
            "persona.groups.cooks.personas: expected a mapping with entries, got {}",
        ),
        (
            {**FILE, "groups": {"cooks": {"personas": {"chef": {"role": "r"}}}}},
            "persona.groups.cooks.description: missing",
        ),
        ({**FILE, "groups": {"cooks": {"people": {}}}}, "persona.groups.cooks.people: unknown key"),
        ({**FILE, "level": "loud"}, "persona.level: expected detailed, simple, none or no_demographics"),
        ({**FILE, "origin": "found"}, "persona.origin: expected hand_written, built, simulated"),
        (with_chef(age="40"), "persona.groups.cooks.personas.chef.age: unknown key"),
        (with_chef(role=3), "persona.groups.cooks.personas.chef.role: expected a text, got 3"),
        (with_chef(level="none"), "persona.groups.cooks.personas.chef.level: unknown key"),
        (with_chef(evidence="x"), "persona.groups.cooks.personas.chef.evidence: expected a list"),
        (
            with_chef(evidence=[{"document": "a", "quote": "q"}]),
            "persona.groups.cooks.personas.chef.evidence[0].paragraph: missing",
        ),
        (
            {
                **FILE,
                "groups": {
                    **FILE["groups"],
                    "more": {"description": "d", "personas": {"chef": {"role": "r"}}},
                },
            },
            "persona.groups.more.personas.chef: a name twice, groups.cooks has it, too",
        ),
    ],
)
def test_what_is_no_set_is_refused_under_its_full_key(file: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(file, "persona")
    assert str(caught.value).startswith(message)


def named(prefix: str, sizes: list[int], task: str) -> PersonaSet:
    """Groups of these sizes: personas `<prefix>11`, `<prefix>12`, ... of group 1, and so on."""
    groups = {
        f"g{i}": {
            "description": "d",
            "personas": {f"{prefix}{i}{j}": {"role": f"r{i}{j}"} for j in range(1, size + 1)},
        }
        for i, size in enumerate(sizes, 1)
    }
    return persona_set(prefix, task, groups)


def test_the_placebo_has_the_own_set_s_seats_and_the_other_set_s_people_dealt_over_its_groups() -> None:
    own, other = named("a", [2, 1], "soups"), named("b", [1, 3], "trams")
    placebo = shuffled(own, other, PersonaLevel.SIMPLE)
    # Dealt: the first of each group (b11, b21), then the second (b22), then the third (b23, not needed).
    assert [[p.name for p in group.personas] for group in placebo.groups] == [["b11", "b21"], ["b22"]]
    assert {persona.level for persona in placebo.personas} == {PersonaLevel.SIMPLE}
    assert (placebo.task, placebo.origin) == ("soups", PersonaOrigin.SHUFFLED)
    assert placebo.provenance == {"own": "a", "other": "b"}


def test_a_placebo_of_too_few_people_or_of_the_same_task_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^other: expected at least 3 personas as in own, b has 2$"):
        shuffled(named("a", [3], "soups"), named("b", [2], "trams"))
    with pytest.raises(ConfigError, match="of another domain"):
        shuffled(named("a", [1], "soups"), named("b", [1], "soups"))
