"""A provider's limits held over all processes on one store: this process's share, and how it asks for more.

Slots are leased, requests and tokens of a minute are handed out in portions (`store/allotting.py`); a call
takes from what is here, and waits only where that is used up. One task a run asks for all providers at once.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from venire.llm.clock import Clock
from venire.llm.route import Limits
from venire.llm.store.allotting import REQUESTS, TOKENS, USABLE_S, Allotment, Grant, Need, Wish

Ask = Callable[[Wish], Awaitable[Allotment]]

_RENEW_S = 1.0  # how often the store is asked while there is nothing to wait for
_LOOK_AGAIN_S = 0.25  # and while something waits that it did not grant
_GAP_S = 0.02  # least time between two askings


class SharedSlots:
    """Places in flight that this process may fill: `share` of them, moved by the other processes' needs."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.share = 0
        self.fair = 0
        self.in_use = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._wake = wake

    @property
    def wanted(self) -> int:
        """How many could be filled now."""
        return self.in_use + sum(not each.done() for each in self._waiting)

    async def acquire(self) -> None:
        """Wait for a place, first come, first served, and take it."""
        if self.in_use < self._room and not self._waiting:
            self.in_use += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if self.share < self.fair or not self.share:
            self._wake()
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()  # it had been given the place
            raise

    @property
    def _room(self) -> int:
        return min(self.share, self.fair)

    def release(self) -> None:
        """Leave a place."""
        self.in_use -= 1
        self.let_in()

    def let_in(self) -> None:
        """Fill free places with those that wait."""
        while self._waiting and (self._waiting[0].done() or self.in_use < self._room):
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_use += 1
                turn.set_result(None)

    def give_back(self) -> int:
        """Come down to the fair share, as far as places are free; the share that stays."""
        self.share = max(self.in_use, min(self.share, self.fair))
        return self.share

    def fail(self, error: Exception) -> None:
        """Nobody gets a place any more."""
        _fail([*self._waiting], error)
        self._waiting.clear()


@dataclass(slots=True)
class _Portion:
    """What is left of a grant, and until when (monotonic) it may be used."""

    number: int
    left: int
    usable_until: float


@dataclass(slots=True)
class Taken:
    """What an attempt took: of which grants how much."""

    parts: list[tuple[int, int]]

    @property
    def amount(self) -> int:
        """In all."""
        return sum(amount for _, amount in self.parts)


class SharedWindow:
    """Portions of one minute's limit that are this process's own."""

    def __init__(self, limit: int, clock: Clock, wake: Callable[[], None]) -> None:
        self._limit = limit
        self._clock = clock
        self._wake = wake
        self._portions: deque[_Portion] = deque()
        self._waiting: deque[tuple[int, asyncio.Future[Taken]]] = deque()
        self._lately = 0  # taken since the last asking
        self.corrections: dict[int, int] = {}

    async def take(self, amount: int) -> Taken:
        """Wait until `amount` is there, and take it. More than the limit counts as the limit."""
        amount = min(amount, self._limit)
        if not self._waiting and self._left() >= amount:
            return self._draw(amount)
        turn: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        self._waiting.append((amount, turn))
        self._wake()
        try:
            return await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.correct(turn.result(), 0)
            raise

    def correct(self, taken: Taken, amount: int) -> None:
        """What was taken was really `amount`; the difference is told at the next asking."""
        change = amount - taken.amount
        for place, (number, part) in enumerate(taken.parts):
            moved = max(change, -part) if change < 0 else change
            self._change(number, moved)
            taken.parts[place] = (number, part + moved)
            change -= moved

    def need(self) -> Need:
        """What to ask for: what waits, and about what was taken since the last asking."""
        left = self._left()
        waiting = [amount for amount, turn in self._waiting if not turn.done()]
        ahead, self._lately = 2 * self._lately, 0
        wanted = max(0, sum(waiting) + ahead - left)
        return Need(self._limit, wanted, max(0, waiting[0] - left) if waiting else 0)

    def receive(self, grant: Grant | None, asked_at: float) -> None:
        """Use `grant`, and serve who waits."""
        if grant is not None:
            self._portions.append(_Portion(grant.number, grant.amount, asked_at + USABLE_S))
        while self._waiting:
            amount, turn = self._waiting[0]
            if not turn.done():
                if self._left() < amount:
                    return
                turn.set_result(self._draw(amount))
            self._waiting.popleft()

    @property
    def waits(self) -> bool:
        """Whether anybody does."""
        return any(not turn.done() for _, turn in self._waiting)

    def give_back(self) -> None:
        """Keep nothing for later."""
        while self._portions:
            portion = self._portions.popleft()
            self._change(portion.number, -portion.left)

    def fail(self, error: Exception) -> None:
        """Nobody gets anything any more."""
        _fail([turn for _, turn in self._waiting], error)
        self._waiting.clear()

    def _left(self) -> int:
        now = self._clock.monotonic()
        while self._portions and self._portions[0].usable_until <= now:
            portion = self._portions.popleft()
            self._change(portion.number, -portion.left)
        return sum(portion.left for portion in self._portions)

    def _draw(self, amount: int) -> Taken:
        self._lately += amount
        parts = []
        while amount:
            portion = self._portions[0]
            part = min(amount, portion.left)
            portion.left -= part
            amount -= part
            parts.append((portion.number, part))
            if not portion.left:
                self._portions.popleft()
        return Taken(parts)

    def _change(self, number: int, change: int) -> None:
        if change:
            self.corrections[number] = self.corrections.get(number, 0) + change


