"""`conf/method/juryflow.yaml` and what varies it: every setting is shown, an ablation changes its own."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import OmegaConf
from tests.methods.juryflow.court import PANEL

from venire.build import build
from venire.config import config_dir
from venire.errors import ConfigError
from venire.judging.tags import TagSet
from venire.llm.embedding import OFFLINE
from venire.methods.juryflow.graph import Edges, GraphSettings
from venire.methods.juryflow.human import Human, Recorded
from venire.methods.juryflow.method import JuryFlow
from venire.methods.juryflow.oracle import Oracle
from venire.methods.juryflow.same_budget import SameBudgetMajority
from venire.methods.juryflow.select import Auto, Focal, Random
from venire.page.jury.selector import Page

CONF = config_dir()
DOCS = Path(__file__).parents[3] / "docs" / "juryflow.md"


def node(*overrides: str) -> dict[str, Any]:
    with initialize_config_dir(version_base="1.3", config_dir=str(CONF)):
        cfg = compose("config", ["method=juryflow", "seed=3", *overrides])
    plain = OmegaConf.to_container(cfg.method, resolve=True)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()} | {"panel": PANEL, "embedding": OFFLINE}


def built(*overrides: str) -> JuryFlow:
    made = build(node(*overrides), "method")
    assert isinstance(made, JuryFlow)
    return made


def tags() -> TagSet:
    made = build(yaml.safe_load((CONF / "tags" / "general.yaml").read_text(encoding="utf-8")), "tags")
    assert isinstance(made, TagSet)
    return made


DEFAULT = JuryFlow(panel=PANEL, tags=tags(), embedding=OFFLINE, seed=3)


def test_the_file_builds_the_class_with_its_defaults() -> None:
    assert built() == DEFAULT


def fields(value: object) -> set[str]:
    assert dataclasses.is_dataclass(value)
    return {each.name for each in dataclasses.fields(value) if each.init}


def test_the_file_shows_every_setting_of_every_stage() -> None:
    plain = node()
    assert set(plain) - {"_target_"} == fields(DEFAULT)
    for stage in ("graph", "focal", "propagation", "rubric", "tie_break"):
        assert set(plain[stage]) - {"_target_"} == fields(getattr(DEFAULT, stage)), stage


# What each ablation says in the method's own words.
ABLATED: Mapping[str, Mapping[str, object]] = {
    "none": {},
    "no_propagation": {"propagation": None},
    "no_rubric": {"rubric": None},
    "focal_only": {"propagation": None, "rubric": None},
    "no_reevaluation": {"focal": None, "propagation": None, "rubric": None},
    "random_focal": {"focal": Focal(selector=Random())},
    "shuffled_edges": {"graph": GraphSettings(edges=Edges.SHUFFLED)},
}


@pytest.mark.parametrize("ablation", ABLATED)
def test_an_ablation_changes_the_named_settings_and_nothing_else(ablation: str) -> None:
    made = built(f"ablation={ablation}")
    changed = {
        name: getattr(made, name) for name in fields(DEFAULT) if getattr(made, name) != getattr(DEFAULT, name)
    }
    assert changed == ABLATED[ablation]


def test_the_same_budget_control_is_another_class_with_the_same_settings() -> None:
    made = built("ablation=same_budget_majority")
    assert isinstance(made, SameBudgetMajority)
    assert made.replicate_temperature == 0.7
    assert {name: getattr(made, name) for name in fields(DEFAULT)} == {
        name: getattr(DEFAULT, name) for name in fields(DEFAULT)
    }


@pytest.mark.parametrize("stage", ["propagation.beta=0.9", "rubric.shown=3", "focal.budget=1"])
def test_a_nulled_stage_is_not_revived_by_one_of_its_keys(stage: str) -> None:
    # Composed after the ablation, an override of the command line makes it a plain mapping.
    name = stage.partition(".")[0]
    with pytest.raises((ConfigError, HydraException), match=name):
        built("ablation=no_reevaluation", f"method.{stage}")


def test_selectors_are_files_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    path.write_text("")
    chosen = f"method.focal.selector.choices={path}"
    found = {
        "auto": built("selector@method.focal.selector=auto"),
        "random": built("selector@method.focal.selector=random"),
        "human": built("selector@method.focal.selector=human", chosen),
        "oracle": built("selector@method.focal.selector=oracle", chosen),
        "page": built("selector@method.focal.selector=page", chosen),
        "recorded": built("selector@method.focal.selector=recorded", chosen),
    }
    assert sorted(found) == sorted(file.stem for file in (CONF / "selector").glob("*.yaml"))
    kinds = {
        "auto": Auto,
        "random": Random,
        "human": Human,
        "oracle": Oracle,
        "page": Page,
        "recorded": Recorded,
    }
    asks = {name for name, made in found.items() if made.asks_people}
    assert asks == {"human", "page"}
    for name, made in found.items():
        assert made.focal is not None
        assert isinstance(made.focal.selector, kinds[name])
        assert made.focal.selector.name == name


@pytest.mark.parametrize("file", sorted((CONF / "tags").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_tag_set_is_built(file: Path) -> None:
    assert built(f"tags@method.tags={file.stem}").tags.names


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("method.propagation.beta=1.5", "method.propagation.beta"),
        ("method.graph.alpha=-1", "method.graph.alpha"),
        ("method.graph.tag_rule=most", "method.graph.tag_rule"),
        ("method.focal.threshold=2", "method.focal.threshold"),
        ("method.focal.budget=0", "method.focal.budget"),
        ("method.rubric.shown=-1", "method.rubric.shown"),
        ("method.reduction=mean", "method.reduction"),
        ("method.decomposition=both", "method.decomposition"),
        ("method.unit=holistic", "method.unit"),
        ("method.reviewer=nobody", "method.reviewer"),
        ("method.tie_break.prompt=none", "method.tie_break.prompt"),
        ("+method.betta=0.5", "method.betta"),
        ("+method.focal.betta=0.5", "method.focal.betta"),
    ],
)
def test_a_bad_setting_is_refused_under_its_full_key(override: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        built(override)
    assert str(caught.value).startswith(f"{key}: ")


def test_the_page_of_the_method_explains_every_key() -> None:
    text = DOCS.read_text(encoding="utf-8")
    plain = node()
    keys = {name for name in plain if name not in ("_target_", "graph", "focal", "rubric", "propagation")}
    for stage in ("graph", "focal", "propagation", "rubric", "tie_break"):
        keys |= {f"{stage}.{key}" for key in plain[stage] if key != "_target_"}
    missing = {key for key in keys - {"tie_break"} if f"`method.{key}`" not in text}
    assert missing == set()
