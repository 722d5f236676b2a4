"""Sweeps from the command line: failing jobs, finished jobs, MLflow, and what hydra would ignore."""

import shlex
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.command import UNTRACKED, Ran, Venire, read_json

SMALL = ("dataset=sample", "dataset.limit=4", "method=pairwise", "backend=simulated")


def sweep(venire: Venire, *overrides: str, **environ: str) -> Ran:
    return venire("run", "-m", *SMALL, *overrides, UNTRACKED, **environ)


def statuses(ran: Ran) -> list[object]:
    return [job["status"] for job in ran.jobs()]


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Venire, Ran]:
    """A sweep of three cells, the second of which is out of range."""
    venire = Venire(tmp_path_factory.mktemp("failing") / "home")
    return venire, sweep(venire, "judge.temperature=0,3,1")


def test_a_failing_job_stops_no_other_and_is_listed_with_its_overrides(failing: tuple[Venire, Ran]) -> None:
    _, ran = failing
    assert ran.status == 1
    assert statuses(ran) == ["finished", "failed", "finished"]
    failed = ran.jobs()[1]
    assert "judge.temperature=3" in str(failed["overrides"])
    assert str(failed["error"]).startswith("ConfigError: judge.temperature: expected 0 to 2")
    assert failed["folder"] == ""
    assert "failed: job 1: ConfigError: judge.temperature: expected 0 to 2" in ran.err
    assert ran.err.count("ConfigError: ") == 1
    assert "1 failed, 2 finished of 3 jobs" in ran.out
    assert "Traceback" not in ran.err


def test_a_failed_job_s_line_is_that_job_alone(failing: tuple[Venire, Ran]) -> None:
    venire, ran = failing
    (line,) = (line.strip() for line in ran.err.splitlines() if line.startswith("  alone: "))
    assert line.startswith("alone: venire run hydra.mode=RUN dataset=sample ")
    alone = venire(*shlex.split(line)[2:])
    assert alone.status == 2
    assert alone.err.startswith("ConfigError: judge.temperature: expected 0 to 2")
    mended = venire(*shlex.split(line.replace("judge.temperature=3", "judge.temperature=1"))[2:])
    assert mended.status == 0
    assert (
        mended.record["tags"]["job_hash"]
        == read_json(  # type: ignore[index]
            Path(str(ran.jobs()[2]["folder"])) / "run.json"
        )["tags"]["job_hash"]
    )  # type: ignore[index]


def test_the_last_line_is_the_sweeps_summary_with_every_jobs_metrics(failing: tuple[Venire, Ran]) -> None:
    venire, ran = failing
    assert Path(ran.last_line).name == "summary.json"
    assert Path(ran.last_line).parent.parent == venire.home / "sweeps"
    first, _, last = ran.jobs()
    for job in (first, last):
        assert job["metrics"] == read_json(Path(str(job["folder"])) / "summary.json")
        assert job["kind"] == "simulated"


def test_a_failed_sweep_has_a_table_of_what_finished(failing: tuple[Venire, Ran]) -> None:
    venire, ran = failing
    table = (Path(ran.last_line).parent / "table.csv").read_text(encoding="utf-8")
    assert len([line for line in table.splitlines() if line.startswith("pairwise")]) == 2
    shown = venire("table", Path(ran.last_line).parent.name)
    assert shown.status == 0


def test_the_same_sweep_again_skips_what_is_finished_and_tries_what_failed(
    failing: tuple[Venire, Ran],
) -> None:
    venire, first = failing
    runs = sorted(venire.home.glob("runs/*"))
    again = sweep(venire, "judge.temperature=0,3,1")
    assert again.status == 1
    assert statuses(again) == ["skipped", "failed", "skipped"]
    assert again.last_line == first.last_line
    assert [job["folder"] for job in again.jobs()] == [job["folder"] for job in first.jobs()]
    assert sorted(venire.home.glob("runs/*")) == runs


