import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from venire.errors import TrackingError
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run

# What each of the processes does: it waits for the others, so that all start on nothing at once.
UPLOAD = """
import json, sys, time
from pathlib import Path
from venire.tracking.settings import TrackingSettings
from venire.tracking.upload import upload_run
import mlflow.tracking
home, number, go = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
Path(sys.argv[4]).touch()
while not go.exists():
    time.sleep(0.02)
print(upload_run(TrackingSettings(), home / "runs" / f"r{number}", home=home))
"""


@pytest.mark.slow
def test_six_processes_that_start_on_an_empty_store_all_succeed_under_one_parent(tmp_path, put, home):
    (home / "mlflow.db").unlink()
    ready = [tmp_path / f"ready{number}" for number in range(6)]
    go = tmp_path / "go"
    processes = []
    for number in range(6):
        put(f"r{number}", sweep_id="sweep-1")
        command = [sys.executable, "-c", UPLOAD, str(home), str(number), str(go), str(ready[number])]
        environ = os.environ | {"MLFLOW_RUN_ID": "a" * 32, "MLFLOW_EXPERIMENT_NAME": "stray"}
        processes.append(
            subprocess.Popen(
                command, cwd=tmp_path, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
    deadline = time.monotonic() + 120
    while not all(path.exists() for path in ready) and time.monotonic() < deadline:
        time.sleep(0.05)
    go.touch()
    ends = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * 6, [err[-500:] for _, err in ends]

    with opened(TrackingSettings(), home) as store:
        runs = store.client.search_runs([store.experiment_id])
        names = sorted(experiment.name for experiment in store.client.search_experiments())
    children = {run.info.run_id: run for run in runs if "mlflow.parentRunId" in run.data.tags}
    (parent,) = [run for run in runs if run.info.run_id not in children]
    assert set(children) == {out.split()[-1] for out, _ in ends}
    assert len(children) == 6
    assert {run.data.tags["mlflow.parentRunId"] for run in children.values()} == {parent.info.run_id}
    assert names == ["Default", "venire"]
    assert not (tmp_path / "mlruns").exists()


def test_a_dead_server_is_told_soon_and_by_name(tmp_path, put, home, free_port):
    settings = TrackingSettings(uri=f"http://user:password@127.0.0.1:{free_port}")
    folder = put("r1")
    started = time.monotonic()
    with pytest.raises(TrackingError, match=rf"http://\*\*\*@127\.0\.0\.1:{free_port}: ") as caught:
        upload_run(settings, folder, home=home)
    assert time.monotonic() - started < 10
    assert "password" not in str(caught.value)
    assert json.loads((folder / "run.json").read_text())["mlflow_run_id"] is None


def test_a_database_that_cannot_be_made_is_a_tracking_error(tmp_path):
    (tmp_path / "mlflow.db").mkdir()
    with pytest.raises(TrackingError, match=r"mlflow\.db: "), opened(TrackingSettings(), tmp_path):
        pass


def test_a_store_kind_that_mlflow_does_not_know_is_a_tracking_error(tmp_path):
    settings = TrackingSettings(uri="gopher://somewhere")
    with pytest.raises(TrackingError, match="gopher://somewhere"), opened(settings, tmp_path):
        pass


def test_an_id_with_a_quote_never_reaches_the_search(home):
    with pytest.raises(TrackingError, match="without quotes"), opened(TrackingSettings(), home) as store:
        store.find("venire.run_id", "x' OR tags.a = 'b")


def test_a_programming_error_is_no_tracking_error(home: Path):
    with pytest.raises(ZeroDivisionError), opened(TrackingSettings(), home):
        1 / 0  # noqa: B018
