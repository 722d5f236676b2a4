"""Labels that people give on the page reach the run's own MLflow run."""

import json

import yaml

from venire.commands.review_serve import uploads_of
from venire.page.uploads import ARTIFACT
from venire.records import Winner
from venire.review.labels import Label
from venire.review.store import append_labels, fields_of
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run

SETTINGS = TrackingSettings()


def test_the_labels_of_a_run_are_an_artifact_of_it(home, put, tmp_path):
    folder, other = put("r1"), put("r2")
    run_id = upload_run(SETTINGS, folder, home=home)
    labels = home / "labels" / "sample.jsonl"
    (folder / "config.yaml").write_text(yaml.safe_dump({"tracking": {"enabled": True}}))
    given = [
        Label("a/1", "c", Winner.FIRST, who, "2026-12-01T02:00:00Z", 2.5, "why", run_id=run)
        for who, run in (("ann", "r1"), ("bob", "r2"))
    ]
    uploads = uploads_of(home, folder, labels, run_id)
    assert uploads is not None
    with uploads.running():
        append_labels(labels, given)
        uploads.due()
    with opened(SETTINGS, home) as store:
        path = store.client.download_artifacts(run_id, ARTIFACT, str(tmp_path))
    with open(path, encoding="utf-8") as file:
        (line,) = map(json.loads, file)
    assert line == fields_of(given[0])
    assert (line["annotator"], line["seconds"], line["run_id"]) == ("ann", 2.5, "r1")
    # not where tracking is off, or was never on
    (folder / "config.yaml").write_text(yaml.safe_dump({"tracking": {"enabled": False}}))
    assert uploads_of(home, folder, labels, run_id) is None
    assert uploads_of(home, other, labels, None) is None
