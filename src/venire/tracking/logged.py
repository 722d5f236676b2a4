"""What a run record becomes in MLflow: pure, so that it can be read and tested without a server."""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from venire.records import RunRecord, RunStatus, command_of_job

# Limits of one `log_batch` and of its values. Source: mlflow.utils.validation
MAX_METRICS, MAX_PARAMS, MAX_TAGS = 800, 100, 100
MAX_PARAM_LENGTH, MAX_TAG_LENGTH = 6000, 8000

RUN_ID_TAG = "venire.run_id"
SWEEP_ID_TAG = "venire.sweep_id"
UPLOADED_TAG = "venire.uploaded"
PARENT_TAG = "mlflow.parentRunId"
NOTE_TAG = "mlflow.note.content"

# MLflow's UI opens a parent whose children are evaluations, and lists them under "Evaluation runs".
_RUN_TYPE = {"mlflow.runType": "evaluation"}

STATUS = {RunStatus.FINISHED: "FINISHED", RunStatus.INCOMPLETE: "KILLED", RunStatus.FAILED: "FAILED"}

_REFUSED = re.compile(r"[^\w.\-: /]")


@dataclass(frozen=True, slots=True)
class DataLogged:
    """The data set as MLflow lists it. `digest` is the fingerprint's first 36 digits, MLflow's limit."""

    name: str
    digest: str
    source: str
    revision: str


def tags_of(record: RunRecord, links: Sequence[str] = ()) -> dict[str, str]:
    """Every tag of the run but its parent: ours under `venire.`, and those that MLflow's UI reads.

    `links` (Markdown) go into the run's description.
    """
    undefined = sorted(name for name, value in record.metrics.items() if not math.isfinite(value))
    ours = dict(record.tags) | {
        "kind": str(record.kind),
        "status": str(record.status),
        "sweep_id": record.sweep_id or "",
        "overrides": shlex.join(record.overrides),
        "undefined": ", ".join(undefined),
        "error": record.error,
        "run_id": record.run_id,
    }
    commit = record.tags.get("git_commit", "")
    for_ui = {
        NOTE_TAG: description_of(record, links),
        "mlflow.source.name": "venire",
        "mlflow.source.type": "LOCAL",
        "mlflow.source.git.commit": "" if commit == "unknown" else commit,
        **_RUN_TYPE,
    }
    prefixed = {f"venire.{allowed_name(key)}": value for key, value in ours.items()}
    return {key: shortened(value, MAX_TAG_LENGTH) for key, value in (prefixed | for_ui).items() if value}


def params_of(record: RunRecord) -> dict[str, str]:
    """The chosen parts' settings, under names that MLflow takes."""
    return {allowed_name(key): shortened(value, MAX_PARAM_LENGTH) for key, value in record.params.items()}


def metrics_of(record: RunRecord) -> dict[str, float]:
    """The metrics of `summary.json`; what is null there is NaN here."""
    return {name: value if math.isfinite(value) else math.nan for name, value in record.metrics.items()}


def description_of(record: RunRecord, links: Sequence[str] = ()) -> str:
    """Markdown for the run's page: the command, links, the error, and what must be said of metrics."""
    alone = shlex.join(["venire", "run", *record.overrides])
    command = command_of_job(record.overrides) if record.sweep_id else alone
    lines = [f"`{command}`", "", f"Replies: **{record.kind}**. Status: **{record.status}**."]
    if links:
        lines += ["", "Pages: " + ", ".join(links)]
    if record.error:
        lines += ["", record.error]
    if record.notes:
        lines += ["", "| metric | note |", "|---|---|"]
        lines += [f"| {name} | {_cell(note)} |" for name, note in sorted(record.notes.items())]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def data_of(record: RunRecord) -> DataLogged | None:
    """The data set of the run, from its tags; None where they have no fingerprint."""
    fingerprint = record.tags.get("data_fingerprint", "")
    if not fingerprint:
        return None
    source = record.tags.get("data_source", "")
    name = record.params.get("dataset.name") or record.params.get("dataset") or source or "data"
    return DataLogged(name, fingerprint[:36], source, record.tags.get("data_revision", ""))


def allowed_name(name: str) -> str:
    """`name` with every character that MLflow refuses in a key replaced by `_`."""
    return _REFUSED.sub("_", name)[:250]


def shortened(text: str, limit: int) -> str:
    """`text`, or its beginning and an ellipsis where it is longer than `limit`."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


@dataclass(frozen=True, slots=True)
class Batch:
    """What one `log_batch` takes."""

    metrics: Mapping[str, float]
    params: Mapping[str, str]
    tags: Mapping[str, str]


def batches(
    metrics: Mapping[str, float], params: Mapping[str, str], tags: Mapping[str, str]
) -> Iterator[Batch]:
    """As few batches as MLflow's limits allow: one, for a usual run."""
    some_metrics, some_params, some_tags = iter(metrics.items()), iter(params.items()), iter(tags.items())
    while True:
        batch = Batch(
            metrics=dict(islice(some_metrics, MAX_METRICS)),
            params=dict(islice(some_params, MAX_PARAMS)),
            tags=dict(islice(some_tags, MAX_TAGS)),
        )
        if not (batch.metrics or batch.params or batch.tags):
            return
        yield batch
