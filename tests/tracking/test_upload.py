import json
import math
import os
from pathlib import Path

import pytest

from venire.errors import RunError, TrackingError
from venire.records import RunStatus
from venire.runs import RUN_FILES, read_record, set_mlflow_run_id
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run

SETTINGS = TrackingSettings()


def runs_in(home, settings=SETTINGS):
    with opened(settings, home) as store:
        return store.client.search_runs([store.experiment_id])


def test_a_run_carries_its_metrics_params_tags_and_times(home, put):
    run_id = upload_run(SETTINGS, put("r1"), home=home)
    (run,) = runs_in(home)
    assert run.info.run_id == run_id
    assert (run.info.run_name, run.info.status) == ("beta=0.5", "FINISHED")
    assert (run.info.start_time, run.info.end_time) == (1_000_000, 1_060_500)
    assert math.isnan(run.data.metrics.pop("kappa"))
    assert run.data.metrics == {"accuracy": 0.75, "calls/paid": 48.0, "cost_usd/total": 0.0123}
    assert run.data.params == {"method": "pairwise", "dataset": "sample", "judge.temperature": "0.5"}
    tags = run.data.tags
    assert (tags["venire.run_id"], tags["venire.job_hash"], tags["venire.kind"]) == ("r1", "j1", "simulated")
    assert tags["venire.undefined"] == "kappa"
    assert "| kappa | one label only |" in tags["mlflow.note.content"]


def test_the_data_set_is_logged_by_name_digest_and_source(home, put):
    import mlflow.data

    upload_run(SETTINGS, put("r1"), home=home)
    (run,) = runs_in(home)
    (given,) = run.inputs.dataset_inputs
    assert (given.dataset.name, given.dataset.digest) == ("sample", "0123456789abcdef0123456789abcdef0123")
    assert mlflow.data.get_source(given.dataset).to_dict() == {"uri": "sample/pairs.jsonl"}


def test_a_hub_data_set_keeps_its_revision(home, put):
    import mlflow.data

    tags = {"data_fingerprint": "f", "data_source": "org/set", "data_revision": "abc"}
    upload_run(SETTINGS, put("r1", tags=tags), home=home)
    (run,) = runs_in(home)
    source = mlflow.data.get_source(run.inputs.dataset_inputs[0].dataset)
    assert (source.path, source.revision) == ("org/set", "abc")


def test_the_folders_files_are_artifacts_at_a_fixed_place(home, put):
    run_id = upload_run(SETTINGS, put("r1"), home=Path(os.path.relpath(home)))
    with opened(SETTINGS, home) as store:
        assert {file.path for file in store.client.list_artifacts(run_id)} == set(RUN_FILES)
    stored = home / "mlartifacts" / "venire" / run_id / "artifacts"
    assert json.loads((stored / "summary.json").read_text())["accuracy"] == 0.75


def test_a_page_that_the_method_left_is_an_artifact_and_linked_from_the_run(home, put):
    folder = put("r1")
    (folder / "graphs.html").write_text("<p>graphs</p>", encoding="utf-8")
    run_id = upload_run(SETTINGS, folder, home=home)
    with opened(SETTINGS, home) as store:
        assert "graphs.html" in {file.path for file in store.client.list_artifacts(run_id)}
        link = f"[graphs.html](#/experiments/{store.experiment_id}/runs/{run_id}/artifacts/graphs.html)"
        assert link in store.client.get_run(run_id).data.tags["mlflow.note.content"]


@pytest.mark.parametrize(
    ("status", "shown"), [(RunStatus.INCOMPLETE, "KILLED"), (RunStatus.FAILED, "FAILED")]
)
def test_a_run_that_did_not_finish_is_shown_as_such(home, put, status, shown):
    upload_run(SETTINGS, put("r1", status=status, error="budget reached"), home=home)
    (run,) = runs_in(home)
    assert (run.info.status, run.data.tags["venire.error"]) == (shown, "budget reached")


def test_uploading_twice_makes_one_run(home, put):
    folder = put("r1")
    first = upload_run(SETTINGS, folder, home=home)
    assert read_record(folder).mlflow_run_id == first
    assert upload_run(SETTINGS, folder, home=home) == first
    assert len(runs_in(home)) == 1


def test_an_upload_whose_id_was_not_noted_is_found_by_its_tag(home, put):
    folder = put("r1")
    before = (folder / "run.json").read_text()
    first = upload_run(SETTINGS, folder, home=home)
    (folder / "run.json").write_text(before)
    assert upload_run(SETTINGS, folder, home=home) == first
    assert len(runs_in(home)) == 1


def test_an_upload_that_was_cut_off_is_completed(home, put):
    folder = put("r1")
    with opened(SETTINGS, home) as store:
        cut = store.client.create_run(store.experiment_id, tags={"venire.run_id": "r1"}).info.run_id
        store.client.log_param(cut, "method", "pairwise")
        store.client.log_metric(cut, "accuracy", 0.75, timestamp=1_060_500, step=0)
    assert upload_run(SETTINGS, folder, home=home) == cut
    (run,) = runs_in(home)
    assert (run.info.status, run.data.metrics["calls/paid"]) == ("FINISHED", 48.0)
    assert len(run.data.params) == 3


def test_an_id_that_this_store_does_not_know_is_replaced(home, put):
    folder = put("r1")
    set_mlflow_run_id(folder, "0" * 32)
    run_id = upload_run(SETTINGS, folder, home=home)
    assert run_id != "0" * 32
    assert read_record(folder).mlflow_run_id == run_id


def test_more_params_tags_and_metrics_than_one_batch_takes_all_arrive(home, put):
    params = {f"p{i}": "x" * 7000 for i in range(150)}
    tags = {f"t{i}": "y" * 9000 for i in range(150)}
    metrics = {f"m/{i}": float(i) for i in range(1100)}
    upload_run(SETTINGS, put("r1", params=params, tags=tags, metrics=metrics), home=home)
    (run,) = runs_in(home)
    assert run.data.metrics == metrics
    assert run.data.params == dict.fromkeys(params, "x" * 5997 + "...")
    assert sum(name.startswith("venire.t") for name in run.data.tags) == 150


def test_names_that_mlflow_refuses_are_changed_and_empty_values_left_out(home, put):
    upload_run(SETTINGS, put("r1", params={"a@b": "", "c": "1"}, tags={"v^1": "x", "none": ""}), home=home)
    (run,) = runs_in(home)
    assert run.data.params == {"a_b": "", "c": "1"}
    assert run.data.tags["venire.v_1"] == "x"
    assert "venire.none" not in run.data.tags


def test_an_unfinished_run_is_not_uploaded(home):
    folder = home / "runs" / "dead"
    folder.mkdir(parents=True)
    with pytest.raises(RunError, match="found no run"):
        upload_run(SETTINGS, folder, home=home)


def test_a_deleted_experiment_is_named(home, put):
    with opened(SETTINGS, home) as store:
        store.client.delete_experiment(store.experiment_id)
    with pytest.raises(TrackingError, match="'venire' was deleted"):
        upload_run(SETTINGS, put("r1"), home=home)