def test_looking_at_a_sweep_or_breaking_it_off_forgets_no_job(failing: tuple[Venire, Ran]) -> None:
    venire, first = failing
    name = Path(first.last_line).parent.name
    before = venire("table", name, "--format", "csv").out
    cells = (*SMALL, "judge.temperature=0,3,1", UNTRACKED)
    assert venire("run", *cells, "--cfg", "job").status == 2  # a sweep has no one configuration
    assert venire("run", "-m", *cells, "hydra.sweeper.nonsense=1").status == 2
    assert venire("run", "-m", *cells, "hydra.sweep.dir=/proc/venire").status == 1
    after = venire("table", name, "--format", "csv")
    assert after.status == 0
    assert after.out == before


def test_the_password_of_a_tracking_server_is_kept_nowhere(venire: Venire) -> None:
    ran = sweep(venire, "seed=0,1", "tracking.uri=postgresql://me:hunter2@127.0.0.1:1/runs")
    assert ran.status == 0, ran.err
    files = [path for path in venire.home.rglob("*") if path.is_file()]
    assert {"multirun.yaml", "0001.json", "summary.json"} <= {path.name for path in files}
    assert not [path for path in files if b"hunter2" in path.read_bytes()]
    assert "hunter2" not in ran.out + ran.err


def test_rerun_runs_finished_jobs_again(venire: Venire) -> None:
    first = sweep(venire, "seed=0,1")
    assert first.status == 0
    again = sweep(venire, "seed=0,1", "sweep.rerun=true")
    assert statuses(again) == ["finished", "finished"]
    assert again.last_line == first.last_line
    assert len(list(venire.home.glob("runs/*"))) == 4


def test_a_cell_that_does_not_compose_is_refused_before_any_runs(venire: Venire) -> None:
    ran = sweep(venire, "judge=gpt_4o,gpt_5o")
    assert ran.status == 2
    assert "gpt_5o" in ran.err
    assert not (venire.home / "runs").exists()


OWN = """\
# @package _global_
defaults:
  - override /hydra/launcher: own
hydra:
  mode: MULTIRUN
  sweeper:
    params:
      seed: 0,1
"""
LAUNCHER = "_target_: hydra._internal.core_plugins.basic_launcher.BasicLauncher\n"
ABLATION = "# @package _global_\nmethod:\n  orders: as_given\n"


@pytest.fixture
def own_conf(tmp_path: Path) -> Path:
    """A user's own configuration folder."""
    for name, text in {
        "experiment/hidden.yaml": OWN,
        "hydra/launcher/own.yaml": LAUNCHER,
        "ablation/mine.yaml": ABLATION,
    }.items():
        path = tmp_path / "conf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "conf"


def test_a_launcher_inside_an_experiment_is_refused_and_outside_is_not(
    venire: Venire, own_conf: Path
) -> None:
    own = ("run", f"--config-dir={own_conf}", *SMALL, "experiment=hidden", UNTRACKED)
    hidden = venire(*own)
    assert hidden.status == 1
    assert statuses(hidden) == ["failed", "failed"]
    assert "hydra ignores a launcher inside an experiment file (own)" in hidden.err
    assert "give hydra/launcher=own on the command line" in hidden.err
    assert venire(*own, "hydra/launcher=own").status == 0


def test_an_ablation_of_ones_own_works_and_is_refused_where_it_is_undone(
    venire: Venire, own_conf: Path
) -> None:
    own = (f"--config-dir={own_conf}", *SMALL, "ablation=mine")
    ran = venire.run(*own)
    assert ran.status == 0, ran.err
    assert ran.number("calls/total") == 4
    undone = venire.run(*own, "method.orders=both")
    assert undone.status == 2
    assert undone.err.startswith("ConfigError: method.orders: ablation=mine sets 'as_given'")


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Venire, Ran]:
    """A sweep of two jobs that goes to MLflow, from within another tool's MLflow run."""
    venire = Venire(tmp_path_factory.mktemp("tracked") / "home")
    other = {"MLFLOW_RUN_ID": "0123456789abcdef0123456789abcdef", "MLFLOW_EXPERIMENT_NAME": "elsewhere"}
    return venire, venire("run", "-m", *SMALL, "ablation=none,as_given_order", **other)


@pytest.fixture
def database(tracked: tuple[Venire, Ran]) -> Iterator[sqlite3.Connection]:
    """MLflow's database behind it, read only."""
    connection = sqlite3.connect(f"file:{tracked[0].home / 'mlflow.db'}?mode=ro", uri=True)
    yield connection
    connection.close()


