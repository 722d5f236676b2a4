"""Replies as JSON text and back."""

import json
from collections.abc import Mapping
from typing import TypedDict

import orjson

from venire.llm.store.entries import StoredReply
from venire.records import Attempt, AttemptStatus, BackendKind, FinishReason, Usage


def dump_reply(reply: StoredReply) -> str:
    """`reply` as JSON; NUL and lone surrogates, which databases refuse, are in escaped form."""
    fields = {
        "text": reply.text,
        "finish": reply.finish,
        "model": reply.model,
        "fingerprint": reply.fingerprint,
        "logprobs": reply.logprobs,
        "price": reply.price,
        "attempts": reply.attempts,
    }
    try:
        return orjson.dumps(fields).decode()
    except TypeError:  # orjson refuses lone surrogates; escape what it refuses
        plain = orjson.loads(orjson.dumps({**fields, "text": "", "logprobs": None}))
        return json.dumps({**plain, "text": reply.text, "logprobs": reply.logprobs})


def load_reply(text: str, kind: str) -> StoredReply:
    """The reply that `dump_reply` wrote, but for its price."""
    fields = json.loads(text) if "\\ud" in text else orjson.loads(text)
    logprobs = fields["logprobs"]
    return StoredReply(
        text=fields["text"],
        finish=FinishReason(fields["finish"]),
        model=fields["model"],
        kind=BackendKind(kind),
        attempts=tuple(_attempt(each) for each in fields["attempts"]),
        fingerprint=fields["fingerprint"],
        logprobs=None if logprobs is None else tuple(_finite_or_minus_inf(each) for each in logprobs),
    )


class _Usage(TypedDict):
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None


class _Attempt(TypedDict):
    status: str
    started_at: float
    latency_s: float
    usage: _Usage
    cost_usd: float | None
    detail: str


def _attempt(fields: _Attempt) -> Attempt:
    return Attempt(
        AttemptStatus(fields["status"]),
        fields["started_at"],
        fields["latency_s"],
        Usage(**fields["usage"]),
        fields["cost_usd"],
        fields["detail"],
    )


def _finite_or_minus_inf(position: Mapping[str, float | None]) -> dict[str, float]:
    # JSON has no infinity: orjson writes the log of probability 0 as null.
    return {token: float("-inf") if value is None else value for token, value in position.items()}
