"""Sweeps whose jobs run in other processes: checks before them, stops, and deaths."""

import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from venire.commands.composing import experiment_in_job, look_at_each_job, overrides_of_job
from venire.errors import ConfigError, TrackingError, VenireError
from venire.experiment import Experiment
from venire.launch import explain, lacking_keys, needed_keys
from venire.launched import Signs, Started
from venire.runs import redact, secret_values
from venire.sweep import Job, died_job, read_jobs, write_job
from venire.tracking.settings import TrackingSettings

# A job whose process died so often is not started again in the same launch.
MOST_STARTS = 3
_INHERITED = ("VENIRE_HOME", "VENIRE_SWEEP_ID", "VENIRE_DATA")
_SLURM = ("venire_slurm", "submitit_slurm")
# Flags with which hydra only shows something.
_SHOWING = ("--cfg", "-c", "--info", "-i", "--help", "-h", "--hydra-help", "--shell-completion", "-sc")


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a sweep: its jobs are kept under a name of its own, those of earlier ones stay.

    A launcher hands it to its processes together with the job.

    Args:
        home: VENIRE_HOME.
        folder: the sweep's.
        name: of the launch.
        arguments: of the command line.
        process: that launched; jobs may run in it or elsewhere.
        environ: variables that a launcher's processes need as they are here; never a key.
    """

    home: Path
    folder: Path
    name: str
    arguments: tuple[str, ...] = ()
    process: str = field(default_factory=lambda: _this_process())
    environ: Mapping[str, str] = field(default_factory=lambda: _inherited())

    @property
    def launcher(self) -> str:
        """The launcher that the command line names."""
        named = [each.partition("=")[2] for each in self.arguments if each.startswith("hydra/launcher=")]
        return named[-1] if named else "basic"

    @property
    def is_elsewhere(self) -> bool:
        """Whether this is another process than the one that launched."""
        return self.process != _this_process()

    @property
    def signs(self) -> Signs:
        """What its processes tell each other."""
        return Signs.of(self.folder, self.name)

    def jobs(self) -> list[Job]:
        """The jobs of this launch that have ended."""
        return read_jobs(self.folder, launch=self.name)


def _this_process() -> str:
    return f"{platform.node()}/{os.getpid()}"


def _inherited() -> Mapping[str, str]:
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a launch's jobs before the first one starts.

    Args:
        tracking: settings of each job that can run.
        keys: of each key that they need the variables of which one must be set.
        jobs: number to overrides, of every job.
    """

    tracking: Sequence[TrackingSettings] = ()
    keys: Sequence[Sequence[str]] = ()
    jobs: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def checked_services(launch: Launch) -> Checked:
    """What every job needs, checked in this process before the first one starts.

    MLflow's database and experiment are made where they are missing, so that the jobs do not race for it.
    A job whose configuration is wrong is left to say so itself, like under the basic launcher.

    Raises:
        ConfigError: a key is not set, or the call store is a file of this machine and jobs run on others.
        StoreError: the call store cannot be reached.
    """
    if any(each.partition("=")[0] in _SHOWING for each in launch.arguments):
        return Checked()
    experiments, jobs = _experiments(launch.arguments)
    lacking = sorted({sentence for each in experiments for sentence in lacking_keys(each, os.environ)})
    if lacking:
        raise ConfigError("\n".join(lacking))
    for url in {each.llm.url(launch.home) for each in experiments}:
        _check_store(url, launch)
    tracking = {each.tracking for each in experiments if each.tracking.enabled}
    for settings in tracking:
        _make_tracking(settings, launch)
    keys = sorted({names for each in experiments for names in needed_keys(each)})
    return Checked([each.tracking for each in experiments], keys, jobs)


def _experiments(arguments: Sequence[str]) -> tuple[list[Experiment], dict[int, tuple[str, ...]]]:
    found: list[Experiment] = []
    jobs: dict[int, tuple[str, ...]] = {}

    def look(cfg: DictConfig) -> None:
        hydra_cfg = HydraConfig.get()
        if hydra_cfg.mode is not RunMode.MULTIRUN:
            return
        secrets = secret_values(os.environ)
        jobs[int(hydra_cfg.job.num)] = tuple(redact(each, secrets) for each in overrides_of_job())
        try:
            found.append(experiment_in_job(cfg, arguments))
        except VenireError as error:
            print(f"one job cannot run, as it will say: {explain(error)}", file=sys.stderr)

    look_at_each_job(look, arguments, command="venire run")
    return found, jobs


