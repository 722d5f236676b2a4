"""Many writers on one call store at once: what they pay together, and how fast.

    python -m benchmarks.writers                               16 processes on an SQLite file
    python -m benchmarks.writers --store postgresql+psycopg://postgres@127.0.0.1:5432/calls

Each process asks for all of its own requests and for those that it shares with the others, 8 at once, through
the whole call path; a stub in a process of its own answers after 50 ms. A shared request must be paid once.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.scale.sweeps import ledger_of
from tests.stub.asking import complete_all
from tests.stub.process import stub_process

from venire.llm.route import Limits
from venire.llm.settings import LLMSettings

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Load:
    """What each writer asks for: requests of its own, and those that all ask for."""

    url: str
    store: str
    own: int
    shared: int
    concurrency: int
    openings: int = 1


async def ask_all(load: Load, name: str) -> None:
    """Of `load.openings` writers of this process, each with an opening of the store of its own."""
    await asyncio.gather(*[ask(load, f"{name}/{number}") for number in range(load.openings)])


async def ask(load: Load, name: str) -> None:
    own = [f"Question {n} of {name}?" for n in range(load.own)]
    await complete_all(
        own + [f"Question {n}?" for n in range(load.shared)],
        url=load.url,
        store=load.store,
        run_id=name,
        limits=Limits(concurrency=load.concurrency, timeout_s=60.0),
        # Each process has its own places here: what is measured is the store.
        settings=LLMSettings(shared_limits=False),
    )


def start(load: Load, name: str) -> "subprocess.Popen[str]":
    fields: Sequence[object] = (load.url, load.store, load.own, load.shared, load.concurrency, load.openings)
    command = [sys.executable, "-m", "benchmarks.writers", "--child", name, *map(str, fields)]
    return subprocess.Popen(command, cwd=ROOT, text=True)


def measure(load: Load, processes: int) -> str:
    """A sentence about the run of all writers, `load.openings` in each process.

    Raises:
        AssertionError: a process failed, or a request was paid twice or not at all.
    """
    began = time.monotonic()
    children = [start(load, f"writer-{number}") for number in range(processes)]
    assert [child.wait() for child in children] == [0] * processes
    took_s = time.monotonic() - began
    writers = processes * load.openings
    wanted = writers * load.own + load.shared
    ledger = ledger_of(load.store)
    assert (ledger.attempts, ledger.keys, ledger.replies, ledger.in_flight) == (wanted, wanted, wanted, 0)
    kind = load.store.partition(":")[0]
    return (
        f"{kind}: {writers} writers, {load.own} requests of each and {load.shared} of all: "
        f"{wanted} distinct requests, {ledger.attempts} paid, {took_s:.1f} s with the processes' starts"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--own", type=int, default=200)
    parser.add_argument("--shared", type=int, default=200)
    parser.add_argument("--store", help="a URL; by default an SQLite file")
    parser.add_argument("--child", nargs=7, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        name, url, store, *numbers = options.child
        asyncio.run(ask_all(Load(url, store, *map(int, numbers)), name))
        return
    with tempfile.TemporaryDirectory() as folder, stub_process("--delay", "0.05") as stub:
        store = options.store or f"sqlite:///{Path(folder) / 'calls.db'}"
        print(measure(Load(stub.url, store, options.own, options.shared, 8), options.processes))


if __name__ == "__main__":
    main()