def _fail(turns: Sequence[asyncio.Future[None]] | Sequence[asyncio.Future[Taken]], error: Exception) -> None:
    for turn in turns:
        if not turn.done():
            turn.set_exception(error)


@dataclass(slots=True)
class Share:
    """What of one provider's limits is this process's own; it may not have a minute's limit."""

    provider: str
    limits: Limits
    slots: SharedSlots
    requests: SharedWindow | None = None
    tokens: SharedWindow | None = None
    asked_at: float = 0.0
    is_member: bool = False

    @property
    def windows(self) -> Mapping[str, SharedWindow]:
        """By kind, those that there are."""
        both = {REQUESTS: self.requests, TOKENS: self.tokens}
        return {kind: window for kind, window in both.items() if window is not None}

    def wish(self, now: float) -> Wish:
        """What to say to the store; `now`: monotonic."""
        self.asked_at = now
        held, wanted = self.slots.give_back(), min(self.slots.wanted, self.limits.concurrency)
        corrections: dict[int, int] = {}
        minute = {kind: window.need() for kind, window in self.windows.items()}
        if not wanted:  # nothing is under way: leave, and come back when there is
            self.slots.share = held = 0
            minute = {}
            for window in self.windows.values():
                window.give_back()
        for window in self.windows.values():
            corrections |= window.corrections
            window.corrections = {}
        self.is_member = wanted > 0
        return Wish(self.provider, self.limits.concurrency, held, wanted, minute, corrections)

    def leave(self) -> Wish:
        """What to say at the end: nothing is held any more."""
        self.slots.in_use = 0
        return self.wish(0.0)

    def receive(self, allotment: Allotment) -> None:
        """Take what was allotted, and let in who waits."""
        if not self.is_member:
            return
        self.slots.share += allotment.more
        self.slots.fair = allotment.fair
        for kind, window in self.windows.items():
            window.receive(allotment.minute.get(kind), self.asked_at)
        self.slots.let_in()

    @property
    def waits(self) -> bool:
        """Whether something waits that the next asking may bring, here or where too much is held here."""
        slots = self.slots
        short = slots.wanted > slots.share < slots.fair
        return short or slots.share > slots.fair or any(window.waits for window in self.windows.values())

    @property
    def is_idle(self) -> bool:
        """Whether the store holds nothing of this process, and none is needed."""
        return not (self.is_member or self.slots.wanted or any(w.corrections for w in self.windows.values()))

    def fail(self, error: Exception) -> None:
        """Whoever waits gets `error`."""
        self.slots.fail(error)
        for window in self.windows.values():
            window.fail(error)


class Sharing:
    """Asks the store for every provider's share, as long as there is something to share.

    Must be made inside of a running loop.
    """

    def __init__(self, ask: Ask, clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._shares: list[Share] = []
        self._woken = asyncio.Event()
        self._asking: asyncio.Task[None] | None = None
        self._failure: Exception | None = None

    def of(self, provider: str, limits: Limits) -> Share:
        """A share of the limits of `provider`; one each."""
        share = Share(
            provider,
            limits,
            SharedSlots(self._wake),
            self._window(limits.requests_per_minute),
            self._window(limits.tokens_per_minute),
        )
        self._shares.append(share)
        return share

    def _window(self, limit: int | None) -> SharedWindow | None:
        return None if limit is None else SharedWindow(limit, self._clock, self._wake)

    async def aclose(self) -> None:
        """Leave: what is held is given back, at the latest when the store is closed."""
        if self._asking is None:
            return
        self._asking.cancel()
        await asyncio.gather(self._asking, return_exceptions=True)
        for share in self._shares:
            if share.is_member and self._failure is None:
                self._ask(share.leave())

    def _wake(self) -> None:
        if self._failure is not None:
            for share in self._shares:
                share.fail(self._failure)
        elif self._asking is None:
            self._asking = asyncio.create_task(self._keep_asking())
        self._woken.set()

    async def _keep_asking(self) -> None:
        try:
            while True:
                self._woken.clear()
                await self._ask_once()
                await self._pause()
        except Exception as error:  # not swallowed: whoever waits for a place gets it
            self._failure = error
            for share in self._shares:
                share.fail(error)

    async def _ask_once(self) -> None:
        asked = [share for share in self._shares if not share.is_idle]
        now = self._clock.monotonic()
        answers = await asyncio.gather(*[self._ask(share.wish(now)) for share in asked])
        for share, answer in zip(asked, answers, strict=True):
            share.receive(answer)

    async def _pause(self) -> None:
        """Until the next asking is due: soon where somebody came, later where somebody waits in vain."""
        if any(share.waits for share in self._shares):
            await asyncio.sleep(_LOOK_AGAIN_S)
        elif all(share.is_idle for share in self._shares):
            await self._woken.wait()
        else:
            await asyncio.sleep(_GAP_S)
            try:
                await asyncio.wait_for(self._woken.wait(), _RENEW_S)
            except TimeoutError:
                return
