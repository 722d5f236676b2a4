from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from venire.hashing import digest
from venire.identity import Composed, Identity, identity_of

JUDGE: dict[str, Any] = {
    "_target_": "venire.judging.judge.PromptedJudge",
    "name": "gpt_4o",
    "model": "openai/gpt-4o",
    "family": "openai",
    "provider": "openai",
    "api_key_env": "OPENAI_API_KEY",
    "temperature": 0.0,
    "top_p": None,
    "price": {"_target_": "venire.records.Price", "input_per_mtok": 2.5, "output_per_mtok": 10.0},
    "limits": {"_target_": "venire.llm.route.Limits", "concurrency": 16},
}
PANEL: dict[str, Any] = {
    "_target_": "venire.judging.panel.panel_of",
    "members": {"gpt_4o": JUDGE, "claude": {**JUDGE, "name": "claude", "model": "anthropic/claude"}},
    "strongest": "gpt_4o",
}
PLAIN: dict[str, Any] = {
    "dataset": {
        "_target_": "venire.data.llmbar.LLMBar",
        "root": "/data",
        "subsets": ["Natural"],
        "limit": None,
    },
    "method": {
        "_target_": "venire.methods.majority.Majority",
        "panel": PANEL,
        "orders": "both",
        "allow_tie": True,
        "seed": 0,
    },
    "backend": "live",
    "replicate": "shared",
    "schedule": {"_target_": "venire.schedule.Schedule", "block": 1},
    "metrics": {"_target_": "venire.metrics.measure.MetricSettings", "draws": 2000},
    "simulation": {"_target_": "venire.llm.simulated.Simulation", "seed": 0, "noise": 0.7},
    "seed": 0,
    "concurrency": 32,
    "llm": {"_target_": "venire.llm.settings.LLMSettings", "mode": "live"},
    "budget": {"_target_": "venire.llm.budget.Budget", "usd": None},
    "tracking": {"_target_": "venire.tracking.settings.TrackingSettings", "uri": None},
}
CHOICES = {
    "dataset": "llmbar",
    "method": "majority",
    "panel": "multi_model",
    "judge": "gpt_4o",
    "ablation": "None",
}


def changed(changes: Mapping[str, object]) -> dict[str, Any]:
    """`PLAIN` with values at dotted keys replaced."""
    plain = deepcopy(PLAIN)
    for path, value in changes.items():
        *above, last = path.split(".")
        node = plain
        for key in above:
            node = node[key]
        node[last] = value
    return plain


def identify(
    changes: Mapping[str, object] = {},
    *,
    choices: Mapping[str, str] = {},
    overrides: tuple[str, ...] = (),
    references: Mapping[str, str] = {"panel": "panel"},
) -> Identity:
    composed = Composed(changed(changes), {**CHOICES, **choices}, overrides, references)
    return identity_of(composed, "seed: 0\n")


def seeded(seed: int, **changes: object) -> Identity:
    return identify({"seed": seed, "method.seed": seed, **changes})


def test_a_digest_is_of_the_value_and_not_of_the_order_of_keys() -> None:
    # printf '%s' '{"a":[1,null],"b":"é"}' | sha256sum
    expected = "e03c3c1ebb5fccd76e3bd35b9a86169f35e6f1b069645d48ac278175f54c4208"
    assert digest({"b": "é", "a": [1, None]}) == expected
    assert digest({"a": [1, None], "b": "é"}) == expected
    assert digest({"a": [None, 1], "b": "é"}) != expected


def test_seeds_are_one_arm_and_different_runs() -> None:
    assert seeded(0).arm_hash == seeded(1).arm_hash
    assert seeded(0).config_hash != seeded(1).config_hash


RESULTS_DEPEND_ON = {
    "dataset.subsets": ["Adversarial/Manual"],
    "dataset.limit": 10,
    "method.orders": "as_given",
    "method.allow_tie": False,
    "method.panel.strongest": "claude",
    "method.panel.members.gpt_4o.temperature": 0.5,
    "method.panel.members.gpt_4o.model": "openai/gpt-4",
    "backend": "local",
    "replicate": "per_seed",
    "schedule.block": 3,
}


@pytest.mark.parametrize(("key", "value"), RESULTS_DEPEND_ON.items())
def test_what_results_depend_on_makes_another_arm(key: str, value: object) -> None:
    assert identify({key: value}).config_hash != identify().config_hash
    assert identify({key: value}).arm_hash != identify().arm_hash


