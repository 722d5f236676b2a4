"""The table of a set of runs: a row an arm, its seeds together, with intervals and provenance."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from venire.metrics.headline import HEADLINE, RATED_MEAN, Headline, rated_columns
from venire.records import RunRecord, RunStatus
from venire.reporting.footer import cautions, ceiling_sentence, interval_told, provenance
from venire.reporting.table import DASH, Cell, Estimate, Spread, Table


@dataclass(frozen=True, slots=True)
class Arm:
    """Runs that differ in nothing but the seed, in the order of their seeds."""

    name: str
    runs: tuple[RunRecord, ...]


def arms_of(records: Sequence[RunRecord]) -> list[Arm]:
    """Runs grouped by `arm_hash`, data and prompts, in the order of first appearance.

    Of runs with a development split the data is that of both parts: each seed may evaluate another one.

    Of several runs of one seed the newest finished one counts, without one the newest.
    """
    groups: dict[tuple[str, ...], list[RunRecord]] = {}
    for record in records:
        tags = record.tags
        prompts = tuple(sorted(f"{k}={v}" for k, v in tags.items() if k.startswith("prompt.")))
        data = tags.get("parted_fingerprint", tags.get("data_fingerprint", ""))
        key = (tags.get("arm_hash", record.run_id), data, *prompts)
        groups.setdefault(key, []).append(record)
    return [_arm(runs) for runs in groups.values()]


def _arm(runs: Sequence[RunRecord]) -> Arm:
    best_last = sorted(runs, key=lambda run: (run.status is RunStatus.FINISHED, run.started_at))
    by_seed = {_seed(run): run for run in best_last}
    chosen = tuple(by_seed[seed] for seed in sorted(by_seed))
    return Arm(_arm_name(chosen), chosen)


def _seed(run: RunRecord) -> int:
    return int(run.params.get("seed", "0"))


def _arm_name(runs: Sequence[RunRecord]) -> str:
    """The runs' name without the seed, and which of them did not finish."""
    words = [word for word in runs[0].name.split() if word != f"s{_seed(runs[0])}"]
    stopped = [run for run in runs if run.status is not RunStatus.FINISHED]
    marks = [f"seed {_seed(run)} {run.status}" if len(runs) > 1 else str(run.status) for run in stopped]
    return " ".join(words) + (f" ({', '.join(marks)})" if marks else "")


def runs_table(title: str, records: Sequence[RunRecord], more: Sequence[Headline] = ()) -> Table:
    """A row an arm. One seed: value and interval over items; more: mean ± standard deviation over seeds.

    Where some arm has several seeds no column holds both: the interval over items of what leads has its own.
    Runs that stopped early are marked; a column (those of `more` come last) that no run has is left out.
    """
    arms = arms_of(records)
    columns = [
        headline for headline in shown_columns(records, more) if any(_has(arm, headline) for arm in arms)
    ]
    several = any(len(arm.runs) > 1 for arm in arms)
    rows = [_row(arm, columns, several=several) for arm in arms]
    titles = [title for column in columns for title in _titles(column, several=several)]
    head = ("run", "backend", "n", *(("seeds",) if several else ()), *titles)
    return Table(title, head, tuple(rows), _footer(arms, several))


def _titles(column: Headline, *, several: bool) -> tuple[str, ...]:
    return (column.title, over_items(column)) if several and _leads(column) else (column.title,)


def _leads(column: Headline) -> bool:
    """Whether the column is what comparisons are made of."""
    return column.metric in ("accuracy", RATED_MEAN)


def over_items(column: Headline) -> str:
    """The title of the column that holds the interval over items beside a spread over seeds."""
    return f"{column.title}, 95% over items"


def shown_columns(records: Sequence[RunRecord], more: Sequence[Headline] = ()) -> tuple[Headline, ...]:
    """The usual columns, with those of each human dimension before their mean, then `more`; none twice."""
    by_dimension = rated_columns(records)
    place = next(i for i, headline in enumerate(HEADLINE) if headline.metric == RATED_MEAN)
    every = (*HEADLINE[:place], *by_dimension, *HEADLINE[place:], *more)
    return tuple({headline.metric: headline for headline in every}.values())


def _has(arm: Arm, headline: Headline) -> bool:
    return any(not math.isnan(run.metrics.get(headline.metric, math.nan)) for run in arm.runs)


def _row(arm: Arm, columns: Sequence[Headline], *, several: bool) -> tuple[Cell, ...]:
    first = arm.runs[0]
    sizes = sorted({int(run.metrics["n"]) for run in arm.runs if "n" in run.metrics})
    n = "/".join(map(str, sizes))
    seeds = (str(len(arm.runs)),) if several else ()
    cells = [cell for column in columns for cell in _cells(arm, column, several=several)]
    return (arm.name, str(first.kind), n, *seeds, *cells)


def _cells(arm: Arm, column: Headline, *, several: bool) -> Iterator[Cell]:
    """The value; where some arm has several seeds intervals over items stand in a column of their own."""
    values = [run.metrics.get(column.metric, math.nan) for run in arm.runs]
    single = Estimate.among(arm.runs[0].metrics, column.metric, column.decimals)
    if len(values) > 1:
        undefined = any(math.isnan(value) for value in values)
        yield DASH if undefined else Spread.over(values, column.decimals)
    else:
        yield Estimate(single.value, decimals=column.decimals) if several else single
    if several and _leads(column):
        yield single if len(values) == 1 else DASH


def _footer(arms: Sequence[Arm], several: bool) -> tuple[str, ...]:
    runs = [run for arm in arms for run in arm.runs]
    ceilings = ceiling_sentence(runs)
    if not several:
        intervals = f"{interval_told(runs)}."
        return (intervals, *ceilings, provenance(runs), *cautions(runs))
    intervals = f"95% over items: {interval_told(runs)}, which says nothing about seeds."
    repeated = [run for arm in arms if len(arm.runs) > 1 for run in arm.runs]
    spreads = "x ± s: mean and standard deviation over seeds, which is no interval over items."
    return (intervals, spreads, replicates(repeated), *ceilings, provenance(runs), *cautions(runs))


def replicates(runs: Sequence[RunRecord]) -> str:
    """What a seed repeats. Source: spec, section 1, "Seeds"."""
    kinds = {run.params.get("replicate", "shared") for run in runs}
    if kinds == {"per_seed"}:
        return "Each seed asked its judges anew (replicate=per_seed)."
    if kinds == {"shared"}:
        return "Equal requests of all seeds share a reply (replicate=shared): s holds no noise of providers."
    return "Some seeds asked their judges anew (replicate=per_seed), others shared replies."
