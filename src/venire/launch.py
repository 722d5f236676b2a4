"""One run from experiment to folder: check, judge, measure, write, upload."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from venire.backends import Backends
from venire.data.streamed import Streamed
from venire.developing import Judging, check_measurable, check_method, developed, judge_experiment
from venire.ending import Ending, ending_of
from venire.errors import ConfigError, StoreError, TrackingError, VenireError
from venire.experiment import Experiment, Replicate
from venire.launched import Signs
from venire.llm.budget import check_budget
from venire.llm.credentials import api_key, key_names, missing_keys
from venire.llm.open import open_llm
from venire.llm.protocol import LLM
from venire.llm.replicate import Replicated
from venire.llm.route import Route
from venire.llm.settings import Mode
from venire.methods.protocol import AsksPeople, Method, Sitting
from venire.metrics.calls import lost_replies
from venire.metrics.cascade import guarantee_metrics
from venire.metrics.measure import measure
from venire.metrics.measurement import Measurement
from venire.metrics.personas import persona_metrics
from venire.metrics.recorded import recorded_metrics
from venire.provenance import hashes_of, returned_models, tags_of
from venire.records import Outcome, Price, RunRecord
from venire.reporting.confidence_files import confidence_files
from venire.reporting.debate_view import has_transcripts
from venire.reporting.juryflow_view import has_graphs
from venire.runner import Judged, Stop
from venire.runs import (
    GrowingFiles,
    complete_run,
    new_run_id,
    read_record,
    redact,
    secret_values,
    start_run,
    write_run,
)
from venire.stopping import IN_LAUNCHED_JOBS, SIGNALS, Stopper
from venire.streaming import Streamer, found_in_files

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
    check_method(experiment)
    check_measurable(experiment)
    lacking = lacking_keys(experiment, environ)
    if lacking:
        raise ConfigError("\n".join(lacking))
    if experiment.llm.mode is not Mode.REPLAY:
        check_budget(experiment.budget, list(routes_of(experiment).values()))
    hashes = hashes_of(experiment)
    return Ready(experiment, hashes["job_hash"], hashes | tags_of(experiment))


def lacking_keys(experiment: Experiment, environ: Mapping[str, str]) -> list[str]:
    """A sentence for each judge or embedding model whose key is not set; none where nothing is sent."""
    if experiment.llm.mode is Mode.REPLAY:
        return []
    return missing_keys(routes_of(experiment), environ)


def needed_keys(experiment: Experiment) -> set[tuple[str, ...]]:
    """Of each key that is needed, the variables of which one must be set; none where nothing is sent."""
    if experiment.llm.mode is Mode.REPLAY:
        return set()
    return {names for route in routes_of(experiment).values() if (names := key_names(route))}


def execute(ready: Ready, door: Door) -> Written:
    """Judge, measure, write the run folder, upload it. A stopped run is kept as far as it got."""
    experiment = ready.experiment
    started = door.now()
    run_id = new_run_id(started, experiment.identity.name)
    folder = door.home / "runs" / run_id
    secrets = secrets_of(experiment, door.environ)
    start_run(folder, pid=os.getpid(), overrides=experiment.identity.overrides, started_at=started)
    door.on_start(experiment.identity.name, len(experiment.all_instances))
    begun = _Begun(ready, door, folder, secrets, started, Stop())
    streams = isinstance(experiment.loaded.instances, Streamed)
    ending, warnings = _streamed(begun) if streams else _held(begun)
    trouble = upload(experiment, door, folder)
    said = (*experiment.identity.warnings, *experiment.loaded.warnings, *warnings, *trouble)
    everything = tuple(redact(warning, secrets) for warning in said)
    return Written(folder, read_record(folder), everything, begun.stop.interrupted, ending.advice)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A run that has begun: where its files go, what none of them may hold, since when."""

    ready: Ready
    door: Door
    folder: Path
    secrets: Sequence[str]
    started: float
    stop: Stop

    @property
    def run_id(self) -> str:
        return self.folder.name


def _held(begun: _Begun) -> tuple[Ending, tuple[str, ...]]:
    """Judge instances that are held, then measure and write; how it ended, and what to warn about."""
    experiment = begun.ready.experiment
    judging = judge(experiment, begun.door, begun.run_id, begun.secrets, begun.stop)
    judged, warnings, method = asyncio.run(judging)
    experiment = replace(experiment, method=method)  # as its development split made it
    measured = measured_of(experiment, judged)
    ending = ending_of(experiment, judged, measured)
    record = _record(begun, measured, ending, returned_models(judged.outcomes))
    write_run(
        begun.folder,
        record,
        config_yaml=experiment.identity.config_yaml,
        instances=experiment.loaded.instances,
        outcomes=judged.outcomes,
        secrets=begun.secrets,
        more=files_of_run(experiment, judged, record),
        unfinished=judged.unfinished,
        development=[call for outcome in judged.development for call in outcome.calls],
    )
    return ending, (*lost_in(judged), *warnings)


