"""Ctrl-C, SIGTERM, a launched sweep's signs: the first lets what is in flight arrive, the second does not."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from venire.errors import VenireError
from venire.launched import Signs
from venire.runner import Interrupted, Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# a cluster's, too: submitit has Slurm send it before a job's time is over, or its place is taken
IN_LAUNCHED_JOBS = (*SIGNALS, signal.SIGUSR2)
_LOOK_S = 0.25


class Halting(Protocol):
    """What sends a run's requests, and can be kept from it."""

    @property
    def in_flight(self) -> int:
        """How many requests have been sent and are not answered yet."""
        ...

    def halt(self, reason: VenireError) -> None:
        """Send nothing more; what is in flight arrives."""
        ...

    def abort(self, reason: VenireError) -> None:
        """Send nothing more, and break off what is in flight."""
        ...


class Stopper:
    """What happens to a run that is asked to stop; `say` tells the user what is waited for.

    After the first time, no call is sent and no person is asked (`stop_asking`): an instance that needs
    either is not judged. The second breaks off what is in flight: perhaps billed, left to the next run as
    uncertain.
    """

    def __init__(
        self,
        stop: Stop,
        llm: Halting,
        say: Callable[[str], None],
        *,
        stop_asking: Callable[[VenireError], None] = lambda _: None,
    ) -> None:
        self._stop = stop
        self._llm = llm
        self._say = say
        self._stop_asking = stop_asking

    def halt(self, name: str) -> None:
        """Asked by `name` (a signal's, or who else asks)."""
        in_flight = self._llm.in_flight
        interrupted = Interrupted(f"interrupted ({name})")
        self._stop.set(interrupted)
        self._llm.halt(interrupted)
        self._stop_asking(interrupted)
        self._say(f"{name}: no further call is sent{_waiting(in_flight)}")

    def abort(self, name: str) -> None:
        """Asked again."""
        in_flight = self._llm.in_flight
        aborted = Interrupted(_aborted(name, in_flight))
        self._stop.override(aborted)
        self._llm.abort(aborted)
        self._say(f"{name}: breaking off {in_flight} calls in flight")

    def on_signals(self, signals: Sequence[signal.Signals] = SIGNALS) -> None:
        """From now on each of `signals` stops the run. The third ends the process."""
        loop = asyncio.get_running_loop()

        def asked(name: str) -> None:
            if self._stop.interrupted:
                for number in signals:
                    loop.remove_signal_handler(number)
                self.abort(name)
            else:
                self.halt(name)

        # Only the main thread of a POSIX process can be asked; elsewhere a launcher stops its jobs itself.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            for number in signals:
                loop.add_signal_handler(number, asked, number.name)

    async def on_signs(self, signs: Signs) -> None:
        """Stop the run when the process that launched it says so. Ends by being cancelled."""
        while not signs.stop_asked:
            await asyncio.sleep(_LOOK_S)
        if not self._stop.interrupted:
            self.halt("stop of the sweep")
        while not signs.break_off_asked:
            await asyncio.sleep(_LOOK_S)
        self.abort("stop of the sweep")


def _waiting(in_flight: int) -> str:
    if not in_flight:
        return ", and none is in flight"
    return f"; waiting for {in_flight} in flight, which are kept (once more breaks them off)"


def _aborted(name: str, in_flight: int) -> str:
    if not in_flight:
        return f"interrupted twice ({name})"
    return (
        f"interrupted twice ({name}): {in_flight} calls in flight were broken off, perhaps billed; "
        "the next run repeats them and reports them as uncertain"
    )
