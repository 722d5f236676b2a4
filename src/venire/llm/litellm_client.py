"""Any model that litellm knows, one attempt a request.

litellm costs about 3 s to import and several milliseconds of CPU a call: it is loaded by the first
request that needs it, never by a recorded or replayed run. It is given no client of ours and keeps
its own transport (both make it slower). Nothing is dropped silently: a parameter that a model does
not take stops the run and is named (`drop_params=False`).
"""

import asyncio
import copy
import importlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Protocol, cast

from venire.errors import BackendError, ConfigError
from venire.llm.credentials import api_key, redact
from venire.llm.openai_wire import NOT_RUN, chat_body, finish_reason, malformed, read_failure, read_logprobs
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Client, Route
from venire.records import AttemptStatus, BackendKind, FinishReason, Request, Usage

# What litellm's OpenAI client would look up by itself and send to a server of one's own.
_NO_KEY = "none"


class _Cache(Protocol):
    def flush_cache(self) -> None: ...


class LiteLLM(Protocol):
    """The part of the module that is used here."""

    acompletion: Callable[..., Awaitable[object]]
    aembedding: Callable[..., Awaitable[object]]
    in_memory_llm_clients_cache: _Cache
    telemetry: bool
    suppress_debug_info: bool
    DEFAULT_MAX_RETRIES: int


