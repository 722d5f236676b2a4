"""A run folder to an MLflow run: once, however often it is asked for."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from venire.records import RunRecord
from venire.runs import files_of, read_record, set_mlflow_run_id
from venire.tracking.logged import (
    PARENT_TAG,
    RUN_ID_TAG,
    STATUS,
    UPLOADED_TAG,
    DataLogged,
    batches,
    data_of,
    metrics_of,
    params_of,
    tags_of,
)
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import Store, locked, opened, tracking_errors
from venire.tracking.sweep_run import sweep_run_id

if TYPE_CHECKING:
    from mlflow.entities import Run


def upload_run(settings: TrackingSettings, folder: Path, *, home: Path) -> str:
    """Upload a finished run folder; returns the MLflow run id, which `run.json` keeps too.

    A folder that the store has already is not uploaded again; an upload that was cut off is
    completed. A run of a sweep becomes a child of the sweep's run, which is made where it is missing.

    Raises:
        TrackingError: MLflow cannot be reached or refuses; the folder stays as it is.
        RunError: the folder holds no finished run.
    """
    from filelock import FileLock

    uri = settings.store_uri(home)
    with tracking_errors(uri), FileLock(folder / ".upload.lock"), opened(settings, home) as store:
        record = read_record(folder)
        run = _existing(store, record) or _create(store, record, home)
        mlflow_run_id = str(run.info.run_id)
        if run.data.tags.get(UPLOADED_TAG) != "true":
            _fill(store, run, record, folder=folder, home=home)
    if record.mlflow_run_id != mlflow_run_id:
        set_mlflow_run_id(folder, mlflow_run_id)
    return mlflow_run_id


def _existing(store: Store, record: RunRecord) -> "Run | None":
    if record.mlflow_run_id:
        run = store.get(record.mlflow_run_id)
        if run is not None and run.data.tags.get(RUN_ID_TAG) == record.run_id:
            return run
    return store.find(RUN_ID_TAG, record.run_id)


def _create(store: Store, record: RunRecord, home: Path) -> "Run":
    tags = {RUN_ID_TAG: record.run_id}
    if record.sweep_id:
        tags[PARENT_TAG] = sweep_run_id(store, record.sweep_id, home, started_at=record.started_at)
    return store.client.create_run(
        store.experiment_id,
        start_time=_milliseconds(record.started_at),
        run_name=record.name,
        tags=tags,
    )


def _fill(store: Store, run: "Run", record: RunRecord, *, folder: Path, home: Path) -> None:
    run_id = str(run.info.run_id)
    paths = files_of(folder)
    _log_values(store, run_id, record, pages=[path.name for path in paths if path.suffix == ".html"])
    data = data_of(record)
    if data is not None and not (run.inputs and run.inputs.dataset_inputs):
        # MLflow looks a data set up and then inserts it: two processes at once collide on its key
        with locked(home):
            _log_data(store, run_id, data)
    for path in paths:
        store.client.log_artifact(run_id, str(path))
    store.client.set_tag(run_id, UPLOADED_TAG, "true")
    store.client.set_terminated(run_id, status=STATUS[record.status], end_time=_milliseconds(record.ended_at))


def _log_values(store: Store, run_id: str, record: RunRecord, pages: Sequence[str]) -> None:
    from mlflow.entities import Metric, Param, RunTag

    at = _milliseconds(record.ended_at)
    links = [
        f"[{page}](#/experiments/{store.experiment_id}/runs/{run_id}/artifacts/{page})" for page in pages
    ]
    for batch in batches(metrics_of(record), params_of(record), tags_of(record, links)):
        store.client.log_batch(
            run_id,
            metrics=[Metric(name, value, at, 0) for name, value in batch.metrics.items()],
            params=[Param(name, value) for name, value in batch.params.items()],
            tags=[RunTag(name, value) for name, value in batch.tags.items()],
        )


def _log_data(store: Store, run_id: str, data: DataLogged) -> None:
    from mlflow.entities import Dataset, DatasetInput, InputTag

    # `mlflow.data.get_source` reads both kinds back
    kind, source = (
        ("hugging_face", {"path": data.source, "revision": data.revision})
        if data.revision
        else ("local", {"uri": data.source})
    )
    dataset = Dataset(data.name, data.digest, kind, json.dumps(source))
    tag = InputTag("mlflow.data.context", "evaluation")
    store.client.log_inputs(run_id, datasets=[DatasetInput(dataset, [tag])])


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
