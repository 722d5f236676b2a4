"""SIGKILL at random points, again and again, counted at a provider in another process.

    python -m benchmarks.kill_study               20 kills of a run of 800 calls, about 2 minutes
    python -m benchmarks.kill_study --kills 3     fewer

A run over 400 made-up pairs is started, killed after a random number of requests (and some random
milliseconds), and started again, until it has been killed often enough; then it may finish. Held
against a run that nobody disturbed: the same predictions and the same summary but for accounting;
every call that the store had committed is asked no second time; what is asked twice was in flight at
a kill, at most `concurrency` requests a kill. The table is Markdown; the exit status is 1 where one
of these does not hold. The small version of it is in tests/integration/test_resume.py.
"""

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.integration.command import Ran, Venire, but_accounting, reconcile, wait_until
from tests.stub.process import StubProcess, stub_process

from venire.runs import read_outcomes

PAIRS, CONCURRENCY = 400, 8
# Of live calls these tell what happened on the way, not what came out.
ON_THE_WAY = ("latency_s/", "calls/attempts", "tokens/unknown_calls", "cost_usd/unpriced_calls")


@dataclass(frozen=True)
class Kill:
    """State right after a kill: at the provider, and in the store."""

    requests: int
    answered: int
    committed: int
    in_flight: int


def write_pairs(path: Path) -> None:
    """Made-up pairs: the stub's verdict is a function of the text."""
    rows = [
        {"id": f"p{i}", "prompt": f"Question {i}?", "response_1": f"One {i}.", "response_2": f"Two {i}."}
        | {"label": f"response_{1 + i % 2}"}
        for i in range(PAIRS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def overrides(table: Path, url: str) -> Sequence[str]:
    judge = ("judge=openai_compatible", "judge.model=stub", f"judge.api_base={url}")
    return (
        *("dataset=table", f"dataset.path={table}", "method=pairwise", *judge),
        f"judge.limits.concurrency={CONCURRENCY}",
    )


def kill_once(venire: Venire, stub: StubProcess, run: Sequence[str], rng: random.Random, most: int) -> Kill:
    """Start the run, kill it at a random point, look at what is left."""
    wanted = requests(stub) + rng.randint(0, most)
    process = venire.start(*run)
    wait_until(lambda: requests(stub) >= wanted or process.poll() is not None)
    time.sleep(rng.uniform(0.0, 0.1))
    process.kill()
    process.communicate(timeout=30)
    stats = stub.stats()
    committed, in_flight = (
        rows(venire.home / "calls.db", "replies"),
        rows(venire.home / "calls.db", "intents"),
    )
    return Kill(number(stats, "requests"), number(stats, "ok"), committed, in_flight)


def rows(database: Path, table: str) -> int:
    if not database.exists():
        return 0
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return int(connection.execute(f"select count(*) from {table}").fetchone()[0])
    except sqlite3.OperationalError:  # killed before the tables were made
        return 0
    finally:
        connection.close()


def requests(stub: StubProcess) -> int:
    return number(stub.stats(), "requests")


def number(stats: Mapping[str, object], name: str) -> int:
    return int(str(stats[name]))


def predictions(ran: Ran) -> dict[str, object]:
    return {row.id: row.prediction for row in read_outcomes(ran.folder)}


def result(ran: Ran) -> dict[str, float | None]:
    return {name: value for name, value in but_accounting(ran).items() if not name.startswith(ON_THE_WAY)}


def study(kills: int, seed: int, scratch: Path) -> bool:
    """Print the study; whether everything held."""
    rng = random.Random(seed)
    table = scratch / "pairs.jsonl"
    write_pairs(table)
    with stub_process("--delay", "0.02", "--jitter", "0.06") as stub:
        run = overrides(table, stub.url)
        undisturbed = Venire(scratch / "undisturbed" / "home").finished(*run)
        stub.reset()
        venire = Venire(scratch / "killed" / "home")
        most = 2 * PAIRS // max(1, kills)
        killed = [kill_once(venire, stub, run, rng, most) for _ in range(kills)]
        last = venire.finished(*run)
        (line,) = reconcile(venire)
        repeated = requests(stub) - number(stub.stats(), "distinct")
    print(f"{2 * PAIRS} calls, concurrency {CONCURRENCY}, {kills} kills, seed {seed}\n")
    print("| kill | requests at the provider | answered | committed in the store | in flight |")
    print("| --- | --- | --- | --- | --- |")
    for index, kill in enumerate(killed, 1):
        print(f"| {index} | {kill.requests} | {kill.answered} | {kill.committed} | {kill.in_flight} |")
    uncertain = last.number("calls/uncertain")
    checks = (
        (predictions(last) == predictions(undisturbed), "the predictions are those of the undisturbed run"),
        (result(last) == result(undisturbed), "the summary is, but for accounting"),
        (
            repeated <= line.uncertain,
            f"requests asked twice ({repeated}) <= uncertain in the ledger ({line.uncertain})",
        ),
        (
            max(kill.in_flight for kill in killed) <= CONCURRENCY,
            f"never more than {CONCURRENCY} in flight at a kill",
        ),
        (
            line.attempts == 2 * PAIRS + line.uncertain,
            f"attempts in the ledger ({line.attempts}) = calls + uncertain",
        ),
        (uncertain <= CONCURRENCY, f"the last run's calls/uncertain ({uncertain:.0f}) <= {CONCURRENCY}"),
    )
    print()
    for holds, sentence in checks:
        print(f"- {'yes' if holds else 'NO'}: {sentence}")
    return all(holds for holds, _ in checks)


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a run at random points and count what it repeats.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return 0 if study(arguments.kills, arguments.seed, Path(scratch)) else 1


if __name__ == "__main__":
    sys.exit(main())
