"""Runs that stop early, by budget, Ctrl-C or SIGKILL, and the runs that go on from there."""

import random
import subprocess
from collections.abc import Iterator

import pytest
from tests.integration.command import (
    Ran,
    Venire,
    but_accounting,
    finish,
    interrupt,
    reconcile,
    stub_judge,
    wait_until,
)
from tests.stub.process import StubProcess, stub_process

from venire.records import Unscored
from venire.runs import read_outcomes

CALLS = 64  # 32 pairs in both orders
CONCURRENCY = 4
# A time-out that no busy machine reaches: a request that is tried again would be counted twice.
LIMITS = (f"judge.limits.concurrency={CONCURRENCY}", "judge.limits.timeout_s=120")
# Of live calls these tell what happened on the way, not what came out.
ON_THE_WAY = ("latency_s/", "calls/attempts", "tokens/unknown_calls", "cost_usd/unpriced_calls")


@pytest.fixture(scope="module")
def server() -> Iterator[StubProcess]:
    """A stub with verdicts of all kinds, 50 to 100 ms a reply."""
    with stub_process("--delay", "0.05", "--jitter", "0.05") as process:
        yield process


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, server: StubProcess) -> Ran:
    """The run that nobody stopped."""
    return Venire(tmp_path_factory.mktemp("undisturbed") / "home").finished(*stub_judge(server.url, *LIMITS))


@pytest.fixture
def provider(server: StubProcess, undisturbed: Ran) -> StubProcess:
    """The stub with clean counts."""
    server.set_plan()
    server.reset()
    return server


def requests(provider: StubProcess) -> int:
    return int(str(provider.stats()["requests"]))


def result(ran: Ran) -> dict[str, float | None]:
    return {name: value for name, value in but_accounting(ran).items() if not name.startswith(ON_THE_WAY)}


def predictions(ran: Ran) -> dict[str, object]:
    return {row.id: row.prediction for row in read_outcomes(ran.folder)}


def test_a_budget_stops_the_run_cleanly_and_the_next_one_pays_only_the_rest(
    venire: Venire, provider: StubProcess, undisturbed: Ran
) -> None:
    judge = stub_judge(provider.url, *LIMITS)
    first = venire.run(*judge, "budget.calls=9")
    assert first.status == 3
    # Nine calls leave an instance half judged, whose call is paid and counted all the same.
    assert requests(provider) == first.number("calls/paid") == 9
    assert "budget.calls=9" in first.err
    assert "of 32 instances are not judged" in first.err
    assert first.record["status"] == "incomplete"
    # They finish at most four instances; none is lost from the rows, none has a made-up verdict.
    rows = read_outcomes(first.folder)
    assert len(rows) == 32
    assert sum(not isinstance(row.prediction, Unscored) for row in rows) <= 4

    second = venire.run(*judge, "budget.calls=100")
    assert second.status == 0
    assert second.number("calls/paid") == CALLS - 9
    assert requests(provider) == CALLS
    assert set(provider.stats()["ok_by_body"].values()) == {1}  # type: ignore[attr-defined]
    assert predictions(second) == predictions(undisturbed)
    assert result(second) == result(undisturbed)


def test_a_budget_in_dollars_without_a_price_is_refused(venire: Venire, provider: StubProcess) -> None:
    ran = venire.run(*stub_judge(provider.url), "budget.usd=1")
    assert ran.status == 2
    assert ran.err.startswith("ConfigError: budget.usd: expected a price")
    assert requests(provider) == 0


def test_ctrl_c_keeps_what_is_judged_and_the_next_run_pays_the_rest(
    venire: Venire, provider: StubProcess, undisturbed: Ran
) -> None:
    judge = stub_judge(provider.url, *LIMITS, "concurrency=4")
    process = venire.start(*judge)
    wait_until(lambda: requests(provider) >= 12)
    interrupt(process)
    first = finish(process)
    assert first.status == 3
    assert "Traceback" not in first.err
    assert "interrupted" in first.err
    paid = requests(provider)
    assert 12 <= paid < CALLS
    judged = sum(not isinstance(row.prediction, Unscored) for row in read_outcomes(first.folder))
    assert 0 < judged < 32
    assert first.number("calls/paid") == paid

    second = venire.finished(*judge)
    assert requests(provider) == CALLS
    assert second.number("calls/paid") == CALLS - paid
    assert result(second) == result(undisturbed)
    assert reconcile(venire)[0].uncertain == 0


def test_ctrl_c_ends_a_sweep_and_the_same_sweep_goes_on_from_there(
    venire: Venire, provider: StubProcess
) -> None:
    judge = ("-m", *stub_judge(provider.url, *LIMITS, "concurrency=4", "dataset.limit=8"))
    jobs = ("judge.temperature=0,0.5,1",)
    process = venire.start(*judge, *jobs)
    wait_until(lambda: requests(provider) >= 20)  # 16 are the first job's
    interrupt(process)
    first = finish(process)
    assert first.status == 3
    assert "Traceback" not in first.err
    assert first.err.rstrip().endswith(
        "interrupted: the same command goes on from here; what is paid is not paid again"
    )
    assert [job["status"] for job in first.jobs()] == ["finished", "incomplete"]
    paid = requests(provider)
    assert paid < 32
    again = venire.run(*judge, *jobs)
    assert [job["status"] for job in again.jobs()] == ["skipped", "finished", "finished"]
    assert requests(provider) == 48


def test_a_second_ctrl_c_does_not_wait(venire: Venire, provider: StubProcess) -> None:
    provider.set_plan(probability={"hang": 1.0})
    process = venire.start(*stub_judge(provider.url, *LIMITS))
    wait_until(lambda: requests(provider) >= CONCURRENCY)
    interrupt(process)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.0)
    interrupt(process)
    ran = finish(process, timeout_s=60)  # the requests alone would take five times 120 s
    assert ran.status == 3
    assert "Traceback" not in ran.err


def test_kills_lose_nothing_and_repeat_only_what_was_in_flight(
    venire: Venire, provider: StubProcess, undisturbed: Ran
) -> None:
    rng = random.Random(20261130)
    judge = stub_judge(provider.url, *LIMITS)
    kills = 3
    for _ in range(kills):
        seen = requests(provider)
        wanted = seen + rng.randint(3, 14)
        process = venire.start(*judge)
        wait_until(lambda wanted=wanted: requests(provider) >= wanted)  # type: ignore[misc]
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -9
    last = venire.finished(*judge)
    assert predictions(last) == predictions(undisturbed)
    assert result(last) == result(undisturbed)

    # Counted at the provider: what was asked more than once was in flight when a process died.
    stats = provider.stats()
    assert stats["distinct"] == CALLS
    repeated = requests(provider) - CALLS
    (line,) = reconcile(venire)
    assert repeated <= line.uncertain <= kills * CONCURRENCY
    assert line.attempts == CALLS + line.uncertain
    assert last.number("calls/uncertain") <= CONCURRENCY
    assert last.number("calls/paid") < CALLS
    assert list(venire.home.glob("runs/*/run.json")) == [last.folder / "run.json"]
