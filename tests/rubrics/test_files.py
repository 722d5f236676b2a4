"""Files of criteria and rubrics as values; what is wrong with them is said by key."""

import copy
from pathlib import Path

import pytest
import yaml

from venire.build import build
from venire.errors import ConfigError
from venire.judging.criteria import CriteriaSet
from venire.judging.rubric import RubricSet, Strictness
from venire.rubrics.checks import findings
from venire.rubrics.showing import differences, shown

CONF = Path(__file__).parents[2] / "conf"
SETS = sorted(
    path.stem
    for path in (CONF / "criteria").glob("*.yaml")
    if "criteria_set" in path.read_text(encoding="utf-8")
)


def criteria_node(name: str = "general") -> dict[str, object]:
    return yaml.safe_load((CONF / "criteria" / f"{name}.yaml").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def rubric_node() -> dict[str, object]:
    return yaml.safe_load((CONF / "rubric" / "accuracy.yaml").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def levels_of(node: dict[str, object]) -> list[dict[str, object]]:
    return node["rubrics"]["factual_accuracy"]["levels"]  # type: ignore[index,no-any-return]


def rubrics(node: dict[str, object]) -> RubricSet:
    made = build(node, "rubric")
    assert isinstance(made, RubricSet)
    return made


@pytest.mark.parametrize("name", SETS)
def test_a_shipped_set_of_criteria_is_built_under_its_name(name: str) -> None:
    made = build(criteria_node(name), "criteria")
    assert isinstance(made, CriteriaSet)
    assert made.name == name
    assert sum(each.weight for each in made.criteria) == pytest.approx(1)


def test_relative_weights_are_divided_by_their_sum() -> None:
    node = criteria_node() | {"normalise": True}
    node["members"] = {
        key: {"name": key, "description": "It is so.", "weight": weight}
        for key, weight in (("a", 3), ("b", 1))
    }
    assert [each.weight for each in build(node, "criteria").criteria] == [0.75, 0.25]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": -0.1}, "criteria.members.clarity.weight: expected at least 0"),
        ({"weight": "much"}, "criteria.members.clarity.weight: expected a number"),
        ({"weight": 0.2}, "criteria.members: expected weights that sum to 1, got 1.1"),
        ({"scale": "1-x"}, "criteria.members.clarity.scale: expected"),
        ({"scale": 5}, "criteria.members.clarity.scale: expected a text"),
        ({"wieght": 1}, "criteria.members.clarity.wieght: unknown key"),
        ({"name": ""}, "criteria.members.clarity.name: expected a text"),
    ],
)
def test_a_bad_criterion_is_refused_under_its_key(change: dict[str, object], message: str) -> None:
    node = criteria_node()
    node["members"]["clarity"].update(change)  # type: ignore[index]
    with pytest.raises(ConfigError) as caught:
        build(node, "criteria")
    assert str(caught.value).startswith(message)


def test_the_shipped_rubric_is_built_and_has_nothing_odd() -> None:
    made = rubrics(rubric_node())
    (only,) = made.rubrics
    assert (only.key, str(only.scale), len(only.levels), only.strictness) == (
        "factual_accuracy",
        "1-5",
        5,
        Strictness.BALANCED,
    )
    assert findings(made) == []
    assert "edge case: The response says that it does not know." in shown(made)


@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        (0, {"score": 2}, "rubric.rubrics.factual_accuracy.levels: expected one for each point"),
        (1, {"score": "1-2"}, "rubric.rubrics.factual_accuracy.levels: 1 and 1-2 overlap at 1"),
        (0, {"score": "low"}, "rubric.rubrics.factual_accuracy.levels[0].score: expected a score"),
        (0, {"score": 9}, "rubric.rubrics.factual_accuracy.levels: 9 is no point"),
        (0, {"label": True}, "rubric.rubrics.factual_accuracy.levels[0].label: expected a text"),
        (0, {"colour": "red"}, "rubric.rubrics.factual_accuracy.levels[0].colour: unknown key"),
    ],
)
def test_a_bad_level_is_refused_under_its_key(place: int, change: dict[str, object], message: str) -> None:
    node = rubric_node()
    levels_of(node)[place].update(change)
    with pytest.raises(ConfigError) as caught:
        rubrics(node)
    assert str(caught.value).startswith(message)


def test_what_is_odd_with_a_rubric_is_warned_about() -> None:
    node = rubric_node()
    rubric = node["rubrics"]["factual_accuracy"]  # type: ignore[index]
    rubric |= {"criterion": "Accuracy and Tone", "edge_cases": [], "scoring_guidelines": []}
    levels = levels_of(node)
    levels[0]["characteristics"] = []
    levels[2]["characteristics"] = levels[1]["characteristics"]
    levels[4]["description"] = f"{levels[3]['description']}!!"[:-1] + "x"
    told = [str(each) for each in findings(rubrics(node))]
    assert any("Accuracy and Tone" in each for each in told)
    assert any("levels.1: no characteristics" in each for each in told)
    assert any("2 and 3 share a characteristic" in each for each in told)
    assert any("4 and 5 are described nearly alike" in each for each in told)
    assert any("edge_cases: none" in each for each in told)
    assert any("scoring_guidelines: none" in each for each in told)
    assert all(each.startswith("warning: rubrics.factual_accuracy") for each in told)


def test_several_aspects_that_the_model_names_are_warned_about() -> None:
    told = findings(rubrics(rubric_node()), {"factual_accuracy": ("truth", "tone")})
    assert [each.text for each in told] == [
        "measures several things, says the model that wrote it (truth; tone): make one criterion of each"
    ]


def test_differences_are_told_by_key_and_equal_sets_have_none() -> None:
    old, node = rubric_node(), copy.deepcopy(rubric_node())
    assert differences(rubrics(old), rubrics(node)) == []
    levels_of(node)[2]["description"] = "Otherwise."
    node["strictness"] = "strict"
    made = differences(rubrics(old), rubrics(node))
    assert [each.splitlines()[0] for each in made] == [
        "~ factual_accuracy.levels[3].description",
        "~ factual_accuracy.strictness",
    ]
    assert made[0].endswith("+ Otherwise.")
