"""Every judge and panel of conf/: composed, built and priced."""

from dataclasses import replace

import pytest
from tests.llm.composed import LITELLM, NAMES, PRICED, composed, judge_of

from venire.errors import ConfigError
from venire.judging.judge import PromptedJudge
from venire.judging.panel import Panel
from venire.llm.credentials import key_names
from venire.llm.route import Client

PAPERS = {"gpt_4", "gpt_4o", "claude_3_5_sonnet", "claude_3_7_sonnet", "gemini_1_5_pro", "llama_3_1_70b",
          "qwen2_5_72b", "qwen3_235b"}  # fmt: skip


def test_the_papers_models_are_all_there() -> None:
    assert set(NAMES) >= PAPERS


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_is_named_like_its_file(name: str) -> None:
    assert judge_of(name).name == name


@pytest.mark.parametrize("name", PRICED)
def test_a_price_says_when_and_where_it_was_found(name: str) -> None:
    price = judge_of(name).price
    assert price is not None
    assert price.source
    assert price.as_of or name == "local"
    assert price.cached_per_mtok is None or price.cached_per_mtok <= price.input_per_mtok


@pytest.mark.parametrize("address", ["", "127.0.0.1:8000/v1"])
def test_what_is_no_address_is_refused_before_any_call(address: str) -> None:
    with pytest.raises(ConfigError, match=r"api_base: expected http\(s\)://"):
        replace(judge_of("gpt_4o"), api_base=address)


@pytest.mark.parametrize("name", LITELLM)
def test_the_key_that_a_judge_needs_is_known_before_any_call(name: str) -> None:
    assert key_names(judge_of(name).route)


def test_judges_of_one_provider_ask_for_the_same_rate() -> None:
    limits: dict[str, set[int]] = {}
    for name in LITELLM:
        route = judge_of(name).route
        limits.setdefault(route.provider, set()).add(route.limits.concurrency)
    assert {provider for provider, found in limits.items() if len(found) > 1} == set()


def test_a_server_of_ones_own_and_the_local_model_need_no_key() -> None:
    own, local = judge_of("openai_compatible"), judge_of("local")
    assert (own.client, key_names(own.route), own.price) == (Client.DIRECT, (), None)
    assert (local.client, key_names(local.route)) == (Client.LOCAL, ())


def test_the_local_judge_asks_for_no_more_than_its_server_has_slots() -> None:
    judge = composed("judge", "judge=local", "local.n_parallel=3", "local.timeout_s=90")
    assert isinstance(judge, PromptedJudge)
    assert (judge.limits.concurrency, judge.limits.timeout_s) == (3, 90.0)


def panel_of(*overrides: str) -> Panel:
    panel = composed("panel", *overrides)
    assert isinstance(panel, Panel)
    return panel


JURY = ["gpt_4o", "claude_3_5_sonnet", "gemini_1_5_pro", "llama_3_1_70b", "qwen2_5_72b"]


def test_the_panel_of_juryflow_has_its_five_models_in_the_papers_order() -> None:
    panel = panel_of("panel=multi_model")
    assert [judge.name for judge in panel.judges] == JURY
    assert panel.strongest == "gpt_4o"
    assert {judge.family for judge in panel.judges} == {"openai", "anthropic", "google", "meta", "qwen"}


def test_a_members_keys_are_overrides_of_that_member_alone() -> None:
    panel = panel_of("panel.members.gemini_1_5_pro.temperature=0.5")
    assert [judge.temperature for judge in panel.judges if isinstance(judge, PromptedJudge)] == [
        0,
        0,
        0.5,
        0,
        0,
    ]


@pytest.mark.parametrize(
    ("overrides", "names"),
    [
        (
            ("judge@panel.members.gpt_4o=gpt_6_sol", "panel.strongest=gpt_6_sol"),
            ["gpt_6_sol", *JURY[1:]],
        ),
        (("+judge@panel.members.sixth=qwen3_235b",), [*JURY, "qwen3_235b"]),
        (("~judge@panel.members.qwen2_5_72b",), JURY[:4]),
        (("panel=poll_small",), ["gpt_6_luna", "claude_haiku_5_5", "gemini_3_5_flash_lite"]),
        (("ablation=small_panel",), ["gpt_6_luna", "claude_haiku_5_5", "gemini_3_5_flash_lite"]),
    ],
)
def test_members_are_swapped_added_and_left_out_from_the_command_line(
    overrides: tuple[str, ...], names: list[str]
) -> None:
    assert [judge.name for judge in panel_of(*overrides).judges] == names


def test_the_small_panel_has_three_families() -> None:
    assert len({judge.family for judge in panel_of("panel=poll_small").judges}) == 3
