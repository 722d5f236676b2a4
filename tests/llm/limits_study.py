"""Processes that ask for more than a provider's limits admit, on one store; counted at the provider.

    python -m tests.llm.limits_study --processes 3 --requests-per-minute 120 --requests 100
    python -m tests.llm.limits_study --processes 3 --tokens-per-minute 4000 --requests 60

Each process asks for requests of its own as fast as it may. The provider (a stub in a process of its own)
tells how many were in flight at once at most, and how many tokens it counted for requests that came within
any 60 s; the ledger's times tell how many requests any 60 s had.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path

from sqlalchemy import select
from tests.stub.asking import complete_all
from tests.stub.process import StubProcess, stub_process

from venire.llm.route import Limits
from venire.llm.store import open_engine
from venire.llm.store.schema import attempts

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Load:
    """What each process asks for, and within which limits."""

    url: str
    store: str
    requests: int
    concurrency: int
    requests_per_minute: int
    tokens_per_minute: int = 0

    @property
    def limits(self) -> Limits:
        """As each process is told."""
        return Limits(
            self.concurrency,
            self.requests_per_minute or None,
            self.tokens_per_minute or None,
            timeout_s=60.0,
        )


async def ask_all(load: Load, name: str) -> None:
    await complete_all(
        [f"Question {number} of {name}?" for number in range(load.requests)],
        url=load.url,
        store=load.store,
        run_id=name,
        limits=load.limits,
    )


def start(load: Load, name: str) -> "subprocess.Popen[str]":
    """A process that asks for everything."""
    fields = (str(value) for value in astuple(load))
    command = [sys.executable, "-m", "tests.llm.limits_study", "--child", name, *fields]
    return subprocess.Popen(command, cwd=ROOT, text=True)


def most_in_a_minute(counted: Sequence[tuple[float, int]]) -> int:
    """The most that was counted within any 60 s: when (s), how much."""
    return max((sum(n for each, n in counted if at <= each < at + 60) for at, _ in counted), default=0)


def started_at(store: str) -> list[float]:
    """When the attempts in the ledger were sent, ascending."""
    with open_engine(store).connect() as connection:
        return sorted(connection.execute(select(attempts.c.started_at)).scalars())


def study(stub: StubProcess, load: Load, processes: int) -> str:
    """A sentence about the processes' run."""
    began = time.monotonic()
    children = [start(load, f"run-{number}") for number in range(processes)]
    assert [child.wait() for child in children] == [0] * processes
    times = started_at(load.store)
    tokens = stub.tokens()
    longest = max((b - a for a, b in pairwise(times)), default=0.0)
    requests = most_in_a_minute([(at, 1) for at in times])
    return (
        f"{processes} processes, {len(times)} calls in {time.monotonic() - began:.1f} s: at most "
        f"{stub.stats()['max_in_flight']} in flight (limit {load.concurrency}), at most "
        f"{requests} in any 60 s (limit {load.requests_per_minute or 'none'}), of "
        f"{sum(n for _, n in tokens)} tokens at most {most_in_a_minute(tokens)} in any 60 s (limit "
        f"{load.tokens_per_minute or 'none'}), longest pause {longest:.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--requests", type=int, default=100, help="of each process")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--requests-per-minute", type=int, default=0, help="0: no limit")
    parser.add_argument("--tokens-per-minute", type=int, default=0, help="0: no limit")
    parser.add_argument("--store", help="a URL; by default an SQLite file")
    parser.add_argument("--child", nargs=7, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        name, url, store, *numbers = options.child
        asyncio.run(ask_all(Load(url, store, *map(int, numbers)), name))
        return
    with tempfile.TemporaryDirectory() as folder, stub_process("--delay", "0.05") as stub:
        store = options.store or f"sqlite:///{Path(folder) / 'calls.db'}"
        per_minute = options.requests_per_minute, options.tokens_per_minute
        load = Load(stub.url, store, options.requests, options.concurrency, *per_minute)
        print(study(stub, load, options.processes))


if __name__ == "__main__":
    main()
