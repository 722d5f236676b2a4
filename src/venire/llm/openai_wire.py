"""The OpenAI chat-completions protocol as pure functions: a request's body, a reply's meaning.

`Request.schema` alone says how the reply is constrained: None asks for nothing, `JSON_OBJECT`
(exactly) asks for `response_format: json_object`, any other schema for a strict `json_schema`.

Source: OpenAI API reference, "Create chat completion" and "Error codes".
"""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache

import orjson

from venire.errors import BackendError
from venire.llm.protocol import AttemptFailed, Reply
from venire.records import AttemptStatus, FinishReason, Request, Usage

JSON_OBJECT = '{"type":"object"}'
NOT_RUN = Usage(0, 0)
Json = Mapping[str, object]


def chat_body(request: Request, *, max_tokens_field: str = "max_tokens") -> dict[str, object]:
    """The JSON body of a chat completion; what is None in `request` is left out."""
    body: dict[str, object] = {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
    }
    optional = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        max_tokens_field: request.max_tokens,
        "seed": request.sampling_seed,
        "response_format": response_format(request.schema),
    }
    body.update((name, value) for name, value in optional.items() if value is not None)
    if request.logprobs is not None:
        body.update(logprobs=True, top_logprobs=request.logprobs)
    return body


@lru_cache(maxsize=256)
def response_format(schema: str | None) -> Mapping[str, object] | None:
    """The `response_format` field for `Request.schema`; shared, so copy it before it may be changed."""
    if schema is None:
        return None
    if schema == JSON_OBJECT:
        return {"type": "json_object"}
    parsed = _mapping(orjson.loads(schema))
    name = re.sub(r"\W+", "_", str(parsed.get("title") or "reply"))[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": parsed}}


def read_reply(body: object, *, model: str) -> Reply:
    """What a completion's JSON says; `model` stands in where it names none.

    A null or empty text is a reply (what to make of it is the judge's business).

    Raises:
        AttemptFailed: it is no completion (MALFORMED), or the provider's error in an HTTP 200.
    """
    parsed = _mapping(body)
    choices = parsed.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    error = parsed.get("error") or choice.get("error")
    if error:
        raise _failure_in_a_reply(_mapping(error) or {"message": str(error)})
    if "message" not in choice:
        raise malformed("no choices[0].message in the body")
    message = _mapping(choice["message"])
    text, refusal = message.get("content"), message.get("refusal")
    if not isinstance(text, str | None):
        raise malformed(f"message.content: expected text, got {type(text).__name__}")
    return Reply(
        text=text or (str(refusal) if refusal else ""),
        finish=FinishReason.REFUSED if refusal else finish_reason(choice.get("finish_reason")),
        model=str(parsed.get("model") or model),
        usage=read_usage(parsed.get("usage")),
        fingerprint=_text_or_none(parsed.get("system_fingerprint")),
        logprobs=read_logprobs(choice.get("logprobs")),
    )


def finish_reason(value: object) -> FinishReason:
    """STOP unless the reply was cut or filtered."""
    match value:
        case "length" | "max_tokens":
            return FinishReason.LENGTH
        case "content_filter" | "refusal" | "safety":
            return FinishReason.REFUSED
        case _:
            return FinishReason.STOP


def read_usage(usage: object) -> Usage:
    """Token counts; None where the provider did not say."""
    parsed = _mapping(usage)
    prompt = _mapping(parsed.get("prompt_tokens_details"))
    completion = _mapping(parsed.get("completion_tokens_details"))
    return Usage(
        input_tokens=_count(parsed.get("prompt_tokens")),
        output_tokens=_count(parsed.get("completion_tokens")),
        cached_tokens=_count(prompt.get("cached_tokens")),
        reasoning_tokens=_count(completion.get("reasoning_tokens")),
    )


def read_logprobs(logprobs: object) -> tuple[dict[str, float], ...] | None:
    """Per output token the log probabilities of the candidates, the sampled one among them."""
    content = _mapping(logprobs).get("content")
    if not isinstance(content, list):
        return None
    tokens = []
    for entry in map(_mapping, content):
        top = entry.get("top_logprobs")
        candidates = [entry, *map(_mapping, top if isinstance(top, list) else [])]
        tokens.append({str(c["token"]): float(str(c["logprob"])) for c in candidates if "logprob" in c})
    return tuple(tokens)


def read_failure(status: int, headers: Mapping[str, str], text: str, now: float) -> Reply | Exception:
    """What an HTTP status other than 200 means: a refusal, a failed attempt, or the run's end.

    `text` is the body without secrets, `now` seconds since the epoch.
    """
    detail = f"HTTP {status}: {error_message(text)}"
    if status in (400, 403, 422) and _is_content_filter(text):
        return Reply("", FinishReason.REFUSED, model="", usage=NOT_RUN)
    if status == 429 and "insufficient_quota" not in text:
        wait = retry_after_s(headers, now)
        return AttemptFailed(
            AttemptStatus.RATE_LIMITED, detail, retryable=True, retry_after_s=wait, usage=NOT_RUN
        )
    if status in (401, 403):
        return BackendError(f"{detail}. The provider refused the API key: check it, and what it may use")
    if status in (402, 429):
        return BackendError(f"{detail}. The account's quota is used up: resume after topping it up")
    if 300 <= status < 400 or status in (404, 405) or _is_unknown_model(text):
        return BackendError(f"{detail}. Check the judge's model and api_base (up to and including /v1)")
    if status in (408, 409, 425):
        return AttemptFailed(AttemptStatus.TIMEOUT, detail, retryable=True)
    if 400 <= status < 500:
        reason = "the prompt is too long for the model: " if is_context_length(status, text) else ""
        return AttemptFailed(AttemptStatus.REJECTED, reason + detail, retryable=False, usage=NOT_RUN)
    wait = retry_after_s(headers, now)
    return AttemptFailed(AttemptStatus.SERVER_ERROR, detail, retryable=True, retry_after_s=wait)


def malformed(detail: str) -> AttemptFailed:
    """An HTTP 200 that is no completion: perhaps billed, worth another try."""
    return AttemptFailed(AttemptStatus.MALFORMED, detail, retryable=True)


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the provider asks to wait: `retry-after-ms`, else `Retry-After` (seconds or date).

    A date is held against the response's own `Date` where it has one, so that clocks may differ.
    None where it says nothing readable; never negative.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        if re.fullmatch(r"\d+(\.\d+)?", lower.get(name, "")):
            return float(lower[name]) * unit
    until = _timestamp(lower.get("retry-after", ""))
    if until is None:
        return None
    return max(0.0, until - (_timestamp(lower.get("date", "")) or now))


def error_message(text: str) -> str:
    """The provider's own words from an error body, at most 300 characters."""
    try:
        error = _mapping(orjson.loads(text)).get("error")
    except orjson.JSONDecodeError:
        error = None
    message = _mapping(error).get("message") or error or text
    return " ".join(str(message).split())[:300] or "(empty body)"


def is_context_length(status: int, text: str) -> bool:
    """Whether an error says that the prompt does not fit into the model's context."""
    return status == 413 or bool(_CONTEXT_LENGTH.search(text))


_CONTEXT_LENGTH = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (size|window)"
    r"|prompt is too long",
    re.IGNORECASE,
)
_CONTENT_FILTER = re.compile(
    r"content_filter|content_policy_violation|ResponsibleAIPolicyViolation|flagged by moderation",
    re.IGNORECASE,
)
_UNKNOWN_MODEL = re.compile(r"model_not_found|model `?\S+`? does not exist", re.IGNORECASE)


def _is_content_filter(text: str) -> bool:
    return bool(_CONTENT_FILTER.search(text))


def _is_unknown_model(text: str) -> bool:
    return bool(_UNKNOWN_MODEL.search(text))


def _failure_in_a_reply(error: Json) -> Exception:
    # Routers (OpenRouter) answer 200 and put the upstream's status into error.code.
    code = error.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        failure = read_failure(code, {}, orjson.dumps({"error": error}).decode(), now=0.0)
        if isinstance(failure, Exception):
            return failure
    return malformed(f"an error in an HTTP 200: {str(error.get('message', error))[:300]}")


def _timestamp(http_date: str) -> float | None:
    try:
        return parsedate_to_datetime(http_date).timestamp()
    except ValueError:
        return None


def _mapping(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
