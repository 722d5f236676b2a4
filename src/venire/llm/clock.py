"""Time as a value, so that tests of waiting never wait."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """The three ways in which the call path meets time.

    Args:
        wall: seconds since the epoch; for records, leases and days.
        monotonic: seconds since some point; for latencies and rate windows.
        sleep: waits so many seconds.
    """

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
