"""Files beside runs that MLflow has already."""

import pytest

from venire.errors import TrackingError
from venire.tracking.artifacts import log_beside
from venire.tracking.logged import PARENT_TAG
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run

SETTINGS = TrackingSettings()


def names_in(home, mlflow_run_id):
    with opened(SETTINGS, home) as store:
        return [each.path for each in store.client.list_artifacts(mlflow_run_id, "comparisons/x")]


def test_files_go_to_the_sweep_that_the_runs_share_else_to_each_run(home, put, tmp_path):
    one, two = (upload_run(SETTINGS, put(name, sweep_id="s"), home=home) for name in ("r1", "r2"))
    alone = upload_run(SETTINGS, put("r3"), home=home)
    with opened(SETTINGS, home) as store:
        sweep = store.client.get_run(one).data.tags[PARENT_TAG]
    path = tmp_path / "comparison.md"
    path.write_text("one", encoding="utf-8")
    assert log_beside(SETTINGS, [one, two], [path], "comparisons/x", home=home) == [sweep]
    assert names_in(home, sweep) == ["comparisons/x/comparison.md"]
    assert names_in(home, one) == []
    assert log_beside(SETTINGS, [one, alone, one], [path], "comparisons/x", home=home) == [one, alone]
    assert names_in(home, one) == names_in(home, alone) == ["comparisons/x/comparison.md"]


def test_a_file_with_a_secret_is_not_uploaded(home, put, tmp_path):
    run = upload_run(SETTINGS, put("r1"), home=home)
    path = tmp_path / "comparison.md"
    path.write_text("key s3cret", encoding="utf-8")
    with pytest.raises(TrackingError, match="expected no secret in an artifact"):
        log_beside(SETTINGS, [run], [path], "comparisons/x", home=home, secrets=["s3cret"])
    assert names_in(home, run) == []
