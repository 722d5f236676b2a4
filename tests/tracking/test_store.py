import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from venire.errors import TrackingError
from venire.runs import read_record
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run

# Processes that have imported everything and wait for each other, so that all start on nothing at once.
UPLOADS = """
import multiprocessing, sys
from pathlib import Path
import mlflow.tracking
from venire.tracking.settings import TrackingSettings
from venire.tracking.upload import upload_run

home, n = Path(sys.argv[1]), int(sys.argv[2])
fork = multiprocessing.get_context("fork")
barrier = fork.Barrier(n)

def upload(number):
    barrier.wait()
    upload_run(TrackingSettings(), home / "runs" / f"r{number}", home=home)

processes = [fork.Process(target=upload, args=(number,)) for number in range(n)]
for process in processes:
    process.start()
for process in processes:
    process.join()
print([process.exitcode for process in processes])
"""


def upload_at_once(home, n, cwd):
    """One process for each of the runs `r0` ... of `home`; their exit statuses must be 0."""
    done = subprocess.run(
        [sys.executable, "-c", UPLOADS, str(home), str(n)],
        cwd=cwd,
        env=os.environ | {"MLFLOW_RUN_ID": "a" * 32, "MLFLOW_EXPERIMENT_NAME": "stray"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout == f"{[0] * n}\n", done.stderr[-2000:]


@pytest.mark.slow
def test_sixteen_processes_that_start_on_an_empty_store_succeed_and_lose_no_metric(tmp_path, put, home):
    # Eight that start on nothing, and sixteen writers of 1,000 metrics: sixteen of both show both.
    (home / "mlflow.db").unlink()
    metrics = [{f"accuracy/{n}": writer * 1000.0 + n for n in range(1000)} for writer in range(16)]
    folders = [put(f"r{n}", sweep_id="sweep-1", metrics=values) for n, values in enumerate(metrics)]
    upload_at_once(home, 16, tmp_path)

    with opened(TrackingSettings(), home) as store:
        runs = {run.info.run_id: run for run in store.client.search_runs([store.experiment_id])}
        names = sorted(experiment.name for experiment in store.client.search_experiments())
    children = [runs.pop(read_record(folder).mlflow_run_id) for folder in folders]
    (parent,) = runs
    assert [run.data.metrics for run in children] == metrics
    assert {run.data.tags["mlflow.parentRunId"] for run in children} == {parent}
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
