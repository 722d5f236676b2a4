"""A failing provider, seen from the command line: no wrong label, no lost instance, every attempt booked.

The stub's judge always prefers the response shown first. So as given the first response wins,
swapped the second: any other winner is a label that nobody gave.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.integration.command import Ran, Reconciled, Venire, reconcile, stub_judge
from tests.stub.process import StubProcess, stub_process

from venire.records import Order, Preference, Reason, Unscored, Winner
from venire.runs import read_outcomes

CONCURRENCY, RETRIES = 6, 3
LIMITS = (
    f"judge.limits.concurrency={CONCURRENCY}",
    f"judge.limits.retries={RETRIES}",
    "judge.limits.timeout_s=2",  # long enough for a busy machine; only hanging requests reach it
    "judge.limits.backoff_s=0.02",
    "judge.limits.backoff_max_s=0.1",
)
SHOWN_FIRST = {Order.AS_GIVEN: Winner.FIRST, Order.SWAPPED: Winner.SECOND}


@pytest.fixture(scope="module")
def server() -> Iterator[StubProcess]:
    """A stub that prefers what it is shown first, 20 ms a reply."""
    with stub_process("--rule", "always_a", "--retry-after", "0.05", "--delay", "0.02") as process:
        yield process


@pytest.fixture
def provider(server: StubProcess) -> StubProcess:
    """The same, without faults and with clean counts."""
    server.set_plan()
    server.reset()
    return server


def judged(folder: Path, n: int = 32) -> tuple[int, list[Unscored]]:
    """How many verdicts were given, and those that were not; every one given is the stub's own."""
    given, missing = 0, []
    rows = read_outcomes(folder)
    assert len(rows) == n, "an instance is lost"
    for row in rows:
        assert set(row.by_order) == {*Order}
        for order, prediction in row.by_order.items():
            if isinstance(prediction, Unscored):
                missing.append(prediction)
            else:
                assert isinstance(prediction, Preference)
                assert prediction.winner is SHOWN_FIRST[order], "a label that nobody gave"
                assert prediction.confidence == 0.9
                given += 1
    return given, missing


def counts(stats: Mapping[str, object], name: str) -> dict[str, int]:
    found = stats[name]
    assert isinstance(found, dict)
    return found


def assert_books_agree(line: Reconciled, stats: Mapping[str, object]) -> None:
    """The ledger against what the provider saw."""
    assert line.kind == "live"
    assert line.attempts == stats["requests"]
    assert line.calls == stats["distinct"]
    assert line.uncertain == 0


MIXTURE = {
    "rate_limit": 0.04,
    "rate_limit_wait": 0.04,
    "rate_limit_date": 0.02,
    "unavailable": 0.03,
    "server_error": 0.05,
    "hang": 0.03,
    "reset": 0.05,
    "malformed_body": 0.04,
    "no_choices": 0.03,
    "truncated": 0.05,
    "fenced": 0.08,
    "nested_braces": 0.06,
    "prefixed": 0.04,
    "broken_json": 0.05,
    "refusal": 0.03,
    "missing_usage": 0.06,
    "wrong_label": 0.05,
    "empty_text": 0.04,
}


def test_a_mixture_of_every_fault_loses_no_instance_and_makes_no_label(
    venire: Venire, provider: StubProcess
) -> None:
    provider.set_plan(probability=MIXTURE, seed=7)
    ran = venire.run(*stub_judge(provider.url, *LIMITS))
    stats = provider.stats()
    assert set(MIXTURE) <= counts(stats, "by_fault").keys(), "the seed leaves a fault out"
    given, missing = judged(ran.folder)
    assert given + len(missing) == 64
    assert given >= 48
    reasons = {unscored.reason for unscored in missing}
    assert reasons <= {Reason.REFUSED, Reason.UNPARSED, Reason.TRUNCATED, Reason.PROVIDER_ERROR}
    assert ran.status == (3 if Reason.PROVIDER_ERROR in reasons else 0)
    assert ran.number("unscored/total") == len(missing)
    assert ran.number("coverage") == given / 64
    assert max(counts(stats, "by_body").values()) <= 1 + RETRIES
    assert 1 < int(str(stats["max_in_flight"])) <= CONCURRENCY
    (line,) = reconcile(venire)
    assert_books_agree(line, stats)
    assert ran.number("calls/attempts") == line.attempts
    assert line.unknown_usage > 0
    assert (line.input_tokens, line.output_tokens) == (
        ran.number("tokens/input"),
        ran.number("tokens/output"),
    )


