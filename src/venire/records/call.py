"""Model calls: what is asked, what comes back, and what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from venire.records.judgment import Order

Number = TypeVar("Number", int, float)

# The stage of calls that asked for vectors; they are counted apart from completions.
EMBEDDING_STAGE = "embedding"


class BackendKind(StrEnum):
    """Where replies come from. Never mixed in one table without saying so."""

    LIVE = "live"
    RECORDED = "recorded"
    LOCAL = "local"
    SIMULATED = "simulated"
    NONE = "none"  # no model is called: a baseline such as length


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What a request is about. Only the simulated backend looks at it.

    It is no part of the key, and no prompt and no provider ever sees it. `dimension` names what a
    response is rated on, where a request asks about one alone (G-Eval's scores).
    """

    instance_id: str
    order: Order | None = None
    response_index: int | None = None
    claim_index: int | None = None
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One logical completion request.

    The key (`venire.llm.key.request_key`) covers `model`, `endpoint`, `messages`, the sampling
    parameters, `schema` and `replicate`; it does not cover `stage`, `role` and `subject`.

    Args:
        model: the model string as the client takes it (`openai/gpt-4o-2024-08-06`).
        messages: the rendered conversation.
        endpoint: names the place that answers: an API base, `recorded:<data fingerprint>`,
            `simulated:<parameter hash>`; empty for a provider's own default address.
        temperature, top_p, max_tokens, sampling_seed: sent where not None.
        schema: JSON schema of the reply as canonical JSON text, where the judge asks for one.
        logprobs: number of top log probabilities to ask for; None asks for none.
        replicate: k replicates of one request are k calls.
        stage: what the method is doing (`judge`, `focal`, ...); calls are counted by it.
        role: who is asked (the judge's name).
        subject: see `Subject`.
    """

    model: str
    messages: tuple[Message, ...]
    endpoint: str = ""
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    sampling_seed: int | None = None
    schema: str | None = None
    logprobs: int | None = None
    replicate: int = 0
    stage: str = "judge"
    role: str = ""
    subject: Subject | None = None


class FinishReason(StrEnum):
    """How a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"  # content filter, or the provider's refusal field
    ERROR = "error"  # no reply after all retries; never stored as a reply


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one attempt; None where the provider did not say.

    `input_tokens` includes `cached_tokens`, `output_tokens` includes `reasoning_tokens`.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether both the input and the output are counted."""
        return self.input_tokens is not None and self.output_tokens is not None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, on a date, from a source.

    Args:
        input_per_mtok: of what is sent.
        output_per_mtok: of what is answered.
        cached_per_mtok: of what is sent and found in the provider's cache; None: as of all input.
        as_of: when that was the price.
        source: who says so.
    """

    input_per_mtok: float
    output_per_mtok: float
    cached_per_mtok: float | None = None
    as_of: str = ""
    source: str = ""

    def cost_usd(self, usage: Usage) -> float | None:
        """US dollars of one attempt; None where its tokens are unknown."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        rate = self.input_per_mtok if self.cached_per_mtok is None else self.cached_per_mtok
        fresh = usage.input_tokens - cached
        total = fresh * self.input_per_mtok + cached * rate + usage.output_tokens * self.output_per_mtok
        return total / 1e6


class AttemptStatus(StrEnum):
    """How one HTTP request (or its equivalent) ended."""

    OK = "ok"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    MALFORMED = "malformed"  # an HTTP 200 whose body is no completion
    REFUSED = "refused"
    REJECTED = "rejected"  # a final error: key, model, request
    UNCERTAIN = "uncertain"  # in flight when its process died: perhaps billed, answer lost


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a call. All attempts are billed as far as the provider bills them.

    `cost_usd` is None where price or usage is unknown; `started_at` is seconds since the epoch.
    """

    status: AttemptStatus
    started_at: float
    latency_s: float
    usage: Usage = Usage()
    cost_usd: float | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """The reply to one request, with every attempt that led to it.

    Args:
        text: the reply's text; empty where `finish` is ERROR (and possibly where REFUSED).
        finish: how it ended.
        key: the request's content address.
        model: the model that the provider says it used.
        fingerprint: the provider's system fingerprint, where given.
        attempts: in time order; of a replayed reply, those of the process that paid for it.
        replayed: whether the call store answered.
        kind: the backend that made it.
        logprobs: per output token a mapping of candidate token to log probability, where asked for.
        error: what went wrong, where `finish` is ERROR.
        uncertain: whether an earlier try was in flight when its process died (perhaps billed twice).
    """

    text: str
    finish: FinishReason
    key: str
    model: str
    attempts: tuple[Attempt, ...]
    replayed: bool
    kind: BackendKind
    fingerprint: str | None = None
    logprobs: tuple[Mapping[str, float], ...] | None = None
    error: str = ""
    uncertain: bool = False

    def as_call(self, request: Request) -> "Call":
        """The record of this completion for `Outcome.calls`."""
        return Call(
            key=self.key,
            stage=request.stage,
            role=request.role,
            model_asked=request.model,
            model_returned=self.model,
            fingerprint=self.fingerprint,
            kind=self.kind,
            usage=_sum_usage(self.attempts),
            usage_complete=all(a.usage.is_known for a in self.attempts),
            cost_usd=_sum_known([a.cost_usd for a in self.attempts]),
            cost_complete=all(a.cost_usd is not None for a in self.attempts),
            latency_s=self.attempts[-1].latency_s if self.attempts else 0.0,
            attempts=len(self.attempts),
            replayed=self.replayed,
            finish=self.finish,
            uncertain=self.uncertain,
            instance_id=request.subject.instance_id if request.subject else "",
        )


@dataclass(frozen=True, slots=True)
class Call:
    """One call as a method's record carries it: who was asked what for, and what it took.

    `usage` and `cost_usd` sum what is known of the attempts, None where nothing is; where
    `usage_complete` or `cost_complete` is false they are lower bounds. `latency_s` is that of the
    last attempt, as it was when it was paid. `uncertain`: see `Completion`. `texts` is the number of
    texts that a call of stage `embedding` asked for, 0 of completions. `unusable` says why the reply cannot
    be used (`unparsed`, `truncated`, `refused`, `provider_error`), empty where it can; `lost` that nothing
    further was asked: the question stays without an answer.
    """

    key: str
    stage: str
    role: str
    model_asked: str
    model_returned: str
    fingerprint: str | None
    kind: BackendKind
    usage: Usage
    usage_complete: bool
    cost_usd: float | None
    cost_complete: bool
    latency_s: float
    attempts: int
    replayed: bool
    finish: FinishReason
    uncertain: bool = False
    instance_id: str = ""
    texts: int = 0
    unusable: str = ""
    lost: bool = False

    @property
    def is_embedding(self) -> bool:
        """Whether it asked for vectors, not for a completion."""
        return self.stage == EMBEDDING_STAGE


def _sum_known(values: Sequence[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None


def _sum_usage(attempts: Sequence[Attempt]) -> Usage:
    usages = [attempt.usage for attempt in attempts]
    return Usage(
        input_tokens=_sum_known([u.input_tokens for u in usages]),
        output_tokens=_sum_known([u.output_tokens for u in usages]),
        cached_tokens=_sum_known([u.cached_tokens for u in usages]),
        reasoning_tokens=_sum_known([u.reasoning_tokens for u in usages]),
    )


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors of shape (n texts, dimensions), float32, and the calls that made them.

    Rows have unit length; that of a text without any token is zero: similar to nothing, nor to itself.
    """

    vectors: npt.NDArray[np.float32]
    calls: Sequence[Call] = ()
