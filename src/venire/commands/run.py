"""`venire run`: one run, or a sweep."""

import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from venire.commands import exits
from venire.commands.composing import (
    beside_the_first,
    experiment_in_job,
    for_each_job,
    is_override,
    overrides_of_job,
)
from venire.commands.dry_run import dry_run as show_prompts
from venire.commands.launching import (
    MOST_STARTS,
    Launch,
    checked_services,
    launch_until_done,
    note_lost_jobs,
    passing_stops_on,
)
from venire.console import Watch, print_run, print_sweep
from venire.errors import ConfigError, TrackingError
from venire.launch import Door, Ready, Written, execute, prepare
from venire.launched import Started
from venire.methods.protocol import AsksPeople
from venire.reporting.pairing import read_run
from venire.runs import redact, secret_values
from venire.sweep import (
    Job,
    JobStatus,
    died_job,
    failed_job,
    hide_secrets,
    new_launch,
    run_job,
    sweep_id,
    twins,
    upload_table,
    write_job,
    write_summary,
    write_table,
)
from venire.tracking.settings import TrackingSettings
from venire.tracking.sync import settings_of


def run(arguments: Sequence[str], *, dry_run: int | None = None) -> int:
    """Run what `arguments` (hydra overrides and flags) compose; returns the exit status.

    Raises:
        KeyboardInterrupt: the user ended a sweep; what it has is summed up.
    """
    if not arguments:
        print(_HINT, file=sys.stderr)
        return exits.USAGE
    if dry_run is not None:
        return show_prompts(arguments, dry_run)
    overrides = [argument for argument in arguments if "=" in argument and not argument.startswith("--")]
    home = Path(os.environ["VENIRE_HOME"])
    _check_home(home)
    sweep = sweep_id(overrides)
    os.environ["VENIRE_SWEEP_ID"] = sweep
    launch = Launch(home, home / "sweeps" / sweep, new_launch(time.time()), tuple(arguments))
    done: list[int] = []
    tracking: list[TrackingSettings] = []  # of the jobs in this process

    def job(cfg: DictConfig) -> None:
        hydra_cfg = HydraConfig.get()
        if hydra_cfg.mode is not RunMode.MULTIRUN:
            done.append(_single(cfg, home))
        elif launch.is_elsewhere:
            _launched_job(cfg, launch)
        else:
            _sweep_job(cfg, launch, tracking)

    def start() -> None:
        more = () if launch.launcher == "basic" else (f"hydra.sweep.dir='{launch.folder}'",)
        for_each_job(job, beside_the_first(arguments, more), command="venire run")

    try:
        if launch.launcher == "basic":
            start()
        else:
            _launched(launch, start, tracking)
    except KeyboardInterrupt:
        _end_sweep(launch, tracking)
        raise
    return done[0] if done else _end_sweep(launch, tracking)


def _launched(launch: Launch, start: Callable[[], None], tracking: list[TrackingSettings]) -> None:
    """Jobs in other processes: services first; who did not come back is noted as failed."""

    def say(line: str) -> None:
        print(line, file=sys.stderr)

    checked = checked_services(launch)
    tracking += checked.tracking
    launch.signs.pass_on(checked.keys)
    with passing_stops_on(launch.signs, say):
        launch_until_done(launch, start, say)
    note_lost_jobs(launch, checked.jobs)
    if launch.signs.stop_asked:
        raise KeyboardInterrupt


def _launched_job(cfg: DictConfig, launch: Launch) -> None:
    """One job in a process of a launcher, which takes the others down with one that raises."""
    os.environ.update(launch.environ)
    number = int(HydraConfig.get().job.num)
    if launch.signs.stop_asked or number in {each.number for each in launch.jobs()}:
        return
    secrets = secret_values(os.environ)
    overrides = [redact(each, secrets) for each in overrides_of_job()]
    times = launch.signs.start(number, overrides)
    if times > MOST_STARTS:
        job = died_job(Started(number, times - 1, tuple(overrides)))
        write_job(launch.folder, job, launch=launch.name)
        return
    _sweep_job(cfg, launch, [])


_HINT = """\
venire run needs to know what to judge. Try one of these:
  venire run experiment=sample                           the bundled sweep, simulated judges, no key
  venire run dataset=sample method=pairwise judge=gpt_4o   a real model (spends money; needs OPENAI_API_KEY)
  venire run dataset=sample judge=gpt_4o backend=simulated the same without a key
See `venire run --help` and docs/configuration.md."""


