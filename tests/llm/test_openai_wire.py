"""The OpenAI protocol, read and written without a network."""

import pytest

from venire.errors import BackendError
from venire.llm.openai_wire import (
    JSON_OBJECT,
    chat_body,
    read_failure,
    read_reply,
    response_format,
    retry_after_s,
)
from venire.llm.protocol import AttemptFailed, Reply
from venire.records import AttemptStatus, FinishReason, Message, Request, Usage

ASK = Request(model="m", messages=(Message("system", "Be fair."), Message("user", "Which?")))


def body_with(message: dict[str, object], finish: str = "stop", **rest: object) -> dict[str, object]:
    return {"model": "m-1", "choices": [{"message": message, "finish_reason": finish}], **rest}


def test_what_a_request_leaves_open_is_not_sent() -> None:
    assert chat_body(ASK) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be fair."},
            {"role": "user", "content": "Which?"},
        ],
        "temperature": 0.0,
    }


def test_sampling_parameters_are_sent_under_the_protocols_names() -> None:
    request = Request("m", (), temperature=None, top_p=0.9, max_tokens=7, sampling_seed=3, logprobs=5)
    assert chat_body(request, max_tokens_field="max_completion_tokens") == {
        "model": "m",
        "messages": [],
        "top_p": 0.9,
        "max_completion_tokens": 7,
        "seed": 3,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_stage_role_subject_and_replicate_never_reach_the_provider() -> None:
    request = Request("m", (), stage="focal-stage", role="judge-name", replicate=4)
    assert set(chat_body(request)) == {"model", "messages", "temperature"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (None, None),
        (JSON_OBJECT, {"type": "json_object"}),
        (
            '{"title":"Pair verdict","type":"object"}',
            {
                "type": "json_schema",
                "json_schema": {
                    "name": "Pair_verdict",
                    "strict": True,
                    "schema": {"title": "Pair verdict", "type": "object"},
                },
            },
        ),
    ],
)
def test_the_schema_alone_says_how_the_reply_is_constrained(schema: str | None, expected: object) -> None:
    assert response_format(schema) == expected


def test_a_reply_carries_text_usage_model_and_fingerprint() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 12},
    }
    body = body_with({"content": "A"}, usage=usage, system_fingerprint="fp_1")
    assert read_reply(body, model="asked") == Reply(
        "A", FinishReason.STOP, "m-1", Usage(100, 20, 64, 12), fingerprint="fp_1"
    )


def test_unknown_usage_stays_unknown() -> None:
    assert read_reply(body_with({"content": "A"}), model="asked").usage == Usage()
    partial = read_reply(body_with({"content": "A"}, usage={"prompt_tokens": 5}), model="asked").usage
    assert partial == Usage(input_tokens=5)


def test_the_sampled_token_is_among_the_candidates() -> None:
    body = body_with({"content": "7"})
    choice = body["choices"][0]  # type: ignore[index]
    choice["logprobs"] = {
        "content": [{"token": "7", "logprob": -0.5, "top_logprobs": [{"token": "8", "logprob": -1.5}]}]
    }
    assert read_reply(body, model="m").logprobs == ({"7": -0.5, "8": -1.5},)


@pytest.mark.parametrize(
    ("message", "finish", "expected"),
    [
        ({"content": "A"}, "stop", FinishReason.STOP),
        ({"content": "A"}, "tool_calls", FinishReason.STOP),
        ({"content": '{"win'}, "length", FinishReason.LENGTH),
        ({"content": ""}, "content_filter", FinishReason.REFUSED),
        ({"content": None, "refusal": "I will not."}, "stop", FinishReason.REFUSED),
    ],
)
def test_the_finish_says_how_a_reply_ended(
    message: dict[str, object], finish: str, expected: FinishReason
) -> None:
    assert read_reply(body_with(message, finish), model="m").finish is expected


def test_an_empty_or_null_text_is_a_reply() -> None:
    assert read_reply(body_with({"content": ""}), model="m").text == ""
    assert read_reply(body_with({"content": None}), model="m").text == ""


