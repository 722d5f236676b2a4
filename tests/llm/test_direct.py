"""The direct client against the fault-injecting stub, over a real socket."""

import asyncio
import logging
import socket
import traceback
from collections.abc import Awaitable, Callable

import pytest
from tests.stub.faults import Fault, FaultPlan
from tests.stub.server import MODEL, Stub, serving

from venire.errors import BackendError, ConfigError, VenireError
from venire.llm.direct import DirectBackend, Target
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Client, Limits, Route
from venire.records import AttemptStatus, BackendKind, FinishReason, Message, Request, Usage

SENTINEL = "sk-sentinel-4f1d0c7b"


def route(url: str, timeout_s: float = 5.0) -> Route:
    return Route(
        model="stub",
        endpoint=url,
        client=Client.DIRECT,
        provider="stub",
        api_base=url,
        api_key_env="STUB_KEY",
        limits=Limits(timeout_s=timeout_s),
    )


def ask(url: str, text: str = "Which?", **rest: object) -> Request:
    return Request("stub", (Message("user", text),), endpoint=url, **rest)  # type: ignore[arg-type]


def with_stub(
    scenario: Callable[[DirectBackend, Stub], Awaitable[object]],
    *script: Fault,
    timeout_s: float = 5.0,
    stub: Stub | None = None,
) -> object:
    """Run `scenario` on a backend whose only server is a stub that fails by `script`."""

    async def run() -> object:
        async with serving(stub or Stub(FaultPlan(script))) as server:
            backend = DirectBackend([route(server.url, timeout_s)], {"STUB_KEY": SENTINEL})
            try:
                return await scenario(backend, server)
            finally:
                await backend.aclose()

    return asyncio.run(run())


def one_reply(*script: Fault, timeout_s: float = 5.0) -> Reply:
    reply = with_stub(lambda backend, stub: backend.send(ask(stub.url)), *script, timeout_s=timeout_s)
    assert isinstance(reply, Reply)
    return reply


def one_failure(*script: Fault, timeout_s: float = 5.0) -> AttemptFailed:
    with pytest.raises(AttemptFailed) as caught:
        one_reply(*script, timeout_s=timeout_s)
    return caught.value


def test_a_reply_comes_back_with_everything_the_provider_said() -> None:
    reply = one_reply()
    assert reply.text.startswith('{"reasoning": "Stub reasoning')
    assert (reply.finish, reply.model, reply.fingerprint) == (FinishReason.STOP, MODEL, "fp_stub")
    assert None not in (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.reasoning_tokens)
    assert reply.logprobs is None


def test_the_key_goes_out_as_a_bearer_token_and_the_body_as_composed() -> None:
    async def scenario(backend: DirectBackend, stub: Stub) -> None:
        await backend.send(ask(stub.url, max_tokens=9, logprobs=2))

    stub = Stub()
    with_stub(scenario, stub=stub)
    assert stub.authorizations == {f"Bearer {SENTINEL}"}
    assert stub.bodies == [
        {
            "model": "stub",
            "messages": [{"role": "user", "content": "Which?"}],
            "temperature": 0.0,
            "max_tokens": 9,
            "logprobs": True,
            "top_logprobs": 2,
        }
    ]


def test_log_probabilities_come_back_per_token() -> None:
    reply = with_stub(lambda backend, stub: backend.send(ask(stub.url, logprobs=2)))
    assert isinstance(reply, Reply)
    assert reply.logprobs is not None
    assert reply.logprobs[0] == {'{"reasoning":': -0.25, "alt0": -2.0}


@pytest.mark.parametrize(
    ("fault", "finish", "text"),
    [
        (Fault.TRUNCATED, FinishReason.LENGTH, None),
        (Fault.REFUSAL, FinishReason.REFUSED, "I can't help with that."),
        (Fault.FILTERED_REPLY, FinishReason.REFUSED, ""),
        (Fault.FILTERED_PROMPT, FinishReason.REFUSED, ""),
        (Fault.EMPTY_TEXT, FinishReason.STOP, ""),
        (Fault.NULL_TEXT, FinishReason.STOP, ""),
    ],
)
def test_a_cut_refused_or_empty_reply_is_a_reply(
    fault: Fault, finish: FinishReason, text: str | None
) -> None:
    reply = one_reply(fault)
    assert reply.finish is finish
    assert text is None or reply.text == text


def test_missing_usage_is_unknown_not_zero() -> None:
    assert one_reply(Fault.MISSING_USAGE).usage == Usage()