def test_jobs_are_children_of_their_sweep_whatever_the_environment_says(
    tracked: tuple[Venire, Ran], database: sqlite3.Connection
) -> None:
    venire, ran = tracked
    assert ran.status == 0, ran.err
    assert "warning" not in ran.err
    runs = dict(database.execute("select run_uuid, status from runs").fetchall())
    parents = dict(
        database.execute("select run_uuid, value from tags where key = 'mlflow.parentRunId'").fetchall()
    )
    assert len(runs) == 3
    assert set(runs.values()) == {"FINISHED"}
    (parent,) = set(parents.values())
    assert {*parents, parent} == {*runs}
    records = [read_json(folder / "run.json") for folder in sorted(venire.home.glob("runs/*"))]
    assert {record["mlflow_run_id"] for record in records} == {*parents}


def test_a_childs_metrics_in_mlflow_are_its_summary(
    tracked: tuple[Venire, Ran], database: sqlite3.Connection
) -> None:
    for job in tracked[1].jobs():
        folder = Path(str(job["folder"]))
        record = read_json(folder / "run.json")
        rows = database.execute(
            "select key, value, is_nan from latest_metrics where run_uuid = ?", (record["mlflow_run_id"],)
        ).fetchall()
        logged = {key: None if is_nan else value for key, value, is_nan in rows}
        defined = {
            name: value for name, value in read_json(folder / "summary.json").items() if value is not None
        }
        assert {name: logged[name] for name in defined} == defined


def test_run_means_an_mlflow_run_id_too(tracked: tuple[Venire, Ran]) -> None:
    venire, ran = tracked
    ids = [str(read_json(Path(str(job["folder"])) / "run.json")["mlflow_run_id"]) for job in ran.jobs()]
    compared = venire("compare", *(mlflow_id[:12] for mlflow_id in ids))
    assert compared.status == 0, compared.err
    assert "method.orders" in compared.out
    # Logged beside the sweep: its run's artifacts are the only ones with comparisons
    logged = [path.name for path in venire.home.rglob("comparisons/*/*")]
    assert {"comparison.md", "comparison.html", "comparison.json", "comparison_forest.png"} <= {*logged}
    (sweep,) = {path.parents[2].name for path in venire.home.rglob("comparisons/*")}
    assert f"of run {sweep}" in compared.last_line
    assert sweep not in ids


@pytest.fixture
def closed_port() -> int:
    """A loopback port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_runs_outlive_their_tracking_server_and_are_uploaded_later(
    tracked: tuple[Venire, Ran], closed_port: int
) -> None:
    # Into the home of the tracked sweep: making an MLflow database costs seconds.
    venire, _ = tracked
    ran = venire("run", *SMALL, "seed=5", f"tracking.uri=http://127.0.0.1:{closed_port}")
    assert ran.status == 0
    assert "warning: MLflow was not reached" in ran.err
    assert "venire sync" in ran.err
    assert ran.record["mlflow_run_id"] is None
    assert ran.number("n") == 4
    untracked = sweep(venire, "seed=7,8")
    still_away = venire("sync")  # to where the run was to be logged, and nowhere else
    assert still_away.status == 1
    assert f"not uploaded: {ran.folder}" in still_away.err
    synced = venire("sync", "--uri", f"sqlite:///{venire.home / 'mlflow.db'}")
    assert synced.status == 0
    assert f"uploaded: {ran.folder}" in synced.out
    # The untracked sweep was to be logged in this home's own database: the first sync did that.
    assert f"uploaded: the table of sweep {Path(untracked.last_line).parent.name}" in still_away.out
    assert "1 runs uploaded, 4 were there already" in synced.out
    assert read_json(ran.folder / "run.json")["mlflow_run_id"]
    with sqlite3.connect(f"file:{venire.home / 'mlflow.db'}?mode=ro", uri=True) as database:
        statuses_there = database.execute("select status from runs").fetchall()
    database.close()
    assert statuses_there == [("FINISHED",)] * 7  # two sweeps, two jobs each, and the run