def _check_home(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        raise ConfigError(
            f"VENIRE_HOME: expected a folder that can be written, got {home} ({error.strerror}); "
            "name another one by the environment variable"
        ) from None


def _single(cfg: DictConfig, home: Path) -> int:
    written = _execute(cfg, home)
    print_run(written)
    return exits.of_run(written.record.status)


def _execute(cfg: DictConfig, home: Path) -> Written:
    ready = prepare(experiment_in_job(cfg), os.environ)
    with _watching(ready) as watch:
        return execute(ready, _door(home, watch, sweep=None))


def _watching(ready: Ready, *, plain: bool = False) -> Watch:
    method = ready.experiment.method
    return Watch(typing=isinstance(method, AsksPeople) and method.asks_people, plain=plain)


def _door(home: Path, watch: Watch, *, sweep: str | None) -> Door:
    return Door(
        home=home,
        environ=os.environ,
        sweep_id=sweep,
        on_start=watch.start,
        on_done=watch.done,
        say=watch.say,
    )


def _sweep_job(cfg: DictConfig, launch: Launch, tracking: list[TrackingSettings]) -> None:
    number = int(HydraConfig.get().job.num)
    overrides = overrides_of_job()
    secrets = secret_values(os.environ)
    hide_secrets(launch.folder / "multirun.yaml", secrets)  # hydra's own, with every override as it is
    try:
        ready = prepare(experiment_in_job(cfg, launch.arguments), os.environ)
        tracking.append(ready.experiment.tracking)
        with _watching(ready, plain=launch.is_elsewhere) as watch:
            door = _door(launch.home, watch, sweep=launch.folder.name)
            door = replace(door, signs=launch.signs if launch.is_elsewhere else None)
            job = run_job(ready, door, number=number, overrides=overrides, rerun=bool(cfg.sweep.rerun))
    except Exception as error:  # one failing job stops no other; the record says which and why
        job = failed_job(number, overrides, error, secrets=secrets)
        print(f"job {number} failed, as is told at the end: {shlex.join(job.overrides)}", file=sys.stderr)
    write_job(launch.folder, job, launch=launch.name)
    if job.interrupted and not launch.is_elsewhere:
        raise KeyboardInterrupt


def _end_sweep(launch: Launch, tracking: Sequence[TrackingSettings]) -> int:
    """Sum up the jobs that ended; none did where only the configuration was to be shown."""
    jobs = launch.jobs()
    if not jobs:
        return exits.OK
    return _finish_sweep(launch, jobs, tracking[0] if tracking else tracking_of(jobs))


def _finish_sweep(launch: Launch, jobs: Sequence[Job], tracking: TrackingSettings | None) -> int:
    home, folder = launch.home, launch.folder
    path = write_summary(folder, jobs)
    table = print_sweep(home, folder, jobs, flags=_flags_of_job(launch.arguments))
    for sentence in twins(jobs):
        print(f"warning: {sentence}", file=sys.stderr)
    if table is not None:
        write_table(folder, table)
        plots = _draw(launch, jobs)
        if tracking is not None:
            door, more = Door(home, os.environ), [path.name for path in plots]
            trouble = upload_table(tracking, door, folder, jobs, more=more)
            if trouble:
                print(f"warning: {trouble}", file=sys.stderr)
    print(path)
    if all(job.ok for job in jobs):
        return exits.OK
    return exits.FAILED if any(job.status is JobStatus.FAILED for job in jobs) else exits.INCOMPLETE


def _flags_of_job(arguments: Sequence[str]) -> list[str]:
    """What one of the sweep's jobs takes besides its overrides: where configuration files are."""
    secrets = secret_values(os.environ)
    flags = [each for each in arguments if not is_override(each) and each not in ("-m", "--multirun")]
    paths = [each for each in arguments if each.lstrip("+").startswith("hydra.searchpath=")]
    return [redact(each, secrets) for each in (*flags, *paths)]


def _draw(launch: Launch, jobs: Sequence[Job]) -> list[Path]:
    """The sweep's plots, beside its table; none with `sweep.plots=false`."""
    composed = launch.folder / "multirun.yaml"  # hydra's, of this launch
    if not composed.is_file() or not OmegaConf.load(composed).sweep.plots:
        return []
    from venire.reporting.spec_plots import draw, sweep_plots

    runs = [read_run(Path(job.folder)) for job in jobs if job.folder]
    spec = sweep_plots(f"sweep {launch.folder.name}", runs)
    return draw(spec, runs, launch.folder / "plot", home=launch.home)


def tracking_of(jobs: Sequence[Job]) -> TrackingSettings | None:
    """The tracking settings of the sweep's first run; None where there is no run.

    Where they cannot be told any more (a password in the address is not kept) this is said, and the
    table waits for `venire sync`.
    """
    folder = next((Path(job.folder) for job in jobs if job.folder), None)
    if folder is None:
        return None
    try:
        return settings_of(folder)
    except TrackingError as error:
        print(f"warning: {error}", file=sys.stderr)
        return TrackingSettings(enabled=False)
