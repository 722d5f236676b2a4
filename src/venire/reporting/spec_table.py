"""The table that a spec lays out: its rows over runs, with the published figures beside ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import RunError
from venire.metrics.claims import REEVALUATION_STAGES
from venire.records import RunRecord
from venire.reporting.differences import SIGN_FLIP, Difference, Family, accuracy_difference, family_of
from venire.reporting.footer import cautions, provenance
from venire.reporting.pairing import Run, other_gold
from venire.reporting.runs_table import arms_of, over_items, replicates
from venire.reporting.specs import Row, Spec
from venire.reporting.sweep_table import ACCURACY, mean_over_items
from venire.reporting.table import Cell, Estimate, Spread, Table

REEVALUATION = "calls/reevaluation/per_instance"


@dataclass(frozen=True, slots=True)
class Measured:
    """A row with its runs, one a seed; none where it has not run."""

    row: Row
    runs: tuple[Run, ...]

    def values(self, metric: str) -> list[float]:
        """`metric` of every seed's run."""
        return [value_of(run.record, metric) for run in self.runs]

    def mean(self, metric: str) -> float:
        """Mean over seeds; NaN without a run, or where one has no value."""
        values = self.values(metric)
        return math.fsum(values) / len(values) if values else math.nan

    @property
    def size(self) -> str:
        """How many instances its runs have."""
        return "/".join(sorted({f"{run.record.metrics['n']:.0f}" for run in self.runs}))


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    metric: str
    decimals: int


_COLUMNS = (
    _Column("accuracy", "accuracy", 3),
    _Column("kappa", "kappa", 3),
    _Column("coverage", "coverage", 3),
    *(_Column(f"{kind} calls", f"calls/{kind}/per_instance", 2) for kind in REEVALUATION_STAGES),
    _Column("re-evaluation calls", REEVALUATION, 2),
    _Column("further votes", "calls/replicate/per_instance", 2),
    _Column("all calls", "calls/per_instance", 1),
    _Column("tokens", "tokens/per_instance", 0),
    _Column("USD/1,000", "cost_usd/per_1000", 2),
)
# Shown only where a row has some.
_RARE = ("calls/replicate/per_instance", "tokens/per_instance")
_PUBLISHED = {"accuracy": 3, "kappa": 2, REEVALUATION: 1}
_DIFFERENCE = "Δ accuracy"


def value_of(record: RunRecord, metric: str) -> float:
    """`metric` of a run; `calls/<stage>/per_instance` is derived, and 0 where no such call was made."""
    if metric == REEVALUATION and metric not in record.metrics:
        return math.fsum(value_of(record, f"calls/{kind}/per_instance") for kind in REEVALUATION_STAGES)
    parts = metric.split("/")
    if metric not in record.metrics and parts[0] == "calls" and parts[-1] == "per_instance":
        n = record.metrics.get("n", 0.0)
        return record.metrics.get("/".join(parts[:-1]), 0.0) / n if n else math.nan
    return record.metrics.get(metric, math.nan)


def measured_rows(spec: Spec, runs: Sequence[Run]) -> list[Measured]:
    """The rows of `spec`, each with the runs that match it.

    Raises:
        RunError: runs of more than one arm match a row.
    """
    return [Measured(row, _runs_of(row, runs)) for row in spec.rows]


def _runs_of(row: Row, runs: Sequence[Run]) -> tuple[Run, ...]:
    by_id = {run.record.run_id: run for run in runs if matches(run.record, row.match)}
    arms = arms_of([run.record for run in by_id.values()])
    if len(arms) > 1:
        names = "; ".join(arm.name for arm in arms)
        raise RunError(f"rows.{row.label}: expected the runs of one arm, {len(arms)} match: {names}")
    return tuple(by_id[record.run_id] for arm in arms for record in arm.runs)


def matches(record: RunRecord, match: Mapping[str, str]) -> bool:
    """Whether the record's params have the values of `match`, as texts or as numbers."""
    return all(_equal(record.params.get(key), value) for key, value in match.items())


def _equal(given: str | None, wanted: str) -> bool:
    """Equal as texts or as numbers (`0` is `0.0`)."""
    if given is None or given == wanted:
        return given == wanted
    try:
        return float(given) == float(wanted)
    except ValueError:
        return False