@pytest.mark.parametrize(
    "body",
    [{}, [], "text", None, {"choices": []}, {"choices": [{}]}, {"choices": "x"}, body_with({"content": 3})],
)
def test_what_is_no_completion_is_malformed_and_worth_another_try(body: object) -> None:
    with pytest.raises(AttemptFailed) as caught:
        read_reply(body, model="m")
    assert (caught.value.status, caught.value.retryable) == (AttemptStatus.MALFORMED, True)
    assert caught.value.usage == Usage()  # it may have been billed


def test_an_upstream_error_in_an_http_200_keeps_its_own_status() -> None:
    with pytest.raises(AttemptFailed) as caught:
        read_reply({"error": {"code": 429, "message": "slow down"}}, model="m")
    assert caught.value.status is AttemptStatus.RATE_LIMITED


FINAL = [
    (401, '{"error":{"message":"bad key","code":"invalid_api_key"}}'),
    (402, ""),
    (403, '{"error":{"message":"not for you"}}'),
    (404, '{"error":{"message":"no such model","code":"model_not_found"}}'),
    (400, '{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}'),
    (429, '{"error":{"message":"quota","code":"insufficient_quota"}}'),
    (307, ""),
]


@pytest.mark.parametrize(("status", "text"), FINAL)
def test_what_no_retry_can_mend_stops_the_run_and_says_what_to_do(status: int, text: str) -> None:
    failure = read_failure(status, {}, text, now=0.0)
    assert isinstance(failure, BackendError)
    assert f"HTTP {status}" in str(failure)


@pytest.mark.parametrize(
    ("status", "text", "expected", "retryable", "usage"),
    [
        (429, "", AttemptStatus.RATE_LIMITED, True, Usage(0, 0)),
        (500, "", AttemptStatus.SERVER_ERROR, True, Usage()),
        (503, "", AttemptStatus.SERVER_ERROR, True, Usage()),
        (529, "", AttemptStatus.SERVER_ERROR, True, Usage()),
        (408, "", AttemptStatus.TIMEOUT, True, Usage()),
        (400, '{"error":{"message":"Unsupported parameter"}}', AttemptStatus.REJECTED, False, Usage(0, 0)),
        (413, "", AttemptStatus.REJECTED, False, Usage(0, 0)),
    ],
)
def test_other_failures_are_attempts(
    status: int, text: str, expected: AttemptStatus, retryable: bool, usage: Usage
) -> None:
    failure = read_failure(status, {}, text, now=0.0)
    assert isinstance(failure, AttemptFailed)
    assert (failure.status, failure.retryable, failure.usage) == (expected, retryable, usage)


def test_a_prompt_that_does_not_fit_is_rejected_in_these_words() -> None:
    text = '{"error":{"code":400,"type":"exceed_context_size_error","message":"exceeds the context size"}}'
    failure = read_failure(400, {}, text, now=0.0)
    assert isinstance(failure, AttemptFailed)
    assert failure.detail.startswith("the prompt is too long for the model: HTTP 400")


def test_a_filtered_prompt_is_a_refusal_not_an_error() -> None:
    reply = read_failure(400, {}, '{"error":{"code":"content_filter","message":"filtered"}}', now=0.0)
    assert isinstance(reply, Reply)
    assert (reply.finish, reply.text, reply.usage) == (FinishReason.REFUSED, "", Usage(0, 0))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"Retry-After": "7", "retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        # 1,000,000,000 seconds since the epoch are Sun, 09 Sep 2001 01:46:40 GMT.
        ({"Retry-After": "Sun, 09 Sep 2001 01:46:50 GMT"}, 10.0),
        ({"Retry-After": "Sun, 09 Sep 2001 01:46:30 GMT"}, 0.0),  # it lies in the past
        (
            {"Retry-After": "Thu, 01 Jan 2015 00:00:30 GMT", "Date": "Thu, 01 Jan 2015 00:00:00 GMT"},
            30.0,  # the server's clock is not ours
        ),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after_s(headers, now=1_000_000_000.0) == expected
