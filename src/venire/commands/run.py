"""`venire run`: one run, or a sweep."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from venire.build import build
from venire.commands.composing import experiment_in_job, for_each_job
from venire.console import Watch, print_run, print_sweep
from venire.launch import Door, Written, execute, prepare
from venire.records import RunStatus
from venire.runs import secret_values
from venire.sweep import (
    Job,
    JobStatus,
    failed_job,
    forget_jobs,
    read_jobs,
    run_job,
    sweep_id,
    upload_table,
    write_job,
    write_summary,
    write_table,
)
from venire.tracking.settings import TrackingSettings

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INCOMPLETE = 0, 1, 2, 3


def run(arguments: Sequence[str], *, dry_run: int | None = None) -> int:
    """Run what `arguments` (hydra overrides and flags) compose; returns the exit status."""
    overrides = [argument for argument in arguments if "=" in argument and not argument.startswith("--")]
    if not arguments:
        print(_HINT, file=sys.stderr)
        return EXIT_USAGE
    home = Path(os.environ["VENIRE_HOME"])
    sweep = sweep_id(overrides)
    os.environ["VENIRE_SWEEP_ID"] = sweep
    sweep_folder = home / "sweeps" / sweep
    done: list[int | None] = []
    forget_jobs(sweep_folder)

    def job(cfg: DictConfig) -> None:
        hydra_cfg = HydraConfig.get()
        if hydra_cfg.mode is RunMode.MULTIRUN:
            _sweep_job(cfg, home, sweep_folder)
        elif dry_run is not None:
            done.append(_dry(cfg, dry_run))
        else:
            done.append(_single(cfg, home))

    try:
        for_each_job(job, arguments, command="venire run")
    except KeyboardInterrupt:
        if not read_jobs(sweep_folder):
            raise
        print("interrupted: no further job starts; the same command continues the sweep", file=sys.stderr)
    if done:
        return next(status for status in done if status is not None)
    jobs = read_jobs(sweep_folder)
    return _finish_sweep(home, sweep_folder, jobs, tracking_of(jobs)) if jobs else EXIT_OK


_HINT = """\
venire run needs to know what to judge. Try one of these:
  venire run experiment=sample                           the bundled sweep, simulated judges, no key
  venire run dataset=sample method=pairwise judge=gpt_4o   a real model (spends money; needs OPENAI_API_KEY)
  venire run dataset=sample judge=gpt_4o backend=simulated the same without a key
See `venire run --help` and docs/configuration.md."""


def _single(cfg: DictConfig, home: Path) -> int:
    written = _execute(cfg, home)
    print_run(written)
    return {
        RunStatus.FINISHED: EXIT_OK,
        RunStatus.INCOMPLETE: EXIT_INCOMPLETE,
        RunStatus.FAILED: EXIT_FAILED,
    }[written.record.status]


def _execute(cfg: DictConfig, home: Path) -> Written:
    ready = prepare(experiment_in_job(cfg), os.environ)
    with Watch() as watch:
        return execute(ready, _door(home, watch, sweep=None))


def _door(home: Path, watch: Watch, *, sweep: str | None) -> Door:
    return Door(
        home=home,
        environ=os.environ,
        sweep_id=sweep,
        on_start=watch.start,
        on_done=watch.done,
        say=watch.say,
    )


def _sweep_job(cfg: DictConfig, home: Path, folder: Path) -> None:
    hydra_cfg = HydraConfig.get()
    number = int(hydra_cfg.job.num)
    overrides = [str(override) for override in hydra_cfg.overrides.task]
    try:
        ready = prepare(experiment_in_job(cfg), os.environ)
        with Watch() as watch:
            door = _door(home, watch, sweep=folder.name)
            job = run_job(ready, door, number=number, overrides=overrides, rerun=bool(cfg.sweep.rerun))
    except Exception as error:  # one failing job stops no other; the record says which and why
        job = failed_job(number, overrides, error, secrets=secret_values(os.environ))
        print(f"job {number} failed ({' '.join(overrides)}):\n{job.error}", file=sys.stderr)
    write_job(folder, job)
    if job.interrupted:
        raise KeyboardInterrupt


def _finish_sweep(home: Path, folder: Path, jobs: Sequence[Job], tracking: TrackingSettings | None) -> int:
    path = write_summary(folder, jobs)
    table = print_sweep(home, folder, jobs)
    if table is not None:
        write_table(folder, table)
        if tracking is not None:
            trouble = upload_table(tracking, Door(home, os.environ), folder, jobs)
            if trouble:
                print(f"warning: {trouble}", file=sys.stderr)
    print(path)
    if all(job.ok for job in jobs):
        return EXIT_OK
    return EXIT_FAILED if any(job.status is JobStatus.FAILED for job in jobs) else EXIT_INCOMPLETE


def tracking_of(jobs: Sequence[Job]) -> TrackingSettings | None:
    """The tracking settings of the sweep's first run; None where there is no run."""
    folder = next((Path(job.folder) for job in jobs if job.folder), None)
    if folder is None:
        return None
    node = OmegaConf.select(OmegaConf.load(folder / "config.yaml"), "tracking")
    built = build(OmegaConf.to_container(node, resolve=True), "tracking")
    assert isinstance(built, TrackingSettings)
    return built


def _dry(cfg: DictConfig, n: int) -> int:
    from venire.commands.dry_run import dry_run

    return dry_run(experiment_in_job(cfg), n)
