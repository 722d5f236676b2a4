"""OpenAI-compatible endpoints by aiohttp: half a millisecond of CPU a call, and no SDK.

Everything that speaks the protocol (OpenAI, vLLM, Ollama, llama.cpp, most gateways) can be reached
by it. What the protocol says is in `openai_wire.py`; this file is the transport.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import aiohttp
import orjson

from venire.errors import BackendError, ConfigError
from venire.llm.credentials import api_key, redact
from venire.llm.openai_wire import NOT_RUN, chat_body, malformed, read_failure, read_reply
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Client, Route
from venire.records import AttemptStatus, BackendKind, Request

_CONNECT_S = 30.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: address up to `/v1`, key (never shown), and seconds to wait."""

    api_base: str
    timeout_s: float
    key: str | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """The address of chat completions."""
        return f"{self.api_base.rstrip('/')}/chat/completions"

    @property
    def max_tokens_field(self) -> str:
        """OpenAI renamed the field (its reasoning models refuse the old name); others did not follow."""
        return "max_completion_tokens" if "//api.openai.com/" in self.url else "max_tokens"


class ChatClient:
    """One HTTP session that sends chat completions, one attempt each; made in the running loop."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: Request, target: Target) -> Reply:
        """One attempt; raises as `Backend.send`.

        Nothing is raised inside an `except`: aiohttp's exceptions carry the request's headers, and
        would carry the key along as `__context__`.
        """
        result = await self._exchange(request, target)
        if isinstance(result, Exception):
            raise result
        return result

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _exchange(self, request: Request, target: Target) -> Reply | Exception:
        body = orjson.dumps(chat_body(request, max_tokens_field=target.max_tokens_field))
        headers = {"Content-Type": "application/json"}
        if target.key is not None:
            headers["Authorization"] = f"Bearer {target.key}"
        timeout = _client_timeout(target.timeout_s)
        try:
            async with self._open().post(
                target.url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as response:
                content = await response.read()
                return self._read(response, content, request.model, target)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return _connection_failure(error, target)

    def _read(
        self, response: aiohttp.ClientResponse, content: bytes, model: str, target: Target
    ) -> Reply | Exception:
        if response.status != 200:
            text = redact(content.decode(errors="replace"), _secrets(target))
            return read_failure(response.status, response.headers, text, self._clock())
        try:
            return read_reply(orjson.loads(content), model=model)
        except orjson.JSONDecodeError as error:
            return malformed(f"no JSON in an HTTP 200 ({len(content)} bytes): {error.msg}")
        except AttemptFailed as failure:
            return failure

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            # No limit here: the limits above bound what is in flight, per provider.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session


@cache
def _client_timeout(timeout_s: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=timeout_s, sock_connect=_CONNECT_S)


class DirectBackend:
    """The backend of `client: direct` routes.

    Args:
        routes: of a run; it answers those of client `direct`.
        environ: where keys are looked up (`Route.api_key_env`).
        clock: seconds since the epoch, for `Retry-After` dates.

    Raises:
        ConfigError: such a route without `api_base`, or two that differ for one model and endpoint.
    """

    kind = BackendKind.LIVE

    def __init__(
        self,
        routes: Iterable[Route],
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._targets: dict[tuple[str, str], Target] = {}
        for route in (route for route in routes if route.client is Client.DIRECT):
            target = _target(route, environ)
            if self._targets.setdefault((route.model, route.endpoint), target) != target:
                raise ConfigError(f"judge: two judges reach {route.model} at {route.endpoint} differently")
        self._client = ChatClient(clock)

    async def send(self, request: Request) -> Reply:
        """One attempt; raises as `Backend.send`."""
        target = self._targets.get((request.model, request.endpoint))
        if target is None:
            raise BackendError(f"no route to model {request.model!r} at {request.endpoint!r}")
        return await self._client.send(request, target)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _target(route: Route, environ: Mapping[str, str]) -> Target:
    if route.api_base is None:
        raise ConfigError(f"api_base: client 'direct' needs the address of {route.model} (up to /v1)")
    return Target(route.api_base, route.limits.timeout_s, api_key(route, environ))


def _secrets(target: Target) -> list[str]:
    return [] if target.key is None else [target.key]


def _connection_failure(error: Exception, target: Target) -> Exception:
    where = f"{target.api_base} ({type(error).__name__})"
    match error:
        case aiohttp.InvalidURL():
            return BackendError(f"api_base: expected http(s)://host[:port]/v1, got {target.api_base!r}")
        case aiohttp.ClientSSLError():
            return BackendError(f"no trusted connection to {where}: check its certificate and api_base")
        case aiohttp.ConnectionTimeoutError() | aiohttp.ClientConnectorError():
            return _connection(f"cannot reach {where}", sent=False)
        case TimeoutError():
            detail = f"no reply from {target.api_base} within {target.timeout_s:g} s"
            return AttemptFailed(AttemptStatus.TIMEOUT, detail, retryable=True)
        case _:
            return _connection(f"the connection broke: {where}", sent=True)


def _connection(detail: str, *, sent: bool) -> AttemptFailed:
    if sent:
        return AttemptFailed(AttemptStatus.CONNECTION, detail, retryable=True)
    return AttemptFailed(AttemptStatus.CONNECTION, detail, retryable=True, usage=NOT_RUN)
