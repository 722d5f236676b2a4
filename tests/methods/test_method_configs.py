"""`conf/method` and `conf/ablation`: what the files build, and what an ablation changes."""

from pathlib import Path

import pytest
import yaml
from tests.methods.panels import JUDGES, PANEL

from venire.build import build
from venire.errors import ConfigError
from venire.judging.orders import Orders
from venire.judging.votes import MajorityRule, TieRule
from venire.llm.embedding import OFFLINE
from venire.methods.bertscore import BertScore
from venire.methods.length import Length
from venire.methods.majority import Majority
from venire.methods.pairwise import Pairwise
from venire.methods.rouge_l import RougeL
from venire.methods.single import Single

CONF = Path(__file__).parents[2] / "conf"
TAGS = build(yaml.safe_load((CONF / "tags" / "general.yaml").read_text(encoding="utf-8")), "tags")
PARTS: dict[str, object] = {"${criteria}": None} | {
    "${judge}": JUDGES[0],
    "${panel}": PANEL,
    "${seed}": 3,
    "${embedding}": OFFLINE,
}
BUILT = {
    "pairwise": Pairwise(JUDGES[0], seed=3),
    "single": Single(PANEL, tags=TAGS, embedding=OFFLINE, seed=3),
    "majority": Majority(PANEL, tags=TAGS, embedding=OFFLINE, seed=3),
    "length": Length(),
    "rouge_l": RougeL(),
    "bertscore": BertScore(),
}
# What each ablation says in a method's own words, and the methods that it applies to.
ABLATED = {
    "as_given_order": ({"orders": Orders.AS_GIVEN}, ["pairwise", "single", "majority"]),
    "seeded_order": ({"orders": Orders.SEEDED}, ["pairwise", "single", "majority"]),
    "no_tie": ({"allow_tie": False}, ["pairwise", "single", "majority"]),
    "vanilla_prompt": ({"prompt": "pairwise_vanilla"}, ["pairwise", "single", "majority"]),
    "no_tie_break": ({"tie_rule": TieRule.UNSCORED}, ["majority"]),
    "absolute_majority": ({"rule": MajorityRule.ABSOLUTE}, ["majority"]),
}
APPLIED = [(ablation, method) for ablation, (_, methods) in ABLATED.items() for method in methods]


def node(method: str) -> dict[str, object]:
    read = yaml.safe_load((CONF / "method" / f"{method}.yaml").read_text(encoding="utf-8"))
    if "defaults" in read:  # what hydra composes from it
        assert read.pop("defaults") == [{"/tags@tags": "general"}, "_self_"]
        read["tags"] = TAGS
    return {key: PARTS.get(value, value) if isinstance(value, str) else value for key, value in read.items()}


@pytest.mark.parametrize("method", BUILT)
def test_a_method_s_file_builds_the_class_with_its_defaults(method: str) -> None:
    assert build(node(method), "method") == BUILT[method]


@pytest.mark.parametrize("method", BUILT)
def test_a_method_s_file_shows_every_setting(method: str) -> None:
    fields = getattr(type(BUILT[method]), "__dataclass_fields__", {})
    assert set(node(method)) - {"_target_"} == set(fields)


@pytest.mark.parametrize("ablation", [*ABLATED, "none"])
def test_an_ablation_begins_with_its_package_line_and_touches_the_method_alone(ablation: str) -> None:
    text = (CONF / "ablation" / f"{ablation}.yaml").read_text(encoding="utf-8")
    # Any line above it would turn the ablation into a no-op under its own name.
    assert text.splitlines()[0] == "# @package _global_"
    assert set(yaml.safe_load(text) or {}) <= {"method"}


@pytest.mark.parametrize(("ablation", "method"), APPLIED)
def test_an_ablation_changes_the_built_method_in_the_named_setting_and_nowhere_else(
    ablation: str, method: str
) -> None:
    changes = yaml.safe_load((CONF / "ablation" / f"{ablation}.yaml").read_text(encoding="utf-8"))["method"]
    ablated = build({**node(method), **changes}, "method")
    fields = BUILT[method].__dataclass_fields__
    changed = {
        name: getattr(ablated, name)
        for name in fields
        if getattr(ablated, name) != getattr(BUILT[method], name)
    }
    assert changed == ABLATED[ablation][0]


@pytest.mark.parametrize(
    ("ablation", "method"), [("as_given_order", "length"), ("absolute_majority", "single")]
)
def test_an_ablation_of_a_setting_that_a_method_lacks_is_an_error(ablation: str, method: str) -> None:
    changes = yaml.safe_load((CONF / "ablation" / f"{ablation}.yaml").read_text(encoding="utf-8"))["method"]
    with pytest.raises(ConfigError, match=rf"^method\.{next(iter(changes))}: unknown key"):
        build({**node(method), **changes}, "method")


def test_an_unknown_prompt_is_named_by_its_full_key() -> None:
    with pytest.raises(ConfigError, match=r"^method\.prompt: expected one of .*, got 'pairwize'$"):
        build({**node("majority"), "prompt": "pairwize"}, "method")
