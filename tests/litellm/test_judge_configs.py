"""What the judges of conf/ send and cost, held against litellm as it stands."""

import asyncio
import importlib
from importlib.metadata import version

import pytest
from tests.llm.composed import LITELLM, judge_of

from venire.judging.judge import ReplyFormat
from venire.llm.litellm_client import load_litellm
from venire.llm.openai_wire import JSON_OBJECT, chat_body
from venire.records import Message, Request

SCHEMA = (
    '{"additionalProperties":false,"properties":{"reasoning":{"type":"string"},"winner":'
    '{"enum":["A","B","tie"],"type":"string"}},"required":["reasoning","winner"],"type":"object"}'
)


@pytest.mark.parametrize("name", LITELLM)
def test_litellm_takes_every_parameter_that_a_judge_sends(name: str) -> None:
    judge = judge_of(name)
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


@pytest.mark.parametrize("name", LITELLM)
def test_log_probabilities_are_told_by_the_judges_whose_files_say_so(name: str) -> None:
    load_litellm()
    litellm = importlib.import_module("litellm")
    taken = set(litellm.get_supported_openai_params(model=judge_of(name).model) or [])
    assert (judge_of(name).top_logprobs > 0) == (taken >= {"logprobs", "top_logprobs"})


def test_litellm_prices_are_those_of_its_map() -> None:
    if version("litellm") != "1.110.2":
        pytest.skip(f"the prices are those of litellm 1.110.2, this is {version('litellm')}")
    litellm = load_litellm()
    compared = 0
    for name in LITELLM:
        judge = judge_of(name)
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
