from collections.abc import Mapping
from typing import Any

import pytest

from venire.build import build
from venire.errors import ConfigError, DataError
from venire.judging.judge import PromptedJudge, RecordedJudge, ReplyFormat
from venire.judging.panel import Panel
from venire.llm.route import Client, Limits
from venire.llm.simulated import Simulation
from venire.records import Price
from venire.schedule import Schedule

JUDGE: dict[str, Any] = {
    "_target_": "venire.judging.judge.PromptedJudge",
    "name": "gpt_4o",
    "model": "openai/gpt-4o",
    "family": "openai",
}
PRICE = {"_target_": "venire.records.Price", "input_per_mtok": 2.5, "output_per_mtok": 10}
PANEL = {"_target_": "venire.judging.panel.Panel", "judges": [JUDGE], "strongest": "gpt_4o"}
MEMBERS = {"_target_": "venire.judging.panel.panel_of", "members": {"a": JUDGE}, "strongest": "gpt_4o"}


def message_of(node: object, path: str, **options: Any) -> str:
    with pytest.raises(ConfigError) as refused:
        build(node, path, **options)
    return str(refused.value)


def test_a_target_is_called_with_its_keys() -> None:
    node = {**JUDGE, "reply_format": "text", "client": "simulated", "price": PRICE, "temperature": None}
    assert build(node, "judge") == PromptedJudge(
        "gpt_4o",
        "openai/gpt-4o",
        "openai",
        client=Client.SIMULATED,
        temperature=None,
        reply_format=ReplyFormat.TEXT,
        price=Price(2.5, 10.0),
    )


def test_lists_become_tuples_and_mappings_of_objects_stay_mappings() -> None:
    judge = build(JUDGE, "judge")
    assert build(PANEL, "panel") == Panel((judge,), "gpt_4o")
    assert build(MEMBERS, "panel") == Panel((judge,), "gpt_4o")


def test_a_function_is_a_target_too() -> None:
    node = {
        "_target_": "venire.judging.panel.recorded_panel",
        "models": ["GPT-4", "PaLM2"],
        "strategy": "CoT",
    }
    judges = (RecordedJudge("GPT-4", "CoT"), RecordedJudge("PaLM2", "CoT"))
    assert build(node, "panel") == Panel(judges, "GPT-4")


@pytest.mark.parametrize("plain", [None, 5, "text", [1, [2]], {"a": {"b": [None]}}, {}])
def test_what_has_no_target_comes_back_as_it_is(plain: object) -> None:
    assert build(plain, "key") == plain


def test_null_takes_the_place_of_an_object_only_where_it_may() -> None:
    assert build({**JUDGE, "price": None}, "judge").price is None
    assert message_of({**JUDGE, "limits": None}, "judge") == (
        "judge.limits: expected an object with _target_ (Limits), got None"
    )


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (
            {**JUDGE, "temprature": 0},
            "judge.temprature: unknown key; venire.judging.judge.PromptedJudge takes",
        ),
        (
            {k: v for k, v in JUDGE.items() if k != "model"},
            "judge.model: missing; venire.judging.judge.Prompt",
        ),
        ({**JUDGE, "max_tokens": "5"}, "judge.max_tokens: expected a whole number, got '5'"),
        ({**JUDGE, "max_tokens": True}, "judge.max_tokens: expected a whole number, got True"),
        ({**JUDGE, "max_tokens": 0.5}, "judge.max_tokens: expected a whole number, got 0.5"),
        ({**JUDGE, "temperature": "0"}, "judge.temperature: expected a finite number or null, got '0'"),
        ({**JUDGE, "name": None}, "judge.name: expected a text, got None"),
        (
            {**JUDGE, "reply_format": "jsn"},
            "judge.reply_format: expected json_schema, json_object or text, got",
        ),
        ({**JUDGE, "temperature": 5}, "judge.temperature: expected 0 to 2, got 5.0"),
        (
            {**JUDGE, "price": {**PRICE, "output_per_mtok": "x"}},
            "judge.price.output_per_mtok: expected a finite",
        ),
        ({**JUDGE, "price": {"_target_": PRICE["_target_"]}}, "judge.price.input_per_mtok: missing; "),
        (
            {**JUDGE, "price": {"input_per_mtok": 1}},
            "judge.price: expected an object with _target_ (Price) or nu",
        ),
        ({**JUDGE, "limits": PRICE}, "judge.limits: expected an object with _target_ (Limits), got a Price"),
    ],
)
def test_a_fault_is_named_with_its_full_key(node: Mapping[str, object], message: str) -> None:
    assert message_of(node, "judge").startswith(message)


def test_a_fault_inside_a_list_or_mapping_is_named_with_its_full_key() -> None:
    lists = {**PANEL, "judges": [JUDGE, {**JUDGE, "max_tokens": 0}]}
    assert message_of(lists, "panel") == "panel.judges[1].max_tokens: expected at least 1, got 0"
    named = {**MEMBERS, "members": {"a": {**JUDGE, "typo": 1}}}
    assert message_of(named, "panel").startswith("panel.members.a.typo: unknown key")