def spec_table(spec: Spec, runs: Sequence[Run]) -> Table:
    """The rows of `spec`: mean ± standard deviation over seeds, interval over items, difference to another.

    The baseline of a row is the one on the same data whose params match `spec.baseline`; all differences of
    the table are one family of tests. Columns of
    published figures are there for the metrics that the spec gives some of.

    Raises:
        RunError: see `measured_rows`.
    """
    rows = measured_rows(spec, runs)
    columns = [c for c in _COLUMNS if c.metric not in _RARE or any(each.mean(c.metric) > 0 for each in rows)]
    given = [metric for metric in _PUBLISHED if any(metric in each for each in spec.published.values())]
    titles = {column.metric: column.title for column in _COLUMNS}
    blocks = len({row.block for row in spec.rows}) > 1
    family = _family(spec, rows)
    head = (
        *(("",) if blocks else ()),
        *("row", "n", "seeds", columns[0].title, over_items(ACCURACY), *family.columns),
        *(column.title for column in columns[1:]),
        *(f"published {titles[metric]}" for metric in given),
    )
    body = []
    for each, difference in zip(rows, family.rows, strict=True):
        cells = [_cell(each, column) for column in columns]
        published = [_figure(spec, each.row, metric) for metric in given]
        interval: Cell = mean_over_items(each.runs) if each.runs else ""
        start = (*((each.row.block,) if blocks else ()), each.row.label, each.size, str(len(each.runs)))
        body.append((*start, cells[0], interval, *difference, *cells[1:], *published))
    return Table(titled(spec, runs), head, tuple(body), _footer(spec, rows, family))


def titled(spec: Spec, runs: Sequence[Run]) -> str:
    """With the kind of judges that answered, where they were not the published ones."""
    kinds = sorted({str(run.record.kind) for run in runs} - {"live", "none"})
    return f"{spec.title} [{', '.join(kind.upper() for kind in kinds)}]" if kinds else spec.title


def _cell(each: Measured, column: _Column) -> Cell:
    values = each.values(column.metric)
    if len(values) > 1 and not any(map(math.isnan, values)):
        return Spread.over(values, column.decimals)
    return Estimate(each.mean(column.metric), decimals=column.decimals)


def _figure(spec: Spec, row: Row, metric: str) -> Cell:
    figures = spec.published.get(row.label, {})
    return Estimate(figures[metric], decimals=_PUBLISHED[metric]) if metric in figures else ""


def _family(spec: Spec, rows: Sequence[Measured]) -> Family:
    """The differences of all rows to their baselines, tested together."""
    differences = [_difference_to_baseline(spec, each, rows) for each in rows]
    base = f"the row with {told(spec.baseline)}"
    return family_of(_DIFFERENCE, differences, spec.correction, base=base, test=SIGN_FLIP)


def _difference_to_baseline(spec: Spec, each: Measured, rows: Sequence[Measured]) -> Difference | None:
    base = baseline_of(spec, each, rows)
    if base is None or base is each:
        return None
    return accuracy_difference(base.runs, each.runs)


def baseline_of(spec: Spec, each: Measured, rows: Sequence[Measured]) -> Measured | None:
    """The row that `each` is compared with, of its own block if any; None: none has its items and gold."""
    if not spec.baseline or not each.runs:
        return None
    for base in sorted(rows, key=lambda other: other.row.block != each.row.block):
        if not base.runs or not matches(base.runs[0].record, spec.baseline):
            continue
        first, second = base.runs[0], each.runs[0]
        items = sorted(first.rows)
        if items == sorted(second.rows) and not other_gold(first, second, items):
            return base
    return None


def _footer(spec: Spec, rows: Sequence[Measured], family: Family) -> tuple[str, ...]:
    records = [run.record for each in rows for run in each.runs]
    lacking = [each.row.label for each in rows if not each.runs]
    sentences = [
        "x ± s: mean and standard deviation over seeds, which is no interval over items.",
        "95% over items: x [low, high], bootstrap interval of the mean over seeds; nothing about seeds.",
        family.sentence if spec.baseline else "",
        "Calls and tokens are per instance, over both responses; re-evaluation calls are focal, propagation "
        "and rubric calls, without tie-breaks and embeddings.",
        replicates(records) if any(len(each.runs) > 1 for each in rows) else "",
        provenance(records) if records else "",
        *_cautions_by_data(records),
        f"No run yet: {', '.join(lacking)}." if lacking else "",
        *spec.notes,
        source_told(spec),
    ]
    return tuple(sentence for sentence in sentences if sentence)


def _cautions_by_data(records: Sequence[RunRecord]) -> list[str]:
    """Of the runs on each data set: that a table has rows on two is no fault, differences are within one."""
    names = dict.fromkeys(record.params.get("dataset", "") for record in records)
    groups = [[record for record in records if record.params.get("dataset", "") == name] for name in names]
    return list(dict.fromkeys(sentence for group in groups for sentence in cautions(group)))


def source_told(spec: Spec) -> str:
    """Where the published figures of a table stand, or its data; empty where the spec names nothing."""
    what = "Published figures" if spec.published else "Source"
    return f"{what}: {spec.source}." if spec.source else ""


def told(match: Mapping[str, str]) -> str:
    """`match` as a footer names it: `key=value, key=value`."""
    return ", ".join(f"{key}={value}" for key, value in match.items())
