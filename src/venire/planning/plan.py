"""A plan: the run's own method on the run's own instances and order, with nothing sent or written."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.developing import check_method
from venire.experiment import Experiment, Replicate
from venire.judging.judge import Judge
from venire.llm.embedding import EmbeddingModel
from venire.llm.protocol import LLM
from venire.llm.replicate import Replicated
from venire.llm.settings import Mode
from venire.methods.protocol import AsksPeople, Fits, Method
from venire.planning.answers import Answers, Store
from venire.planning.inquiry import Desk, Inquiry
from venire.planning.records import PlannedCall, PlannedText, Recording
from venire.records import BackendKind, Instance, Outcome, PersonaSet, Reason, Unscored
from venire.runner import Pace, Stop, judge_all


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would ask for.

    Args:
        name, kind, mode, instances: of the run.
        calls, texts: distinct requests by key.
        stuck: instances whose later calls depend on replies that are not known.
        skipped: instances that were not looked at: the memory before them depends on such replies.
        simulated: whether simulated judges filled unknown replies: then it is an estimate.
        personas: whom the method lets judge, where it has stakeholder groups; they were paid for before.
        unfitted: whether thresholds of the method hang on replies that are not known: then every stage is
            noted for every instance, which the run asks for at most.
    """

    name: str
    kind: BackendKind
    mode: Mode
    instances: int
    calls: Mapping[str, PlannedCall]
    texts: Mapping[str, PlannedText]
    stuck: int
    skipped: int
    simulated: bool = False
    personas: PersonaSet | None = None
    unfitted: bool = False

    @property
    def is_lower_bound(self) -> bool:
        """Whether the run may ask for more than is noted here."""
        return self.stuck > 0 or self.skipped > 0

    @property
    def new(self) -> int:
        """Distinct calls that the store does not hold."""
        return sum(not call.stored for call in self.calls.values())


def plan_of(
    experiment: Experiment, environ: Mapping[str, str], *, store_url: str, simulate: bool = False
) -> Plan:
    """The plan of `experiment` against the store at `store_url`.

    Replies that are neither stored nor computed on this machine are unknown, and what depends on
    them is not noted; with `simulate`, simulated judges reply in their place.

    Raises:
        DataError, MissingRecording, ConfigError: as the run's own checks.
        StoreError: the store cannot be read.
    """
    check_method(experiment)
    personas = getattr(experiment.method, "personas", None)
    recording = Recording()
    fitted = asyncio.run(_ask(experiment, environ, store_url, recording, simulate=simulate))
    return Plan(
        name=experiment.identity.name,
        kind=experiment.kind,
        mode=experiment.llm.mode,
        instances=len(experiment.all_instances),
        calls=recording.calls,
        texts=recording.texts,
        stuck=len(recording.stuck),
        skipped=len(recording.skipped),
        simulated=simulate,
        personas=personas if isinstance(personas, PersonaSet) else None,
        unfitted=not fitted,
    )


async def _ask(
    experiment: Experiment,
    environ: Mapping[str, str],
    store_url: str,
    recording: Recording,
    *,
    simulate: bool,
) -> bool:
    """Notes what is asked; whether what the method fits on a development split is fitted."""
    store = Store(store_url, experiment.llm.mode)
    try:
        desk = Desk(
            store=store,
            answers=Answers(experiment, environ),
            recording=recording,
            models={model.model: model for model in experiment.method.embeddings},
            simulate=simulate,
        )
        seed = experiment.seed if experiment.replicate is Replicate.PER_SEED else None
        pace = Pace(experiment.seed, experiment.concurrency, experiment.schedule)
        stop = Stop()
        method, fitted = experiment.method, True
        if isinstance(method, AsksPeople):
            method = method.unattended()
        if experiment.development is not None:
            first = experiment.development.instances
            planned = _Planned(method, desk, seed)
            judged = await judge_all(planned, first, Inquiry(desk), pace, stop=stop)
            if isinstance(method, Fits) and stop.reason is None:
                fitted = not recording.stuck and not recording.skipped
                method = method.fitted(list(zip(first, judged.outcomes, strict=True))) if fitted else method
        planned = _Planned(method, desk, seed)
        await judge_all(planned, experiment.loaded.instances, Inquiry(desk), pace, stop=stop)
        if stop.reason is not None:
            raise stop.reason
        return fitted
    finally:
        store.close()


@dataclass(frozen=True, slots=True)
class _Memory:
    """The method's memory, and whether it is the one that the run will have."""

    inner: object
    known: bool


@dataclass(frozen=True, slots=True)
class _Planned:
    """A method whose instances end where unknown replies would decide how they go on."""

    method: Method
    desk: Desk
    replicate_of: int | None

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def judges(self) -> tuple[Judge, ...]:
        return self.method.judges

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        return self.method.embeddings

    @property
    def prompts(self) -> tuple[str, ...]:
        return self.method.prompts

    @property
    def order_dependent(self) -> bool:
        return self.method.order_dependent

    def check(self, instances: Sequence[Instance]) -> None:
        self.method.check(instances)

    def initial_memory(self) -> object:
        return _Memory(self.method.initial_memory(), known=True)

    def fold(self, memory: object, outcome: Outcome) -> object:
        assert isinstance(memory, _Memory)
        recording = self.desk.recording
        if not memory.known or outcome.instance_id in recording.stuck:
            return _Memory(memory.inner, known=not self.method.order_dependent)
        return _Memory(self.method.fold(memory.inner, outcome), known=True)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        assert isinstance(memory, _Memory)
        recording = self.desk.recording
        if not memory.known:
            recording.skipped.add(instance.id)
            return _not_run(instance)
        inquiry = Inquiry(self.desk)
        asked: LLM = inquiry if self.replicate_of is None else Replicated(inquiry, self.replicate_of)
        judging = asyncio.ensure_future(self.method.judge(instance, memory.inner, asked))
        stuck = asyncio.ensure_future(inquiry.until_stuck())
        try:
            await asyncio.wait({judging, stuck}, return_when=asyncio.FIRST_COMPLETED)
            if judging.done():
                return judging.result()
        finally:
            judging.cancel()
            stuck.cancel()
            await asyncio.gather(judging, stuck, return_exceptions=True)
        recording.stuck.add(instance.id)
        return _not_run(instance)


def _not_run(instance: Instance) -> Outcome:
    return Outcome(instance.id, Unscored(Reason.NOT_RUN))
