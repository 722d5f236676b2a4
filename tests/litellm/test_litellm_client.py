"""The litellm client against the stub, and through litellm's interface for custom providers."""

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator

import pytest
from tests.stub.faults import Fault, FaultPlan
from tests.stub.server import MODEL, Stub, serving

from venire.errors import BackendError, ConfigError, VenireError
from venire.llm.litellm_client import LiteLLMBackend, load_litellm
from venire.llm.protocol import AttemptFailed, Backend, Reply
from venire.llm.route import Client, Limits, Route
from venire.records import AttemptStatus, BackendKind, FinishReason, Message, Request, Usage

SENTINEL = "sk-sentinel-4f1d0c7b"


def route(url: str | None, model: str = "openai/stub", timeout_s: float = 5.0) -> Route:
    return Route(
        model=model,
        endpoint=url or "",
        client=Client.LITELLM,
        provider="stub",
        api_base=url,
        api_key_env="STUB_KEY",
        limits=Limits(timeout_s=timeout_s),
    )


def ask(url: str, text: str = "Which?", **rest: object) -> Request:
    return Request("openai/stub", (Message("user", text),), endpoint=url, **rest)  # type: ignore[arg-type]


def with_stub(
    scenario: Callable[[LiteLLMBackend, Stub], Awaitable[object]],
    *script: Fault,
    timeout_s: float = 5.0,
    stub: Stub | None = None,
) -> object:
    async def run() -> object:
        async with serving(stub or Stub(FaultPlan(script))) as server:
            backend = LiteLLMBackend([route(server.url, timeout_s=timeout_s)], {"STUB_KEY": SENTINEL})
            try:
                return await scenario(backend, server)
            finally:
                await backend.aclose()

    return asyncio.run(run())


def one_reply(*script: Fault, timeout_s: float = 5.0, **rest: object) -> Reply:
    reply = with_stub(lambda backend, stub: backend.send(ask(stub.url, **rest)), *script, timeout_s=timeout_s)
    assert isinstance(reply, Reply)
    return reply


def test_a_reply_comes_back_with_everything_the_provider_said() -> None:
    reply = one_reply(logprobs=2)
    assert reply.text.startswith('{"reasoning": "Stub reasoning')
    assert (reply.finish, reply.model, reply.fingerprint) == (FinishReason.STOP, MODEL, "fp_stub")
    assert None not in (reply.usage.input_tokens, reply.usage.cached_tokens, reply.usage.reasoning_tokens)
    assert reply.logprobs is not None
    assert reply.logprobs[0] == {'{"reasoning":': -0.25, "alt0": -2.0}


def test_key_and_parameters_reach_the_server() -> None:
    async def scenario(backend: LiteLLMBackend, stub: Stub) -> None:
        schema = '{"properties":{"winner":{"enum":["A","B"]}},"title":"Verdict","type":"object"}'
        reply = await backend.send(ask(stub.url, max_tokens=9, sampling_seed=3, schema=schema))
        assert reply.text in ('{"winner": "A"}', '{"winner": "B"}')

    stub = Stub()
    with_stub(scenario, stub=stub)
    assert stub.authorizations == {f"Bearer {SENTINEL}"}
    (body,) = stub.bodies
    assert (body["model"], body["max_tokens"], body["seed"], body["temperature"]) == ("stub", 9, 3, 0.0)


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


def test_missing_usage_is_unknown_not_litellms_zero() -> None:
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
def test_a_passing_failure_is_one_attempt_and_worth_another(
    fault: Fault, status: AttemptStatus, usage: Usage, retry_after_s: float | None
) -> None:
    stub = Stub(FaultPlan((fault,)))
    with pytest.raises(AttemptFailed) as caught:
        with_stub(lambda backend, stub: backend.send(ask(stub.url)), stub=stub)
    failure = caught.value
    assert (failure.status, failure.usage, failure.retryable) == (status, usage, True)
    assert failure.retry_after_s == retry_after_s
    assert stub.stats.requests == 1  # litellm and the SDK under it would try again by themselves


def test_a_server_that_is_not_there_never_ran_the_model() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"

        async def run() -> Reply:
            backend = LiteLLMBackend([route(url)], {"STUB_KEY": SENTINEL})
            try:
                return await backend.send(ask(url))
            finally:
                await backend.aclose()

        with pytest.raises(AttemptFailed) as caught:
            asyncio.run(run())
    assert (caught.value.status, caught.value.usage) == (AttemptStatus.CONNECTION, Usage(0, 0))
    assert caught.value.retryable


def test_a_hanging_provider_is_a_timeout() -> None:
    with pytest.raises(AttemptFailed) as caught:
        one_reply(Fault.HANG, timeout_s=0.3)
    assert (caught.value.status, caught.value.retryable) == (AttemptStatus.TIMEOUT, True)


