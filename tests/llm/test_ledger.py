"""What the ledger says, against figures worked out by hand."""

import asyncio
import hashlib
import json

import pytest
from sqlalchemy import text
from tests.llm.fakes import FakeBackend, FakeTime, opened, reply, request, route

from venire.errors import ConfigError, StoreError
from venire.llm.budget import Spending
from venire.llm.key import request_key
from venire.llm.ledger import (
    LedgerLine,
    open_intents,
    reconcile,
    spent_by_run,
    spent_by_sweep,
    store_statistics,
    stored_replies,
)
from venire.llm.protocol import AttemptFailed
from venire.llm.store import open_engine
from venire.records import AttemptStatus, BackendKind, Usage


def run(url: str, backend: FakeBackend, *texts: str, time: FakeTime | None = None, run_id: str = "r") -> None:
    async def scenario() -> None:
        async with opened(
            url, backend, routes=[route(retries=1)], time=time, run_id=run_id, sweep_id="s"
        ) as llm:
            for each in texts:
                await llm.complete(request(each))

    asyncio.run(scenario())


def test_an_empty_store_has_an_empty_ledger(store_url: str) -> None:
    engine = open_engine(store_url)
    assert reconcile(engine) == []
    assert open_intents(engine) == []
    assert spent_by_run(engine, "r") == spent_by_sweep(engine, "s") == Spending(0.0, 0, 0)
    statistics = store_statistics(engine)
    assert (statistics.replies, statistics.attempts, statistics.models) == (0, 0, ())
    assert list(stored_replies(engine, ["0" * 64])) == []


def test_attempts_are_summed_by_the_utc_day_on_which_they_started(store_url: str) -> None:
    evening = FakeTime(now=1_800_000_000.0 + 15 * 3600 + 3599)  # 2027-01-15T23:59:59Z
    run(store_url, FakeBackend(), "a", time=evening)
    morning = FakeTime(now=1_800_000_000.0 + 16 * 3600)  # 2027-01-16T00:00:00Z
    run(store_url, FakeBackend(), "b", "c", time=morning)
    lines = reconcile(open_engine(store_url))
    assert [(line.day, line.calls) for line in lines] == [("2027-01-15", 1), ("2027-01-16", 2)]
    assert lines[0] == LedgerLine(
        "2027-01-15", "fake-1", BackendKind.LIVE, 1, 1, 100, 10, 0, 0, pytest.approx(0.00012), 0, 0, 0
    )


def test_a_days_line_has_every_sum(store_url: str) -> None:
    late = AttemptFailed(AttemptStatus.TIMEOUT, "late", retryable=True)
    full = Usage(100, 40, cached_tokens=60, reasoning_tokens=30)
    run(store_url, FakeBackend([late, reply(usage=full), reply(usage=Usage())]), "a", "b")
    run(store_url, FakeBackend(kind=BackendKind.SIMULATED), "a", "b", "c")  # a and b are replayed
    live, simulated = reconcile(open_engine(store_url))
    assert (live.kind, live.calls, live.attempts) == (BackendKind.LIVE, 2, 3)
    assert (live.input_tokens, live.output_tokens) == (100, 40)
    assert (live.cached_tokens, live.reasoning_tokens) == (60, 30)
    assert live.cost_usd == pytest.approx(180e-6)  # (100 * 1 + 40 * 2) / 1e6: cached at full price
    assert (live.unknown_usage, live.unknown_cost, live.uncertain) == (2, 2, 0)
    assert (simulated.kind, simulated.calls, simulated.input_tokens) == (BackendKind.SIMULATED, 1, 100)
    assert simulated.cost_usd == pytest.approx(0.00012)  # what it would cost


def test_what_a_sweep_spent_is_the_sum_of_its_runs(store_url: str) -> None:
    run(store_url, FakeBackend(), "a", run_id="one")
    run(store_url, FakeBackend(), "a", "b", "c", run_id="two")
    engine = open_engine(store_url)
    assert spent_by_run(engine, "one") == Spending(pytest.approx(0.00012), 1, 110)
    assert spent_by_run(engine, "two") == Spending(pytest.approx(0.00024), 2, 220)
    assert spent_by_sweep(engine, "s") == Spending(pytest.approx(0.00036), 3, 330)


def test_stored_replies_come_in_the_order_asked_each_once_and_prove_their_key(store_url: str) -> None:
    run(store_url, FakeBackend(), "a", "b")
    a, b = request_key(request("a")), request_key(request("b"))
    rows = list(stored_replies(open_engine(store_url), [b, "0" * 64, a, b]))
    assert [row.key for row in rows] == [b, a]
    assert json.loads(rows[0].reply)["text"] == "reply 1"
    hashed = hashlib.sha256(b"venire.request.v1\n" + rows[0].request.encode()).hexdigest()
    assert hashed == b


def test_statistics_count_rows_and_name_the_returned_models(store_url: str) -> None:
    run(store_url, FakeBackend(), "a", "b")
    statistics = store_statistics(open_engine(store_url))
    assert (statistics.replies, statistics.attempts, statistics.in_flight) == (2, 2, 0)
    assert statistics.models == ("fake-1-2026-01-01",)


def test_no_table_has_a_place_for_a_key_or_a_header(store_url: str) -> None:
    run(store_url, FakeBackend(), "a")
    with open_engine(store_url).connect() as connection:
        kept = [
            str(row)
            for table in ("replies", "intents", "attempts")
            for row in connection.execute(text(f"SELECT * FROM {table}"))
        ]
    assert kept
    assert not any("authorization" in row.lower() or "api_key" in row.lower() for row in kept)


def test_a_store_of_another_version_is_refused(store_url: str) -> None:
    with open_engine(store_url).begin() as connection:
        connection.execute(text("UPDATE venire_store SET schema_version = 99"))
    with pytest.raises(StoreError, match="expected schema version 1, got 99"):
        open_engine(store_url)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://host/db", "sqlite or postgresql"),
        ("sqlite://", "memory database"),
        ("sqlite:///:memory:", "memory database"),
        ("no url at all", "SQLAlchemy URL"),
        ("postgresql+nodriver://host/db", "SQLAlchemy URL"),
        ("postgresql+psycopg://me:hunter2@host:port/db", "number as the port"),
    ],
)
def test_a_url_that_names_no_store_is_refused(url: str, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"llm\.store: .*{said}"):
        open_engine(url)


def test_a_password_is_not_shown_where_the_database_cannot_be_reached() -> None:
    with pytest.raises(StoreError) as caught:
        open_engine("postgresql+psycopg://me:hunter2@127.0.0.1:1/none")
    assert "hunter2" not in str(caught.value)
    assert "127.0.0.1:1/none" in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: object) -> None:
    path = f"{tmp_path}/calls.db"
    with open(path, "w") as file:
        file.write("not a database, but long enough to be taken for one" * 50)
    with pytest.raises(StoreError, match=r"calls\.db: cannot be opened: file is not a database"):
        open_engine(f"sqlite:///{path}")
