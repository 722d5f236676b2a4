"""From a spec's rows, or a sweep's arms, to plots."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from venire.reporting.differences import (
    SIGN_FLIP,
    SWAP,
    Difference,
    accuracies,
    accuracy_difference,
    family_of,
    rho_difference,
)
from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.forest import Line, forest
from venire.reporting.heat_map import confusions, heat_maps
from venire.reporting.pairing import Run, clusters_of
from venire.reporting.plots import Point, bars, curve, pareto
from venire.reporting.rated_pairing import is_rated
from venire.reporting.run_matrices import confusion_of, correlations_of, shortened
from venire.reporting.runs_table import arms_of
from venire.reporting.spec_table import REEVALUATION, Measured, baseline_of, matches, measured_rows, told
from venire.reporting.specs import Row, Spec
from venire.reporting.sweep_table import are_on_the_same_items
from venire.reporting.table import Estimate
from venire.stats.estimate import FloatArray
from venire.stats.multiple import ALPHA

DRAWS = 2000
_MOST_MATRICES = 12  # side by side in one figure
_COST = "cost_usd/per_1000"
_INTERVALS = "Intervals: 95% bootstrap over items, of the mean over seeds."


def draw(spec: Spec, runs: Sequence[Run], stem: Path, *, home: Path) -> list[Path]:
    """Every plot that `spec` names, as `<stem>_<plot>.{svg,pdf,png}`; rows without a run are left out.

    Without rows in `spec` each arm of `runs` is one. A plot that has nothing to show is not drawn.

    Args:
        spec: the plots, and how they are laid out.
        runs: of one sweep.
        stem: path of the files, without what tells the plots apart.
        home: `VENIRE_HOME`, which has the votes of panels.
    """
    measured = measured_rows(spec, runs) if spec.rows else _arms(runs)
    rows = [each for each in measured if each.runs]
    paths: list[Path] = []
    for plot in spec.plots:
        target = stem.with_name(f"{stem.name}_{plot}")
        match plot:
            case "curve":
                key = next(iter(rows[0].row.match))
                points = [_point(each, float(each.row.match[key])) for each in rows]
                published = _published(spec, {each.row.label: float(each.row.match[key]) for each in rows})
                paths += curve(points, published, _captions(spec, rows, key, "accuracy"), target)
            case "pareto":
                # What a control asks JuryFlow for, to know its budget, is no cost of its own.
                own = [each for each in rows if not each.mean("calls/budget/per_instance") > 0]
                points = [_point(each, each.mean(_COST)) for each in own]
                costs = "USD per 1,000 instances (list prices, all calls)"
                paths += pareto(points, _captions(spec, rows, costs, "accuracy"), target)
            case "bars":
                points = [_point(each, 0.0) for each in rows]
                published = _published(spec, {each.row.label: 0.0 for each in rows})
                paths += bars(points, published, _captions(spec, rows, "accuracy", ""), target)
            case "forest" if spec.rows and spec.columns and not _has_rated_differences(spec, rows):
                zero = spec.columns[0].metric.endswith("/effect")  # an accuracy has no line of no effect
                paths += forest(*_forest(spec, rows), target, zero=zero)
            case "forest":
                paths += _differences(spec, rows, target)
            case "confusion":
                paths += _confusion(spec, rows, target)
            case "correlation":
                paths += _correlation(spec, rows, target, home)
    return paths


def _arms(runs: Sequence[Run]) -> list[Measured]:
    """A row an arm, under its name."""
    by_id = {run.record.run_id: run for run in runs}
    arms = arms_of([run.record for run in runs])
    names = shortened([arm.name for arm in arms])
    return [
        Measured(Row(name, {}), tuple(by_id[record.run_id] for record in arm.runs))
        for name, arm in zip(names, arms, strict=True)
    ]


def sweep_plots(title: str, runs: Sequence[Run]) -> Spec:
    """What is drawn of any sweep, as far as it has several arms, costs, verdicts on pairs, panels."""
    several = len(arms_of([run.record for run in runs])) > 1
    spent = all("accuracy" in run.record.metrics for run in runs) and any(
        run.record.metrics.get(_COST, 0.0) > 0 for run in runs
    )
    plots = (*(["forest"] if several else []), *(["pareto"] if several and spent else []))
    return Spec(title, title, (), "", plots=(*plots, "confusion", "correlation"))


def _has_rated_differences(spec: Spec, rows: Sequence[Measured]) -> bool:
    """Whether the table itself has differences of the mean rho to a baseline."""
    return bool(spec.baseline) and any(is_rated(run) for each in rows for run in each.runs)


def _differences(spec: Spec, rows: Sequence[Measured], stem: Path) -> list[Path]:
    """An ablation's forest: each row less the baseline (without one, the first row) on the same items."""
    rated = any(map(is_rated, rows[0].runs))
    compared, test = (rho_difference, SWAP) if rated else (accuracy_difference, SIGN_FLIP)
    found: list[Difference | None] = []
    bases: list[str] = []
    for each in rows:
        base = baseline_of(spec, each, rows) if spec.baseline else rows[0]
        alike = base is not None and are_on_the_same_items([*base.runs, *each.runs])
        found.append(compared(base.runs, each.runs) if base and base is not each and alike else None)
        bases += [base.row.label] if base and found[-1] else []
    base = next((each for each in rows if matches(each.runs[0].record, spec.baseline)), rows[0])
    family = family_of("", found, spec.correction, base=base.row.label, test=test)
    if not family.size:
        return []
    lines = [
        Line(each.row.label, cell.value, cell.low, cell.high, hollow=not cell.significant)
        for each, (cell, *_) in zip(rows, family.rows, strict=True)
        if isinstance(cell, Estimate)
    ]
    less = f"its block's row with {told(spec.baseline)}" if len({*bases}) > 1 else base.row.label
    x = f"{'mean rho' if rated else 'accuracy'} less that of: {less}"
    intervals = (
        "Lines: 95% bootstrap intervals over the same items. "
        f"Filled: p at most {ALPHA}, {spec.correction.label} over this plot (tests: {family.size})."
    )
    return forest(lines, _captions(spec, rows, x, "", intervals), stem)


