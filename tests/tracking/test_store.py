import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from venire.errors import TrackingError
from venire.runs import RUN_FILES, read_record
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


# What MLflow's fluent interface would take the run, the experiment and the store from.
STRAY = {
    "MLFLOW_RUN_ID": "a" * 32,
    "MLFLOW_EXPERIMENT_NAME": "stray",
    "MLFLOW_EXPERIMENT_ID": "0",
    "MLFLOW_TRACKING_URI": "sqlite:///stray.db",
}


def upload_at_once(home, n, cwd):
    """One process for each of the runs `r0` ... of `home`; their exit statuses must be 0."""
    done = subprocess.run(
        [sys.executable, "-c", UPLOADS, os.path.relpath(home, cwd), str(n)],
        cwd=cwd,
        env=os.environ | STRAY,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout == f"{[0] * n}\n", done.stderr[-2000:]


@pytest.fixture(scope="module")
def sixteen(tmp_path_factory, put_in):
    """What sixteen processes made of an empty store, all at once: home, run folders, and where they ran."""
    home, elsewhere = tmp_path_factory.mktemp("sixteen"), tmp_path_factory.mktemp("elsewhere")
    folders = [put_in(home, f"r{n}", sweep_id="sweep-1", metrics=thousand(n)) for n in range(16)]
    upload_at_once(home, 16, elsewhere)
    return home, folders, elsewhere


def thousand(writer):
    """As many metrics, none like that of another writer."""
    return {f"accuracy/{n}": writer * 1000.0 + n for n in range(1000)}


@pytest.mark.slow
def test_sixteen_processes_on_an_empty_store_make_sixteen_runs_under_one_parent(sixteen):
    home, folders, _ = sixteen
    with opened(TrackingSettings(), home) as store:
        runs = {run.info.run_id: run for run in store.client.search_runs([store.experiment_id])}
    children = [runs.pop(read_record(folder).mlflow_run_id) for folder in folders]
    (parent,) = runs
    assert {run.data.tags["mlflow.parentRunId"] for run in children} == {parent}


@pytest.mark.slow
def test_sixteen_writers_of_a_thousand_metrics_lose_nothing(sixteen):
    home, folders, _ = sixteen
    with opened(TrackingSettings(), home) as store:
        logged = [store.client.get_run(read_record(folder).mlflow_run_id).data.metrics for folder in folders]
    assert logged == [thousand(writer) for writer in range(16)]


@pytest.mark.slow
def test_neither_the_environment_nor_the_working_directory_decides_where_runs_go(sixteen):
    home, folders, elsewhere = sixteen
    with opened(TrackingSettings(), home) as store:
        names = sorted(experiment.name for experiment in store.client.search_experiments())
        artifacts = store.client.list_artifacts(read_record(folders[0]).mlflow_run_id)
    assert names == ["Default", "venire"]
    assert {file.path for file in artifacts} == set(RUN_FILES)
    assert list(elsewhere.iterdir()) == []


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


def test_a_file_that_is_no_database_is_told_with_what_to_do(tmp_path):
    (tmp_path / "mlflow.db").write_bytes(b"no database" * 1000)
    remedy = r"file is not a database; move the file away: .*`venire sync --all`"
    with pytest.raises(TrackingError, match=remedy), opened(TrackingSettings(), tmp_path):
        pass


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("postgresql+psycopg://me:hunter2@host:port/db", "expected a number as the port"),
        ("mysql+mysqldb://me:hunter2@host/db", "needs the package MySQLdb"),
    ],
)
def test_an_address_that_sqlalchemy_refuses_is_a_tracking_error(tmp_path, uri, says):
    with pytest.raises(TrackingError, match=says) as caught, opened(TrackingSettings(uri=uri), tmp_path):
        pass
    assert "hunter2" not in str(caught.value)


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
