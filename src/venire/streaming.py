"""A run whose instances stream by: judged, written as it goes, and measured from its files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from venire.ending import Ending, Heard, ending_after
from venire.experiment import Experiment
from venire.llm.protocol import LLM
from venire.methods.protocol import Method
from venire.metrics.calls import lost_replies
from venire.metrics.compact import Compact, Pair, Tally
from venire.metrics.measure import measure_compact
from venire.metrics.measurement import Measurement
from venire.provenance import answered_by
from venire.records import Call, Outcome, Price
from venire.runner import Judged, Stop, judge_streaming
from venire.runs import GrowingFiles, iterate_pairs


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to.

    Args:
        measured: its metrics.
        ending: how it ended.
        returned: tags of what answered.
        lost: a sentence on each stage with questions that stayed without a usable reply.
    """

    measured: Measurement
    ending: Ending
    returned: Mapping[str, str]
    lost: tuple[str, ...]


class Streamer:
    """Judges the instances of an experiment as they come, into the files of `folder`."""

    def __init__(self, files: GrowingFiles) -> None:
        self._files = files

    async def judge(
        self, experiment: Experiment, llm: LLM, *, stop: Stop, on_done: Callable[[Outcome], None]
    ) -> tuple[Judged, Method]:
        """See `developing.Judging`; the outcomes are in the files, and not in what is returned."""
        passed = await judge_streaming(
            experiment.method,
            experiment.loaded.instances,
            llm,
            self._files.add,
            concurrency=experiment.concurrency,
            stop=stop,
            on_done=on_done,
        )
        return Judged((), passed.stopped, passed.unfinished), experiment.method


def found_in_files(
    experiment: Experiment, folder: Path, judged: Judged, prices: Mapping[str, Price | None]
) -> Found:
    """What the files of `folder` tell of the instances of `experiment`.

    Args:
        judged: why it stopped, where it did, and the calls of what is unfinished.
        prices: of the run's models, by model.

    Raises:
        RunError: they are of other instances.
    """
    return found_in(experiment, iterate_pairs(folder, iter(experiment.loaded.instances)), judged, prices)


def found_in(
    experiment: Experiment, pairs: Iterable[Pair], judged: Judged, prices: Mapping[str, Price | None]
) -> Found:
    """As `found_in_files`, of pairs of instance and outcome that are seen one after another."""
    compact, heard = _read(pairs, judged.unfinished)
    measured = measure_compact(
        compact,
        labels=experiment.loaded.labels,
        seed=experiment.seed,
        settings=experiment.metrics,
        prices=prices,
    )
    ending = ending_after(experiment, judged.stopped, heard, measured)
    return Found(measured, ending, answered_by(compact.calls.distinct), lost_replies(compact.calls))


def _read(pairs: Iterable[Pair], unfinished: Iterable[Call]) -> tuple[Compact, Heard]:
    """What metrics and the ending need; the columns that it was gathered in are given back."""
    import pyarrow as pa

    tally, heard = Tally(), Heard()
    for instance, outcome in pairs:
        tally.add(instance, outcome)
        if outcome is not None:
            heard.hear(outcome)
    tally.add_unfinished(unfinished)
    compact = tally.compact()
    del tally
    pa.default_memory_pool().release_unused()
    return compact, heard
