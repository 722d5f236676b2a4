"""What a provider lets us do at once and in a minute, shared by all its routes in this process.

Limits hold per process: a sweep on n processes divides them by n in its configuration.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from venire.llm.clock import Clock
from venire.llm.route import Limits, Route
from venire.records import Usage

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


class Slot:
    """One admitted attempt: what it took of the minute's requests and tokens."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Sequence[tuple[Window, _Entry, bool]]) -> None:
        self._entries = entries

    def used(self, usage: Usage) -> None:
        """Replace the reserved tokens by what the attempt really used, where that is known."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return
        tokens = usage.input_tokens + usage.output_tokens
        for window, entry, counts_tokens in self._entries:
            if counts_tokens:
                window.correct(entry, tokens)

    def unused(self) -> None:
        """Nothing was sent: give everything back."""
        for window, entry, _ in self._entries:
            window.correct(entry, 0)


class Limiter:
    """Admits attempts at one provider."""

    def __init__(self, limits: Limits, clock: Clock, shared: asyncio.Semaphore | None = None) -> None:
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._shared = shared
        self._requests = Window(limits.requests_per_minute, clock) if limits.requests_per_minute else None
        self._tokens = Window(limits.tokens_per_minute, clock) if limits.tokens_per_minute else None

    def slot(self, tokens: int) -> "Admission":
        """A place in flight (`async with`) for an attempt that takes at most `tokens`."""
        return Admission(self, tokens)

    async def _admit(self, tokens: int) -> Slot:
        await self._slots.acquire()
        held = [self._slots]
        try:
            if self._shared is not None:
                await self._shared.acquire()
                held.append(self._shared)
            entries: list[tuple[Window, _Entry, bool]] = []
            if self._requests is not None:
                entries.append((self._requests, await self._requests.take(1), False))
            if self._tokens is not None:
                entries.append((self._tokens, await self._tokens.take(tokens), True))
        except BaseException:  # cancelled while it waited
            for each in held:
                each.release()
            raise
        return Slot(entries)

    def _release(self) -> None:
        self._slots.release()
        if self._shared is not None:
            self._shared.release()


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


def limiters(routes: Sequence[Route], clock: Clock, concurrency: int | None = None) -> dict[str, Limiter]:
    """One limiter a provider. Where its routes disagree, the strictest number of each counts.

    `concurrency` bounds what is in flight over all of them.
    """
    shared = None if concurrency is None else asyncio.Semaphore(concurrency)
    by_provider: dict[str, list[Limits]] = {}
    for route in routes:
        by_provider.setdefault(route.provider, []).append(route.limits)
    return {name: Limiter(strictest(limits), clock, shared) for name, limits in by_provider.items()}


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
