"""Uploading later what could not be uploaded at once."""

from dataclasses import dataclass, field
from pathlib import Path

from venire.errors import TrackingError, VenireError
from venire.runs import list_runs, read_record, unfinished_runs
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.sweep_run import PLAN_FILE, read_plan, upload_sweep
from venire.tracking.upload import upload_run


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What `sync` did.

    Args:
        uploaded: the run folders uploaded now.
        already: how many runs were uploaded before.
        sweeps: the sweeps whose parent runs were completed now.
        unfinished: how many folders hold no finished run; they are left alone.
        failed: folder to message, for those that could not be uploaded.
    """

    uploaded: tuple[Path, ...] = ()
    already: int = 0
    sweeps: tuple[str, ...] = ()
    unfinished: int = 0
    failed: dict[Path, str] = field(default_factory=dict)


def sync(home: Path, settings: TrackingSettings, *, check_all: bool = False) -> SyncReport:
    """Upload every run of `home` that has no MLflow run id, then the sweeps that are due.

    Args:
        home: `VENIRE_HOME`.
        settings: where to.
        check_all: look also for those that have an id (after a move to another store).

    Raises:
        TrackingError: MLflow cannot be reached at all. One run's trouble stops no other.
    """
    with opened(settings, home):
        pass  # one clear error at the start instead of one a run
    uploaded: list[Path] = []
    failed: dict[Path, str] = {}
    already = 0
    for folder in list_runs(home):
        try:
            known = read_record(folder).mlflow_run_id
            if (known and not check_all) or upload_run(settings, folder, home=home) == known:
                already += 1
            else:
                uploaded.append(folder)
        except VenireError as error:
            failed[folder] = str(error)
    sweeps = _sync_sweeps(home, settings, failed, check_all=check_all)
    return SyncReport(tuple(uploaded), already, sweeps, len(unfinished_runs(home)), failed)


def _sync_sweeps(
    home: Path, settings: TrackingSettings, failed: dict[Path, str], *, check_all: bool
) -> tuple[str, ...]:
    done = []
    for path in sorted((home / "sweeps").glob(f"*/{PLAN_FILE}")):
        plan, started_at = read_plan(path.parent)
        if plan.mlflow_run_id and not check_all:
            continue
        sweep_id = path.parent.name
        try:
            upload_sweep(settings, sweep_id, plan, home=home, started_at=started_at)
        except (TrackingError, OSError) as error:
            failed[path.parent] = str(error)
        else:
            done.append(sweep_id)
    return tuple(done)
