"""A sweep's parent run: one, whoever asks first; its description carries the sweep's table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.runs import redact, write_atomically
from venire.tracking.artifacts import log_artifacts
from venire.tracking.logged import MAX_TAG_LENGTH, NOTE_TAG, SWEEP_ID_TAG, shortened
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import Store, locked, opened

# What `upload_sweep` was asked to upload, so that `sync` can do it later.
PLAN_FILE = "tracking.json"
PARENT_ROLE_TAG = "venire.role"


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What a sweep's parent run shall say.

    Args:
        note: Markdown, usually the sweep's table.
        files: artifacts, as paths relative to the sweep's folder.
        ok: whether every job finished.
        mlflow_run_id: once it is uploaded.
    """

    note: str
    files: tuple[str, ...]
    ok: bool
    mlflow_run_id: str | None = None


def ensure_sweep_run(settings: TrackingSettings, sweep_id: str, *, home: Path, started_at: float) -> str:
    """The MLflow run id of the sweep's parent run, which is made where it is missing.

    Raises:
        TrackingError: MLflow cannot be reached or refuses.
    """
    with opened(settings, home) as store:
        return sweep_run_id(store, sweep_id, home, started_at=started_at)


def sweep_run_id(store: Store, sweep_id: str, home: Path, *, started_at: float) -> str:
    """As `ensure_sweep_run`, in an open store."""
    found = store.find(PARENT_ROLE_TAG, f"sweep:{sweep_id}")
    if found is None:
        with locked(home):
            found = store.find(PARENT_ROLE_TAG, f"sweep:{sweep_id}") or store.client.create_run(
                store.experiment_id,
                start_time=round(started_at * 1000),
                run_name=sweep_id,
                tags={
                    PARENT_ROLE_TAG: f"sweep:{sweep_id}",
                    SWEEP_ID_TAG: sweep_id,
                    "mlflow.source.name": "venire",
                    "mlflow.source.type": "LOCAL",
                },
            )
    return str(found.info.run_id)


def set_sweep_note(
    settings: TrackingSettings, parent: str, note: str, *, home: Path, secrets: Sequence[str] = ()
) -> None:
    """Make `note` (Markdown) the description of run `parent`; secrets become `***`.

    Raises:
        TrackingError: MLflow cannot be reached or refuses.
    """
    with opened(settings, home) as store:
        store.client.set_tag(parent, NOTE_TAG, shortened(redact(note, secrets), MAX_TAG_LENGTH))


def upload_sweep(
    settings: TrackingSettings,
    sweep_id: str,
    plan: SweepPlan,
    *,
    home: Path,
    started_at: float,
    secrets: Sequence[str] = (),
) -> str:
    """Give the sweep's parent run its note, its artifacts and its end; returns its MLflow run id.

    What shall be uploaded is noted in the sweep's folder first, so that `sync` can do it where
    MLflow is not reached now.

    Raises:
        TrackingError: MLflow cannot be reached or refuses; the plan is on disk.
    """
    folder = home / "sweeps" / sweep_id
    kept = plan_sweep(sweep_id, plan, home=home, started_at=started_at, secrets=secrets)
    parent = ensure_sweep_run(settings, sweep_id, home=home, started_at=started_at)
    set_sweep_note(settings, parent, kept.note, home=home)
    paths = [folder / name for name in kept.files]
    log_artifacts(settings, parent, paths, home=home, secrets=secrets)
    with opened(settings, home) as store:
        store.client.set_terminated(parent, status="FINISHED" if kept.ok else "FAILED")
    _write_plan(folder, SweepPlan(kept.note, kept.files, kept.ok, parent), started_at)
    return parent


def plan_sweep(
    sweep_id: str, plan: SweepPlan, *, home: Path, started_at: float, secrets: Sequence[str] = ()
) -> SweepPlan:
    """Note in the sweep's folder what its parent run shall say, for `sync`; returns it without secrets.

    Artifacts that were noted before stay.
    """
    folder = home / "sweeps" / sweep_id
    files = tuple(dict.fromkeys((*plan.files, *_noted_before(folder))))
    kept = SweepPlan(redact(plan.note, secrets), files, plan.ok)
    _write_plan(folder, kept, started_at)
    return kept


def _noted_before(folder: Path) -> list[str]:
    """The artifacts that an earlier plan names and that are there: a table's do not drop a sweep's own."""
    if not (folder / PLAN_FILE).is_file():
        return []
    return [name for name in read_plan(folder)[0].files if (folder / name).is_file()]


def _write_plan(folder: Path, plan: SweepPlan, started_at: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "note": plan.note,
        "files": list(plan.files),
        "ok": plan.ok,
        "mlflow_run_id": plan.mlflow_run_id,
        "started_at": started_at,
    }
    write_atomically(folder / PLAN_FILE, json.dumps(content, indent=1))


def read_plan(folder: Path) -> tuple[SweepPlan, float]:
    """What `upload_sweep` noted in a sweep's folder, and when the sweep started."""
    fields = json.loads((folder / PLAN_FILE).read_text(encoding="utf-8"))
    plan = SweepPlan(fields["note"], tuple(fields["files"]), fields["ok"], fields["mlflow_run_id"])
    return plan, float(fields["started_at"])