INERT = {
    "dataset.root": "/elsewhere",
    "method.panel.members.gpt_4o.limits": {"concurrency": 1},
    "method.panel.members.gpt_4o.price": None,
    "method.panel.members.gpt_4o.api_key_env": "OTHER_KEY",
    "method.panel.members.gpt_4o.provider": "azure",
    "concurrency": 1,
    "llm": {"mode": "replay"},
    "budget": {"usd": 1.0},
    "tracking": {"uri": "http://127.0.0.1:5000"},
    "simulation.noise": 3.0,  # no judge is simulated
}


@pytest.mark.parametrize(("key", "value"), INERT.items())
def test_where_things_lie_and_what_they_cost_makes_no_other_run(key: str, value: object) -> None:
    assert identify({key: value}).config_hash == identify().config_hash
    assert identify({key: value}).arm_hash == identify().arm_hash


@pytest.mark.parametrize("key", ["simulation.noise", "simulation.seed"])
def test_another_simulated_world_is_another_arm(key: str) -> None:
    simulated = {"backend": "simulated"}
    assert identify({**simulated, key: 5}).arm_hash != identify(simulated).arm_hash


def test_a_column_or_dimension_called_like_an_inert_setting_still_counts() -> None:
    columns = {"dataset": {"_target_": "venire.data.table.Table", "columns": {"ratings": {"price": "a"}}}}
    other = {"dataset": {"_target_": "venire.data.table.Table", "columns": {"ratings": {"price": "b"}}}}
    assert identify(columns).config_hash != identify(other).config_hash


def test_params_are_few_and_telling() -> None:
    assert identify().params == {
        "dataset": "llmbar",
        "method": "majority",
        "panel": "multi_model",
        "backend": "live",
        "seed": "0",
        "dataset.subsets": "Natural",
        "panel.judges": "gpt_4o, claude",
        "panel.strongest": "gpt_4o",
        "method.orders": "both",
        "method.allow_tie": "True",
    }


def test_a_judge_of_its_own_is_told_in_full() -> None:
    judged = {"method": {"_target_": "venire.methods.pairwise.Pairwise", "judged_by": JUDGE, "seed": 0}}
    params = identify(judged, references={"judged_by": "judge"}).params
    assert params["judge"] == "gpt_4o"
    assert params["judge.model"] == "openai/gpt-4o"
    assert params["judge.temperature"] == "0.0"
    assert not [key for key in params if "price" in key or "limits" in key or "panel" in key]


def test_an_overridden_member_of_the_panel_is_a_param() -> None:
    overrides = ("panel.members.gpt_4o.temperature=0.5", "tracking.enabled=false", "judge.temperature=1")
    params = identify(overrides=overrides).params
    assert params["panel.members.gpt_4o.temperature"] == "0.5"
    assert not [key for key in params if key.startswith(("tracking", "judge"))]


def test_of_a_key_that_is_given_twice_the_last_is_told() -> None:
    identity = identify(overrides=("metrics.draws=200", "concurrency=4", "metrics.draws=300"))
    assert identity.params["metrics.draws"] == "300"
    assert identity.name == "majority multi_model llmbar draws=300"


def test_asking_anew_for_each_seed_is_a_param() -> None:
    assert identify({"replicate": "per_seed"}).params["replicate"] == "per_seed"
    assert "replicate" not in identify().params


def test_an_ablation_is_a_param_and_part_of_the_name() -> None:
    ablated = identify(choices={"ablation": "no_tie"})
    assert ablated.params["ablation"] == "no_tie"
    assert ablated.name == "majority multi_model llmbar no_tie"
    none = identify(choices={"ablation": "none"})
    assert (none.params["ablation"], none.name) == ("none", "majority multi_model llmbar")


def test_the_name_tells_the_seed_but_for_the_first() -> None:
    assert seeded(0).name == "majority multi_model llmbar"
    assert seeded(3).name == "majority multi_model llmbar s3"


def test_the_name_of_a_method_without_a_model_names_no_judge() -> None:
    length = {"method": {"_target_": "venire.methods.length.Length"}}
    assert identify(length, choices={"method": "length"}, references={}).name == "length llmbar"


