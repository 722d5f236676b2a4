"""The content address of a request."""

import json
from dataclasses import replace

import pytest

from venire.llm.key import canonical, request_key
from venire.records import Message, Order, Request, Subject

BASE = Request(
    "m",
    (Message("system", "Judge."), Message("user", "Which?")),
    endpoint="http://h/v1",
    temperature=0.0,
    top_p=0.9,
    max_tokens=64,
    sampling_seed=3,
    schema='{"type":"object"}',
    logprobs=5,
    replicate=2,
)


def test_key_is_the_sha256_of_the_version_and_the_canonical_json() -> None:
    # printf 'venire.request.v1\n{"endpoint":"","logprobs":null,"max_tokens":null,
    # "messages":[["user","hi"]],"model":"m","replicate":0,"sampling_seed":null,"schema":null,
    # "temperature":0.0,"top_p":null}' (on one line) | sha256sum
    expected = "68f12befe2da6bd3a7c0c0ee75ab82e636d2bcf38700a789226be54a67a280dd"
    assert request_key(Request("m", (Message("user", "hi"),))) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "n"},
        {"endpoint": "http://other/v1"},
        {"messages": (Message("system", "Judge."), Message("user", "Which one?"))},
        {"messages": (Message("user", "Judge."), Message("user", "Which?"))},
        {"messages": (Message("system", "Judge.Which?"),)},
        {"temperature": 0.1},
        {"temperature": None},
        {"top_p": None},
        {"max_tokens": 65},
        {"sampling_seed": None},
        {"schema": None},
        {"logprobs": None},
        {"replicate": 3},
    ],
)
def test_key_changes_with_what_is_asked(changes: dict[str, object]) -> None:
    assert request_key(replace(BASE, **changes)) != request_key(BASE)  # type: ignore[arg-type]


def test_key_does_not_depend_on_stage_role_and_subject() -> None:
    other = replace(BASE, stage="focal", role="gpt", subject=Subject("i/1", Order.SWAPPED))
    assert request_key(other) == request_key(BASE)


def test_a_whole_number_temperature_is_the_same_request() -> None:
    assert request_key(replace(BASE, temperature=0)) == request_key(BASE)


@pytest.mark.parametrize("text", ["", "\0", "é 漢 🙂", "\ud800 lone surrogate"])
def test_any_text_has_a_key_and_survives_in_the_canonical_form(text: str) -> None:
    request = replace(BASE, messages=(Message("user", text),))
    assert len(request_key(request)) == 64
    assert json.loads(canonical(request))["messages"] == [["user", text]]
    canonical(request).encode()  # what is stored must be encodable