def _check_store(url: str, launch: Launch) -> None:
    from venire.llm.store import open_engine

    if url.startswith("sqlite") and _on_other_machines(launch):
        raise ConfigError(
            f"llm.store: jobs of {launch.launcher} run on other machines, where a file of this one cannot be "
            "shared safely; name a PostgreSQL database (llm.store=postgresql+psycopg://host/db)"
        )
    open_engine(url).dispose()


def _on_other_machines(launch: Launch) -> bool:
    if launch.launcher in _SLURM:
        return not any("LocalLauncher" in each for each in launch.arguments)
    address = [each.partition("=")[2] for each in launch.arguments if "ray.init.address=" in each]
    return bool(address) and address[-1] not in ("null", "local")


def _make_tracking(settings: TrackingSettings, launch: Launch) -> None:
    from venire.tracking.store import opened

    try:
        with opened(settings, launch.home):
            pass
    except TrackingError as error:
        print(
            f"warning: MLflow was not reached ({error}); runs stay on disk for `venire sync`", file=sys.stderr
        )


@contextmanager
def passing_stops_on(signs: Signs, say: Callable[[str], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM become the launch's signs, which its jobs heed; the third ends this process.

    The launcher itself sees none of them: it would kill its processes with what they have in flight.
    SIGINT is blocked here, and so in every process that is started from here.
    """
    ended = threading.Event()

    def asked(number: int, _frame: object = None) -> None:
        name = signal.Signals(number).name
        if signs.break_off_asked:
            os._exit(128 + number)
        if signs.stop_asked:
            signs.ask_to_break_off()
            say(f"{name}: jobs break off what is in flight; once more ends this process")
        else:
            signs.ask_to_stop()
            say(f"{name}: no further job starts, no further call is sent; waiting for what is in flight")

    def wait_for_interrupts() -> None:
        while not ended.is_set():
            if signal.sigtimedwait([signal.SIGINT], 0.2) is not None:
                asked(signal.SIGINT)

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    waiting = threading.Thread(target=wait_for_interrupts, name="venire-interrupts", daemon=True)
    waiting.start()
    try:
        yield
    finally:
        ended.set()
        waiting.join()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        for number, handler in before.items():
            signal.signal(number, handler)


def launch_until_done(launch: Launch, start: Callable[[], None], say: Callable[[str], None]) -> None:
    """`start` the launcher, and again for what has not ended where it broke because a process died.

    Raises:
        Exception: whatever `start` raises that is no death of a process.
    """
    while True:
        before = _progress(launch)
        try:
            start()
            return
        except Exception as error:  # only a death is answered; all else goes on
            if not is_death(error):
                raise
            again = not type(error).__module__.startswith("submitit")
            why = "" if again else f": {error}"
            say(f"a process of the launcher died ({type(error).__name__}){why}")
            if launch.signs.stop_asked or not again or _progress(launch) == before:
                return
            _forget_ray()
        say("starting again what has not ended; what was paid is not paid again")


def note_lost_jobs(launch: Launch, jobs: Mapping[int, Sequence[str]]) -> None:
    """Note as failed what did not come back, and, where nobody asked to stop, what never began.

    `jobs`: number to overrides, of all jobs of the launch.
    """
    ended = {each.number for each in launch.jobs()}
    begun = {each.number: each for each in launch.signs.started()}
    for number, overrides in jobs.items():
        if number not in ended and (number in begun or not launch.signs.stop_asked):
            lost = begun.get(number, Started(number, 0, tuple(overrides)))
            write_job(launch.folder, died_job(lost), launch=launch.name)


def is_death(error: Exception) -> bool:
    """Whether a launcher reports by `error` that one of its processes is gone."""
    return (type(error).__name__) in (
        *("TerminatedWorkerError", "BrokenProcessPool"),  # joblib
        *("WorkerCrashedError", "LocalRayletDiedError", "NodeDiedError", "OutOfMemoryError"),  # ray
        *("FailedJobError", "UncompletedJobError"),  # submitit
    )


def _progress(launch: Launch) -> tuple[int, int]:
    return len(launch.jobs()), sum(each.times for each in launch.signs.started())


def _forget_ray() -> None:
    ray = sys.modules.get("ray")
    if ray is not None:
        ray.shutdown()