def _confusion(spec: Spec, rows: Sequence[Measured], stem: Path) -> list[Path]:
    """Of the first seed of each row."""
    found = [each for row in rows if (each := confusion_of(row.runs[0], row.row.label)) is not None]
    if not found:
        return []
    shown = found[:_MOST_MATRICES]
    note = "Cells: verdicts, those of both orders mapped back; grey and percent: share of the row."
    return confusions(shown, _captions(spec, rows, "verdict", "gold", f"{note}{_of(shown, found)}"), stem)


def _correlation(spec: Spec, rows: Sequence[Measured], stem: Path, home: Path) -> list[Path]:
    """Of the first seed of each row with a panel."""
    panels = [
        found
        for row in rows
        if (found := correlations_of(row.runs[0], _run_folder(home, row), row.row.label)) is not None
    ]
    if not panels:
        return []
    shown = panels[:_MOST_MATRICES]
    note = "Cells: correlation of being right, mean over the orders."
    return heat_maps(shown, _captions(spec, rows, "", "", f"{note}{_of(shown, panels)}"), stem)


def _run_folder(home: Path, row: Measured) -> Path:
    """The folder of the row's first seed."""
    return home / "runs" / row.runs[0].record.run_id


def _of(shown: Sequence[object], found: Sequence[object]) -> str:
    return f" The first {len(shown)} of {len(found)} rows." if len(shown) < len(found) else ""


def _forest(spec: Spec, rows: Sequence[Measured]) -> tuple[list[Line], Captions]:
    """The first column's metric of every row, with the interval of its run (of several seeds none)."""
    column = spec.columns[0]
    lines = []
    for each in rows:
        bounds = (math.nan, math.nan)
        if len(each.runs) == 1:
            bounds = (each.mean(f"{column.metric}/ci_low"), each.mean(f"{column.metric}/ci_high"))
        lines.append(Line(each.row.label, each.mean(column.metric), *bounds))
    return lines, _captions(spec, rows, column.title, "", "Lines: 95% intervals over items.")


def _point(each: Measured, x: float) -> Point:
    accuracy, low, high = mean_accuracy(each.runs)
    label = each.row.label.removeprefix(f"{each.row.block}, ")
    return Point(label, x, accuracy, low, high, each.mean(REEVALUATION), each.row.block)


def mean_accuracy(runs: Sequence[Run]) -> tuple[float, float, float]:
    """Mean over seeds with its 95% percentile bootstrap interval over clusters of items."""
    items = sorted(runs[0].rows)
    right: FloatArray = np.mean([accuracies(run, items) for run in runs], axis=0)
    codes = clusters_of(runs[0], items)
    sums = np.bincount(codes, weights=right)
    sizes = np.bincount(codes)
    drawn = np.random.default_rng(0).integers(0, len(sums), size=(DRAWS, len(sums)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(right.mean()), float(low), float(high)


def _published(spec: Spec, places: dict[str, float]) -> list[Point]:
    """The published figures of the rows in `places`, at those places."""
    points = []
    for label, x in places.items():
        figures = spec.published.get(label, {})
        if "accuracy" in figures:
            points.append(Point(label, x, figures["accuracy"], calls=figures.get(REEVALUATION, math.nan)))
    return points


def _captions(spec: Spec, rows: Sequence[Measured], x: str, y: str, intervals: str = _INTERVALS) -> Captions:
    records = [run.record for each in rows for run in each.runs]
    kinds = sorted({str(record.kind) for record in records})
    sizes = sorted({f"{record.metrics['n']:.0f}" for record in records})
    seeds = sorted({record.params.get("seed", "?") for record in records})
    note = (
        f"n = {'/'.join(sizes)} instances, seeds {', '.join(seeds)}, backend {', '.join(kinds)}. {intervals}"
    )
    return Captions(spec.title, x, y, note, SIMULATED if "simulated" in kinds else "")
