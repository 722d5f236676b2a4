"""The table of a set of runs: a row an arm, its seeds together, with intervals and provenance."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.metrics.headline import HEADLINE, Headline
from venire.records import RunRecord, RunStatus
from venire.reporting.table import Cell, Estimate, Table

_SHORT = 12


@dataclass(frozen=True, slots=True)
class Arm:
    """Runs that differ in nothing but the seed, in the order of their seeds."""

    name: str
    runs: tuple[RunRecord, ...]


def arms_of(records: Sequence[RunRecord]) -> list[Arm]:
    """Runs grouped by `arm_hash`, data and prompts, in the order of first appearance."""
    groups: dict[tuple[str, ...], list[RunRecord]] = {}
    for record in records:
        tags = record.tags
        prompts = tuple(sorted(f"{k}={v}" for k, v in tags.items() if k.startswith("prompt.")))
        key = (tags.get("arm_hash", record.run_id), tags.get("data_fingerprint", ""), *prompts)
        groups.setdefault(key, []).append(record)
    arms = []
    for runs in groups.values():
        by_seed = {
            record.params.get("seed", ""): record for record in sorted(runs, key=lambda r: r.started_at)
        }
        newest = sorted(by_seed.values(), key=lambda r: int(r.params.get("seed", "0")))
        arms.append(Arm(_arm_name(newest[0]), tuple(newest)))
    return arms


def runs_table(title: str, records: Sequence[RunRecord]) -> Table:
    """A row an arm. One seed: value and interval over items; more: mean ± standard deviation over seeds.

    Runs that stopped early are marked; a column that no run has is left out.
    """
    arms = arms_of(records)
    columns = [headline for headline in HEADLINE if any(_has(arm, headline) for arm in arms)]
    several = any(len(arm.runs) > 1 for arm in arms)
    rows = [_row(arm, columns, several=several) for arm in arms]
    head = ("run", "backend", "n", *(("seeds",) if several else ()), *(c.title for c in columns))
    return Table(title, head, tuple(rows), _footer(arms, several))


def _arm_name(record: RunRecord) -> str:
    words = [word for word in record.name.split() if word != f"s{record.params.get('seed', '')}"]
    mark = "" if record.status is RunStatus.FINISHED else f" ({record.status})"
    return " ".join(words) + mark


def _has(arm: Arm, headline: Headline) -> bool:
    return any(not math.isnan(run.metrics.get(headline.metric, math.nan)) for run in arm.runs)


def _row(arm: Arm, columns: Sequence[Headline], *, several: bool) -> tuple[Cell, ...]:
    first = arm.runs[0]
    sizes = sorted({int(run.metrics["n"]) for run in arm.runs if "n" in run.metrics})
    n = "/".join(map(str, sizes))
    seeds = (str(len(arm.runs)),) if several else ()
    return (arm.name, str(first.kind), n, *seeds, *(_cell(arm, column) for column in columns))


def _cell(arm: Arm, column: Headline) -> Cell:
    values = [run.metrics.get(column.metric, math.nan) for run in arm.runs]
    if len(values) == 1:
        metrics: Mapping[str, float] = arm.runs[0].metrics
        low = metrics.get(f"{column.metric}/ci_low", math.nan)
        high = metrics.get(f"{column.metric}/ci_high", math.nan)
        return Estimate(values[0], low, high, column.decimals)
    if any(math.isnan(value) for value in values):
        return "–"
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return f"{mean:,.{column.decimals}f} ± {spread:.{column.decimals}f}"


def _footer(arms: Sequence[Arm], several: bool) -> tuple[str, ...]:
    runs = [run for arm in arms for run in arm.runs]
    kinds = sorted({str(run.kind) for run in runs})
    data = sorted({run.tags.get("data_fingerprint", "?")[:_SHORT] for run in runs})
    commits = sorted({_commit(run) for run in runs})
    seeds = sorted({run.params.get("seed", "?") for run in runs})
    note = "x [low, high]: 95% interval over items."
    if several:
        note += " x ± s: mean and standard deviation over seeds, which is no interval over items."
    sentences = [
        note,
        f"Backend kind: {', '.join(kinds)}; seeds: {', '.join(seeds)}; data: {', '.join(data)}; "
        f"commit: {', '.join(commits)}.",
    ]
    if "simulated" in kinds:
        sentences.append(
            "SIMULATED judges: a statistical model answered, no LLM. These are no findings about models."
        )
    if len(data) > 1:
        sentences.append("WARNING: the rows are not on the same data.")
    if any(run.status is not RunStatus.FINISHED for run in runs):
        sentences.append("WARNING: marked runs stopped early; their unjudged instances count as not correct.")
    return tuple(sentences)


def _commit(run: RunRecord) -> str:
    commit = run.tags.get("git_commit", "unknown")[:8]
    return f"{commit} (dirty)" if run.tags.get("git_dirty") == "true" else commit
