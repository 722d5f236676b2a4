"""A sweep: many jobs, one parent; a failing job stops no other, a finished one is not run again."""

import json
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from venire.ending import missing_share
from venire.errors import TrackingError, VenireError
from venire.experiment import Experiment
from venire.hashing import digest
from venire.launch import Door, Ready, Written, execute, explain
from venire.launched import Started
from venire.llm.settings import Mode
from venire.records import RunRecord, RunStatus
from venire.reporting.table import TABLE_FORMS, Format, Table
from venire.runs import finished_run, new_run_id, read_record, redact, secret_values, write_atomically
from venire.tracking.settings import TrackingSettings

SUMMARY_FILE = "summary.json"
JOBS = "jobs"


class JobStatus(StrEnum):
    """How a job of a sweep ended."""

    FINISHED = "finished"
    SKIPPED = "skipped"  # a finished run of the same job was there
    INCOMPLETE = "incomplete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """One cell of a sweep as its `jobs/<launch>/<number>.json` says.

    `folder` is empty where there is no run; `interrupted` where the user stopped it, and so the sweep;
    `advice` is what to do where it did not finish.
    """

    number: int
    overrides: tuple[str, ...]
    status: JobStatus
    folder: str = ""
    error: str = ""
    interrupted: bool = False
    advice: str = ""

    @property
    def ok(self) -> bool:
        """Whether its numbers may enter a table unasked."""
        return self.status in (JobStatus.FINISHED, JobStatus.SKIPPED)


# Overrides that say how a sweep runs, and nothing of what it is. A sweep that ran out of budget goes on
# under the same name with a larger one: the budget counts what the name has spent.
_HOW = ("sweep.", "tracking.", "concurrency=", "budget.", "llm=", "llm.", "hydra.", "hydra/")


def sweep_id(overrides: Sequence[str]) -> str:
    """A name for the sweep that these overrides make: the same overrides continue the same sweep."""
    telling = sorted(override for override in overrides if not override.lstrip("+~").startswith(_HOW))
    words = [o.partition("=")[2] for o in telling if o.partition("=")[0] in ("experiment", "dataset")]
    stem = "-".join("".join(c if c.isalnum() else "_" for c in word) for word in words)[:40] or "sweep"
    return f"{stem}-{digest(telling)[:8]}"


def run_job(ready: Ready, door: Door, *, number: int, overrides: Sequence[str], rerun: bool) -> Job:
    """Run one job, or find it finished; with `rerun`, or where `llm=refresh` is to pay again, run it anew."""
    secrets = secret_values(door.environ)
    overrides = [redact(override, secrets) for override in overrides]
    earlier = earlier_run(door.home, ready.experiment, ready.job_hash, rerun=rerun)
    if earlier is not None:
        return Job(number, tuple(overrides), JobStatus.SKIPPED, str(earlier))
    written = execute(ready, door)
    for warning in written.warnings:
        door.say(f"warning: {warning}")
    return _job(number, overrides, written)


def earlier_run(home: Path, experiment: Experiment, job_hash: str, *, rerun: bool) -> Path | None:
    """The finished run that a sweep takes for this job; None where it is to be run.

    A run that finished under a laxer `max_unscored` counts only if it finishes under this one.
    """
    if rerun or experiment.llm.mode is Mode.REFRESH:
        return None
    folder = finished_run(home, job_hash)
    if folder is None or missing_share(read_record(folder).metrics) > experiment.max_unscored:
        return None
    return folder


def _job(number: int, overrides: Sequence[str], written: Written) -> Job:
    status = {
        RunStatus.FINISHED: JobStatus.FINISHED,
        RunStatus.INCOMPLETE: JobStatus.INCOMPLETE,
        RunStatus.FAILED: JobStatus.FAILED,
    }[written.record.status]
    return Job(
        number,
        tuple(overrides),
        status,
        str(written.folder),
        written.record.error,
        interrupted=written.interrupted,
        advice=written.advice,
    )


def failed_job(
    number: int, overrides: Sequence[str], error: Exception, *, secrets: Sequence[str] = ()
) -> Job:
    """The record of a job that raised: a message for what venire raises on purpose, else the traceback."""
    text = explain(error) if isinstance(error, VenireError) else "".join(traceback.format_exception(error))
    shown = tuple(redact(override, secrets) for override in overrides)
    return Job(number, shown, JobStatus.FAILED, error=redact(text, secrets))


def died_job(started: Started) -> Job:
    """The record of a job that did not come back from a launcher's process, or never began in one."""
    times = "" if started.times == 1 else f", {started.times} times"
    error = f"its process died{times}: killed from outside, or out of memory"
    if not started.times:
        error = "it never began: no process of the launcher took it"
    advice = "run the same command again: jobs that finished are skipped, and what was paid is not paid again"
    return Job(started.number, started.overrides, JobStatus.FAILED, error=error, advice=advice)


