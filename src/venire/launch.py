"""One run from experiment to folder: check, judge, measure, write, upload."""

import asyncio
import os
import platform
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from venire.backends import Backends
from venire.errors import ConfigError, TrackingError, VenireError
from venire.experiment import Experiment, Replicate
from venire.hashing import digest
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.llm.budget import check_budget
from venire.llm.credentials import missing_keys
from venire.llm.open import open_llm
from venire.llm.protocol import LLM
from venire.llm.recordings import recordings_digest
from venire.llm.replicate import Replicated
from venire.llm.settings import Mode
from venire.metrics.measure import measure
from venire.metrics.measurement import Measurement
from venire.metrics.recorded import recorded_metrics
from venire.prompts.render import prompt_hash
from venire.records import Outcome, Prediction, Reason, RunRecord, RunStatus, Unscored
from venire.runner import Interrupted, Judged, Pace, Stop, judge_all
from venire.runs import new_run_id, read_record, secret_values, start_run, write_run


@dataclass(frozen=True, slots=True)
class Door:
    """Where the outside comes in: home folder, environment, clock, and who watches.

    `on_start(n)` and `on_done(outcome)` drive a progress bar; `say` prints a line for the user.
    """

    home: Path
    environ: Mapping[str, str]
    now: Callable[[], float] = time.time
    sweep_id: str | None = None
    on_start: Callable[[str, int], None] = lambda _name, _n: None
    on_done: Callable[[Outcome], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Ready:
    """An experiment that has passed every check that needs no call."""

    experiment: Experiment
    job_hash: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Written:
    """A run that lies in its folder."""

    folder: Path
    record: RunRecord
    warnings: tuple[str, ...] = field(default=())


def prepare(experiment: Experiment, environ: Mapping[str, str]) -> Ready:
    """Refuse, before any call, what cannot run.

    Raises:
        DataError, MissingRecording, ConfigError
    """
    experiment.method.check(experiment.loaded.instances)
    routes = {judge.name: judge.route for judge in experiment.method.judges}
    if experiment.llm.mode is not Mode.REPLAY:
        lacking = missing_keys(routes, environ)
        if lacking:
            raise ConfigError("\n".join(lacking))
        check_budget(experiment.budget, list(routes.values()))
    prompts = {name: prompt_hash(name) for name in experiment.method.prompts}
    judges = [[judge.name, judge.model, *_answerer(judge)] for judge in experiment.method.judges]
    job_hash = digest(
        {
            "config": experiment.identity.config_hash,
            "data": experiment.loaded.fingerprint,
            "prompts": prompts,
            "judges": judges,
            "venire": metadata.version("venire"),
        }
    )
    return Ready(experiment, job_hash, _tags(experiment, prompts, job_hash))


def _answerer(judge: Judge) -> tuple[str, ...]:
    """What answers for a judge; recordings are named by their content."""
    if isinstance(judge, RecordedJudge):
        return judge.endpoint, recordings_digest(judge.root)
    return (judge.endpoint,)


def execute(ready: Ready, door: Door) -> Written:
    """Judge, measure, write the run folder, upload it. A stopped run is kept as far as it got."""
    experiment = ready.experiment
    started = door.now()
    run_id = new_run_id(started, experiment.identity.name)
    folder = door.home / "runs" / run_id
    secrets = secret_values(door.environ)
    start_run(folder, pid=os.getpid(), overrides=experiment.identity.overrides, started_at=started)
    door.on_start(experiment.identity.name, len(experiment.loaded.instances))
    judged, warnings = asyncio.run(_judge(experiment, door, run_id, secrets))
    write_run(
        folder,
        _record(ready, door, run_id, started, judged),
        config_yaml=experiment.identity.config_yaml,
        instances=experiment.loaded.instances,
        outcomes=judged.outcomes,
        secrets=secrets,
    )
    said = (*experiment.identity.warnings, *experiment.loaded.warnings)
    trouble = _upload(experiment, door, folder)
    return Written(folder, read_record(folder), (*said, *warnings, *trouble))


async def _judge(
    experiment: Experiment, door: Door, run_id: str, secrets: Sequence[str]
) -> tuple[Judged, tuple[str, ...]]:
    judges = experiment.method.judges
    backends = Backends(
        judges, door.environ, experiment.local, experiment.simulation, experiment.loaded.instances
    )
    stop = Stop()
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGINT, lambda: stop.set(Interrupted("interrupted by the user"))
    )
    async with open_llm(
        [judge.route for judge in judges],
        backends.of,
        experiment.llm,
        store_url=experiment.llm.url(door.home),
        run_id=run_id,
        sweep_id=door.sweep_id,
        budget=experiment.budget,
        secrets=secrets,
    ) as stored:
        llm: LLM = stored
        if experiment.replicate is Replicate.PER_SEED:
            llm = Replicated(stored, experiment.seed)
        pace = Pace(experiment.seed, experiment.concurrency, experiment.schedule)
        judged = await judge_all(
            experiment.method, experiment.loaded.instances, llm, pace, stop=stop, on_done=door.on_done
        )
        return judged, stored.summary.warnings


