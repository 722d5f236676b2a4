"""Sweeps under launchers give what the basic launcher gives, pay once, and outlive killed processes."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.llm.conftest import _schema_of_its_own
from tests.scale.sweeps import LAUNCHERS, Sweep, is_there, ledger_of, until
from tests.stub.process import StubProcess, stub_process

CELLS = (
    *("experiment=juryflow/table3", "backend=simulated", "dataset=sample", "dataset.limit=3"),
    *("ablation=none,no_rubric", "seed=1"),
)


@pytest.fixture
def store() -> Iterator[str]:
    """A PostgreSQL store of one's own."""
    server = os.environ.get("VENIRE_TEST_POSTGRES", "")
    if not server:
        pytest.skip("needs a PostgreSQL server: VENIRE_TEST_POSTGRES holds no SQLAlchemy URL")
    yield from _schema_of_its_own(server)


@pytest.fixture(scope="module")
def basic(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """The sweep under the basic launcher, on a store of its own."""
    home = tmp_path_factory.mktemp("basic")
    sweep = Sweep(home, f"sqlite:///{home / 'calls.db'}", CELLS)
    status, said = sweep.run()
    assert status == 0, said
    return sweep


@pytest.mark.parametrize("launcher", LAUNCHERS[1:])
def test_a_launched_table_3_is_the_basic_one_bit_for_bit_and_every_call_is_paid_once(
    launcher: str, basic: Sweep, store: str, tmp_path: Path
) -> None:
    if not is_there(launcher):
        pytest.skip(f"needs the launcher's extra: docs/scale.md ({launcher})")
    sweep = Sweep(tmp_path / "home", store, CELLS, launcher)
    status, said = sweep.run()
    assert status == 0, said
    assert sweep.statuses() == ["finished"] * 2
    assert list(sweep.found().values()) == list(basic.found().values())
    # one attempt a request, and the requests of the basic launcher's sweep
    paid = ledger_of(store)
    assert paid == ledger_of(basic.store)
    assert (paid.attempts, paid.replies, paid.in_flight, paid.uncertain) == (paid.keys, paid.keys, 0, 0)


@contextmanager
def slow_sweep(folder: Path, delay_s: float) -> Iterator[tuple[StubProcess, Sweep]]:
    """Three jobs of eight calls each in two processes, two calls at once in each, and who answers them."""
    if not is_there("venire_joblib"):
        pytest.skip("needs the extra joblib")
    with stub_process("--delay", f"{delay_s:g}") as stub:
        cells = (
            *("dataset=sample", "dataset.limit=8", "method=pairwise", "method.orders=as_given"),
            *("judge=openai_compatible", "judge.model=stub", f"judge.api_base={stub.url}"),
            *("seed=0,1,2", "judge.limits.concurrency=2", "replicate=per_seed"),
        )
        yield stub, Sweep(folder / "home", f"sqlite:///{folder / 'calls.db'}", cells, "venire_joblib")


def test_a_killed_process_is_replaced_and_nothing_committed_is_paid_again(tmp_path: Path) -> None:
    with slow_sweep(tmp_path, 0.2) as (stub, sweep):
        process = sweep.start()
        until(lambda: int(str(stub.stats()["ok"])) >= 6)
        os.kill(next(iter(sweep.under_way().values())), signal.SIGKILL)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, out + err
        assert "a process of the launcher died (TerminatedWorkerError)" in err
        assert sweep.statuses() == ["finished"] * 3
        ledger = ledger_of(sweep.store)
        assert (ledger.replies, ledger.keys, ledger.in_flight) == (24, 24, 0)
        assert ledger.attempts - ledger.uncertain == 24  # what was in flight at the kill was asked again
        # some may have been broken off before it was sent
        assert 24 <= int(str(stub.stats()["requests"])) <= 24 + ledger.uncertain
        # two of the killed process; joblib then ends the other one, which may have taken over both places
        assert ledger.uncertain <= 4


def test_ctrl_c_lets_the_jobs_keep_what_is_in_flight_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with slow_sweep(tmp_path, 0.5) as (stub, sweep):
        process = sweep.start()
        until(lambda: int(str(stub.stats()["ok"])) >= 4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 3, out + err
        assert "SIGINT: no further job starts" in err
        assert "jobs that began; the same command starts those that did not" in out
        # one may have ended before it saw the sign
        assert "incomplete" in sweep.statuses()
        assert set(sweep.statuses()) <= {"incomplete", "finished"}
        stopped = ledger_of(sweep.store)
        assert (stopped.uncertain, stopped.in_flight) == (0, 0)
        assert stopped.attempts < 24
        status, said = sweep.run()
        assert status == 0, said
        assert stub.stats()["requests"] == 24


def test_a_killed_driver_s_sweep_goes_on_by_the_same_command_and_pays_no_call_twice(tmp_path: Path) -> None:
    with slow_sweep(tmp_path, 0.2) as (stub, sweep):
        process = sweep.start()
        until(lambda: int(str(stub.stats()["ok"])) >= 4)
        process.kill()
        process.wait()
        # its workers may still be at their jobs: whoever comes first pays, the other waits
        status, said = sweep.run()
        assert status == 0, said
        assert set(sweep.statuses()) <= {"finished", "skipped"}
        assert len(sweep.statuses()) == 3
        ledger = ledger_of(sweep.store)
        assert (ledger.replies, ledger.keys, ledger.in_flight, ledger.uncertain) == (24, 24, 0, 0)
        assert (ledger.attempts, stub.stats()["requests"]) == (24, 24)
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
