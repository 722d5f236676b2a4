"""One run from experiment to folder: check, judge, measure, write, upload."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from venire.backends import Backends
from venire.errors import ConfigError, StoreError, TrackingError, VenireError
from venire.experiment import Experiment, Replicate
from venire.llm.budget import check_budget
from venire.llm.credentials import api_key, missing_keys
from venire.llm.open import open_llm
from venire.llm.protocol import LLM
from venire.llm.replicate import Replicated
from venire.llm.route import Route
from venire.llm.settings import Mode
from venire.metrics.measure import MetricSettings, measure
from venire.metrics.measurement import Measurement
from venire.metrics.recorded import recorded_metrics
from venire.provenance import hashes_of, returned_models, tags_of
from venire.records import Outcome, Prediction, Reason, RunRecord, RunStatus, Unscored
from venire.reporting.juryflow_view import has_graphs
from venire.runner import Interrupted, Judged, Pace, Stop, judge_all
from venire.runs import new_run_id, read_record, redact, secret_values, start_run, write_run


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
    """A run that lies in its folder; `interrupted`: the user stopped it."""

    folder: Path
    record: RunRecord
    warnings: tuple[str, ...] = ()
    interrupted: bool = False


def prepare(experiment: Experiment, environ: Mapping[str, str]) -> Ready:
    """Refuse, before any call, what cannot run or could not be measured.

    Raises:
        DataError, MissingRecording, ConfigError
    """
    loaded = experiment.loaded
    experiment.method.check(loaded.instances)
    measure(loaded.instances, (), labels=loaded.labels, seed=0, settings=MetricSettings(draws=0))
    routes = _routes(experiment)
    if experiment.llm.mode is not Mode.REPLAY:
        lacking = missing_keys(routes, environ)
        if lacking:
            raise ConfigError("\n".join(lacking))
        check_budget(experiment.budget, list(routes.values()))
    hashes = hashes_of(experiment)
    return Ready(experiment, hashes["job_hash"], hashes | tags_of(experiment))


def execute(ready: Ready, door: Door) -> Written:
    """Judge, measure, write the run folder, upload it. A stopped run is kept as far as it got."""
    experiment = ready.experiment
    started = door.now()
    run_id = new_run_id(started, experiment.identity.name)
    folder = door.home / "runs" / run_id
    secrets = _secrets(experiment, door.environ)
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
        more=_method_files(experiment, judged),
    )
    said = (*experiment.identity.warnings, *experiment.loaded.warnings)
    trouble = _upload(experiment, door, folder)
    everything = tuple(redact(warning, secrets) for warning in (*said, *warnings, *trouble))
    interrupted = isinstance(judged.stopped, Interrupted)
    return Written(folder, read_record(folder), everything, interrupted)


def _method_files(experiment: Experiment, judged: Judged) -> Mapping[str, str]:
    """What a run of this method leaves besides the files that all runs have."""
    if not any(map(has_graphs, judged.outcomes)):
        return {}
    from venire.reporting.juryflow_files import juryflow_files

    return juryflow_files(
        experiment.method,
        experiment.loaded.instances,
        judged.outcomes,
        seed=experiment.seed,
        kind=experiment.kind,
        title=experiment.identity.name,
    )


def _routes(experiment: Experiment) -> dict[str, Route]:
    """How judges and embedding models are reached, by their names."""
    method = experiment.method
    routes = {judge.name: judge.route for judge in method.judges}
    vectors = {f"embedding {model.name}": model.route for model in method.embeddings}
    return routes | {name: route for name, route in vectors.items() if route is not None}


def _secrets(experiment: Experiment, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What no file and no message may hold: also keys in variables that are not called like one."""
    keys = (api_key(route, environ) for route in _routes(experiment).values())
    return (*{key for key in keys if key}, *secret_values(environ))


async def _judge(
    experiment: Experiment, door: Door, run_id: str, secrets: Sequence[str]
) -> tuple[Judged, tuple[str, ...]]:
    judges = experiment.method.judges
    backends = Backends(
        judges, door.environ, experiment.local, experiment.simulation, experiment.loaded.instances
    )
    stop = Stop()
    _stop_on_signals(stop, door.say)
    judged: Judged | None = None
    warnings: tuple[str, ...] = ()
    try:
        async with open_llm(
            [judge.route for judge in judges],
            backends.of,
            experiment.llm,
            store_url=experiment.llm.url(door.home),
            run_id=run_id,
            sweep_id=door.sweep_id,
            budget=experiment.budget,
            embeddings=experiment.method.embeddings,
            embedding_backend_of=backends.embeddings,
            secrets=secrets,
        ) as stored:
            llm: LLM = stored
            if experiment.replicate is Replicate.PER_SEED:
                llm = Replicated(stored, experiment.seed)
            pace = Pace(experiment.seed, experiment.concurrency, experiment.schedule)
            judged = await judge_all(
                experiment.method, experiment.loaded.instances, llm, pace, stop=stop, on_done=door.on_done
            )
            warnings = stored.summary.warnings
    except StoreError as error:
        if judged is None:
            raise
        # What is judged is kept, whatever became of the store at its end.
        judged = Judged(judged.outcomes, judged.stopped or error)
    return judged, warnings


def _stop_on_signals(stop: Stop, say: Callable[[str], None]) -> None:
    """The first Ctrl-C (or SIGTERM) lets the instances under way finish; the second one aborts."""
    loop = asyncio.get_running_loop()

    def asked(name: str) -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        stop.set(Interrupted(f"interrupted ({name})"))
        say(f"{name}: finishing the instances under way; once more aborts the run")

    # Only the main thread of a POSIX process can be asked; elsewhere a launcher stops its jobs itself.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, asked, number.name)


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
        tags={**ready.tags, **returned_models(judged.outcomes)},
        sweep_id=door.sweep_id,
        overrides=experiment.identity.overrides,
        error=error,
    )


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
    votes = (vote.prediction for vote in outcome.votes)
    predictions = (outcome.prediction, *outcome.by_order.values(), *votes)
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


def explain(error: VenireError) -> str:
    """One line for the user: the kind of error and its message."""
    return f"{type(error).__name__}: {error}"
