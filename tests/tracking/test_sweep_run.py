import json

import pytest

from venire.errors import TrackingError
from venire.tracking.artifacts import log_artifacts
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.sweep_run import (
    SweepPlan,
    ensure_sweep_run,
    plan_sweep,
    read_plan,
    set_sweep_note,
    upload_sweep,
)
from venire.tracking.upload import upload_run

SETTINGS = TrackingSettings()
SENTINEL = "sk-sentinel-0123456789"


def test_a_sweep_has_one_parent_whoever_asks_first(home, put):
    child = upload_run(SETTINGS, put("r1", sweep_id="s-1"), home=home)
    parent = ensure_sweep_run(SETTINGS, "s-1", home=home, started_at=1.0)
    assert ensure_sweep_run(SETTINGS, "s-1", home=home, started_at=2.0) == parent
    assert ensure_sweep_run(SETTINGS, "s-2", home=home, started_at=1.0) != parent
    with opened(SETTINGS, home) as store:
        assert store.client.get_run(child).data.tags["mlflow.parentRunId"] == parent
        assert store.client.get_run(parent).info.run_name == "s-1"


def test_a_sweeps_note_is_its_description_without_secrets(home):
    parent = ensure_sweep_run(SETTINGS, "s-1", home=home, started_at=1.0)
    set_sweep_note(SETTINGS, parent, f"| a |\n|---|\n| {SENTINEL} |", home=home, secrets=[SENTINEL])
    with opened(SETTINGS, home) as store:
        note = store.client.get_run(parent).data.tags["mlflow.note.content"]
    assert note == "| a |\n|---|\n| *** |"


def test_a_file_with_a_secret_stops_the_upload_of_all(home, tmp_path):
    parent = ensure_sweep_run(SETTINGS, "s-1", home=home, started_at=1.0)
    (tmp_path / "fine.txt").write_text("fine")
    (tmp_path / "leak.txt").write_text(f"key={SENTINEL}")
    paths = [tmp_path / "fine.txt", tmp_path / "leak.txt"]
    with pytest.raises(TrackingError, match=r"leak\.txt") as caught:
        log_artifacts(SETTINGS, parent, paths, home=home, secrets=[SENTINEL])
    assert SENTINEL not in str(caught.value)
    with opened(SETTINGS, home) as store:
        assert store.client.list_artifacts(parent) == []


def test_a_finished_sweep_has_its_note_files_and_status(home):
    folder = home / "sweeps" / "s-1"
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text("{}")
    plan = SweepPlan("the table", ("summary.json",), ok=False)
    parent = upload_sweep(SETTINGS, "s-1", plan, home=home, started_at=1.0)
    with opened(SETTINGS, home) as store:
        run = store.client.get_run(parent)
        assert (run.info.status, run.data.tags["mlflow.note.content"]) == ("FAILED", "the table")
        assert [file.path for file in store.client.list_artifacts(parent)] == ["summary.json"]
    assert json.loads((folder / "tracking.json").read_text())["mlflow_run_id"] == parent


def test_a_sweep_that_mlflow_does_not_get_is_planned_on_disk(home, free_port):
    dead = TrackingSettings(uri=f"http://127.0.0.1:{free_port}")
    with pytest.raises(TrackingError):
        upload_sweep(dead, "s-1", SweepPlan("t", (), ok=True), home=home, started_at=1.0)
    assert json.loads((home / "sweeps/s-1/tracking.json").read_text()) == {
        "note": "t",
        "files": [],
        "ok": True,
        "mlflow_run_id": None,
        "started_at": 1.0,
    }


def test_what_was_noted_before_stays_among_the_artifacts_where_it_is_there(home):
    folder = home / "sweeps" / "s-1"
    folder.mkdir(parents=True)
    (folder / "plot.svg").write_text("<svg/>", encoding="utf-8")
    plan_sweep("s-1", SweepPlan("one", ("table.md", "plot.svg"), ok=True), home=home, started_at=1.0)
    plan_sweep("s-1", SweepPlan("two", ("other.md",), ok=True), home=home, started_at=1.0)
    kept, _ = read_plan(folder)
    assert (kept.note, kept.files) == ("two", ("other.md", "plot.svg"))