class LiteLLMBackend:
    """The backend of `client: litellm` routes.

    Args:
        routes: of a run; it answers those of client `litellm`.
        environ: where keys are looked up; a provider whose credentials are no single key
            (Bedrock, Vertex AI, Azure) is left to litellm, which reads the process's environment.
        clock: seconds since the epoch, for `Retry-After` dates.

    Raises:
        ConfigError: two routes that differ for one model and endpoint.
    """

    kind = BackendKind.LIVE

    def __init__(
        self,
        routes: Iterable[Route],
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._options: dict[tuple[str, str], Mapping[str, object]] = {}
        for route in (route for route in routes if route.client is Client.LITELLM):
            options = call_options(route, api_key(route, environ))
            if self._options.setdefault((route.model, route.endpoint), options) != options:
                raise ConfigError(f"judge: two judges reach {route.model} at {route.endpoint!r} differently")
        self._clock = clock
        self._loading = asyncio.Lock()
        self._litellm: LiteLLM | None = None

    async def send(self, request: Request) -> Reply:
        """One attempt; raises as `Backend.send`.

        Nothing is raised inside an `except`: litellm's exceptions carry requests and headers.
        """
        options = self._options.get((request.model, request.endpoint))
        if options is None:
            raise BackendError(f"no route to model {request.model!r} at {request.endpoint!r}")
        litellm = await self._loaded()
        result = await self._attempt(litellm, request, options)
        if isinstance(result, Exception):
            raise result
        return result

    async def aclose(self) -> None:
        """Close litellm's cached HTTP clients and its logging task, which it leaves open."""
        if self._litellm is not None:
            await close_litellm(self._litellm)

    async def load(self) -> None:
        """Import litellm, where nothing has yet."""
        await self._loaded()

    async def _loaded(self) -> LiteLLM:
        async with self._loading:
            if self._litellm is None:
                # In a thread: other requests must not wait for seconds of imports.
                self._litellm = await asyncio.to_thread(load_litellm)
            return self._litellm

    async def _attempt(
        self, litellm: LiteLLM, request: Request, options: Mapping[str, object]
    ) -> Reply | Exception:
        body = copy.deepcopy(chat_body(request))  # it changes what it is given
        try:
            response = await litellm.acompletion(**body, **options)
        except Exception as error:  # litellm maps most errors to its own, but lets any other through
            return read_error(error, str(options.get("api_key", "")), self._clock())
        return _reply(response, request)


def load_litellm() -> LiteLLM:
    """litellm, imported without a look at the network, without telemetry and without logs."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    litellm = cast(LiteLLM, importlib.import_module("litellm"))
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    # Of embeddings it reads `max_retries=0` as not given, and would retry by itself.
    litellm.DEFAULT_MAX_RETRIES = 0
    # Below this level litellm and the clients under it log prompts, replies and request headers.
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


async def close_litellm(litellm: LiteLLM) -> None:
    """Close its cached HTTP clients and its logging task, which it leaves open."""
    cleanup = importlib.import_module("litellm.llms.custom_httpx.async_client_cleanup")
    await cleanup.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()
    worker = importlib.import_module("litellm.litellm_core_utils.logging_worker")
    await worker.GLOBAL_LOGGING_WORKER.stop(discard_pending=True)


def call_options(route: Route, key: str | None) -> Mapping[str, object]:
    """What every request of `route` is sent with, beside its own content."""
    options: dict[str, object] = {
        "timeout": route.limits.timeout_s,
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": False,
    }
    if route.api_base is not None:
        options.update(api_base=route.api_base, api_key=key or _NO_KEY)
    elif key is not None:
        options["api_key"] = key
    return options


def _reply(response: object, request: Request) -> Reply | AttemptFailed:
    choices = getattr(response, "choices", None)
    message = getattr(choices[0], "message", None) if choices else None
    if not choices or message is None:
        return malformed("no choices[0].message in the body")
    refusal = getattr(message, "refusal", None)
    text = getattr(message, "content", None)
    if not isinstance(text, str | None):
        return malformed(f"message.content: expected text, got {type(text).__name__}")
    logprobs: object = getattr(choices[0], "logprobs", None)
    return Reply(
        text=text or (str(refusal) if refusal else ""),
        finish=FinishReason.REFUSED if refusal else finish_reason(choices[0].finish_reason),
        model=str(getattr(response, "model", None) or request.model),
        usage=_usage(getattr(response, "usage", None)),
        fingerprint=getattr(response, "system_fingerprint", None),
        logprobs=read_logprobs(_plain(logprobs)) if request.logprobs is not None else None,
    )


def _plain(value: object) -> object:
    return value.model_dump() if hasattr(value, "model_dump") else value


def _usage(usage: object) -> Usage:
    """Token counts; litellm writes 0 where the provider said nothing, and no prompt has 0 tokens.

    Anthropic's cache reads and writes are in `prompt_tokens`, its reads in `cached_tokens` too.
    """
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    if not prompt:
        return Usage()
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    if cached is None:
        cached = getattr(usage, "cache_read_input_tokens", None)
    reasoning = getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None)
    return Usage(prompt, completion, cached, reasoning)


def read_error(error: Exception, key: str, now: float) -> Reply | Exception:
    """What litellm's exception means: a refusal, a failed attempt or the run's end."""
    chain = list(_chain(error))
    kinds = {parent.__name__ for one in chain for parent in type(one).__mro__}
    own = {parent.__name__ for parent in type(error).__mro__}
    codes = sorted({str(code) for one in chain if (code := getattr(one, "code", None))})
    text = redact(f"{error} {' '.join(codes)}".strip(), [key])
    detail = " ".join(text.split())[:300]
    if "UnsupportedParamsError" in own:
        return BackendError(f"{detail}. Set the parameter that this model does not take to null")
    if "LiteLLMUnknownProvider" in own or "LLM Provider NOT provided" in text:
        return BackendError(f"{detail}. A litellm model is named provider/model")
    if "ContentPolicyViolationError" in own:
        return Reply("", FinishReason.REFUSED, model="", usage=NOT_RUN)
    if "ContextWindowExceededError" in own:
        detail = f"the prompt is too long for the model: {detail}"
        return AttemptFailed(AttemptStatus.REJECTED, detail, retryable=False, usage=NOT_RUN)
    if "Timeout" in own:
        return AttemptFailed(AttemptStatus.TIMEOUT, detail, retryable=True)
    if kinds & {"ConnectError", "ClientConnectorError"}:  # no address, nobody listens, no trusted TLS
        return AttemptFailed(AttemptStatus.CONNECTION, detail, retryable=True, usage=NOT_RUN)
    if kinds & {"APIConnectionError", "ReadError", "RemoteProtocolError"}:
        return AttemptFailed(AttemptStatus.CONNECTION, detail, retryable=True)
    if "JSONDecodeError" in kinds:
        return malformed(detail)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or status == 200:
        return malformed(f"{type(error).__name__}: {detail}")
    return read_failure(status, _headers(error), text, now)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return dict(headers) if headers is not None else {}