@pytest.mark.parametrize(
    ("fault", "status", "usage", "retry_after_s"),
    [
        (Fault.RATE_LIMIT, AttemptStatus.RATE_LIMITED, Usage(0, 0), None),
        (Fault.RATE_LIMIT_WAIT, AttemptStatus.RATE_LIMITED, Usage(0, 0), 1.0),
        (Fault.RATE_LIMIT_DATE, AttemptStatus.RATE_LIMITED, Usage(0, 0), 1.0),
        (Fault.SERVER_ERROR, AttemptStatus.SERVER_ERROR, Usage(), None),
        (Fault.UNAVAILABLE, AttemptStatus.SERVER_ERROR, Usage(), 1.0),
        (Fault.ERROR_IN_200, AttemptStatus.SERVER_ERROR, Usage(), None),
        (Fault.RESET, AttemptStatus.CONNECTION, Usage(), None),
        (Fault.MALFORMED_BODY, AttemptStatus.MALFORMED, Usage(), None),
        (Fault.EMPTY_BODY, AttemptStatus.MALFORMED, Usage(), None),
        (Fault.NO_CHOICES, AttemptStatus.MALFORMED, Usage(), None),
    ],
)
def test_a_passing_failure_is_worth_another_try(
    fault: Fault, status: AttemptStatus, usage: Usage, retry_after_s: float | None
) -> None:
    failure = one_failure(fault)
    assert (failure.status, failure.usage, failure.retryable) == (status, usage, True)
    assert failure.retry_after_s == retry_after_s


def test_a_hanging_provider_is_a_timeout() -> None:
    failure = one_failure(Fault.HANG, timeout_s=0.2)
    assert (failure.status, failure.retryable, failure.usage) == (AttemptStatus.TIMEOUT, True, Usage())


def test_a_server_that_is_not_there_never_ran_the_model() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"

        async def run() -> Reply:
            backend = DirectBackend([route(url)], {})
            try:
                return await backend.send(ask(url))
            finally:
                await backend.aclose()

        with pytest.raises(AttemptFailed) as caught:
            asyncio.run(run())
    assert (caught.value.status, caught.value.usage) == (AttemptStatus.CONNECTION, Usage(0, 0))


@pytest.mark.parametrize("fault", [Fault.CONTEXT_LENGTH, Fault.BAD_REQUEST])
def test_a_request_that_the_provider_rejects_is_not_sent_again(fault: Fault) -> None:
    failure = one_failure(fault)
    assert (failure.status, failure.retryable) == (AttemptStatus.REJECTED, False)


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (Fault.UNAUTHORIZED, "API key"),
        (Fault.FORBIDDEN, "API key"),
        (Fault.UNKNOWN_MODEL, "model and api_base"),
        (Fault.REDIRECT, "api_base"),
        (Fault.QUOTA, "quota"),
    ],
)
def test_a_final_refusal_stops_the_run_and_says_what_to_do(fault: Fault, advice: str) -> None:
    with pytest.raises(BackendError, match=advice):
        one_reply(fault)


def test_the_key_is_in_no_error_log_or_repr(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seen = [repr(Target("http://x", 1.0, SENTINEL))]

    async def scenario(backend: DirectBackend, stub: Stub) -> None:
        seen.extend([repr(backend), str(vars(backend))])
        for fault in Fault:
            stub.plan = FaultPlan((fault,))
            try:
                seen.append(repr(await backend.send(ask(stub.url, text=fault.value))))
            except (AttemptFailed, VenireError) as error:
                seen.extend(everything_said(error))

    with_stub(scenario, timeout_s=0.3)
    assert len(seen) > len(Fault)
    assert not [text for text in [*seen, caplog.text] if SENTINEL in text]


def everything_said(error: BaseException | None) -> list[str]:
    """The texts of an error and of all that is chained to it, cause or context."""
    said: list[str] = []
    while error is not None:
        said.extend([str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)])
        error = error.__cause__ or error.__context__
    return said


def test_equal_requests_get_equal_replies_and_many_share_one_session() -> None:
    async def scenario(backend: DirectBackend, stub: Stub) -> None:
        requests = [ask(stub.url, text=str(number % 8)) for number in range(64)]
        replies = await asyncio.gather(*(backend.send(request) for request in requests))
        assert len({reply.text for reply in replies}) == 8
        assert (stub.stats.requests, len(stub.stats.by_body)) == (64, 8)

    with_stub(scenario)


def test_a_request_without_a_route_is_an_error() -> None:
    async def scenario(backend: DirectBackend, stub: Stub) -> None:
        with pytest.raises(BackendError, match="no route to model 'other'"):
            await backend.send(Request("other", (), endpoint=stub.url))

    with_stub(scenario)


def test_two_judges_at_one_address_must_agree_on_how_it_is_reached() -> None:
    one, other = route("http://127.0.0.1:1/v1", 5.0), route("http://127.0.0.1:1/v1", 6.0)
    with pytest.raises(ConfigError, match="differently"):
        DirectBackend([one, other], {})
    assert DirectBackend([one, one], {}).kind is BackendKind.LIVE


def test_an_address_that_is_none_is_a_configuration_error() -> None:
    async def run() -> None:
        backend = DirectBackend([route("localhost")], {})
        try:
            await backend.send(ask("localhost"))
        finally:
            await backend.aclose()

    with pytest.raises(BackendError, match="expected http"):
        asyncio.run(run())


def test_openai_itself_is_sent_the_fields_new_name() -> None:
    assert Target("https://api.openai.com/v1", 1.0).max_tokens_field == "max_completion_tokens"
    assert Target("http://127.0.0.1:8000/v1/", 1.0).max_tokens_field == "max_tokens"
    assert Target("http://127.0.0.1:8000/v1/", 1.0).url == "http://127.0.0.1:8000/v1/chat/completions"