def _record(ready: Ready, door: Door, run_id: str, started: float, judged: Judged) -> RunRecord:
    experiment = ready.experiment
    loaded = experiment.loaded
    measured = measure(loaded.instances, judged.outcomes, labels=loaded.labels, seed=experiment.seed)
    recorded = recorded_metrics(experiment.method.judges, loaded.instances, judged.outcomes)
    ended = door.now()
    status, error = _status(experiment, judged, measured)
    return RunRecord(
        run_id=run_id,
        name=experiment.identity.name,
        status=status,
        kind=experiment.kind,
        started_at=started,
        ended_at=ended,
        metrics={**measured.metrics, **recorded.metrics, "duration_s": ended - started},
        notes={**measured.notes, **recorded.notes},
        params={**experiment.identity.params, "backend": str(experiment.kind)},
        tags={**ready.tags, **_returned(judged.outcomes)},
        sweep_id=door.sweep_id,
        overrides=experiment.identity.overrides,
        error=error,
    )


def _returned(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """The models and fingerprints that answered, for tags; empty where no model was called."""
    calls = [call for outcome in outcomes for call in outcome.calls]
    answered = sorted({call.model_returned for call in calls if call.model_returned})
    fingerprints = sorted({call.fingerprint for call in calls if call.fingerprint})
    tags = {"models_returned": ", ".join(answered), "fingerprints": ", ".join(fingerprints)}
    return {name: text for name, text in tags.items() if text}


def _status(experiment: Experiment, judged: Judged, measured: Measurement) -> tuple[RunStatus, str]:
    n = len(experiment.loaded.instances)
    if judged.stopped is not None:
        left = n - len(judged.outcomes)
        return RunStatus.INCOMPLETE, f"{judged.stopped} ({left} of {n} instances are not judged)"
    lost = sorted(outcome.instance_id for outcome in judged.outcomes if _lost_a_call(outcome))
    if lost:
        listed = ", ".join(lost[:20]) + (", ..." if len(lost) > 20 else "")
        return RunStatus.INCOMPLETE, f"no reply after all retries on {len(lost)} of {n} instances: {listed}"
    unscored = 1.0 - measured.metrics["coverage"]
    if unscored > experiment.max_unscored:
        return RunStatus.FAILED, (
            f"{unscored:.1%} of the verdicts are missing, more than max_unscored={experiment.max_unscored}; "
            "see unscored/* in summary.json"
        )
    return RunStatus.FINISHED, ""


def _lost_a_call(outcome: Outcome) -> bool:
    predictions = (outcome.prediction, *(vote.prediction for vote in outcome.votes))
    return any(_is_lost(prediction) for prediction in predictions)


def _is_lost(prediction: Prediction) -> bool:
    return isinstance(prediction, Unscored) and prediction.reason is Reason.PROVIDER_ERROR


def _upload(experiment: Experiment, door: Door, folder: Path) -> tuple[str, ...]:
    if not experiment.tracking.enabled:
        return ()
    from venire.tracking.upload import upload_run

    try:
        upload_run(experiment.tracking, folder, home=door.home)
    except TrackingError as error:
        return (f"MLflow was not reached ({error}); the run is on disk: `venire sync` uploads it",)
    return ()


def _tags(experiment: Experiment, prompts: Mapping[str, str], job_hash: str) -> dict[str, str]:
    identity, loaded = experiment.identity, experiment.loaded
    tags = {
        "kind": str(experiment.kind),
        "config_hash": identity.config_hash,
        "arm_hash": identity.arm_hash,
        "job_hash": job_hash,
        "data_fingerprint": loaded.fingerprint,
        "data_source": loaded.source,
        "data_revision": loaded.revision or "",
        "python": platform.python_version(),
        **{f"prompt.{name}": value for name, value in prompts.items()},
        **{f"version.{package}": metadata.version(package) for package in _PACKAGES},
        **git_state(),
    }
    prompted = [judge for judge in experiment.method.judges if isinstance(judge, PromptedJudge)]
    if prompted:
        tags["models_asked"] = ", ".join(judge.model for judge in prompted)
    return tags


_PACKAGES = ("venire", "hydra-core", "mlflow", "litellm", "numpy", "scipy", "statsmodels")


def git_state() -> dict[str, str]:
    """Commit and dirtiness of the checkout that the code runs from; `unknown` for an installed wheel."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return {"git_commit": "unknown", "git_dirty": "unknown"}
    try:
        commit = _git(root, "rev-parse", "HEAD")
        dirty = bool(_git(root, "status", "--porcelain"))
    except (OSError, subprocess.CalledProcessError):
        return {"git_commit": "unknown", "git_dirty": "unknown"}
    return {"git_commit": commit, "git_dirty": str(dirty).lower()}


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def explain(error: VenireError) -> str:
    """One line for the user: the kind of error and its message."""
    return f"{type(error).__name__}: {error}"
