"""Ctrl-C and SIGTERM: the first lets what is in flight arrive, the second breaks it off."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from venire.errors import VenireError
from venire.runner import Interrupted, Stop

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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


def stop_on_signals(
    stop: Stop,
    llm: Halting,
    say: Callable[[str], None],
    *,
    stop_asking: Callable[[VenireError], None] = lambda _: None,
) -> None:
    """From now on a signal stops the run; `say` tells the user what is waited for.

    After the first, no call is sent and no person is asked (`stop_asking`): an instance that needs either is
    not judged. The second breaks off what is in flight: perhaps billed, left to the next run as uncertain.
    The third ends the process.
    """
    loop = asyncio.get_running_loop()

    def asked(name: str) -> None:
        in_flight = llm.in_flight
        if stop.interrupted:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
            aborted = Interrupted(_aborted(name, in_flight))
            stop.override(aborted)
            llm.abort(aborted)
            say(f"{name}: breaking off {in_flight} calls in flight")
            return
        interrupted = Interrupted(f"interrupted ({name})")
        stop.set(interrupted)
        llm.halt(interrupted)
        stop_asking(interrupted)
        say(f"{name}: no further call is sent{_waiting(in_flight)}")

    # Only the main thread of a POSIX process can be asked; elsewhere a launcher stops its jobs itself.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        for number in SIGNALS:
            loop.add_signal_handler(number, asked, number.name)


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
