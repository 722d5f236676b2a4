"""A database that is stopped under a run and started again: the run waits, and goes on."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scale.cluster import Cluster, cluster, programs
from tests.scale.sweeps import Sweep, ledger_of, until
from tests.stub.process import stub_process


@pytest.fixture
def server() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip("needs PostgreSQL's programs (initdb, pg_ctl)")
    with cluster() as made:
        yield made


def test_a_run_outlives_a_restart_of_its_store_without_paying_or_losing_a_call(
    server: Cluster, tmp_path: Path
) -> None:
    judge = ("judge=openai_compatible", "judge.model=stub", "judge.limits.concurrency=4")
    cells = ("dataset=sample", "dataset.limit=16", "method=pairwise", *judge, "seed=0")
    with stub_process("--delay", "0.1") as stub:
        run = Sweep(tmp_path / "home", server.url, (*cells, f"judge.api_base={stub.url}"))
        process = run.start()
        until(lambda: int(str(stub.stats()["ok"])) >= 6)
        server.stop()
        time.sleep(2.0)
        while_away = int(str(stub.stats()["requests"]))
        server.start()
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        assert "trying again for 120 s" in err
        assert while_away < 32
        ledger = ledger_of(server.url)
        assert (ledger.attempts, ledger.keys, ledger.replies, ledger.in_flight) == (32, 32, 32, 0)
        assert stub.stats()["requests"] == 32
