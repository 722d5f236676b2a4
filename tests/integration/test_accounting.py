"""What a run says that it took against the ledger and the provider, whatever ended it."""

import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.integration.command import Ran, Venire, finish, interrupt, stub_judge, wait_until
from tests.stub.process import StubProcess, stub_process

CONCURRENCY = 4
PRICED = (
    f"judge.limits.concurrency={CONCURRENCY}",
    "judge.limits.timeout_s=120",
    "judge.limits.backoff_s=0.02",
    "judge.max_tokens=200",
    "judge.price={_target_: venire.records.Price, input_per_mtok: 10, output_per_mtok: 10, source: test}",
)


@pytest.fixture(scope="module")
def server() -> Iterator[StubProcess]:
    """A stub that takes 0.2 s a reply."""
    with stub_process("--delay", "0.2") as process:
        yield process


@pytest.fixture
def provider(server: StubProcess) -> StubProcess:
    """The same, without faults and with clean counts."""
    server.set_plan()
    server.reset()
    return server


def requests(provider: StubProcess) -> int:
    return int(str(provider.stats()["requests"]))


@dataclass(frozen=True)
class Booked:
    """The ledger of one run: attempts, those answered, known sums, and intents that it left behind."""

    attempts: int
    answered: int
    cost_usd: float
    unknown: int
    input_tokens: int
    output_tokens: int
    left: int


def booked(venire: Venire, run_id: object) -> Booked:
    query = """
        SELECT count(*), coalesce(sum(status IN ('ok', 'refused')), 0), coalesce(sum(cost_usd), 0.0),
               coalesce(sum(cost_usd IS NULL), 0), coalesce(sum(input_tokens), 0),
               coalesce(sum(output_tokens), 0),
               (SELECT count(*) FROM intents WHERE intents.run_id = :run)
        FROM attempts WHERE run_id = :run"""
    with sqlite3.connect(venire.home / "calls.db") as connection:
        return Booked(*connection.execute(query, {"run": run_id}).fetchone())


def assert_books_agree(venire: Venire, ran: Ran) -> Booked:
    """Every attempt of the run is in its numbers, those of instances that it did not finish included."""
    books = booked(venire, ran.record["run_id"])
    assert ran.number("calls/paid") == books.answered
    assert ran.number("calls/attempts") == books.attempts + books.left
    assert ran.number("calls/replayed") == ran.number("calls/uncertain") == 0
    assert (ran.summary["cost_usd/billed"] or 0.0) == pytest.approx(books.cost_usd, abs=1e-12)
    assert (ran.summary["tokens/input"] or 0.0) == books.input_tokens
    assert (ran.summary["tokens/output"] or 0.0) == books.output_tokens
    notes = ran.record["notes"]
    assert isinstance(notes, dict)
    if books.unknown or books.left:
        assert ran.number("cost_usd/unpriced_calls") > 0
        assert ran.summary["cost_usd/billed"] is None or "lower bound" in notes["cost_usd/billed"]
    else:
        assert ran.number("cost_usd/unpriced_calls") == 0
        assert "cost_usd/billed" not in notes
    return books


@pytest.mark.parametrize("budget", ["budget.calls=9", "budget.usd=0.1", "budget.tokens=9000"])
def test_a_budget(venire: Venire, provider: StubProcess, budget: str) -> None:
    ran = venire.run(*stub_judge(provider.url, *PRICED, "concurrency=8", budget))
    assert ran.status == 3
    books = assert_books_agree(venire, ran)
    assert requests(provider) == books.attempts > 0
    assert ran.number("calls/unfinished") > 0
    assert f"spent {books.cost_usd:.6f} USD" in ran.err
    assert "run the same command again for as much once more, or raise the budget" in ran.err
    assert "Run the same command again:" not in ran.err


