"""An OpenAI-compatible server that fails on demand, on a free loopback port.

In a process of its own: `python -m tests.stub.server --port 0` prints its address
(`http://127.0.0.1:PORT/v1`) as its first line and serves until its standard input closes with
`--until-stdin-closes`, or until it is stopped. In the running loop: `async with serving() as stub`.

`GET /stats` tells what it saw, `GET /tokens` when it counted how many tokens, `POST /plan` sets a new fault
plan, `POST /reset` clears the counts.
"""

import argparse
import asyncio
import json
import socket
import struct
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from time import time

from aiohttp import web
from tests.stub.faults import Fault, FaultPlan, distort
from tests.stub.replies import RULES, Body, Rule, digest, draw, verdict

MODEL = "stub-model-2026-01-01"


@dataclass
class Stats:
    """What the stub saw. `ok_by_body` counts complete replies (the ones that a provider bills).

    `tokens` has of each of these when its request came (s since the epoch) and what its usage says.
    """

    requests: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    by_fault: Counter[str] = field(default_factory=Counter)
    by_body: Counter[str] = field(default_factory=Counter)
    ok_by_body: Counter[str] = field(default_factory=Counter)
    tokens: list[tuple[float, int]] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """As served at /stats."""
        return {
            "requests": self.requests,
            "distinct": len(self.by_body),
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "ok": sum(self.ok_by_body.values()),
            "by_fault": dict(self.by_fault),
            "by_body": dict(self.by_body),
            "ok_by_body": dict(self.ok_by_body),
        }


