from collections.abc import Mapping
from pathlib import Path

import pytest

from venire.commands.table import table
from venire.errors import RunError
from venire.records import BackendKind, Instance, Response, RunRecord, RunStatus
from venire.runs import write_run
from venire.sweep import Job, JobStatus, write_job

ENDED = {
    RunStatus.FINISHED: JobStatus.FINISHED,
    RunStatus.INCOMPLETE: JobStatus.INCOMPLETE,
    RunStatus.FAILED: JobStatus.FAILED,
}


def sweep_of(home: Path, runs: Mapping[str, RunStatus]) -> None:
    """Runs by name, each of them a job of the sweep `sweep-1`."""
    for number, (name, status) in enumerate(runs.items()):
        folder = home / "runs" / name
        record = RunRecord(
            run_id=name,
            name=name,
            status=status,
            kind=BackendKind.SIMULATED,
            started_at=1000.0 + number,
            ended_at=1060.0,
            metrics={"n": 1.0, "accuracy": 1.0, "coverage": 1.0},
            tags={"arm_hash": name},
            sweep_id="sweep-1",
        )
        instance = Instance("a/1", "Q", (Response("x"), Response("y")))
        write_run(folder, record, config_yaml="seed: 0\n", instances=(instance,), outcomes=())
        job = Job(number, (f"seed={number}",), ENDED[status], str(folder))
        write_job(home / "sweeps" / "sweep-1", job, launch="1")


THREE = {"whole": RunStatus.FINISHED, "stopped": RunStatus.INCOMPLETE, "broken": RunStatus.FAILED}


@pytest.mark.parametrize("name", ["all", "sweep-1"])
def test_numbers_over_a_part_need_to_be_asked_for(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep_of(tmp_path, THREE)
    table(tmp_path, name, "csv", partial=False)
    out, err = capsys.readouterr()
    assert "whole" in out
    assert "stopped" not in out
    assert err == "2 runs stopped early or failed and are left out; --partial lets them in\n"

    table(tmp_path, name, "csv", partial=True)
    out, err = capsys.readouterr()
    (stopped,) = [line for line in out.splitlines() if line.startswith("stopped")]
    assert "incomplete" in stopped
    assert err == ""


@pytest.mark.parametrize("name", ["all", "sweep-1"])
def test_a_table_of_parts_alone_is_refused(name: str, tmp_path: Path) -> None:
    sweep_of(tmp_path, {"stopped": RunStatus.INCOMPLETE})
    with pytest.raises(RunError, match="--partial"):
        table(tmp_path, name, "csv", partial=False)
