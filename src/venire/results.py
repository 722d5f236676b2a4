"""Finished runs and sweeps for notebooks and scripts: `from venire.results import load_run, load_sweep`.

Reads run folders and changes nothing. What the columns mean: docs/tracking.md.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from venire.cli import home
from venire.errors import RunError
from venire.records import BackendKind, RunRecord, RunStatus
from venire.runs import find_run, read_record
from venire.runs.calls import CALLS_FILE
from venire.runs.folder import CONFIG_FILE
from venire.runs.outcomes import OUTCOMES_FILE

if TYPE_CHECKING:
    import pandas as pd

_JSON_COLUMNS = ("gold_json", "votes", "detail", "prediction_ratings", "as_given_ratings", "swapped_ratings")


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """One run: its folder, and what `run.json` says."""

    folder: Path
    record: RunRecord

    @property
    def name(self) -> str:
        """Short and telling, as in tables."""
        return self.record.name

    @property
    def kind(self) -> BackendKind:
        """Where the replies came from: simulated, recorded, local or live. Say it beside every number."""
        return self.record.kind

    @property
    def summary(self) -> Mapping[str, float]:
        """Metric name to number, as in `summary.json`; NaN where undefined. docs/reference/metrics.md."""
        return self.record.metrics

    def interval(self, metric: str) -> tuple[float, float]:
        """The interval over items of `metric`; NaN where it has none."""
        return (
            self.summary.get(f"{metric}/ci_low", math.nan),
            self.summary.get(f"{metric}/ci_high", math.nan),
        )

    def config(self) -> dict[str, object]:
        """The resolved configuration: what the run was, key by key.

        Raises:
            RunError: the folder has none.
        """
        import yaml

        text = _file(self.folder / CONFIG_FILE).read_text(encoding="utf-8")
        return dict(yaml.safe_load(text))

    def outcomes(self) -> "pd.DataFrame":
        """One row an instance, by id: gold, predictions, votes, calls, cost; JSON columns parsed.

        Of preferences also `right`, the share of the instance's verdicts that are the gold's; a missing
        verdict is not right.

        Raises:
            RunError: the folder has none.
        """
        import pandas as pd

        from venire.reporting.pairing import read_run, shares_right

        frame = pd.read_parquet(_file(self.folder / OUTCOMES_FILE)).set_index("id")
        for column in _JSON_COLUMNS:
            frame[column] = frame[column].map(_parsed).astype(object)
        if frame["gold"].notna().all():
            frame["right"] = shares_right(read_run(self.folder), list(frame.index))
        return frame

    def votes(self) -> "pd.DataFrame":
        """One row a vote: id, gold, judge, order, kind, winner, confidence, rationale, reply, ..."""
        import pandas as pd

        outcomes = self.outcomes()
        rows = [
            {"id": id_, "gold": gold, **vote}
            for id_, gold, votes in zip(outcomes.index, outcomes["gold"], outcomes["votes"], strict=True)
            for vote in votes
        ]
        return pd.DataFrame(rows)

    def calls(self) -> "pd.DataFrame":
        """One row a call: instance, stage, judge, model, tokens, cost, latency, paid or replayed.

        Raises:
            RunError: the folder has none.
        """
        import gzip

        import pandas as pd

        with gzip.open(_file(self.folder / CALLS_FILE), "rt", encoding="utf-8") as lines:
            return pd.json_normalize([json.loads(line) for line in lines])

    def instances(self) -> "pd.DataFrame":
        """One row an instance, by id: prompt and responses, read again from the data set.

        Raises:
            RunError: the data is not what the run judged.
            DataError: it cannot be read any more.
        """
        import pandas as pd

        from venire.commands.data_sets import data_of_folder

        rows = [
            {
                "id": instance.id,
                "subset": instance.subset,
                "prompt": instance.prompt,
                **{f"response_{place}": each.text for place, each in enumerate(instance.responses, 1)},
            }
            for instance in data_of_folder(self.folder).loaded.instances
        ]
        return pd.DataFrame(rows).set_index("id")


def load_run(reference: str | Path, *, root: Path | None = None) -> LoadedRun:
    """The run that `reference` means.

    Args:
        reference: what `venire run` prints last (its folder), or the beginning of a run id or of an MLflow
            run id.
        root: where runs are; None for `VENIRE_HOME`.

    Raises:
        RunError: no run or several; lists what it may have meant.
    """
    folder = find_run(root or home(), str(reference))
    return LoadedRun(folder, read_record(folder))


def load_sweep(reference: str | Path, *, root: Path | None = None, partial: bool = False) -> list[LoadedRun]:
    """The finished runs of a sweep, in the order of its jobs; each has this sweep's overrides in its params.

    Args:
        reference: what `venire run -m` prints last (the sweep's `summary.json`), its folder, or the beginning
            of its id.
        root: where sweeps are; None for `VENIRE_HOME`.
        partial: let in runs that stopped early.

    Raises:
        RunError: no such sweep, or none of its runs.
    """
    from venire.commands.table import sweep_folder_of
    from venire.sweep import as_asked, read_jobs

    given = Path(reference)
    folder = given.parent if given.is_file() else given
    if not folder.is_dir():
        folder = sweep_folder_of(root or home(), str(reference))
    jobs = [(Path(job.folder), job) for job in read_jobs(folder) if job.folder]
    runs = [LoadedRun(path, as_asked(read_record(path), job)) for path, job in jobs]
    kept = [run for run in runs if partial or run.record.status is RunStatus.FINISHED]
    if not kept:
        raise RunError(f"{folder}: expected a sweep with a finished run, found none among {len(runs)} runs")
    return kept


def frame(runs: Iterable[LoadedRun], metrics: Sequence[str], *, by: Sequence[str] = ()) -> "pd.DataFrame":
    """One row a run, by name: backend kind, the params `by`, and each of `metrics` with its interval.

    A metric or param that a run does not have is NaN; a metric that no run has is an error.

    Raises:
        RunError: no run has the metric; names some that there are.
    """
    import pandas as pd

    runs = list(runs)
    for metric in metrics:
        if not any(metric in run.summary for run in runs):
            near = sorted({name for run in runs for name in run.summary if metric.split("/")[0] in name})[:8]
            raise RunError(f"metric {metric!r}: no run has it; there are {', '.join(near) or 'none like it'}")
    rows = []
    for run in runs:
        row: dict[str, object] = {"run": run.name, "backend": str(run.kind)}
        row |= {key: run.record.params.get(key, math.nan) for key in by}
        for metric in metrics:
            row[metric] = run.summary.get(metric, math.nan)
            if any(f"{metric}/ci_low" in each.summary for each in runs):
                row[f"{metric}/ci_low"], row[f"{metric}/ci_high"] = run.interval(metric)
        rows.append(row)
    return pd.DataFrame(rows).set_index("run")


def _file(path: Path) -> Path:
    if not path.is_file():
        raise RunError(f"{path}: expected a file of a finished run, found none")
    return path


def _parsed(text: object) -> object:
    value: object = json.loads(text) if isinstance(text, str) else None
    return value