def test_a_recorded_judge_is_named_by_model_and_strategy() -> None:
    recorded = {"_target_": "venire.judging.judge.RecordedJudge", "model": "GPT-4", "strategy": "CoT"}
    identity = identify(
        {"method": {"_target_": "venire.methods.pairwise.Pairwise", "judged_by": recorded, "seed": 0}},
        choices={"method": "pairwise", "judge": "recorded"},
        overrides=("dataset=llmbar", "judge=recorded", "judge.model=GPT-4", "judge.strategy=CoT"),
        references={"judged_by": "judge"},
    )
    assert identity.name == "pairwise GPT-4:CoT llmbar"


def test_the_name_tells_neighbours_in_a_sweep_over_a_setting_apart() -> None:
    names = [
        identify(
            {"method.orders": orders},
            overrides=(
                "method=majority",
                "backend=simulated",
                f"method.orders={orders}",
                "concurrency=4",
                "seed=0",
            ),
        ).name
        for orders in ("both", "as_given")
    ]
    assert names == ["majority multi_model llmbar orders=both", "majority multi_model llmbar orders=as_given"]


def test_a_swapped_member_and_a_long_value_are_in_the_name_in_short() -> None:
    swapped = identify(overrides=("judge@panel.members.gpt_4o=gpt_6_sol",))
    assert swapped.name == "majority multi_model llmbar members.gpt_4o=gpt_6_sol"
    long = identify(overrides=("dataset.subsets=[Adversarial/Neighbor,Adversarial/GPTInst]",))
    assert long.name == "majority multi_model llmbar subsets=[Adversarial/Neighbor..."


def test_addresses_objects_and_the_way_to_a_file_are_in_no_name() -> None:
    judged = {"method": {"_target_": "venire.methods.pairwise.Pairwise", "judged_by": JUDGE, "seed": 0}}
    identity = identify(
        judged,
        choices={"method": "pairwise", "judge": "openai_compatible"},
        overrides=(
            "judge.model=stub",
            "judge.api_base=http://127.0.0.1:8000/v1",
            "judge.price={input_per_mtok: 10}",
            "judge.persona={role: a teacher}",
            "dataset.path=/home/me/data/own.jsonl",
            "dataset.folder=./data/sets/",
            "method.substitutes=${panel}",
            r"method.others=$\{panel\}",
        ),
        references={"judged_by": "judge"},
    )
    assert identity.name == "pairwise openai_compatible llmbar model=stub path=own.jsonl folder=sets"
    assert identity.params["judge.api_base"] == "http://127.0.0.1:8000/v1"


def test_a_name_with_too_many_settings_counts_those_it_leaves_out() -> None:
    # "majority multi_model llmbar" has 27 characters, each setting 21 with its blank: 4 fit into 120.
    overrides = tuple(f"method.setting_{i}=0123456789" for i in range(7))
    identity = identify({"seed": 2}, overrides=overrides)
    assert identity.name == (
        "majority multi_model llmbar setting_0=0123456789 setting_1=0123456789 setting_2=0123456789 "
        "setting_3=0123456789 +3 s2"
    )
    assert identity.params["method.setting_6"] == "0123456789"


def test_an_override_of_a_judge_that_is_not_asked_is_warned_of() -> None:
    identity = identify(overrides=("judge=gpt_4", "+judge.temperature=1", "panel.strongest=claude"))
    assert identity.warnings == (
        "judge=gpt_4 has no effect: method=majority does not use judge (it asks panel)",
        "+judge.temperature=1 has no effect: method=majority does not use judge (it asks panel)",
    )
    assert identity.name == "majority multi_model llmbar strongest=claude"


def test_a_choice_that_an_ablation_takes_away_is_said_to_be_by_it() -> None:
    direct = {"_target_": "venire.methods.direct.Direct", "judged_by": JUDGE, "rubric": None, "seed": 0}
    choices = {"method": "direct", "judge": "gpt_4o", "ablation": "no_rubric", "rubric": "generated"}
    told = [
        identify(
            {"method": direct},
            choices={**choices, "ablation": ablation},
            overrides=("rubric=generated",),
            references={"judged_by": "judge"},
        ).warnings
        for ablation in ("no_rubric", "none")
    ]
    assert told == [
        ("rubric=generated has no effect: method.rubric is set to something else by ablation=no_rubric",),
        ("rubric=generated has no effect: method.rubric is set to something else",),
    ]
