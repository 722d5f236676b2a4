"""One run from experiment to folder: check, judge, measure, write, upload."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from venire.backends import Backends
from venire.developing import check_method, developed, judge_experiment
from venire.ending import Ending, ending_of
from venire.errors import ConfigError, StoreError, TrackingError, VenireError
from venire.experiment import Experiment, Replicate
from venire.launched import Signs
from venire.llm.budget import check_budget
from venire.llm.credentials import api_key, missing_keys
from venire.llm.open import open_llm
from venire.llm.protocol import LLM
from venire.llm.replicate import Replicated
from venire.llm.route import Route
from venire.llm.settings import Mode
from venire.methods.protocol import AsksPeople, Method, Sitting
from venire.metrics.calls import lost_replies
from venire.metrics.cascade import guarantee_metrics
from venire.metrics.measure import MetricSettings, measure
from venire.metrics.measurement import Measurement
from venire.metrics.personas import persona_metrics
from venire.metrics.recorded import recorded_metrics
from venire.provenance import hashes_of, returned_models, tags_of
from venire.records import Outcome, RunRecord
from venire.reporting.confidence_files import confidence_files
from venire.reporting.debate_view import has_transcripts
from venire.reporting.juryflow_view import has_graphs
from venire.runner import Judged, Stop
from venire.runs import new_run_id, read_record, redact, secret_values, start_run, write_run
from venire.stopping import Stopper

DURATION = "duration_s"  # the one metric that is no measure of the outcomes or their calls


@dataclass(frozen=True, slots=True)
class Door:
    """Where the outside comes in: home folder, environment, clock, and who watches.

    `on_start(n)` and `on_done(outcome)` drive a progress bar; `say` prints a line for the user. `signs` are
    those of the launch, where another process launched this one.
    """

    home: Path
    environ: Mapping[str, str]
    now: Callable[[], float] = time.time
    sweep_id: str | None = None
    on_start: Callable[[str, int], None] = lambda _name, _n: None
    on_done: Callable[[Outcome], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None
    signs: Signs | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """An experiment that has passed every check that needs no call."""

    experiment: Experiment
    job_hash: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Written:
    """A run that lies in its folder.

    Args:
        folder: where.
        record: its `run.json`.
        warnings: a sentence each.
        interrupted: the user wanted to stop, whether or not anything was left to judge.
        advice: what to do where it did not finish.
    """

    folder: Path
    record: RunRecord
    warnings: tuple[str, ...] = ()
    interrupted: bool = False
    advice: str = ""


def prepare(experiment: Experiment, environ: Mapping[str, str]) -> Ready:
    """Refuse, before any call, what cannot run or could not be measured.

    Raises:
        DataError, MissingRecording, ConfigError
    """
    loaded = experiment.loaded
    check_method(experiment)
    measure(loaded.instances, (), labels=loaded.labels, seed=0, settings=MetricSettings(draws=0))
    lacking = lacking_keys(experiment, environ)
    if lacking:
        raise ConfigError("\n".join(lacking))
    if experiment.llm.mode is not Mode.REPLAY:
        check_budget(experiment.budget, list(_routes(experiment).values()))
    hashes = hashes_of(experiment)
    return Ready(experiment, hashes["job_hash"], hashes | tags_of(experiment))


def lacking_keys(experiment: Experiment, environ: Mapping[str, str]) -> list[str]:
    """A sentence for each judge or embedding model whose key is not set; none where nothing is sent."""
    if experiment.llm.mode is Mode.REPLAY:
        return []
    return missing_keys(_routes(experiment), environ)


def execute(ready: Ready, door: Door) -> Written:
    """Judge, measure, write the run folder, upload it. A stopped run is kept as far as it got."""
    experiment = ready.experiment
    started = door.now()
    run_id = new_run_id(started, experiment.identity.name)
    folder = door.home / "runs" / run_id
    secrets = _secrets(experiment, door.environ)
    start_run(folder, pid=os.getpid(), overrides=experiment.identity.overrides, started_at=started)
    door.on_start(experiment.identity.name, len(experiment.all_instances))
    stop = Stop()
    judged, warnings, method = asyncio.run(judge(experiment, door, run_id, secrets, stop))
    experiment = replace(experiment, method=method)  # as its development split made it
    ready = replace(ready, experiment=experiment)
    measured = measured_of(experiment, judged)
    ending = ending_of(experiment, judged, measured)
    record = _record(ready, door, judged, run_id=run_id, started=started, measured=measured, ending=ending)
    write_run(
        folder,
        record,
        config_yaml=experiment.identity.config_yaml,
        instances=experiment.loaded.instances,
        outcomes=judged.outcomes,
        secrets=secrets,
        more={**_method_files(experiment, judged), **confidence_files(experiment, judged, record)},
        unfinished=judged.unfinished,
        development=[call for outcome in judged.development for call in outcome.calls],
    )
    said = (*experiment.identity.warnings, *experiment.loaded.warnings, *_lost(judged))
    trouble = _upload(experiment, door, folder)
    everything = tuple(redact(warning, secrets) for warning in (*said, *warnings, *trouble))
    return Written(folder, read_record(folder), everything, stop.interrupted, ending.advice)


def measured_of(experiment: Experiment, judged: Judged) -> Measurement:
    """Every metric of a run whose method is as its development split made it."""
    loaded, method = experiment.loaded, experiment.method
    measured = measure(
        loaded.instances,
        judged.outcomes,
        labels=loaded.labels,
        seed=experiment.seed,
        settings=experiment.metrics,
        doubly_rated=loaded.doubly_rated,
        development=developed(experiment, judged),
        unfinished=judged.unfinished,
        prices={route.model: route.price for route in _routes(experiment).values()},
    )
    parts = (
        measured,
        recorded_metrics(method.judges, loaded.instances, judged.outcomes),
        persona_metrics(getattr(method, "personas", None)),
        guarantee_metrics(getattr(method, "in_force", None), loaded.instances, judged.outcomes),
    )
    return Measurement(
        {name: value for each in parts for name, value in each.metrics.items()},
        {name: note for each in parts for name, note in each.notes.items()},
    )


def _lost(judged: Judged) -> tuple[str, ...]:
    """Of questions that stayed without a usable reply, whatever became of their instances."""
    outcomes = (*judged.development, *judged.outcomes)
    return lost_replies([call for outcome in outcomes for call in outcome.calls])


def _method_files(experiment: Experiment, judged: Judged) -> Mapping[str, str]:
    """What a run of this method leaves besides the files that all runs have."""
    if any(map(has_transcripts, judged.outcomes)):
        from venire.reporting.debate_files import debate_files

        return debate_files(
            experiment.loaded.instances,
            judged.outcomes,
            kind=experiment.kind,
            title=experiment.identity.name,
        )
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


async def judge(
    experiment: Experiment,
    door: Door,
    run_id: str,
    secrets: Sequence[str],
    stop: Stop,
    *,
    by_way_of: Callable[[LLM], LLM] = lambda llm: llm,
) -> tuple[Judged, tuple[str, ...], Method]:
    """What became of the instances, what to warn about, and the method as its development split made it.

    `by_way_of` wraps the call path, below the seeds' replicates.
    """
    judges = experiment.method.judges
    backends = Backends(
        judges,
        door.environ,
        experiment.local,
        experiment.simulation,
        experiment.all_instances,
        experiment.llm.litellm_workers,
    )
    judged: Judged | None = None
    method = experiment.method
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
            asking = {"stop_asking": method.stop_asking} if isinstance(method, AsksPeople) else {}
            llm = by_way_of(stored)
            if experiment.replicate is Replicate.PER_SEED:
                llm = Replicated(llm, experiment.seed)
            stopper = Stopper(stop, stored, door.say, **asking)
            async with _heeding(stopper, door.signs), _attended(experiment, door):
                judged, method = await judge_experiment(experiment, llm, stop=stop, on_done=door.on_done)
            judged = replace(judged, unfinished=(*judged.unfinished, *stored.summary.lost))
            warnings = stored.summary.warnings
    except StoreError as error:
        if judged is None:
            raise
        # What is judged is kept, whatever became of the store at its end.
        judged = replace(judged, stopped=judged.stopped or error)
    return judged, warnings, method


@asynccontextmanager
async def _heeding(stopper: Stopper, signs: Signs | None) -> AsyncIterator[None]:
    """Stop on signals, and on the signs of who launched this process."""
    stopper.on_signals()
    watching = None if signs is None else asyncio.create_task(stopper.on_signs(signs))
    try:
        yield
    finally:
        if watching is not None:
            watching.cancel()


def _attended(experiment: Experiment, door: Door) -> AbstractAsyncContextManager[None]:
    """Within it the people whom the method asks can answer."""
    method = experiment.method
    if not isinstance(method, AsksPeople):
        return nullcontext()
    count = len(experiment.all_instances)
    return method.attended(Sitting(experiment.identity.name, experiment.kind, count, door.say))


def _record(
    ready: Ready,
    door: Door,
    judged: Judged,
    *,
    run_id: str,
    started: float,
    measured: Measurement,
    ending: Ending,
) -> RunRecord:
    experiment = ready.experiment
    ended = door.now()
    return RunRecord(
        run_id=run_id,
        name=experiment.identity.name,
        status=ending.status,
        kind=experiment.kind,
        started_at=started,
        ended_at=ended,
        metrics={**measured.metrics, DURATION: ended - started},
        notes=measured.notes,
        params={**experiment.identity.params, "backend": str(experiment.kind)},
        tags={**ready.tags, **returned_models(judged.outcomes)},
        sweep_id=door.sweep_id,
        overrides=experiment.identity.overrides,
        error=ending.error,
    )


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