@pytest.mark.parametrize(
    ("faults", "n"),
    [
        (("rate_limit", "server_error", "reset"), 32),
        (("rate_limit_wait", "hang", "malformed_body"), 3),
    ],
)
def test_what_passes_within_the_retries_leaves_no_trace_in_the_verdicts(
    venire: Venire, provider: StubProcess, faults: tuple[str, ...], n: int
) -> None:
    provider.set_plan(script=faults)  # of every request: three failures, then the reply
    ran = venire.run(*stub_judge(provider.url, *LIMITS, f"dataset.limit={n}"))
    assert ran.status == 0, ran.err
    assert judged(ran.folder, n) == (2 * n, [])
    stats = provider.stats()
    assert set(counts(stats, "by_body").values()) == {1 + RETRIES}
    assert ran.number("calls/paid") == 2 * n
    assert ran.number("calls/attempts") == 8 * n
    assert_books_agree(reconcile(venire)[0], stats)
    assert "answered by 2 versions" not in ran.err


def test_what_fails_for_good_is_listed_and_asked_again_by_the_next_run(
    venire: Venire, provider: StubProcess
) -> None:
    provider.set_plan(probability={"server_error": 1.0}, matching="Titanic")
    first = venire.run(*stub_judge(provider.url, *LIMITS))
    given, missing = judged(first.folder)
    assert {unscored.reason for unscored in missing} == {Reason.PROVIDER_ERROR}
    assert len(missing) == 2  # one pair, both orders
    assert first.status == 3
    assert "no reply on" in first.err
    provider.set_plan()
    provider.reset()
    second = venire.run(*stub_judge(provider.url, *LIMITS))
    assert second.status == 0
    assert judged(second.folder) == (64, [])
    assert provider.stats()["requests"] == second.number("calls/paid") == len(missing)
    assert second.number("calls/replayed") == given


def test_a_refused_key_stops_the_run_and_is_shown_nowhere(venire: Venire, provider: StubProcess) -> None:
    provider.set_plan(probability={"unauthorized": 1.0})  # and quotes the key, as careless providers do
    key = "sk-sentinel-of-the-tests-0123456789"
    judge = stub_judge(provider.url, *LIMITS, "judge.api_key_env=OPENAI_API_KEY")
    ran = venire.run(*judge, OPENAI_API_KEY=key)
    assert ran.status == 3
    assert "401" in ran.err
    assert ran.number("n") == 32
    assert ran.number("coverage") == 0
    assert provider.stats()["requests"] == CONCURRENCY  # those in flight, and no other
    assert_nowhere(key, venire.home, ran)


def test_no_key_is_written_or_printed(venire: Venire, provider: StubProcess) -> None:
    key = "sk-sentinel-of-the-tests-9876543210"
    judge = stub_judge(provider.url, *LIMITS, "judge.api_key_env=OPENAI_API_KEY", "dataset.limit=4")
    tracked = venire("run", *judge, OPENAI_API_KEY=key)
    assert tracked.status == 0, tracked.err
    sweep = venire("run", "-m", *judge, "seed=0,1", "tracking.enabled=false", OPENAI_API_KEY=key)
    assert sweep.status == 0, sweep.err
    assert provider.stats()["requests"] == 8
    assert_nowhere(key, venire.home, tracked, sweep)
    files = {path.name for path in venire.home.rglob("*") if path.is_file()}
    assert {"calls.db", "mlflow.db", "config.yaml", "calls.jsonl.gz"} <= files


def assert_nowhere(secret: str, home: Path, *ran: Ran) -> None:
    """Not in what was printed, nor in any file below `home`, compressed ones included."""
    import gzip

    for each in ran:
        assert secret not in each.out + each.err
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = path.read_bytes()
        content += gzip.decompress(content) if path.suffix == ".gz" else b""
        assert secret.encode() not in content, path
