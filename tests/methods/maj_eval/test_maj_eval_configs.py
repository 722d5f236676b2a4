"""`conf/method/maj_eval.yaml` and `conf/debate`: what the files build, and what an ablation changes."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.methods.maj_eval.table import JUDGE, personas

from venire.build import build
from venire.methods.maj_eval.debate import FreeDebate
from venire.methods.maj_eval.method import MajEval
from venire.methods.maj_eval.read_only import ReadOnly
from venire.methods.maj_eval.same_tokens import SameTokens

CONF = Path(__file__).parents[3] / "conf"
DEBATES = {"free": FreeDebate(), "read_only": ReadOnly()}


def read(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8")))


def node(**changes: Any) -> dict[str, Any]:
    """The method's file as hydra composes it."""
    file = read("method/maj_eval")
    assert file.pop("defaults") == [{"/debate@debate": "free"}, "_self_"]
    assert (file["judged_by"], file["personas"]) == ("${judge}", "${persona}")
    return {**file, "judged_by": JUDGE, "personas": personas(), "debate": read("debate/free"), **changes}


def ablated(name: str) -> Any:
    return build(node(**read(f"ablation/{name}").get("method", {})), "method")


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONF / "debate").glob("*.yaml")))
def test_a_debate_s_file_builds_it_with_its_defaults_and_shows_every_setting(name: str) -> None:
    file = read(f"debate/{name}")
    assert build(file, "debate") == DEBATES[name]
    assert set(file) - {"_target_"} == set(type(DEBATES[name]).__dataclass_fields__)


def test_the_method_s_file_builds_it_with_its_defaults_and_shows_every_setting() -> None:
    assert build(node(), "method") == MajEval(JUDGE, personas())
    assert set(node()) - {"_target_"} == set(MajEval.__dataclass_fields__)


def test_ablations_take_away_what_they_are_named_after_and_nothing_else() -> None:
    assert ablated("no_debate") == MajEval(JUDGE, personas(), debate=None)
    assert ablated("independent_mean") == MajEval(JUDGE, personas(), debate=None, synthesis=None)
    assert ablated("same_tokens_self_consistency") == SameTokens(judged_by=JUDGE, personas=personas())


def test_ablations_by_another_option_or_level_say_only_that() -> None:
    assert read("ablation/read_only") == {"defaults": [{"override /debate@method.debate": "read_only"}]}
    assert read("ablation/shuffled_persona") == {"defaults": [{"override /persona": "shuffled"}]}
    levels = {"simple_persona": "simple", "no_persona": "none", "no_demographics": "no_demographics"}
    for name, level in levels.items():
        assert read(f"ablation/{name}") == {"persona": {"level": level}}
