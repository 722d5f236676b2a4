"""A finished (or stopped) run, as it lies in its folder and as it goes to MLflow."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from venire.records.call import BackendKind


class RunStatus(StrEnum):
    """How a run ended. Only FINISHED runs enter tables unasked."""

    FINISHED = "finished"
    INCOMPLETE = "incomplete"  # budget reached, or interrupted: some instances are not judged
    FAILED = "failed"


def command_of_job(overrides: Sequence[str], flags: Sequence[str] = ()) -> str:
    """What to type into a shell for one job of a sweep alone, also where its experiment's file sweeps.

    `flags` stand before all overrides: hydra's parser takes these in one stretch only.
    """
    return shlex.join(["venire", "run", *flags, "hydra.mode=RUN", *overrides])


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run folder's `run.json` says.

    Args:
        run_id: the folder's name.
        name: short and telling, for the UI.
        status: see `RunStatus`.
        kind: where replies came from.
        started_at, ended_at: seconds since the epoch.
        metrics: name to number; NaN where undefined. Equal to `summary.json`.
        notes: metric name to the reason why it is undefined, or what else must be said of it.
        params: the chosen parts' settings, flattened (`judge.model`, `method.orders`).
        tags: config hash, job hash, commit, data fingerprint, prompt hashes, versions, ...
        sweep_id: the sweep that it belongs to, or None.
        overrides: the overrides that the user typed.
        mlflow_run_id: once it is uploaded.
        error: why it failed or stopped.
    """

    run_id: str
    name: str
    status: RunStatus
    kind: BackendKind
    started_at: float
    ended_at: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    sweep_id: str | None = None
    overrides: tuple[str, ...] = ()
    mlflow_run_id: str | None = None
    error: str = ""