def new_launch(now: float) -> str:
    """A name for one launch of a sweep; names sort by time. `now`: seconds since the epoch."""
    return new_run_id(now, "launch")


def write_job(folder: Path, job: Job, *, launch: str) -> None:
    """Keep `job` in the sweep's `folder`, among those of its launch."""
    path = folder / JOBS / launch / f"{job.number:04d}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(asdict(job), indent=1))


def read_jobs(folder: Path, *, launch: str | None = None) -> list[Job]:
    """The jobs of a sweep's launch by number, of the newest launch where none is named."""
    launches = [launch] if launch else sorted(path.name for path in (folder / JOBS).glob("*/"))
    jobs = []
    for path in sorted((folder / JOBS).glob(f"{launches[-1]}/*.json")) if launches else ():
        fields: Mapping[str, object] = json.loads(path.read_text(encoding="utf-8"))
        jobs.append(
            Job(
                number=int(str(fields["number"])),
                overrides=tuple(map(str, _listed(fields["overrides"]))),
                status=JobStatus(str(fields["status"])),
                folder=str(fields["folder"]),
                error=str(fields["error"]),
                interrupted=bool(fields["interrupted"]),
                advice=str(fields.get("advice", "")),
            )
        )
    return jobs


def as_asked(record: RunRecord, job: Job) -> RunRecord:
    """The record with this sweep's overrides among its params: another sweep may have made it by others."""
    asked = {key: value for key, _, value in (override.partition("=") for override in job.overrides)}
    return replace(record, params={**record.params, **asked})


def twins(jobs: Sequence[Job]) -> tuple[str, ...]:
    """A sentence for every run that several jobs share: what they were to differ in makes no difference.

    An ablation that takes away what is not there does so, and one row of the table then stands for both.
    """
    sharing: dict[str, list[Job]] = {}
    for job in jobs:
        if job.folder:
            sharing.setdefault(job.folder, []).append(job)
    return tuple(_twins(same) for same in sharing.values() if len(same) > 1)


def _twins(jobs: Sequence[Job]) -> str:
    common = set.intersection(*(set(job.overrides) for job in jobs))
    differing = (" ".join(o for o in job.overrides if o not in common) or "as the others" for job in jobs)
    numbers = ", ".join(str(job.number) for job in jobs)
    return (
        f"jobs {numbers} are one experiment, and share a run: nothing that it depends on differs between "
        f"{' | '.join(differing)}"
    )


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def upload_table(
    settings: TrackingSettings,
    door: Door,
    folder: Path,
    jobs: Sequence[Job],
    *,
    note: str | None = None,
    more: Sequence[str] = (),
) -> str:
    """Give the sweep's MLflow run the table in `folder`; returns what went wrong, or the empty text.

    Without tracking it is only noted, so that `venire sync` uploads it with the sweep's runs.

    Args:
        settings: where to.
        door: home and environment.
        folder: the sweep's.
        jobs: the sweep's.
        note: the run's description (Markdown), in place of that table.
        more: further files of `folder` that become artifacts.
    """
    from venire.tracking.sweep_run import SweepPlan, plan_sweep, upload_sweep

    note = note or (folder / f"table.{Format.MARKDOWN}").read_text(encoding="utf-8")
    files = (*(f"table.{form}" for form in TABLE_FORMS), SUMMARY_FILE, *more)
    started = min(read_record(Path(job.folder)).started_at for job in jobs if job.folder)
    plan = SweepPlan(note, files, all(job.ok for job in jobs))
    secrets = secret_values(door.environ)
    if not settings.enabled:
        plan_sweep(folder.name, plan, home=door.home, started_at=started, secrets=secrets)
        return ""
    try:
        upload_sweep(settings, folder.name, plan, home=door.home, started_at=started, secrets=secrets)
    except TrackingError as error:
        return f"MLflow was not reached ({error}); `venire sync` uploads the sweep's table"
    return ""


def hide_secrets(path: Path, secrets: Sequence[str]) -> None:
    """Rewrite the file at `path`, if there is one, without secrets and passwords."""
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        hidden = redact(text, secrets)
        if hidden != text:
            write_atomically(path, hidden)


def write_table(folder: Path, table: Table) -> None:
    """Keep the sweep's table beside its summary."""
    for form in TABLE_FORMS:
        write_atomically(folder / f"table.{form}", table.render(form))


def write_summary(folder: Path, jobs: Sequence[Job]) -> Path:
    """`summary.json` of a sweep: every job with its overrides, status, run folder and metrics."""
    rows = []
    for job in jobs:
        row: dict[str, object] = asdict(job)
        if job.folder:
            row["metrics"] = json.loads((Path(job.folder) / "summary.json").read_text(encoding="utf-8"))
            row["kind"] = str(read_record(Path(job.folder)).kind)
        rows.append(row)
    path = folder / SUMMARY_FILE
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps({"sweep": folder.name, "jobs": rows}, indent=1))
    return path