def _streamed(begun: _Begun) -> tuple[Ending, tuple[str, ...]]:
    """As `_held`, of instances that stream by: written as they are judged, measured from the files."""
    experiment = begun.ready.experiment
    with GrowingFiles(begun.folder, begun.secrets) as files:
        judging = judge(
            experiment,
            begun.door,
            begun.run_id,
            begun.secrets,
            begun.stop,
            judging=Streamer(files).judge,
        )
        judged, warnings, _ = asyncio.run(judging)
        files.close(judged.unfinished)
    found = found_in_files(experiment, begun.folder, judged, prices_of(experiment))
    record = _record(begun, found.measured, found.ending, found.returned)
    complete_run(begun.folder, record, config_yaml=experiment.identity.config_yaml, secrets=begun.secrets)
    return found.ending, (*found.lost, *warnings)


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
        prices=prices_of(experiment),
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


def lost_in(judged: Judged) -> tuple[str, ...]:
    """Of questions that stayed without a usable reply, whatever became of their instances."""
    outcomes = (*judged.development, *judged.outcomes)
    return lost_replies([call for outcome in outcomes for call in outcome.calls])


def files_of_run(experiment: Experiment, judged: Judged, record: RunRecord) -> dict[str, str | bytes]:
    """What a run leaves besides the files that all runs have: of its method, and of its confidences."""
    return {**_method_files(experiment, judged), **confidence_files(experiment, judged, record)}


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


def routes_of(experiment: Experiment) -> dict[str, Route]:
    """How judges and embedding models are reached, by their names."""
    method = experiment.method
    routes = {judge.name: judge.route for judge in method.judges}
    vectors = {f"embedding {model.name}": model.route for model in method.embeddings}
    return routes | {name: route for name, route in vectors.items() if route is not None}


def prices_of(experiment: Experiment) -> dict[str, Price | None]:
    """What its models cost, by model."""
    return {route.model: route.price for route in routes_of(experiment).values()}


def secrets_of(experiment: Experiment, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What no file and no message may hold: also keys in variables that are not called like one."""
    keys = (api_key(route, environ) for route in routes_of(experiment).values())
    return (*{key for key in keys if key}, *secret_values(environ))


async def judge(
    experiment: Experiment,
    door: Door,
    run_id: str,
    secrets: Sequence[str],
    stop: Stop,
    *,
    by_way_of: Callable[[LLM], LLM] = lambda llm: llm,
    judging: Judging = judge_experiment,
) -> tuple[Judged, tuple[str, ...], Method]:
    """What became of the instances, what to warn about, and the method as its development split made it.

    `by_way_of` wraps the call path, below the seeds' replicates; `judging` goes through the instances.
    """
    judges = experiment.method.judges
    backends = Backends(
        judges,
        door.environ,
        experiment.local,
        experiment.simulation,
        experiment.known_instances,
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
            say=door.say,
        ) as stored:
            asking = {"stop_asking": method.stop_asking} if isinstance(method, AsksPeople) else {}
            llm = by_way_of(stored)
            if experiment.replicate is Replicate.PER_SEED:
                llm = Replicated(llm, experiment.seed)
            stopper = Stopper(stop, stored, door.say, **asking)
            async with _heeding(stopper, door.signs), _attended(experiment, door):
                judged, method = await judging(experiment, llm, stop=stop, on_done=door.on_done)
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
    stopper.on_signals(SIGNALS if signs is None else IN_LAUNCHED_JOBS)
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
    return method.attended(Sitting(experiment.identity.name, experiment.kind, count, door.home, door.say))


def _record(begun: _Begun, measured: Measurement, ending: Ending, returned: Mapping[str, str]) -> RunRecord:
    """What `run.json` says of a run that ends now."""
    experiment, door = begun.ready.experiment, begun.door
    ended = door.now()
    return RunRecord(
        run_id=begun.run_id,
        name=experiment.identity.name,
        status=ending.status,
        kind=experiment.kind,
        started_at=begun.started,
        ended_at=ended,
        metrics={**measured.metrics, DURATION: ended - begun.started},
        notes=measured.notes,
        params={**experiment.identity.params, "backend": str(experiment.kind)},
        tags={**begun.ready.tags, **returned},
        sweep_id=door.sweep_id,
        overrides=experiment.identity.overrides,
        error=ending.error,
    )


def upload(experiment: Experiment, door: Door, folder: Path) -> tuple[str, ...]:
    """Upload a run's folder, where runs are tracked; what to warn about where MLflow was not reached."""
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
