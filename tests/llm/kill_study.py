"""Runs killed at random moments and started again, counted at a stub server in another process.

    python -m tests.llm.kill_study --kills 20

Each round starts a child that asks for all requests at a fixed concurrency, and kills it (SIGKILL)
after a random time; the last one may finish. Afterwards, of what the stub saw:
- a reply that was committed when its process died is never asked for again;
- each request was sent at most once more than its uncertain attempts say;
- no run reports more uncertain calls than its concurrency.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from tests.stub.asking import complete_all, requests_for
from tests.stub.process import StubProcess, stub_process
from tests.stub.replies import digest

from venire.llm.key import request_key
from venire.llm.ledger import open_intents
from venire.llm.openai_wire import chat_body
from venire.llm.route import Limits
from venire.llm.store import open_engine
from venire.llm.store.schema import attempts, replies
from venire.records import Request

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Load:
    """What every child asks for."""

    url: str
    store: str
    requests: int
    concurrency: int


@dataclass(frozen=True)
class Study:
    """What came of it. `resent` are requests that were sent although their reply was committed."""

    kills: int
    uncertain_by_run: Sequence[int]
    sent: int
    resent: int
    unexplained: int
    left_in_flight: int
    texts: Sequence[str]


def requests_of(load: Load) -> list[Request]:
    return requests_for(_texts(load), load.url)


def _texts(load: Load) -> list[str]:
    return [f"Question {number}?" for number in range(load.requests)]


async def ask_all(load: Load, run_id: str) -> tuple[list[str], int]:
    """The replies' texts, and how many calls were uncertain."""
    limits = Limits(concurrency=load.concurrency, timeout_s=20.0, retries=2, backoff_s=0.05)
    done, uncertain = await complete_all(
        _texts(load), url=load.url, store=load.store, run_id=run_id, limits=limits
    )
    return [completion.text for completion in done], uncertain


def start(load: Load, run_id: str) -> subprocess.Popen[str]:
    """A child that asks for everything and prints what it got as JSON."""
    fields = [load.url, load.store, str(load.requests), str(load.concurrency)]
    command = [sys.executable, "-m", "tests.llm.kill_study", "--child", run_id, *fields]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def study(stub: StubProcess, load: Load, kills: int, seed: int, longest_s: float) -> Study:
    """Kill `kills` children, each at most `longest_s` after its first new request; let the next finish."""
    rng = random.Random(seed)
    sent_when_committed: dict[str, int] = {}
    for number in range(kills):
        _kill_one(stub, start(load, f"run-{number}"), rng.uniform(0.0, longest_s))
        counts = _sent(stub, load)
        for key in _committed(load.store):
            sent_when_committed.setdefault(key, counts[key])
    child = start(load, f"run-{kills}")
    out, _ = child.communicate(timeout=120)
    texts, _ = json.loads(out)
    counts = _sent(stub, load)
    keys = [request_key(request) for request in requests_of(load)]
    uncertain = _uncertain(load.store)
    return Study(
        kills=kills,
        uncertain_by_run=list(_uncertain_by_run(load.store)),
        sent=sum(counts.values()),
        resent=sum(counts[key] - before for key, before in sent_when_committed.items()),
        unexplained=sum(max(0, counts[key] - 1 - uncertain[key]) for key in keys),
        left_in_flight=len(open_intents(open_engine(load.store))),
        texts=texts,
    )


def _kill_one(stub: StubProcess, child: subprocess.Popen[str], after_s: float) -> None:
    before = stub.stats()["requests"]
    while child.poll() is None and stub.stats()["requests"] == before:
        try:
            child.wait(0.01)
        except subprocess.TimeoutExpired:
            continue
    try:
        child.wait(after_s)  # it may finish first, where little is left to ask
    except subprocess.TimeoutExpired:
        child.kill()
    child.communicate()


def _sent(stub: StubProcess, load: Load) -> Counter[str]:
    """How often the stub was asked each request, by our key."""
    by_body = stub.stats()["by_body"]
    assert isinstance(by_body, dict)
    known = {digest(chat_body(request)): request_key(request) for request in requests_of(load)}
    return Counter({known[body]: int(count) for body, count in by_body.items()})


def _committed(store: str) -> list[str]:
    with open_engine(store).connect() as connection:
        return list(connection.execute(select(replies.c.key)).scalars())


def _uncertain(store: str) -> Counter[str]:
    with open_engine(store).connect() as connection:
        return Counter(
            connection.execute(select(attempts.c.key).where(attempts.c.status == "uncertain")).scalars()
        )


def _uncertain_by_run(store: str) -> list[int]:
    """Uncertain attempts by the run that left them behind."""
    query = select(attempts.c.run_id).where(attempts.c.status == "uncertain")
    with open_engine(store).connect() as connection:
        return list(Counter(connection.execute(query).scalars()).values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        run_id, url, store, requests, concurrency = options.child
        load = Load(url, store, int(requests), int(concurrency))
        print(json.dumps(asyncio.run(ask_all(load, run_id))))
        return
    with tempfile.TemporaryDirectory() as folder, stub_process("--delay", "0.02", "--jitter", "0.03") as stub:
        store = f"sqlite:///{Path(folder) / 'calls.db'}"
        load = Load(stub.url, store, options.requests, options.concurrency)
        longest_s = options.requests * 0.05 / options.concurrency / options.kills * 2
        found = study(stub, load, options.kills, options.seed, longest_s)
    print(
        f"{found.kills} kills, {load.requests} requests, concurrency {load.concurrency}: {found.sent} sent; "
        f"{found.resent} sent again after their commit; {sum(found.uncertain_by_run)} uncertain, at most "
        f"{max(found.uncertain_by_run, default=0)} of one run; {found.unexplained} sent more often than "
        f"the ledger explains; {found.left_in_flight} intents left"
    )
    within = max(found.uncertain_by_run, default=0) <= load.concurrency
    if found.resent or found.unexplained or found.left_in_flight or not within:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
