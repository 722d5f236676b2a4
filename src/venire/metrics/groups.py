"""Metrics of stakeholder groups: each one's ratings before and after its debate; other ways to sum up.

They are read from `Outcome.detail`: `groups` and `groups_before` hold `{group: {dimension: rating}}`,
`variants` holds `{variant: {dimension: rating}}` (`mean_of_groups`, `mean_of_agents`).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from venire.metrics.measurement import Collector, distinct_names, metric_name
from venire.metrics.rated import column_of
from venire.metrics.ratings import Alignment
from venire.records import Outcome
from venire.stats.correlation import Coefficient, Resampled, difference
from venire.stats.estimate import FloatArray

GROUPS, BEFORE, VARIANTS = "groups", "groups_before", "variants"

Columns = Mapping[str, FloatArray]


def group_metrics(alignment: Alignment, outcomes: Sequence[Outcome | None], out: Collector) -> None:
    """`group/*`, `group_before/*`, `group_change/*` and `<variant>/*`; nothing without groups.

    Spearman's have intervals, the others are points. A change is after minus before, on the same draws.
    """
    after, before = (_columns(alignment, outcomes, key) for key in (GROUPS, BEFORE))
    names = distinct_names({*after, *before})
    for group, columns in after.items():
        _put(alignment, metric_name("group", names[group]), columns, out)
    for group, columns in before.items():
        _put(alignment, metric_name("group_before", names[group]), columns, out)
        if group in after:
            _changes(alignment, metric_name("group_change", names[group]), (columns, after[group]), out)
    variants = _columns(alignment, outcomes, VARIANTS)
    for variant, name in distinct_names(variants).items():
        for coefficient in Coefficient:
            parts = alignment.by_dimension(coefficient, variants[variant])
            alignment.put(name, coefficient, parts, out, intervals=False)


def _put(alignment: Alignment, prefix: str, columns: Columns, out: Collector) -> None:
    rated = np.any([~np.isnan(column) for column in columns.values()], axis=0)
    out.put(metric_name(prefix, "coverage"), float(np.mean(rated)))
    for coefficient in Coefficient:
        parts = alignment.by_dimension(coefficient, columns)
        alignment.put(prefix, coefficient, parts, out, intervals=coefficient is Coefficient.SPEARMAN)


def _changes(alignment: Alignment, prefix: str, sides: tuple[Columns, Columns], out: Collector) -> None:
    """`<prefix>/spearman/<dimension>`, `/mean`, and `abs_spearman/mean`, each with interval."""
    first, second = (alignment.by_dimension(Coefficient.SPEARMAN, side) for side in sides)
    signed, absolute = (metric_name(prefix, f"{kind}{Coefficient.SPEARMAN}") for kind in ("", "abs_"))
    gaps: dict[str, Resampled] = {
        metric_name(signed, name): difference(first[name], second[name]) for name in first if name in second
    }
    for kind, is_absolute in ((signed, False), (absolute, True)):
        means = [alignment.mean(parts, absolute=is_absolute) for parts in (first, second)]
        if means[0] is not None and means[1] is not None:
            gaps[metric_name(kind, "mean")] = difference(means[0], means[1])
    for name, gap in gaps.items():
        out.estimate(name, gap.estimate(alignment.resampler, alignment.level))


def _columns(
    alignment: Alignment, outcomes: Sequence[Outcome | None], key: str
) -> dict[str, dict[str, FloatArray]]:
    """Columns of each measured dimension that a group (or variant) rates somewhere."""
    tables = [_table(outcome, key) for outcome in outcomes]
    groups = dict.fromkeys(group for table in tables for group in table)
    found: dict[str, dict[str, FloatArray]] = {}
    for group in groups:
        ratings = [table.get(group) for table in tables]
        columns = {each.name: column_of(ratings, each.name) for each in alignment.items.dimensions}
        found[group] = {name: column for name, column in columns.items() if not np.isnan(column).all()}
    return {group: columns for group, columns in found.items() if columns}


def _table(outcome: Outcome | None, key: str) -> dict[str, dict[str, float]]:
    """`detail[key]` without what is no number."""
    value = outcome.detail.get(key) if outcome else None
    if not isinstance(value, Mapping):
        return {}
    return {
        str(group): {
            str(name): float(rating)
            for name, rating in ratings.items()
            if isinstance(rating, int | float) and not isinstance(rating, bool)
        }
        for group, ratings in value.items()
        if isinstance(ratings, Mapping)
    }