@dataclass
class Stub:
    """The server's state: settings, and what it counted.

    Args:
        plan: which requests fail, and how.
        rule: the judge's verdict as a function of the request's body.
        delay_s: before every reply; `jitter_s` adds up to so much more, by body.
        retry_after_s: what RATE_LIMIT_WAIT and RATE_LIMIT_DATE ask for.
        hang_s: how long a hanging request hangs (longer than any client waits).
    """

    plan: FaultPlan = field(default_factory=FaultPlan)
    rule: Rule = verdict
    delay_s: float = 0.0
    jitter_s: float = 0.0
    retry_after_s: float = 1.0
    hang_s: float = 600.0
    stats: Stats = field(default_factory=Stats)
    bodies: list[Body] = field(default_factory=list)
    authorizations: set[str] = field(default_factory=set)
    keep_bodies: bool = True
    url: str = ""

    def app(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/stats", self._stats)
        app.router.add_get("/tokens", self._tokens)
        app.router.add_post("/plan", self._set_plan)
        app.router.add_post("/reset", self._reset)
        return app

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response(self.stats.as_json())

    async def _tokens(self, request: web.Request) -> web.Response:
        return web.json_response({"tokens": self.stats.tokens})

    async def _reset(self, request: web.Request) -> web.Response:
        self.stats, self.bodies = Stats(in_flight=self.stats.in_flight), []
        return web.json_response({})

    async def _set_plan(self, request: web.Request) -> web.Response:
        self.plan = plan_from_json(await request.json())
        return web.json_response({})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        stats = self.stats
        stats.requests += 1
        stats.in_flight += 1
        stats.max_in_flight = max(stats.max_in_flight, stats.in_flight)
        try:
            return await self._answer(request, stats)
        finally:
            stats.in_flight -= 1

    async def _answer(self, request: web.Request, stats: Stats) -> web.StreamResponse:
        came_at = time()
        text = await request.text()
        body: Body = json.loads(text)
        if self.keep_bodies:
            self.bodies.append(body)
            self.authorizations.add(request.headers.get("Authorization", ""))
        key = digest(body)
        fault = self.plan.fault(key, stats.by_body[key], text)
        stats.by_body[key] += 1
        stats.by_fault[fault.value] += 1
        wait = self.delay_s + self.jitter_s * draw(key, "delay")
        if wait:
            await asyncio.sleep(wait)
        if fault is Fault.HANG:
            await asyncio.sleep(self.hang_s)
        if fault is Fault.RESET:
            _reset_connection(request)
            return web.Response()
        failure = self._failure(fault, request)
        if failure is not None:
            return failure
        stats.ok_by_body[key] += 1
        reply = completion(body, self.rule(body), fault)
        if "usage" in reply:
            stats.tokens.append((came_at, int(str(reply["usage"]["total_tokens"]))))
        return web.json_response(reply)

    def _failure(self, fault: Fault, request: web.Request) -> web.Response | None:
        match fault:
            case Fault.RATE_LIMIT:
                return _error(429, "Rate limit reached", "rate_limit_exceeded")
            case Fault.RATE_LIMIT_WAIT:
                headers = {"Retry-After": f"{self.retry_after_s:g}"}
                return _error(429, "Rate limit reached", "rate_limit_exceeded", headers)
            case Fault.RATE_LIMIT_DATE:
                now = time()
                date = formatdate(now + self.retry_after_s, usegmt=True)
                headers = {"Retry-After": date, "Date": formatdate(now, usegmt=True)}
                return _error(429, "Rate limit reached", "rate_limit_exceeded", headers)
            case Fault.QUOTA:
                return _error(429, "You exceeded your current quota", "insufficient_quota")
            case Fault.SERVER_ERROR:
                return _error(500, "The server had an error", "server_error")
            case Fault.UNAVAILABLE:
                headers = {"Retry-After": f"{self.retry_after_s:g}"}
                return _error(503, "Overloaded", "overloaded", headers)
            case Fault.UNAUTHORIZED:
                key = request.headers.get("Authorization", "").removeprefix("Bearer ")
                return _error(401, f"Incorrect API key provided: {key}", "invalid_api_key")
            case Fault.FORBIDDEN:
                return _error(403, "This key may not use this model", "permission_denied")
            case Fault.UNKNOWN_MODEL:
                return _error(404, "The model `x` does not exist", "model_not_found")
            case Fault.REDIRECT:
                return web.Response(status=307, headers={"Location": "/elsewhere"})
            case Fault.CONTEXT_LENGTH:
                message = "This model's maximum context length is 8192 tokens, you asked for 9000"
                return _error(400, message, "context_length_exceeded")
            case Fault.BAD_REQUEST:
                return _error(400, "Unsupported parameter: 'top_p'", "unsupported_parameter")
            case Fault.FILTERED_PROMPT:
                return _error(400, "The prompt was filtered", "content_filter")
            case Fault.MALFORMED_BODY:
                return web.Response(text='{"choices": [{"message": {"con', content_type="application/json")
            case Fault.EMPTY_BODY:
                return web.Response(text="", content_type="application/json")
            case Fault.NO_CHOICES:
                return web.json_response({"id": "x", "object": "chat.completion", "choices": []})
            case Fault.ERROR_IN_200:
                return web.json_response({"error": {"code": 502, "message": "Upstream failed"}})
            case _:
                return None


def completion(body: Body, answer: Mapping[str, object], fault: Fault) -> dict[str, object]:
    """The JSON of a completion; tokens are a quarter of the characters."""
    text = distort(answer, fault)
    message: dict[str, object] = {"role": "assistant", "content": text}
    finish = "stop"
    if fault is Fault.REFUSAL:
        message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    if fault is Fault.NULL_TEXT:
        message = {"role": "assistant", "content": None}
    if fault is Fault.FILTERED_REPLY:
        message, finish = {"role": "assistant", "content": ""}, "content_filter"
    if fault is Fault.TRUNCATED:
        finish = "length"
    choice: dict[str, object] = {"index": 0, "message": message, "finish_reason": finish}
    if body.get("logprobs"):
        choice["logprobs"] = _logprobs(text, int(str(body.get("top_logprobs") or 0)))
    reply: dict[str, object] = {
        "id": f"chatcmpl-{digest(body)}",
        "object": "chat.completion",
        "created": 1767225600,
        "model": MODEL,
        "system_fingerprint": "fp_stub",
        "choices": [choice],
    }
    if fault is not Fault.MISSING_USAGE:
        reply["usage"] = _usage(body, text)
    return reply


def _usage(body: Body, text: str) -> dict[str, object]:
    prompt = max(1, len(json.dumps(body.get("messages"))) // 4)
    output = max(1, len(text) // 4)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": prompt // 4},
        "completion_tokens_details": {"reasoning_tokens": output // 8},
    }


def _logprobs(text: str, top: int) -> dict[str, object]:
    candidates = [{"token": f"alt{i}", "logprob": -2.0 - i} for i in range(top - 1)]
    tokens = [
        {"token": word, "logprob": -0.25, "top_logprobs": [{"token": word, "logprob": -0.25}, *candidates]}
        for word in text.split()
    ]
    return {"content": tokens}


def _error(status: int, message: str, code: str, headers: Mapping[str, str] | None = None) -> web.Response:
    body = {"error": {"message": message, "type": "stub_error", "code": code}}
    return web.json_response(body, status=status, headers=headers)


def _reset_connection(request: web.Request) -> None:
    transport = request.transport
    if transport is None:
        return
    raw = transport.get_extra_info("socket")
    if raw is not None:  # linger 0: the peer sees a reset, not an orderly end
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def plan_from_json(value: Mapping[str, object]) -> FaultPlan:
    """`{"script": [...], "probability": {...}, "seed": 0, "matching": ""}` as a plan."""
    script, probability = value.get("script") or [], value.get("probability") or {}
    assert isinstance(script, list)
    assert isinstance(probability, Mapping)
    return FaultPlan(
        script=tuple(Fault(name) for name in script),
        probability={Fault(name): float(chance) for name, chance in probability.items()},
        seed=int(str(value.get("seed") or 0)),
        matching=str(value.get("matching") or ""),
    )


@asynccontextmanager
async def serving(stub: Stub | None = None, *, port: int = 0) -> AsyncIterator[Stub]:
    """The stub, served in the running loop; `stub.url` is its address up to /v1."""
    stub = stub or Stub()
    # A client that gave up no longer counts as in flight.
    runner = web.AppRunner(stub.app(), handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    stub.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield stub
    finally:
        await runner.cleanup()


async def _serve(stub: Stub, port: int, until_stdin_closes: bool) -> None:
    async with serving(stub, port=port):
        print(stub.url, flush=True)
        if until_stdin_closes:
            await asyncio.to_thread(sys.stdin.buffer.read)
        else:
            await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A fault-injecting OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every reply")
    parser.add_argument("--jitter", type=float, default=0.0, help="up to so many seconds more")
    parser.add_argument("--retry-after", type=float, default=1.0)
    parser.add_argument("--rule", choices=sorted(RULES), default="verdict")
    parser.add_argument("--plan", type=json.loads, default={}, help="fault plan as JSON")
    parser.add_argument("--keep-bodies", action="store_true")
    parser.add_argument("--until-stdin-closes", action="store_true")
    args = parser.parse_args()
    stub = Stub(
        plan=plan_from_json(args.plan),
        rule=RULES[args.rule],
        delay_s=args.delay,
        jitter_s=args.jitter,
        retry_after_s=args.retry_after,
        keep_bodies=args.keep_bodies,
    )
    try:
        asyncio.run(_serve(stub, args.port, args.until_stdin_closes))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
