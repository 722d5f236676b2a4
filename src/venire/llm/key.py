"""The content address of a request: what makes two calls the same call."""

import hashlib
import json

import orjson

from venire.records import Request

_VERSION = b"venire.request.v1\n"


def canonical(request: Request) -> str:
    """What the key covers, as JSON with sorted names and without spaces.

    That is model, endpoint, messages, sampling parameters, schema, logprobs and replicate; not
    stage, role and subject, which say who asks and why, not what is asked.
    """
    covered = {
        "endpoint": request.endpoint,
        "logprobs": request.logprobs,
        "max_tokens": request.max_tokens,
        "messages": [[message.role, message.content] for message in request.messages],
        "model": request.model,
        "replicate": request.replicate,
        "sampling_seed": request.sampling_seed,
        "schema": request.schema,
        "temperature": _as_float(request.temperature),
        "top_p": _as_float(request.top_p),
    }
    try:
        return orjson.dumps(covered).decode()
    except TypeError:  # a lone surrogate somewhere in a text: only the escaped form can carry it
        return json.dumps(covered, separators=(",", ":"))


def request_key(request: Request) -> str:
    """SHA-256 (hex) of `canonical(request)` under a version prefix."""
    return key_of(canonical(request))


def key_of(asked: str) -> str:
    """`request_key` of the request that `canonical` wrote as `asked`."""
    return hashlib.sha256(_VERSION + asked.encode()).hexdigest()


def _as_float(value: float | None) -> float | None:
    # A configuration may say 0 where another says 0.0: one request, one key.
    return None if value is None else float(value)
