"""Names of runs."""

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime

NAME_LENGTH = 48


def new_run_id(now: float, name: str, entropy: Callable[[int], bytes] = os.urandom) -> str:
    """`20261130-084257-123-<name>-<8 hex digits>`: sorts by time (UTC), unique across processes.

    Args:
        now: seconds since the epoch.
        name: the run's name; what a file name should not have becomes `-`.
        entropy: n random bytes; the operating system's unless a test says otherwise.
    """
    moment = datetime.fromtimestamp(now, UTC)
    stamp = f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03d}"
    stem = re.sub(r"[^A-Za-z0-9_.=]+", "-", name).strip("-.")[:NAME_LENGTH].rstrip("-.")
    return f"{stamp}-{stem or 'run'}-{entropy(4).hex()}"
