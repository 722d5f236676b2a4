"""Table 3's sweep under every launcher, and a sweep whose database is stopped for 20 s.

    python -m benchmarks.launched                     8 cells of 8 pairs, simulated judges
    python -m benchmarks.launched --cells seed=0,1,2  other overrides of the sweep

Each sweep has a PostgreSQL database of its own in a server that this script starts with the
installed programs. What is compared: every prediction, every number but accounting, graphs and rubrics; and
what the ledger says was paid.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import create_engine, text
from tests.scale.cluster import Cluster, cluster
from tests.scale.sweeps import LAUNCHERS, Sweep, is_there, ledger_of, until
from tests.stub.process import stub_process

CELLS = ("experiment=juryflow/table3", "backend=simulated", "dataset=sample", "dataset.limit=8", "seed=0")


def database(server: Cluster, name: str) -> str:
    """The URL of a new database."""
    engine = create_engine(server.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return f"{server.url.rpartition('/')[0]}/{name}"


def compare(server: Cluster, folder: Path, cells: Sequence[str]) -> str:
    """A Markdown table: one row a launcher."""
    lines = [
        "| launcher | jobs | as basic | distinct requests | paid | seconds |",
        "|---|---|---|---|---|---|",
    ]
    first: list[object] = []
    for launcher in filter(is_there, LAUNCHERS):
        sweep = Sweep(folder / launcher, database(server, launcher), cells, launcher)
        began = time.monotonic()
        status, said = sweep.run()
        assert status == 0, said
        took_s = time.monotonic() - began
        found = list(sweep.found().values())
        first = first or found
        paid = ledger_of(sweep.store)
        same = "bit for bit" if found == first else "NO"
        lines.append(f"| {launcher} | {len(found)} | {same} | {paid.keys} | {paid.attempts} | {took_s:.0f} |")
    return "\n".join(lines)


def outage(server: Cluster, folder: Path, away_s: float) -> str:
    """A sentence about a sweep of two jobs in two processes, whose database is stopped for `away_s`."""
    with stub_process("--delay", "0.2") as stub:
        judge = ("judge=openai_compatible", "judge.model=stub", f"judge.api_base={stub.url}")
        cells = ("dataset=sample", "method=pairwise", *judge, "judge.limits.concurrency=4", "seed=0,1")
        launcher = "venire_joblib" if is_there("venire_joblib") else "basic"
        sweep = Sweep(folder / "outage", database(server, "outage"), (*cells, "replicate=per_seed"), launcher)
        process = sweep.start()
        until(lambda: int(str(stub.stats()["ok"])) >= 20)
        server.stop()
        time.sleep(away_s)
        server.start()
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, out + err
        ledger, sent = ledger_of(sweep.store), stub.stats()["requests"]
    ended = ", ".join(map(str, sweep.statuses()))
    return (
        f"{launcher}, {len(sweep.jobs())} jobs, database stopped for {away_s:g} s: {ended}; "
        f"{ledger.keys} distinct requests, {ledger.attempts} in the ledger, {sent} at the provider, "
        f"{ledger.in_flight} left in flight"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", nargs="*", default=(), help="further overrides of the sweep")
    parser.add_argument("--away-s", type=float, default=20.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, cluster() as server:
        print(compare(server, Path(name), (*CELLS, *options.cells)))
        print()
        print(outage(server, Path(name), options.away_s))


if __name__ == "__main__":
    main()
