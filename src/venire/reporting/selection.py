"""Choosing among the arms of a finished grid, and the judge that stands alone best."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import RunError
from venire.records import RunRecord
from venire.reporting.footer import cautions, provenance
from venire.reporting.runs_table import Arm, arms_of
from venire.reporting.spec_table import REEVALUATION, value_of
from venire.reporting.table import Cell, Estimate, Table

METRIC = "accuracy"
COST = "cost_usd/per_1000"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One arm of a grid: the swept keys with their values, and its means over seeds."""

    values: Mapping[str, str]
    seeds: int
    accuracy: float
    cost: float
    calls: float

    @property
    def rank(self) -> tuple[float, float, float]:
        """Lower is better: the accuracy, then the cheaper, then the one with fewer re-evaluations."""
        cost = math.inf if math.isnan(self.cost) else self.cost
        return (-self.accuracy, cost, self.calls)


@dataclass(frozen=True, slots=True)
class Selection:
    """The best candidate, all of them from the best down, and the table that shows them."""

    best: Candidate
    ranked: tuple[Candidate, ...]
    table: Table


def select_best(records: Sequence[RunRecord]) -> Selection:
    """The arm with the highest mean accuracy over seeds.

    Of equals the cheaper, then the one with fewer re-evaluations, then the one that was swept first.

    Args:
        records: finished runs of one sweep on the same data, their overrides among their params.

    Raises:
        RunError: fewer than two arms, arms with other seeds, other data, or no accuracy.
    """
    arms = arms_of(records)
    swept = _swept_keys(arms)
    if len(arms) < 2 or not swept:
        raise RunError(f"select: expected a sweep over some settings, got {len(arms)} arm")
    if len({record.tags.get("data_fingerprint") for record in records}) > 1:
        raise RunError("select: expected runs on the same data, got several data sets; select on one sweep")
    seeds = {tuple(run.params.get("seed", "0") for run in arm.runs) for arm in arms}
    if len(seeds) > 1:
        raise RunError(
            "select: expected the same seeds for every arm, got "
            f"{' and '.join(sorted('+'.join(each) for each in seeds))}; run the grid to its end"
        )
    candidates = [_candidate(arm, swept) for arm in arms]
    undefined = [candidate for candidate in candidates if math.isnan(candidate.accuracy)]
    if undefined:
        raise RunError(f"select: expected an accuracy of every arm, {len(undefined)} have none")
    ranked = tuple(sorted(candidates, key=lambda candidate: candidate.rank))  # stable: swept first wins
    return Selection(ranked[0], ranked, _table(ranked, swept, records))


def _swept_keys(arms: Sequence[Arm]) -> list[str]:
    """The keys of settings that differ between arms, in a fixed order."""
    params = [arm.runs[0].params for arm in arms]
    keys = sorted({key for each in params for key in each if key.startswith("method.") or key == "panel"})
    return [key for key in keys if len({each.get(key) for each in params}) > 1]


def _candidate(arm: Arm, swept: Sequence[str]) -> Candidate:
    def mean(metric: str) -> float:
        return math.fsum(value_of(run, metric) for run in arm.runs) / len(arm.runs)

    params = arm.runs[0].params
    values = {key: params[key] for key in swept if key in params}
    return Candidate(values, len(arm.runs), mean(METRIC), mean(COST), mean(REEVALUATION))


def _table(ranked: Sequence[Candidate], swept: Sequence[str], records: Sequence[RunRecord]) -> Table:
    short = [key.removeprefix("method.") for key in swept]
    rows: list[tuple[Cell, ...]] = [
        (
            "chosen" if place == 0 else "",
            *(candidate.values.get(key, "–") for key in swept),
            Estimate(candidate.accuracy),
            Estimate(candidate.calls, decimals=2),
            Estimate(candidate.cost, decimals=2),
        )
        for place, candidate in enumerate(ranked)
    ]
    footer = (
        f"Means over {ranked[0].seeds} seeds. Highest accuracy first; of equals the cheaper, then fewer "
        "re-evaluations, then the one that the grid names first.",
        "The best of many arms looks better than it is: its accuracy here is no estimate of that elsewhere.",
        provenance(records),
        *cautions(records),
    )
    head = ("", *short, "accuracy", "re-evaluation calls", "USD/1,000")
    return Table(f"selection among {len(ranked)} arms", head, tuple(rows), footer)


def judge_accuracies(records: Sequence[RunRecord]) -> dict[str, float]:
    """Each judge's own accuracy, means over `records`, the highest first, of equals by name.

    Empty where the runs had no panel.
    """
    names = {name.split("/")[1] for record in records for name in record.metrics if _is_judge_accuracy(name)}
    means = {
        name: math.fsum(record.metrics.get(f"judge/{name}/accuracy", math.nan) for record in records)
        / len(records)
        for name in names
    }
    known = {name: value for name, value in means.items() if not math.isnan(value)}
    return dict(sorted(known.items(), key=lambda item: (-item[1], item[0])))


def _is_judge_accuracy(metric: str) -> bool:
    parts = metric.split("/")
    return len(parts) == 3 and parts[0] == "judge" and parts[2] == "accuracy"
