"""What a provider lets us do at once and in a minute, shared by all its routes.

Of providers that are billed the limits hold over all processes on one store (`sharing.py`); of what runs in
this process, or where that is not wanted, they hold in this process.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from venire.llm.clock import Clock
from venire.llm.route import Limits, Route
from venire.records import BackendKind, Usage

if TYPE_CHECKING:
    from venire.llm.sharing import Share, SharedWindow, Sharing

_MINUTE_S = 60.0
_LOOK_AGAIN_S = 0.25  # a correction may make room before the window moves on


@dataclass(slots=True)
class _Entry:
    at: float
    amount: int
    in_window: bool = True


class Window:
    """At most `limit` in any 60 s: a sliding window, so no double burst over a minute's boundary."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._entries: deque[_Entry] = deque()
        self._total = 0
        self._turn = asyncio.Lock()  # first come, first served

    async def take(self, amount: int) -> _Entry:
        """Wait until `amount` fits, and take it. More than the limit counts as the limit."""
        amount = min(amount, self._limit)
        async with self._turn:
            while (wait_s := self._wait_s(amount)) > 0:
                await self._clock.sleep(min(wait_s, _LOOK_AGAIN_S))
            entry = _Entry(self._clock.monotonic(), amount)
            self._entries.append(entry)
            self._total += amount
            return entry

    def correct(self, entry: _Entry, amount: int) -> None:
        """What was taken as `entry` was really `amount`."""
        if entry.in_window:
            self._total += amount - entry.amount
            entry.amount = amount

    def _wait_s(self, amount: int) -> float:
        now = self._clock.monotonic()
        while self._entries and self._entries[0].at <= now - _MINUTE_S:
            gone = self._entries.popleft()
            gone.in_window = False
            self._total -= gone.amount
        excess = self._total + amount - self._limit
        fits_at = now
        for entry in self._entries:
            if excess <= 0:
                break
            excess -= entry.amount
            fits_at = entry.at + _MINUTE_S
        return fits_at - now


class Places(Protocol):
    """Attempts in flight at once: `asyncio.Semaphore`, or this process's share."""

    async def acquire(self) -> object:
        """Wait for a place, and take it."""
        ...

    def release(self) -> None:
        """Leave it."""
        ...


Correct = Callable[[int], None]


class Slot:
    """One admitted attempt: what it took of the minute's requests and tokens."""

    __slots__ = ("_requests", "_tokens")

    def __init__(self, requests: Correct | None, tokens: Correct | None) -> None:
        self._requests = requests
        self._tokens = tokens

    def used(self, usage: Usage) -> None:
        """Replace the reserved tokens by what the attempt really used, where that is known."""
        if self._tokens is None or usage.input_tokens is None or usage.output_tokens is None:
            return
        self._tokens(usage.input_tokens + usage.output_tokens)

    def unused(self) -> None:
        """Nothing was sent: give everything back."""
        for correct in (self._requests, self._tokens):
            if correct is not None:
                correct(0)


class Limiter:
    """Admits attempts at one provider.

    Args:
        limits: the provider's.
        clock: of the minute.
        over_all: places over all providers, beside this one's own.
        share: of this process, where the limits hold over several.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Clock,
        over_all: asyncio.Semaphore | None = None,
        share: "Share | None" = None,
    ) -> None:
        self._slots: Places = asyncio.Semaphore(limits.concurrency) if share is None else share.slots
        self._over_all = over_all
        self._requests = _minute(limits.requests_per_minute, clock, share.requests if share else None)
        self._tokens = _minute(limits.tokens_per_minute, clock, share.tokens if share else None)

    def slot(self, tokens: int) -> "Admission":
        """A place in flight (`async with`) for an attempt that takes at most `tokens`."""
        return Admission(self, tokens)

    async def _admit(self, tokens: int) -> Slot:
        await self._slots.acquire()
        held = [self._slots]
        requests: Correct | None = None
        try:
            if self._over_all is not None:
                await self._over_all.acquire()
                held.append(self._over_all)
            requests = await _taken(self._requests, 1)
            return Slot(requests, await _taken(self._tokens, tokens))
        except BaseException:  # cancelled while it waited
            if requests is not None:
                requests(0)
            for each in held:
                each.release()
            raise

    def _release(self) -> None:
        self._slots.release()
        if self._over_all is not None:
            self._over_all.release()


def _minute(limit: int | None, clock: Clock, shared: "SharedWindow | None") -> "Window | SharedWindow | None":
    if shared is not None or limit is None:
        return shared
    return Window(limit, clock)


async def _taken(minute: "Window | SharedWindow | None", amount: int) -> Correct | None:
    """How to correct what was taken; None where there is no limit."""
    if minute is None:
        return None
    return partial(minute.correct, await minute.take(amount))  # type: ignore[arg-type]  # its own entry


class Admission:
    """What `Limiter.slot` gives: a class and no generator, since every call passes here."""

    __slots__ = ("_limiter", "_tokens")

    def __init__(self, limiter: Limiter, tokens: int) -> None:
        self._limiter = limiter
        self._tokens = tokens

    async def __aenter__(self) -> Slot:
        return await self._limiter._admit(self._tokens)

    async def __aexit__(self, *_: object) -> None:
        self._limiter._release()


def limiters(
    routes: Sequence[Route],
    clock: Clock,
    concurrency: int | None = None,
    sharing: "Sharing | None" = None,
) -> dict[str, Limiter]:
    """One limiter a provider. Where its routes disagree, the strictest number of each counts.

    Args:
        routes: of all judges and embedding models.
        clock: of the minute.
        concurrency: bounds what is in flight over all of them, in this process.
        sharing: with the other processes on the store, what is sent to a provider; None for nothing.
    """
    over_all = None if concurrency is None else asyncio.Semaphore(concurrency)
    by_provider: dict[str, list[Route]] = {}
    for route in routes:
        by_provider.setdefault(route.provider, []).append(route)
    made = {}
    for name, members in by_provider.items():
        limits = strictest([route.limits for route in members])
        is_live = any(route.client.kind is BackendKind.LIVE for route in members)
        share = sharing.of(name, limits) if sharing is not None and is_live else None
        made[name] = Limiter(limits, clock, over_all, share)
    return made


def strictest(limits: Sequence[Limits]) -> Limits:
    """The smallest concurrency, requests and tokens a minute of all; the rest from the first."""
    return replace(
        limits[0],
        concurrency=min(each.concurrency for each in limits),
        requests_per_minute=_least([each.requests_per_minute for each in limits]),
        tokens_per_minute=_least([each.tokens_per_minute for each in limits]),
    )


def _least(values: Sequence[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)
