"""From what a bundle holds of a run to the run: its judgments from stored replies, its metrics from them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from venire.bundles.contents import DEVELOPMENT
from venire.developing import fitted_method
from venire.experiment import Experiment
from venire.launch import DURATION, Door, judge, measured_of
from venire.llm.protocol import LLM
from venire.llm.settings import LLMSettings, Mode
from venire.metrics.measurement import Measurement
from venire.metrics.spent import is_fixed
from venire.records import Call, Outcome, Reason, RunRecord, Unscored
from venire.runner import Judged, Stop
from venire.runs import CallLines, read_calls, read_judged, write_run


@dataclass(frozen=True, slots=True)
class Derived:
    """What a run's judgments are: of what is evaluated, and of its development split."""

    outcomes: tuple[Outcome, ...]
    development: tuple[Outcome, ...] = ()


def judge_again(
    experiment: Experiment, home: Path, by_way_of: Callable[[LLM], LLM] = lambda llm: llm
) -> Derived:
    """The judgments that the replies in the call store of the folder `home` lead to; nobody is asked.

    Raises:
        ReplayMiss: the store lacks a reply; any other reason for which a run stops.
    """
    replayed = replace(experiment, llm=LLMSettings(Mode.REPLAY))
    door = Door(home, {})
    judged, _, _ = asyncio.run(judge(replayed, door, "replay", (), Stop(), by_way_of=by_way_of))
    if judged.stopped is not None:
        raise judged.stopped
    return Derived(judged.outcomes, judged.development)


def as_filed(folder: Path) -> Derived:
    """The judgments as a run's files have them, without those that were never made."""
    development = folder / DEVELOPMENT
    return Derived(_judged(folder), _judged(development) if development.is_dir() else ())


def _judged(folder: Path) -> tuple[Outcome, ...]:
    return tuple(each for each in read_judged(folder) if not _is_not_run(each))


def _is_not_run(outcome: Outcome) -> bool:
    return isinstance(outcome.prediction, Unscored) and outcome.prediction.reason is Reason.NOT_RUN


def write_derived(
    folder: Path,
    experiment: Experiment,
    derived: Derived,
    bundled: Path,
    record: RunRecord,
    *,
    unchecked: Sequence[str] = (),
) -> RunRecord:
    """Write to `folder` the run that `derived` makes; returns its record.

    What a call took and whether it was paid is as the files in `bundled` tell it, as is how long the run
    took, and what is `unchecked`; every other number is measured anew.
    """
    lines = read_calls(bundled)
    measured = remeasured(experiment, derived, lines)
    kept = {name: record.metrics[name] for name in unchecked if name in record.metrics}
    metrics = {**measured.metrics, **kept, DURATION: record.ended_at - record.started_at}
    notes = {name: note for name, note in measured.notes.items() if name not in unchecked}
    notes |= {name: record.notes[name] for name in unchecked if name in record.notes}
    made = replace(record, metrics=metrics, notes=notes)
    write_run(
        folder,
        made,
        config_yaml=(bundled / "config.yaml").read_text(encoding="utf-8"),
        instances=experiment.loaded.instances,
        outcomes=with_calls(derived.outcomes, lines.finished),
        unfinished=lines.unfinished,
        development=lines.development,
    )
    return made


def remeasured(experiment: Experiment, derived: Derived, lines: CallLines) -> Measurement:
    """Every metric of the run whose judgments are `derived`, and whose calls are `lines`."""
    development = with_calls(derived.development, lines.development)
    experiment = replace(experiment, method=fitted_method(experiment, development))
    outcomes = with_calls(derived.outcomes, lines.finished)
    return measured_of(experiment, Judged(outcomes, None, lines.unfinished, development))


def with_calls(outcomes: Sequence[Outcome], calls: Sequence[Call]) -> tuple[Outcome, ...]:
    """Each outcome with its calls; those about no instance with every one, as methods hand them out."""
    fixed = [call for call in calls if is_fixed(call)]
    by_instance: dict[str, list[Call]] = {outcome.instance_id: [*fixed] for outcome in outcomes}
    for call in calls:
        if not is_fixed(call):
            by_instance.setdefault(call.instance_id, []).append(call)
    return tuple(replace(each, calls=tuple(by_instance[each.instance_id])) for each in outcomes)
