"""A run folder: written once, `run.json` last, so that a folder without one is an unfinished run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from venire.errors import RunError
from venire.records import Call, Instance, Outcome, RunRecord
from venire.runs.atomic import write_atomically
from venire.runs.calls import CALLS_FILE, calls_to_gzip
from venire.runs.outcomes import OUTCOMES_FILE, outcomes_to_parquet
from venire.runs.record_json import record_from_json, record_to_json
from venire.runs.redact import redact
from venire.runs.strict_json import dumps

RECORD_FILE = "run.json"
SUMMARY_FILE = "summary.json"
CONFIG_FILE = "config.yaml"
STARTED_FILE = "started.json"
RUN_FILES = (RECORD_FILE, SUMMARY_FILE, CONFIG_FILE, OUTCOMES_FILE, CALLS_FILE)

# What MLflow takes as a metric's name. Source: mlflow.utils.validation
_METRIC_NAME = re.compile(r"[\w.\-: ]+(/[\w.\-: ]+)*")


def start_run(folder: Path, *, pid: int, overrides: Sequence[str], started_at: float) -> None:
    """Make `folder` with `started.json` in it: a run is under way, or died under way."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"pid": pid, "overrides": list(overrides), "started_at": started_at}
    write_atomically(folder / STARTED_FILE, dumps(content, indent=1) + "\n")


def write_run(
    folder: Path,
    record: RunRecord,
    *,
    config_yaml: str,
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    secrets: Sequence[str] = (),
    more: Mapping[str, str | bytes] | None = None,
    unfinished: Sequence[Call] = (),
    development: Sequence[Call] = (),
) -> None:
    """Write the files of a run; equal arguments give equal bytes.

    Args:
        folder: made where it is missing.
        record: its metrics are also `summary.json`, with null where undefined.
        config_yaml: the resolved configuration.
        instances: the rows of `outcomes.parquet`; those without an outcome are `not_run`.
        outcomes: with every call; the lines of `calls.jsonl.gz`.
        secrets: values (`secret_values(environ)`) that become `***` wherever they occur.
        more: what the method leaves besides: file name to text, or to the bytes of a picture.
        unfinished: the calls of instances that the run stopped before.
        development: the calls of the development split.

    Raises:
        RunError: the folder holds a run already, two files have one name, a metric's name is one that
            MLflow refuses, or an outcome belongs to no instance.
    """
    further = dict(more or {})
    _check_new(folder, record, further)
    judged = {
        OUTCOMES_FILE: outcomes_to_parquet(instances, outcomes, secrets),
        CALLS_FILE: calls_to_gzip(outcomes, secrets, unfinished=unfinished, development=development),
    }
    _write(folder, record, {CONFIG_FILE: config_yaml, **further, **judged}, secrets)


def complete_run(folder: Path, record: RunRecord, *, config_yaml: str, secrets: Sequence[str] = ()) -> None:
    """Write the other files of a run whose outcomes and calls are in `folder` (`GrowingFiles`).

    Raises:
        RunError: as `write_run`.
    """
    _check_new(folder, record, {})
    _write(folder, record, {CONFIG_FILE: config_yaml}, secrets)


def _check_new(folder: Path, record: RunRecord, further: Mapping[str, object]) -> None:
    if (folder / RECORD_FILE).exists():
        raise RunError(f"{folder}: expected a new run folder, it holds a run already; choose another run id")
    _check_metric_names(record.metrics)
    if taken := sorted(further.keys() & {*RUN_FILES, STARTED_FILE}):
        raise RunError(f"{folder}: expected further files with names of their own, got {', '.join(taken)}")


def _write(folder: Path, record: RunRecord, files: Mapping[str, str | bytes], secrets: Sequence[str]) -> None:
    """`files`, then what is made of the record, `run.json` last."""
    contents = {
        **{name: _bytes(content, secrets) for name, content in files.items()},
        SUMMARY_FILE: (dumps(dict(record.metrics), indent=1) + "\n").encode(),
        RECORD_FILE: record_to_json(_without_secrets(record, secrets)).encode(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomically(folder / name, content)
    (folder / STARTED_FILE).unlink(missing_ok=True)


def files_of(folder: Path) -> list[Path]:
    """Every file of a finished run: those that all runs have, then what its method left."""
    own = [folder / name for name in RUN_FILES]
    others = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    return [*own, *(path for path in others if path.name not in (*RUN_FILES, STARTED_FILE))]


def _bytes(content: str | bytes, secrets: Sequence[str]) -> bytes:
    return content if isinstance(content, bytes) else redact(content, secrets).encode()


def _check_metric_names(metrics: Mapping[str, float]) -> None:
    bad = [
        name
        for name in metrics
        if not _METRIC_NAME.fullmatch(name) or {".", ".."} & set(name.split("/")) or len(name) > 250
    ]
    if bad:
        raise RunError(
            f"metrics: expected letters, digits, '_', '-', '.', ':', ' ' and '/' (MLflow refuses others), "
            f"got {', '.join(map(repr, bad[:5]))}; replace them where the metric is named"
        )


def _without_secrets(record: RunRecord, secrets: Sequence[str]) -> RunRecord:
    return replace(
        record,
        name=redact(record.name, secrets),
        notes=_texts(record.notes, secrets),
        params=_texts(record.params, secrets),
        tags=_texts(record.tags, secrets),
        overrides=tuple(redact(text, secrets) for text in record.overrides),
        error=redact(record.error, secrets),
    )


def _texts(texts: Mapping[str, str], secrets: Sequence[str]) -> dict[str, str]:
    return {key: redact(value, secrets) for key, value in texts.items()}


def read_record(folder: Path) -> RunRecord:
    """What `run.json` says.

    Raises:
        RunError: the run is unfinished, there is none, or the file is damaged.
    """
    path = folder / RECORD_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        what = "an unfinished run" if (folder / STARTED_FILE).exists() else "no run"
        raise RunError(f"{folder}: expected a finished run ({RECORD_FILE}), found {what}") from None
    return record_from_json(text, str(path))


def set_mlflow_run_id(folder: Path, mlflow_run_id: str) -> None:
    """Note in `run.json` which MLflow run this is; nothing else changes."""
    record = replace(read_record(folder), mlflow_run_id=mlflow_run_id)
    write_atomically(folder / RECORD_FILE, record_to_json(record))
