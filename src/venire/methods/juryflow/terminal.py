"""Where a human reads and types: lines of standard input, waited for such that the wait can end early."""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

_AT_ONCE = 4096  # bytes


class TypedLines:
    """Lines of standard input as they come.

    No thread waits for them: one that does could be ended by nothing but a line.
    """

    def __init__(self) -> None:
        self._kept = b""

    async def __call__(self) -> str:
        """The next line, without its end.

        Raises:
            EOFError: there is none any more.
        """
        while b"\n" not in self._kept:
            more = await _more()
            if not more and not self._kept:
                raise EOFError
            self._kept += more or b"\n"
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode(errors="replace")


async def _more() -> bytes:
    """What standard input has next; empty at its end."""
    try:
        source = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):  # closed, or nothing of the system's
        return b""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(source, ready.set)
    except PermissionError:  # a plain file, which is never waited for
        return os.read(source, _AT_ONCE)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(source)
    return os.read(source, _AT_ONCE)


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a question is shown on, and answered at. `clock` is in seconds; `now` tells the date."""

    show: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)
    read: Callable[[], Awaitable[str]] = field(default_factory=TypedLines)
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
