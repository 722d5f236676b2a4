"""Whether anything may still be sent: a run that is asked to stop sends nothing more."""

import asyncio
from types import TracebackType

from venire.errors import VenireError


class Gate:
    """What every attempt passes before it is sent.

    Closed, it turns away who has not been sent yet, however long they would have waited (for a slot, a
    minute's limit, another process, the next retry); what is in flight arrives. Aborted, it breaks off
    what is in flight, too.
    """

    def __init__(self) -> None:
        self._reason: VenireError | None = None
        self._waiting: set[asyncio.Timeout] = set()
        self._departed: set[asyncio.Timeout] = set()

    @property
    def in_flight(self) -> int:
        """How many have been sent and have not arrived."""
        return len(self._departed)

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is sent."""
        return self._reason is not None

    def close(self, reason: VenireError) -> None:
        """Send nothing more; who waits, and who comes later, gets `reason`. The first reason counts."""
        self._reason = self._reason or reason
        _ring(self._waiting)

    def abort(self, reason: VenireError) -> None:
        """Close it, and break off what is in flight; `reason` counts from now on."""
        self._reason = reason
        _ring(self._waiting | self._departed)

    def passage(self) -> "Passage":
        """A wait (`async with`) that the gate may end; from `Passage.depart` on only an abort may."""
        return Passage(self)

    def check(self) -> None:
        """Nothing where it is open.

        Raises:
            VenireError: the reason for which it is closed.
        """
        if self._reason is not None:
            raise self._reason

    def _enter(self, alarm: asyncio.Timeout) -> None:
        self._waiting.add(alarm)

    def _depart(self, alarm: asyncio.Timeout) -> None:
        self.check()
        self._waiting.discard(alarm)
        self._departed.add(alarm)

    def _leave(self, alarm: asyncio.Timeout) -> None:
        self._waiting.discard(alarm)
        self._departed.discard(alarm)


class Passage:
    """One attempt on its way; entering and leaving raise as `Gate.check`.

    A class and no generator: every call passes here, and it is twice as fast.
    """

    __slots__ = ("_alarm", "_gate")

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._alarm = asyncio.timeout(None)

    async def __aenter__(self) -> "Passage":
        self._gate.check()
        await self._alarm.__aenter__()
        self._gate._enter(self._alarm)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate._leave(self._alarm)
        try:
            await self._alarm.__aexit__(kind, error, trace)
        except TimeoutError:
            self._gate.check()
            raise
        if isinstance(error, TimeoutError) and self._alarm.expired():
            self._gate.check()

    def depart(self) -> None:
        """Say that it is sent now; raises as `Gate.check`."""
        self._gate._depart(self._alarm)


def _ring(alarms: set[asyncio.Timeout]) -> None:
    now = asyncio.get_running_loop().time()
    for alarm in alarms:
        if not alarm.expired():
            alarm.reschedule(now)
