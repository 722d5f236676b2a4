"""One attempt and its record, and how long to wait before the next: the only retry layer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import BackendError
from venire.llm.clock import Clock
from venire.llm.protocol import AttemptFailed, Backend, Reply
from venire.llm.route import Limits, Route
from venire.records import Attempt, AttemptStatus, FinishReason, Price, Request, Usage

_DETAIL_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: its record, and what it brought."""

    attempt: Attempt
    outcome: Reply | AttemptFailed | BackendError


async def try_once(
    backend: Backend, request: Request, route: Route, *, clock: Clock, secrets: Sequence[str] = ()
) -> Tried:
    """Send `request` once, for at most `route.limits.timeout_s`.

    A refusal that a backend reports as a failed attempt is a reply all the same (`REFUSED`, empty);
    a reply that a backend calls an error is a failed attempt. `secrets` never reach the record.
    """
    started_at, began = clock.wall(), clock.monotonic()
    outcome: Reply | AttemptFailed | BackendError
    try:
        async with asyncio.timeout(route.limits.timeout_s):
            outcome = await backend.send(request)
    except AttemptFailed as failed:
        outcome = failed
    except BackendError as refused:
        outcome = refused
    except TimeoutError:
        limit = f"no reply within {route.limits.timeout_s:g} s"
        outcome = AttemptFailed(AttemptStatus.TIMEOUT, limit, retryable=True)
    status, usage, detail = _judge(outcome := _normalised(outcome, request))
    cost_usd = cost_of(usage, route.price, answered=status is AttemptStatus.OK)
    latency_s = clock.monotonic() - began
    return Tried(Attempt(status, started_at, latency_s, usage, cost_usd, clean(detail, secrets)), outcome)


def cost_of(usage: Usage, price: Price | None, *, answered: bool) -> float | None:
    """US dollars of an attempt; None where nobody can say.

    What was not answered and took no token did not run the model: it cost nothing, whatever the price.
    """
    if not answered and usage == Usage(0, 0):
        return 0.0
    return None if price is None else price.cost_usd(usage)


def broken_off(started_at: float, latency_s: float) -> Attempt:
    """The record of an attempt that we broke off: perhaps billed."""
    return Attempt(AttemptStatus.UNCERTAIN, started_at, latency_s, detail="broken off in flight")


def pause_s(failed: AttemptFailed, failures: int, limits: Limits, rng: np.random.Generator) -> float | None:
    """Seconds to wait after the `failures`-th failed attempt; None to give up.

    `backoff_s * 2^(failures-1)`, at most `backoff_max_s`, of which a random half is taken off;
    `Retry-After` instead where the provider gave one, plus up to `backoff_s` so that not all
    callers come back at once.
    """
    if not failed.retryable or failures > limits.retries:
        return None
    if failed.retry_after_s is not None:
        return max(0.0, failed.retry_after_s) + float(rng.uniform(0.0, limits.backoff_s))
    longest = min(limits.backoff_max_s, limits.backoff_s * 2.0 ** (failures - 1))
    return float(rng.uniform(longest / 2, longest))


def clean(detail: str, secrets: Sequence[str]) -> str:
    """`detail` without secrets, cut, in characters that every database takes."""
    for secret in secrets:
        if secret:
            detail = detail.replace(secret, "[key]")
    plain = detail.encode("utf-8", "replace").decode().replace("\0", " ")
    return plain[:_DETAIL_CHARACTERS]


def refusal(error: BackendError, secrets: Sequence[str]) -> BackendError:
    """`error`, or where its text holds a secret, the same without."""
    text = str(error)
    held = any(secret and secret in text for secret in secrets)
    return BackendError(clean(text, secrets)) if held else error


def _normalised(
    outcome: Reply | AttemptFailed | BackendError, request: Request
) -> Reply | AttemptFailed | BackendError:
    match outcome:
        case AttemptFailed(status=AttemptStatus.REFUSED):
            return Reply("", FinishReason.REFUSED, request.model, outcome.usage)
        case Reply(finish=FinishReason.ERROR):
            detail = f"the backend calls its reply an error: {outcome.text}"
            return AttemptFailed(AttemptStatus.MALFORMED, detail, retryable=True, usage=outcome.usage)
        case _:
            return outcome


def _judge(outcome: Reply | AttemptFailed | BackendError) -> tuple[AttemptStatus, Usage, str]:
    match outcome:
        case Reply():
            refused = outcome.finish is FinishReason.REFUSED
            return (AttemptStatus.REFUSED if refused else AttemptStatus.OK), outcome.usage, ""
        case AttemptFailed():
            return outcome.status, outcome.usage, outcome.detail
        case BackendError():
            return AttemptStatus.REJECTED, Usage(0, 0), str(outcome)
