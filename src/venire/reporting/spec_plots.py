"""From a spec's rows to its plots."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from venire.reporting.forest import Line, forest
from venire.reporting.pairing import Run, clusters_of
from venire.reporting.plots import SIMULATED, Captions, Point, bars, curve, pareto
from venire.reporting.spec_table import REEVALUATION, Measured, measured_rows
from venire.reporting.specs import Spec
from venire.reporting.sweep_table import accuracies
from venire.stats.estimate import FloatArray

DRAWS = 2000
_COST = "cost_usd/per_1000"
_INTERVALS = "Intervals: 95% bootstrap over items, of the mean over seeds."


def draw(spec: Spec, runs: Sequence[Run], stem: Path) -> list[Path]:
    """Every plot that `spec` names, as `<stem>_<plot>.svg` and `.png`; rows without a run are left out."""
    rows = [each for each in measured_rows(spec, runs) if each.runs]
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
            case "forest":
                zero = spec.columns[0].metric.endswith("/effect")  # an accuracy has no line of no effect
                paths += forest(*_forest(spec, rows), target, zero=zero)
    return paths


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
