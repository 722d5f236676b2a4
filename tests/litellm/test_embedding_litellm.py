"""Live embedding models through litellm, against a server of ours."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from aiohttp import web

from venire.errors import BackendError
from venire.llm.embedding import Embedded, EmbeddingModel
from venire.llm.embedding_litellm import LiteLLMEmbeddings
from venire.llm.protocol import AttemptFailed
from venire.llm.route import Limits
from venire.records import AttemptStatus, Usage

KEY = "sk-sentinel-4f1d0c7b"
Reply = Callable[[Mapping[str, object]], web.Response]


def ordinary(body: Mapping[str, object]) -> web.Response:
    texts = body["input"]
    assert isinstance(texts, list)
    rows = [{"object": "embedding", "index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(texts)]
    usage = {"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)}
    # providers number their rows, and need not send them in order
    return web.json_response({"object": "list", "data": rows[::-1], "model": "e-1", "usage": usage})


@dataclass
class Server:
    reply: Reply = ordinary
    bodies: list[Mapping[str, object]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.Response:
        body = json.loads(await request.text())
        self.bodies.append(body)
        self.authorizations.append(request.headers.get("Authorization", ""))
        return self.reply(body)


@asynccontextmanager
async def serving(server: Server) -> AsyncIterator[Server]:
    app = web.Application()
    app.router.add_post("/v1/embeddings", server.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


def asking(server: Server, act: Callable[[LiteLLMEmbeddings], Awaitable[Embedded]]) -> Embedded:
    async def scenario() -> Embedded:
        async with serving(server):
            model = EmbeddingModel(
                "e", "openai/e", 2, api_base=server.url, api_key_env="MY_KEY", limits=Limits(timeout_s=5)
            )
            assert model.route is not None
            backend = LiteLLMEmbeddings(model, model.route, {"MY_KEY": KEY})
            try:
                return await act(backend)
            finally:
                await backend.aclose()

    return asyncio.run(scenario())


def test_one_request_brings_the_vectors_of_all_texts_in_their_order() -> None:
    server = Server()
    made = asking(server, lambda backend: backend.embed(["a", "bbb", "lone \ud800"]))
    assert made.vectors.tolist() == [[1, 1], [3, 1], [6, 1]]
    assert made.vectors.dtype == np.float32
    assert (made.model, made.usage) == ("e-1", Usage(21, 0))
    (body,) = server.bodies
    assert (body["model"], body["input"]) == ("e", ["a", "bbb", "lone ?"])
    assert server.authorizations == [f"Bearer {KEY}"]


def failing(status: int, headers: Mapping[str, str] | None = None) -> Reply:
    error = {"error": {"message": f"no, {KEY}", "type": "t", "code": "c"}}
    return lambda _: web.json_response(error, status=status, headers=headers)


@pytest.mark.parametrize(
    ("status", "expected", "retryable"),
    [
        (429, AttemptStatus.RATE_LIMITED, True),
        (500, AttemptStatus.SERVER_ERROR, True),
        (400, AttemptStatus.REJECTED, False),
    ],
)
def test_a_failed_request_is_one_failed_attempt(
    status: int, expected: AttemptStatus, retryable: bool
) -> None:
    server = Server(failing(status))
    with pytest.raises(AttemptFailed) as caught:
        asking(server, lambda backend: backend.embed(["a"]))
    assert (caught.value.status, caught.value.retryable) == (expected, retryable)
    assert KEY not in str(caught.value)
    assert len(server.bodies) == 1


def test_retry_after_is_the_providers_own_word() -> None:
    with pytest.raises(AttemptFailed) as caught:
        asking(Server(failing(429, {"Retry-After": "3"})), lambda backend: backend.embed(["a"]))
    assert caught.value.retry_after_s == 3.0


def test_a_bad_key_stops_the_run_and_is_not_shown() -> None:
    with pytest.raises(BackendError) as caught:
        asking(Server(failing(401)), lambda backend: backend.embed(["a"]))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
    ],
    ids=["none", "numbered from 1", "unequal"],
)
def test_a_body_without_vectors_is_malformed(rows: list[object]) -> None:
    def reply(_: Mapping[str, object]) -> web.Response:
        return web.json_response({"object": "list", "data": rows, "model": "e-1"})

    with pytest.raises(AttemptFailed) as caught:
        asking(Server(reply), lambda backend: backend.embed(["a"]))
    assert (caught.value.status, caught.value.retryable) == (AttemptStatus.MALFORMED, True)


def test_missing_usage_is_unknown() -> None:
    def reply(_: Mapping[str, object]) -> web.Response:
        rows = [{"index": 0, "embedding": [1.0, 2.0]}]
        return web.json_response({"object": "list", "data": rows, "model": "e-1"})

    assert asking(Server(reply), lambda backend: backend.embed(["a"])).usage == Usage()
