import pytest

from venire.errors import TrackingError
from venire.runs import read_record, start_run
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.sweep_run import SweepPlan, upload_sweep
from venire.tracking.sync import SyncReport, sync
from venire.tracking.upload import upload_run

SETTINGS = TrackingSettings()


def test_nothing_to_do_is_said_as_such(home):
    assert sync(home, SETTINGS) == SyncReport()


def test_what_a_dead_server_did_not_get_is_uploaded_later(home, put, free_port):
    dead = TrackingSettings(uri=f"http://127.0.0.1:{free_port}")
    lone, child = put("r1"), put("r2", sweep_id="s-1")
    for folder in (lone, child):
        with pytest.raises(TrackingError):
            upload_run(dead, folder, home=home)
    with pytest.raises(TrackingError):
        upload_sweep(dead, "s-1", SweepPlan("the table", (), ok=True), home=home, started_at=1.0)
    with pytest.raises(TrackingError):
        sync(home, dead)

    report = sync(home, SETTINGS)
    assert (report.uploaded, report.already, report.sweeps, report.failed) == ((lone, child), 0, ("s-1",), {})
    with opened(SETTINGS, home) as store:
        tags = store.client.get_run(read_record(child).mlflow_run_id).data.tags
        parent = store.client.get_run(tags["mlflow.parentRunId"])
    assert parent.data.tags["mlflow.note.content"] == "the table"
    assert parent.info.status == "FINISHED"

    again = sync(home, SETTINGS)
    assert (again.uploaded, again.already, again.sweeps) == ((), 2, ())


def test_without_a_store_named_each_run_goes_to_where_it_was_to_be_logged(home, put, tmp_path):
    here, there, silent, hidden = (put(name) for name in ("r1", "r2", "r3", "r4"))
    other = f"sqlite:///{tmp_path}/other.db"
    nodes = {
        here: "tracking: {_target_: x, uri: null, experiment: venire}",
        there: f"tracking: {{_target_: x, uri: '{other}', experiment: elsewhere}}",
        silent: "seed: 0",
        hidden: "tracking: {uri: 'postgresql://me:***@host/db'}",
    }
    for folder, node in nodes.items():
        (folder / "config.yaml").write_text(node)
    report = sync(home)
    assert report.uploaded == (here, there)
    assert list(report.failed) == [silent, hidden]
    assert all("--uri" in message for message in report.failed.values())
    with opened(TrackingSettings(uri=other, experiment="elsewhere"), home) as store:
        assert store.get(read_record(there).mlflow_run_id) is not None


def test_one_damaged_run_stops_no_other_and_unfinished_ones_are_left_alone(home, put):
    bad, good = put("r1"), put("r2")
    (bad / "run.json").write_text("{")
    start_run(home / "runs" / "r3", pid=1, overrides=(), started_at=0.0)
    report = sync(home, SETTINGS)
    assert report.uploaded == (good,)
    assert list(report.failed) == [bad]
    assert report.unfinished == 1


def test_a_move_to_another_store_uploads_what_has_an_id_already(home, put, tmp_path):
    folder = put("r1")
    first = upload_run(SETTINGS, folder, home=home)
    other = TrackingSettings(experiment="moved")
    assert sync(home, other).already == 1
    assert sync(home, other, check_all=True).already == 1  # the same database knows the run
    (home / "mlflow.db").rename(tmp_path / "old.db")
    settings = TrackingSettings(uri=f"sqlite:///{tmp_path}/new.db")
    report = sync(home, settings, check_all=True)
    assert report.uploaded == (folder,)
    assert read_record(folder).mlflow_run_id != first
