"""A run in two parts: the development split first, what is fitted on it, then what is evaluated."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from venire.data.streamed import Streamed
from venire.errors import DataError
from venire.experiment import Experiment
from venire.llm.protocol import LLM
from venire.llm.route import Client
from venire.methods.protocol import Fits, Method
from venire.metrics.measure import MetricSettings, measure
from venire.records import Instance, Outcome, PreferenceGold
from venire.runner import Judged, Pace, Stop, judge_all
from venire.streamable import check_streamed


def check_method(experiment: Experiment) -> None:
    """Refuse, before any call, what the method cannot judge, or a development split that will not do.

    Raises:
        DataError, MissingRecording, ConfigError
    """
    method, development = experiment.method, experiment.development
    method.check(experiment.all_instances)
    _check_simulated(experiment)
    if isinstance(method, Fits):
        method.check_development(() if development is None else development.instances)


def _check_simulated(experiment: Experiment) -> None:
    """Refuse pairs without gold where judges are simulated: these err around it.

    Pairs that stream are not read once more for it: the simulation refuses them when they are judged.
    """
    if isinstance(experiment.loaded.instances, Streamed):
        return
    if not any(judge.route.client is Client.SIMULATED for judge in experiment.method.judges):
        return
    for instance in experiment.all_instances:
        if instance.is_pairwise and not isinstance(instance.gold, PreferenceGold):
            raise DataError(
                f"{instance.id}: expected a human preference, which simulated judges err around, got none; "
                "choose data with gold, or another backend"
            )


def check_measurable(experiment: Experiment) -> None:
    """Refuse, before any call, what could not be measured, or not while it streams.

    Raises:
        DataError, ConfigError
    """
    loaded = experiment.loaded
    if isinstance(loaded.instances, Streamed):
        check_streamed(experiment)
    else:
        measure(loaded.instances, (), labels=loaded.labels, seed=0, settings=MetricSettings(draws=0))


class Judging(Protocol):
    """What goes through a run's instances, as `judge_experiment` does."""

    async def __call__(
        self, experiment: Experiment, llm: LLM, *, stop: Stop, on_done: Callable[[Outcome], None]
    ) -> tuple[Judged, Method]:
        """What became of them, and the method as its development split made it."""
        ...


async def judge_experiment(
    experiment: Experiment, llm: LLM, *, stop: Stop, on_done: Callable[[Outcome], None] = lambda _: None
) -> tuple[Judged, Method]:
    """What became of the run's instances, and the method as its development split made it.

    Where the run stops within the development split nothing is fitted and nothing is evaluated.
    """
    method = experiment.method
    development: tuple[Outcome, ...] = ()
    pace = Pace(experiment.seed, experiment.concurrency, experiment.schedule)
    if experiment.development is not None:
        instances = experiment.development.instances
        first = await judge_all(method, instances, llm, pace, stop=stop, on_done=on_done)
        development = first.outcomes
        if first.stopped is not None:
            return replace(first, outcomes=(), development=development), method
        method = fitted_method(experiment, development)
    judged = await judge_all(method, experiment.loaded.instances, llm, pace, stop=stop, on_done=on_done)
    return replace(judged, development=development), method


def fitted_method(experiment: Experiment, development: tuple[Outcome, ...]) -> Method:
    """The method of `experiment` as these outcomes of its development split make it."""
    method = experiment.method
    if experiment.development is None or not isinstance(method, Fits):
        return method
    return method.fitted(_paired(experiment.development.instances, development))


def developed(experiment: Experiment, judged: Judged) -> list[tuple[Instance, Outcome]]:
    """The development split with its outcomes, as the fitted method of `experiment` gives them."""
    if experiment.development is None:
        return []
    pairs = _paired(experiment.development.instances, judged.development)
    method = experiment.method
    if not isinstance(method, Fits):
        return pairs
    return [(instance, method.replayed(outcome)) for instance, outcome in pairs]


def _paired(instances: Sequence[Instance], outcomes: tuple[Outcome, ...]) -> list[tuple[Instance, Outcome]]:
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    return [(instance, by_id[instance.id]) for instance in instances if instance.id in by_id]
