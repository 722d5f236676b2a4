"""Whether anything may still be sent: a run that is asked to stop sends nothing more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

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

    @asynccontextmanager
    async def passage(self) -> AsyncIterator["Passage"]:
        """A wait that the gate may end; from `Passage.depart` on only an abort may.

        Raises:
            VenireError: the reason for which the gate is closed.
        """
        self.check()
        alarm = asyncio.timeout(None)
        try:
            async with alarm:
                self._waiting.add(alarm)
                try:
                    yield Passage(self, alarm)
                finally:
                    self._waiting.discard(alarm)
                    self._departed.discard(alarm)
        except TimeoutError:
            if alarm.expired():
                self.check()
            raise

    def check(self) -> None:
        """Nothing where it is open; raises as `passage`."""
        if self._reason is not None:
            raise self._reason

    def _depart(self, alarm: asyncio.Timeout) -> None:
        self.check()
        self._waiting.discard(alarm)
        self._departed.add(alarm)


@dataclass(frozen=True, slots=True)
class Passage:
    """One attempt on its way."""

    gate: Gate
    alarm: asyncio.Timeout

    def depart(self) -> None:
        """Say that it is sent now; raises as `Gate.passage`."""
        self.gate._depart(self.alarm)


def _ring(alarms: set[asyncio.Timeout]) -> None:
    now = asyncio.get_running_loop().time()
    for alarm in alarms:
        if not alarm.expired():
            alarm.reschedule(now)
