"""`RunRecord` to `run.json` and back."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TypeVar

from venire.errors import RunError
from venire.records import BackendKind, RunRecord, RunStatus
from venire.runs.strict_json import dumps, loads_mapping

Value = TypeVar("Value")


def record_to_json(record: RunRecord) -> str:
    """The text of `run.json`; undefined metrics are null."""
    return dumps(asdict(record), indent=1) + "\n"


def record_from_json(text: str, where: str) -> RunRecord:
    """The record in `text`; null metrics become NaN.

    Raises:
        RunError: a field is missing or has the wrong type; says `where`.
    """
    fields = loads_mapping(text, where)
    try:
        return RunRecord(
            run_id=str(fields["run_id"]),
            name=str(fields["name"]),
            status=RunStatus(str(fields["status"])),
            kind=BackendKind(str(fields["kind"])),
            started_at=_number(fields["started_at"]),
            ended_at=_number(fields["ended_at"]),
            metrics=_mapping(fields.get("metrics"), _number),
            notes=_mapping(fields.get("notes"), str),
            params=_mapping(fields.get("params"), str),
            tags=_mapping(fields.get("tags"), str),
            sweep_id=_optional(fields.get("sweep_id")),
            overrides=_texts(fields.get("overrides")),
            mlflow_run_id=_optional(fields.get("mlflow_run_id")),
            error=str(fields.get("error", "")),
        )
    except (KeyError, ValueError) as error:
        raise RunError(f"{where}: not a run record: {error!r}") from error


def _number(value: object) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


def _optional(value: object) -> str | None:
    return None if value is None else str(value)


def _mapping(value: object, of: Callable[[object], Value]) -> dict[str, Value]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a mapping, got {value!r}")
    return {str(key): of(item) for key, item in value.items()}


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"expected a list, got {value!r}")
    return tuple(str(item) for item in value)
