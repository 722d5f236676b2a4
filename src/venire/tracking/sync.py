"""Uploading later what could not be uploaded at once."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from venire.errors import ConfigError, TrackingError, VenireError
from venire.runs import HIDDEN, list_runs, read_record, unfinished_runs
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


def settings_of(folder: Path) -> TrackingSettings:
    """Where (and whether) the run in `folder` was to be logged, as its `config.yaml` says.

    Raises:
        TrackingError: it does not say, or its address held a password, which no run folder keeps.
    """
    path = folder / "config.yaml"
    try:
        node = yaml.safe_load(path.read_text(encoding="utf-8"))["tracking"]
        fields = {key: value for key, value in node.items() if key != "_target_"}
        settings = TrackingSettings(**fields)
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError, ConfigError) as error:
        raise TrackingError(f"{path}: no usable node 'tracking' ({error}); name the store by --uri") from None
    if settings.uri is not None and HIDDEN in settings.uri:
        raise TrackingError(f"{path}: tracking.uri held a password, which is not kept; name it by --uri")
    return settings


def sync(home: Path, settings: TrackingSettings | None = None, *, check_all: bool = False) -> SyncReport:
    """Upload every run of `home` that has no MLflow run id, then the sweeps that are due.

    Args:
        home: `VENIRE_HOME`.
        settings: where to; None: each run to where it was to be logged.
        check_all: look also for those that have an id (after a move to another store).

    Raises:
        TrackingError: the MLflow of `settings` cannot be reached at all. One run's trouble stops no other.
    """
    if settings is not None:
        with opened(settings, home):
            pass  # one clear error at the start instead of one a run
    uploaded: list[Path] = []
    failed: dict[Path, str] = {}
    already = 0
    for folder in list_runs(home):
        try:
            known = read_record(folder).mlflow_run_id
            if (known and not check_all) or upload_run(_own(settings, folder), folder, home=home) == known:
                already += 1
            else:
                uploaded.append(folder)
        except VenireError as error:
            failed[folder] = str(error)
    sweeps = _sync_sweeps(home, settings, failed, check_all=check_all)
    return SyncReport(tuple(uploaded), already, sweeps, len(unfinished_runs(home)), failed)


def _own(settings: TrackingSettings | None, folder: Path) -> TrackingSettings:
    return replace(settings_of(folder), enabled=True) if settings is None else settings


def _a_run_of(home: Path, sweep_id: str) -> Path:
    for folder in list_runs(home):
        if read_record(folder).sweep_id == sweep_id:
            return folder
    raise TrackingError(f"sweep {sweep_id}: none of its runs is there to say where it was to be logged")


def _sync_sweeps(
    home: Path, settings: TrackingSettings | None, failed: dict[Path, str], *, check_all: bool
) -> tuple[str, ...]:
    done = []
    for path in sorted((home / "sweeps").glob(f"*/{PLAN_FILE}")):
        plan, started_at = read_plan(path.parent)
        if plan.mlflow_run_id and not check_all:
            continue
        sweep_id = path.parent.name
        try:
            where = _own(settings, _a_run_of(home, sweep_id))
            upload_sweep(where, sweep_id, plan, home=home, started_at=started_at)
        except (VenireError, OSError) as error:
            failed[path.parent] = str(error)
        else:
            done.append(sweep_id)
    return tuple(done)
