"""The table of a spec that names its own columns: its rows over runs, published figures beside ours."""

import math
import re
from collections.abc import Iterator, Sequence

from venire.metrics.headline import Headline, decimals_of
from venire.records import PreferenceGold, RunRecord
from venire.reporting.differences import (
    SIGN_FLIP,
    SWAP,
    Difference,
    Family,
    family_of,
    rho_difference,
    tie_half_difference,
)
from venire.reporting.footer import cautions, interval_told, provenance
from venire.reporting.pairing import Run
from venire.reporting.runs_table import replicates
from venire.reporting.spec_table import Measured, baseline_of, measured_rows, source_told, titled, told
from venire.reporting.specs import Spec
from venire.reporting.table import Cell, Estimate, Spread, Table

# Where metrics of one stakeholder group stand: after its debate, before, what changed; and of humans alone.
AFTER, BEFORE, CHANGE, CEILING = "group", "group_before", "group_change", "ceiling"
DIFFERENCE = "Δ mean ρ"  # on human ratings
OF_PAIRS = "Δ accuracy, ties half"


def column_table(spec: Spec, runs: Sequence[Run]) -> Table:
    """The rows of `spec` under its columns: one run's value with its interval, several seeds' mean ± sd.

    A column is followed by the published figures where there are any. A row of `spec.groups` is followed by
    three rows for each stakeholder group of its runs: the group's own metrics before and after debate, and
    the change. With `spec.baseline` the last columns are the difference to the row that matches it, in the
    same block where one does: of the mean Spearman, or of the accuracy with ties half right; all of them are
    one family of tests. The last row
    holds one human annotator against another, where items have two.

    Raises:
        RunError: runs of more than one arm match a row.
    """
    rows = measured_rows(spec, runs)
    blocks = len({row.block for row in spec.rows}) > 1
    family = _family(spec, rows)
    body = [
        cells
        for each, difference in zip(rows, family.rows, strict=True)
        for cells in _lines(spec, each, difference, blocks=blocks)
    ]
    body += _ceiling(spec, rows, len(family.columns), blocks=blocks)
    head = (*_head(spec, blocks=blocks), *family.columns)
    return Table(titled(spec, runs), head, tuple(body), _footer(spec, rows, family))


def _head(spec: Spec, *, blocks: bool) -> Iterator[str]:
    yield from ("",) if blocks else ()
    yield from ("row", "n")
    for column in spec.columns:
        yield column.title
        if _is_published(spec, column):
            yield f"published {column.title}"


def _difference_title(rows: Sequence[Measured]) -> str:
    return OF_PAIRS if any(map(_is_of_pairs, rows)) else DIFFERENCE


def _is_of_pairs(each: Measured) -> bool:
    return any(isinstance(row.gold, PreferenceGold) for run in each.runs for row in run.rows.values())


def _is_published(spec: Spec, column: Headline) -> bool:
    return any(column.metric in figures for figures in spec.published.values())


def _lines(
    spec: Spec, each: Measured, difference: Sequence[Cell], *, blocks: bool
) -> Iterator[tuple[Cell, ...]]:
    start: tuple[Cell, ...] = (each.row.block,) if blocks else ()
    none: tuple[Cell, ...] = ("",) * len(difference)
    yield (*start, each.row.label, each.size, *_cells(spec, each, ""), *difference)
    for group in groups_of(each) if each.row.label in spec.groups else ():
        for stage, prefix in (("before", BEFORE), ("after", AFTER), ("change", CHANGE)):
            cells = _cells(spec, each, f"{prefix}/{group}/")
            yield (*start, f"{each.row.label}: {group}, {stage}", each.size, *cells, *none)


def _family(spec: Spec, rows: Sequence[Measured]) -> Family:
    """The differences of all rows to their baselines, tested together; no columns without a baseline."""
    if not spec.baseline:
        return Family((), ((),) * len(rows), 0, "")
    differences = [_difference(spec, each, rows) for each in rows]
    title = _difference_title(rows)
    base = f"the row with {told(spec.baseline)} (of its own block, if any)"
    test = SIGN_FLIP if title == OF_PAIRS else SWAP
    return family_of(title, differences, spec.correction, base=base, test=test)


def _difference(spec: Spec, each: Measured, rows: Sequence[Measured]) -> Difference | None:
    """To the baseline of the row's own block, else to any; None without one."""
    base = baseline_of(spec, each, rows)
    if base is None or base is each:
        return None
    return (tie_half_difference if _is_of_pairs(each) else rho_difference)(base.runs, each.runs)


def _ceiling(spec: Spec, rows: Sequence[Measured], empty: int, *, blocks: bool) -> Iterator[tuple[Cell, ...]]:
    """Annotator against annotator: of the first row, since all are on the same items; `empty` cells last."""
    first = next((each for each in rows if each.runs), None)
    if first is None:
        return
    metrics = first.runs[0].record.metrics
    sizes = {f"{value:.0f}" for name, value in metrics.items() if name.startswith(f"{CEILING}/n/")}
    if not any(f"{CEILING}/{column.metric}" in metrics for column in spec.columns):
        return
    start: tuple[Cell, ...] = ("Human",) if blocks else ()
    of = "/".join(sorted(sizes, key=int))
    none: tuple[Cell, ...] = ("",) * empty
    yield (*start, "one annotator against the other", of, *_cells(spec, first, f"{CEILING}/"), *none)


def groups_of(each: Measured) -> list[str]:
    """The stakeholder groups that a row's runs have metrics of."""
    found = {
        match.group(1)
        for run in each.runs
        for metric in run.record.metrics
        if (match := re.match(rf"{AFTER}/([^/]+)/", metric))
    }
    return sorted(found)


def _cells(spec: Spec, each: Measured, prefix: str) -> Iterator[Cell]:
    for column in spec.columns:
        yield _cell(each, f"{prefix}{column.metric}", decimals_of(column.metric))
        if _is_published(spec, column):
            figures = {} if prefix else spec.published.get(each.row.label, {})
            figure = figures.get(column.metric)
            yield "" if figure is None else Estimate(figure, decimals=decimals_of(column.metric))


def _cell(each: Measured, metric: str, decimals: int) -> Cell:
    values = each.values(metric)
    if len(values) == 1:
        low, high = each.mean(f"{metric}/ci_low"), each.mean(f"{metric}/ci_high")
        return Estimate(values[0], low, high, decimals)
    if not values or any(map(math.isnan, values)):
        return Estimate(math.nan, decimals=decimals)
    return Spread.over(values, decimals)


def _footer(spec: Spec, rows: Sequence[Measured], family: Family) -> tuple[str, ...]:
    records: list[RunRecord] = [run.record for each in rows for run in each.runs]
    several = any(len(each.runs) > 1 for each in rows)
    lacking = [each.row.label for each in rows if not each.runs]
    sentences = [
        f"{interval_told(records)}; a bootstrap draws those of one cluster (document) together.",
        family.sentence,
        "x ± s: mean and standard deviation over seeds, which is no interval over items." if several else "",
        replicates(records) if several else "",
        provenance(records) if records else "",
        *cautions(records),
        f"No run yet: {', '.join(lacking)}." if lacking else "",
        *spec.notes,
        source_told(spec),
    ]
    return tuple(sentence for sentence in sentences if sentence)
