"""What goes into the store and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from venire.llm.budget import Scope, Spending
from venire.records import Attempt, BackendKind, Completion, FinishReason, Price


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply as the store keeps it, under its request's key."""

    text: str
    finish: FinishReason
    model: str
    kind: BackendKind
    attempts: tuple[Attempt, ...]
    fingerprint: str | None = None
    logprobs: tuple[Mapping[str, float], ...] | None = None
    price: Price | None = None

    def completion(self, key: str, *, replayed: bool, uncertain: bool = False) -> Completion:
        """The completion that it is to a caller."""
        return Completion(
            text=self.text,
            finish=self.finish,
            key=key,
            model=self.model,
            attempts=self.attempts,
            replayed=replayed,
            kind=self.kind,
            fingerprint=self.fingerprint,
            logprobs=self.logprobs,
            uncertain=uncertain,
        )


@dataclass(frozen=True, slots=True)
class Intent:
    """What is about to be sent, by whom, and the most it can take.

    `refresh` says that a stored reply is to be paid for again and replaced.
    """

    key: str
    scope: Scope
    stage: str
    role: str
    model: str
    kind: BackendKind
    started_at: float
    expires_at: float
    worst: Spending
    refresh: bool = False


@dataclass(frozen=True, slots=True)
class Claimed:
    """The intent is durable: send. `abandoned` is the attempt of a dead owner, where there was one."""

    abandoned: Attempt | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """Another live owner is asking: look again later."""

    owner: str


@dataclass(frozen=True, slots=True)
class OverBudget:
    """The worst case does not fit; it may once what is `in_flight` has settled."""

    spent: Spending
    in_flight: bool


ClaimResult = Claimed | StoredReply | Held | OverBudget


@dataclass(frozen=True, slots=True)
class Settlement:
    """How an intent ended.

    Args:
        intent: as it was claimed.
        attempt: what was tried; None where nothing was sent.
        ends_call: False where the call will be tried again.
        abandoned: it was broken off in flight. Its intent stays, as if its owner had died: who claims the
            key next takes it over and books the attempt, which is None here.
        reply, request: the reply to keep and the request as `key.canonical` writes it, where one came.
    """

    intent: Intent
    attempt: Attempt | None
    ends_call: bool = True
    reply: StoredReply | None = None
    request: str = ""
    abandoned: bool = False
