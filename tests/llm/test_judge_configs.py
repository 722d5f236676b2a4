"""Every judge and panel of conf/: composed, built, priced, and accepted by litellm as it stands."""

import asyncio
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from venire.build import build
from venire.config import config_dir
from venire.judging.judge import PromptedJudge, ReplyFormat
from venire.judging.panel import Panel
from venire.llm.credentials import key_names
from venire.llm.litellm_client import load_litellm
from venire.llm.openai_wire import JSON_OBJECT, chat_body
from venire.llm.route import Client
from venire.records import Message, Request

NAMES = sorted(path.stem for path in (config_dir() / "judge").glob("*.yaml") if path.stem != "recorded")
PRICED = [name for name in NAMES if name != "openai_compatible"]
LITELLM = [name for name in PRICED if name != "local"]
PAPERS = {"gpt_4", "gpt_4o", "claude_3_5_sonnet", "claude_3_7_sonnet", "gemini_1_5_pro", "llama_3_1_70b",
          "qwen2_5_72b", "qwen3_235b"}  # fmt: skip
SCHEMA = (
    '{"additionalProperties":false,"properties":{"reasoning":{"type":"string"},"winner":'
    '{"enum":["A","B","tie"],"type":"string"}},"required":["reasoning","winner"],"type":"object"}'
)
Compose = Callable[..., object]


@pytest.fixture
def composed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compose:
    """A function from node and overrides to the built value of that node."""
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))

    def make(node: str, *overrides: str) -> object:
        with initialize_config_dir(str(config_dir()), version_base=None):
            cfg = compose("config", overrides=list(overrides))
        return build(OmegaConf.to_container(cfg[node], resolve=True, throw_on_missing=True), node)

    return make


def judge_of(composed: Compose, name: str) -> PromptedJudge:
    needed = {"openai_compatible": ("judge.model=m", "judge.api_base=http://127.0.0.1:8000/v1")}
    judge = composed("judge", f"judge={name}", *needed.get(name, ()))
    assert isinstance(judge, PromptedJudge)
    return judge


def test_the_papers_models_are_all_there() -> None:
    assert set(NAMES) >= PAPERS


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_is_named_like_its_file(composed: Compose, name: str) -> None:
    assert judge_of(composed, name).name == name


@pytest.mark.parametrize("name", PRICED)
def test_a_price_says_when_and_where_it_was_found(composed: Compose, name: str) -> None:
    price = judge_of(composed, name).price
    assert price is not None
    assert price.source
    assert price.as_of or name == "local"
    assert price.cached_per_mtok is None or price.cached_per_mtok <= price.input_per_mtok


@pytest.mark.parametrize("name", LITELLM)
def test_the_key_that_a_judge_needs_is_known_before_any_call(composed: Compose, name: str) -> None:
    assert key_names(judge_of(composed, name).route)


@pytest.mark.parametrize("name", LITELLM)
def test_litellm_takes_every_parameter_that_a_judge_sends(composed: Compose, name: str) -> None:
    judge = judge_of(composed, name)
    litellm = load_litellm()
    schema = {ReplyFormat.JSON_SCHEMA: SCHEMA, ReplyFormat.JSON_OBJECT: JSON_OBJECT, ReplyFormat.TEXT: None}
    request = Request(
        model=judge.model,
        messages=(Message("user", "Which? Answer in JSON."),),
        temperature=judge.temperature,
        top_p=judge.top_p,
        max_tokens=judge.max_tokens,
        sampling_seed=judge.sampling_seed,
        schema=schema[judge.reply_format],
    )
    options = {"api_key": "none", "num_retries": 0, "max_retries": 0, "drop_params": False}
    # Parameters are checked before the answer is made up: a model that refuses one raises here.
    response = asyncio.run(litellm.acompletion(**chat_body(request), **options, mock_response="{}"))  # type: ignore[arg-type]
    assert response is not None


def test_litellm_prices_are_those_of_its_map(composed: Compose) -> None:
    if version("litellm") != "1.110.2":
        pytest.skip(f"the prices are those of litellm 1.110.2, this is {version('litellm')}")
    litellm = load_litellm()
    compared = 0
    for name in LITELLM:
        judge = judge_of(composed, name)
        price = judge.price
        if price is None or not price.source.startswith("litellm"):
            continue
        known = litellm.model_cost.get(judge.model) or litellm.model_cost[judge.model.split("/", 1)[1]]
        assert price.input_per_mtok == pytest.approx(known["input_cost_per_token"] * 1e6), name
        assert price.output_per_mtok == pytest.approx(known["output_cost_per_token"] * 1e6), name
        cached = known.get("cache_read_input_token_cost")
        assert price.cached_per_mtok == (None if cached is None else pytest.approx(cached * 1e6)), name
        compared += 1
    assert compared >= 10


def test_judges_of_one_provider_ask_for_the_same_rate(composed: Compose) -> None:
    limits: dict[str, set[int]] = {}
    for name in LITELLM:
        route = judge_of(composed, name).route
        limits.setdefault(route.provider, set()).add(route.limits.concurrency)
    assert {provider for provider, found in limits.items() if len(found) > 1} == set()


def test_a_server_of_ones_own_and_the_local_model_need_no_key(composed: Compose) -> None:
    own, local = judge_of(composed, "openai_compatible"), judge_of(composed, "local")
    assert (own.client, key_names(own.route), own.price) == (Client.DIRECT, (), None)
    assert (local.client, key_names(local.route)) == (Client.LOCAL, ())


def test_the_local_judge_asks_for_no_more_than_its_server_has_slots(composed: Compose) -> None:
    judge = composed("judge", "judge=local", "local.n_parallel=3", "local.timeout_s=90")
    assert isinstance(judge, PromptedJudge)
    assert (judge.limits.concurrency, judge.limits.timeout_s) == (3, 90.0)


def panel_of(composed: Compose, *overrides: str) -> Panel:
    panel = composed("panel", *overrides)
    assert isinstance(panel, Panel)
    return panel


JURY = ["gpt_4o", "claude_3_5_sonnet", "gemini_1_5_pro", "llama_3_1_70b", "qwen2_5_72b"]


def test_the_panel_of_juryflow_has_its_five_models_in_the_papers_order(composed: Compose) -> None:
    panel = panel_of(composed, "panel=multi_model")
    assert [judge.name for judge in panel.judges] == JURY
    assert panel.strongest == "gpt_4o"
    assert {judge.family for judge in panel.judges} == {"openai", "anthropic", "google", "meta", "qwen"}


def test_a_members_keys_are_overrides_of_that_member_alone(composed: Compose) -> None:
    panel = panel_of(composed, "panel.members.gemini_1_5_pro.temperature=0.5")
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
    composed: Compose, overrides: tuple[str, ...], names: list[str]
) -> None:
    assert [judge.name for judge in panel_of(composed, *overrides).judges] == names


def test_the_small_panel_has_three_families(composed: Compose) -> None:
    assert len({judge.family for judge in panel_of(composed, "panel=poll_small").judges}) == 3