@pytest.mark.parametrize("fault", [Fault.CONTEXT_LENGTH, Fault.BAD_REQUEST])
def test_a_request_that_the_provider_rejects_is_not_sent_again(fault: Fault) -> None:
    with pytest.raises(AttemptFailed) as caught:
        one_reply(fault)
    assert (caught.value.status, caught.value.retryable) == (AttemptStatus.REJECTED, False)
    assert ("too long" in caught.value.detail) == (fault is Fault.CONTEXT_LENGTH)


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (Fault.UNAUTHORIZED, "API key"),
        (Fault.FORBIDDEN, "API key"),
        (Fault.UNKNOWN_MODEL, "model and api_base"),
        (Fault.QUOTA, "quota"),
    ],
)
def test_a_final_refusal_stops_the_run_and_says_what_to_do(fault: Fault, advice: str) -> None:
    with pytest.raises(BackendError, match=advice):
        one_reply(fault)


def test_a_parameter_that_a_model_does_not_take_is_never_dropped_unnoticed() -> None:
    model = "openai/o3-mini"
    request = Request(model, (Message("user", "Which?"),), temperature=0.3)
    with pytest.raises(BackendError, match=r"temperature.*to null"):
        asyncio.run(send_once(LiteLLMBackend([route(None, model)], {"STUB_KEY": "k"}), request))


def test_a_model_without_a_provider_is_explained() -> None:
    with pytest.raises(BackendError, match="provider/model"):
        asyncio.run(
            send_once(
                LiteLLMBackend([route(None, "nonsense")], {}), Request("nonsense", (Message("user", "x"),))
            )
        )


async def send_once(backend: Backend, request: Request) -> Reply:
    try:
        return await backend.send(request)
    finally:
        await backend.aclose()


def test_neither_key_nor_content_is_in_an_error_or_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    chained: list[BaseException | None] = []

    async def scenario(backend: LiteLLMBackend, stub: Stub) -> None:
        seen.append(repr(backend))
        for fault in Fault:
            stub.plan = FaultPlan((fault,))
            try:
                seen.append(repr(await backend.send(ask(stub.url, text=f"{fault.value} private-prompt"))))
            except (AttemptFailed, VenireError) as error:
                seen.extend([str(error), repr(error), repr(vars(error))])
                chained.extend([error.__cause__, error.__context__])

    with_stub(scenario, timeout_s=0.3)
    assert len(seen) > len(Fault)
    assert not [text for text in [*seen, caplog.text] if SENTINEL in text]
    assert "private-prompt" not in caplog.text
    assert chained
    assert set(chained) == {None}  # litellm's exceptions hold requests and their headers


def test_a_server_of_ones_own_is_not_sent_the_providers_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SENTINEL)  # litellm would read it by itself

    async def run() -> set[str]:
        async with serving(Stub()) as stub:
            own = Route("openai/stub", stub.url, Client.LITELLM, "own", api_base=stub.url)
            await send_once(LiteLLMBackend([own], {"OPENAI_API_KEY": SENTINEL}), ask(stub.url))
            return stub.authorizations

    assert asyncio.run(run()) == {"Bearer none"}


def test_it_works_again_after_it_was_closed_and_in_another_loop() -> None:
    assert one_reply().text == one_reply().text != ""


def test_two_judges_at_one_address_must_agree_on_how_it_is_reached() -> None:
    with pytest.raises(ConfigError, match="differently"):
        LiteLLMBackend([route("http://x/v1", timeout_s=1), route("http://x/v1", timeout_s=2)], {})


class Parrot:
    """A backend of ours, as litellm's custom-provider interface would reach it."""

    kind = BackendKind.SIMULATED

    async def send(self, request: Request) -> Reply:
        return Reply(
            f'{{"winner": "{request.messages[-1].content}"}}', FinishReason.STOP, "parrot-1", Usage(7, 3)
        )

    async def aclose(self) -> None:
        return None


@pytest.fixture
def parrot_provider() -> Iterator[None]:
    """litellm with `parrot/...` models that `Parrot` answers."""
    load_litellm()
    import litellm

    class Handler(litellm.CustomLLM):
        async def acompletion(self, *args: object, **kwargs: object) -> object:
            messages = tuple(Message(m["role"], m["content"]) for m in kwargs["messages"])  # type: ignore[attr-defined]
            reply = await Parrot().send(Request(str(kwargs["model"]), messages))
            return litellm.ModelResponse(
                model=reply.model,
                choices=[{"message": {"content": reply.text}, "finish_reason": reply.finish.value}],
                usage=litellm.Usage(
                    prompt_tokens=reply.usage.input_tokens, completion_tokens=reply.usage.output_tokens
                ),
            )

    before = litellm.custom_provider_map
    litellm.custom_provider_map = [{"provider": "parrot", "custom_handler": Handler()}]
    yield
    litellm.custom_provider_map = before


@pytest.mark.usefixtures("parrot_provider")
def test_a_backend_of_ours_answers_through_litellms_custom_provider_interface() -> None:
    backend = LiteLLMBackend([Route("parrot/one", "", Client.LITELLM, "parrot")], {})
    reply = asyncio.run(send_once(backend, Request("parrot/one", (Message("user", "B"),))))
    assert (reply.text, reply.finish, reply.usage) == ('{"winner": "B"}', FinishReason.STOP, Usage(7, 3))


def test_importing_the_client_does_not_import_litellm() -> None:
    code = (
        "import sys, venire.llm.litellm_client as client;"
        "client.LiteLLMBackend([], {}); print('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