def test_a_refused_key_among_retries(venire: Venire, provider: StubProcess) -> None:
    provider.set_plan(probability={"unauthorized": 0.1, "unavailable": 0.3, "rate_limit": 0.2}, seed=3)
    ran = venire.run(*stub_judge(provider.url, *PRICED, "judge.limits.backoff_max_s=0.05"))
    assert ran.status == 3
    assert "401" in ran.err
    assert "Once that is mended, run the same command again" in ran.err
    books = assert_books_agree(venire, ran)
    assert requests(provider) == books.attempts
    assert ran.number("calls/failed") > 0


def test_requests_that_the_provider_rejects(venire: Venire, provider: StubProcess) -> None:
    provider.set_plan(probability={"bad_request": 1.0})
    ran = venire.run(*stub_judge(provider.url, *PRICED, "dataset.limit=4"))
    assert ran.status == 3
    assert_books_agree(venire, ran)
    assert (ran.number("calls/failed"), ran.number("cost_usd/billed")) == (8, 0)
    assert "no reply on 4 of 4 instances: rejected: HTTP 400" in ran.err, ran.err
    assert "Run the same command again" not in ran.err


def test_a_provider_that_is_not_there(venire: Venire) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        limits = ("judge.limits.retries=2", "judge.limits.backoff_s=0.01", "dataset.limit=2")
        ran = venire.run(*stub_judge(url, *limits))  # no price is known
    assert ran.status == 3
    assert_books_agree(venire, ran)
    assert [ran.number(f"calls/{name}") for name in ("total", "paid", "failed", "attempts")] == [4, 0, 4, 12]
    assert (ran.number("cost_usd/billed"), ran.number("cost_usd/unpriced_calls")) == (0, 0)
    assert "connection: cannot reach" in ran.err


def test_one_interrupt(venire: Venire, provider: StubProcess) -> None:
    # All instances are under way at once: only the calls can be kept from being sent.
    process = venire.start(*stub_judge(provider.url, *PRICED, "concurrency=32"))
    wait_until(lambda: requests(provider) >= 9)
    interrupt(process)
    ran = finish(process)
    assert ran.status == 3
    books = assert_books_agree(venire, ran)
    sent = requests(provider)
    assert sent == books.attempts == ran.number("calls/paid")
    assert sent <= 12 + 2 * CONCURRENCY < 64
    assert "SIGINT: no further call is sent; waiting for" in ran.err


def test_two_interrupts(venire: Venire, provider: StubProcess) -> None:
    judge = stub_judge(provider.url, *PRICED)
    provider.set_plan(probability={"hang": 0.5}, seed=5)
    process = venire.start(*judge)
    wait_until(lambda: booked_in_flight(venire) == CONCURRENCY == requests_hanging(provider))
    interrupt(process)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.0)
    interrupt(process)
    ran = finish(process)
    assert ran.status == 3
    assert "Traceback" not in ran.err
    assert ran.err.rstrip().endswith("replies that are paid for are not paid again.")
    assert f"interrupted twice (SIGINT): {CONCURRENCY} calls in flight were broken off" in ran.err
    books = assert_books_agree(venire, ran)
    assert books.left == ran.number("calls/failed") == CONCURRENCY

    provider.set_plan()
    again = venire.finished(*judge)
    assert again.number("calls/uncertain") == CONCURRENCY
    assert again.number("calls/attempts") == 64 + CONCURRENCY
    assert again.number("cost_usd/unpriced_calls") == CONCURRENCY
    assert booked(venire, ran.record["run_id"]).left == 0


def booked_in_flight(venire: Venire) -> int:
    if not (venire.home / "calls.db").exists():
        return 0
    with sqlite3.connect(venire.home / "calls.db") as connection:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'intents'").fetchone()
        return int(connection.execute("SELECT count(*) FROM intents").fetchone()[0]) if tables[0] else 0


def requests_hanging(provider: StubProcess) -> int:
    by_fault = provider.stats()["by_fault"]
    assert isinstance(by_fault, dict)
    return int(by_fault.get("hang", 0))