def test_a_constructor_that_names_its_key_in_full_is_not_prefixed_twice() -> None:
    node = {"_target_": "venire.llm.settings.LLMSettings", "store": "calls.db"}
    assert message_of(node, "llm").startswith("llm.store: expected a URL")


def test_at_the_root_keys_have_no_leading_dot() -> None:
    node = {"_target_": "venire.schedule.Schedule"}
    assert message_of({**node, "blok": 1}, "").startswith("blok: unknown key")
    assert message_of({**node, "block": 0}, "") == "block: expected at least 1, got 0"
    assert message_of({**node, "block": "1"}, "") == "block: expected a whole number, got '1'"


# Taken for a judge, it would bypass `convert`: under backend=simulated it would call a real model.
@pytest.mark.parametrize("members", [{"a": JUDGE, "b": {"name": "b", "model": "m", "family": "f"}}])
def test_a_plain_mapping_is_never_taken_for_an_object(members: Mapping[str, object]) -> None:
    in_mapping = message_of({**MEMBERS, "members": members}, "panel")
    in_list = message_of({**PANEL, "judges": list(members.values())}, "panel")
    assert in_mapping.startswith("panel.members.b: expected an object with _target_ (PromptedJudge) or ")
    assert in_list.startswith("panel.judges[1]: expected an object with _target_ (PromptedJudge) or ")
    assert in_list.endswith("got a plain mapping (without _target_)")


def test_a_plain_mapping_is_a_value_where_one_is_declared() -> None:
    node = {"_target_": "venire.llm.simulated.Simulation", "skill": {"default": 1, "openai": 2}}
    assert build(node, "simulation") == Simulation(skill={"default": 1.0, "openai": 2.0})


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("venire.nope.X", "no such class or function: venire.nope.X"),
        ("venire.schedule.Nope", "no such class or function: venire.schedule.Nope"),
        ("Schedule", "no such class or function: Schedule"),
        ("", "no such class or function: "),
        (".Schedule", "no such class or function: .Schedule"),
        ("..schedule.Schedule", "no such class or function: ..schedule.Schedule"),
        (None, "no such class or function: None"),
        (5, "no such class or function: 5"),
        ("venire.llm.route", "expected a class or function, venire.llm.route is <module"),
        ("venire.build.TARGET", "expected a class or function, venire.build.TARGET is '_target_'"),
        ("builtins.dict", "builtins.dict does not tell what it takes"),
    ],
)
def test_a_target_that_is_no_class_or_function_is_named(target: object, message: str) -> None:
    assert message_of({"_target_": target}, "judge").startswith(f"judge._target_: {message}")


def test_every_built_value_is_converted_with_its_key_innermost_first() -> None:
    seen = []

    def convert(built: object, path: str) -> object:
        seen.append((type(built).__name__, path))
        return Limits(concurrency=7) if isinstance(built, Limits) else built

    limits = {"_target_": "venire.llm.route.Limits"}
    panel = build({**PANEL, "judges": [{**JUDGE, "limits": limits}]}, "panel", convert)
    assert seen == [
        ("Limits", "panel.judges[0].limits"),
        ("PromptedJudge", "panel.judges[0]"),
        ("Panel", "panel"),
    ]
    assert panel.judges[0].limits.concurrency == 7


def test_an_alias_is_shown_by_the_key_that_it_stands_for() -> None:
    method = {"_target_": "venire.methods.majority.Majority", "panel": {**PANEL, "strongest": "claude"}}
    aliases = {"method.panel": "panel"}
    assert message_of(method, "method", aliases=aliases).startswith(
        "panel.strongest: 'claude' is not on the pan"
    )
    deeper = {**method, "panel": {**PANEL, "judges": [{**JUDGE, "max_tokens": "x"}]}}
    assert message_of(deeper, "method", aliases=aliases).startswith("panel.judges[0].max_tokens: ")
    null = {**method, "panel": None}
    assert message_of(null, "method", aliases=aliases).startswith(
        "panel: expected an object with _target_ (Pan"
    )
    own = {**method, "panel": PANEL, "rule": "most"}
    assert message_of(own, "method", aliases=aliases).startswith(
        "method.rule: expected plurality or absolute, "
    )


def test_other_errors_of_a_constructor_pass_as_they_are() -> None:
    node = {"_target_": "tests.faulty.broken", "kind": "data"}
    with pytest.raises(DataError, match=r"^no such file$"):
        build(node, "dataset")
    with pytest.raises(ZeroDivisionError):
        build({**node, "kind": "bug"}, "dataset")


def test_a_class_with_its_own_constructor_is_held_against_its_annotations() -> None:
    node = {"_target_": "tests.faulty.Plain", "count": 3}
    assert build(node, "plain").count == 3
    assert message_of({**node, "count": "3"}, "plain") == "plain.count: expected a whole number, got '3'"
    assert message_of({**node, "more": 1}, "plain") == (
        "plain.more: unknown key; tests.faulty.Plain takes count, anything"
    )


def test_equal_nodes_build_equal_values() -> None:
    assert build({"_target_": "venire.schedule.Schedule", "block": 3}, "schedule") == Schedule(3)
