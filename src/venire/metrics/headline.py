"""Which metrics lead tables, console and MLflow views; how a metric is shown, and which way is better."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from venire.metrics.measurement import metric_name
from venire.records import RunRecord


@dataclass(frozen=True, slots=True)
class Headline:
    """A metric, the title of its column, and its decimals there."""

    metric: str
    title: str
    decimals: int = 3


HEADLINE = (
    Headline("accuracy", "accuracy"),
    Headline("kappa", "kappa"),
    Headline("spearman/mean", "rho, mean"),
    Headline("abs_spearman/mean", "|rho|, mean"),
    Headline("position_consistency", "consistency"),
    Headline("coverage", "coverage"),
    Headline("calls/paid", "calls paid", 0),
    Headline("calls/total", "calls", 0),
    Headline("cost_usd/per_1000", "USD/1,000", 2),
    Headline("cost_usd/total", "USD", 4),
)

RATED_MEAN = "spearman/mean"  # what leads on human ratings, as accuracy does on preferences

# By the first part of a name; `judge/<name>`, `group/<name>` and the like are left out. What is in neither
# has no better direction: first_place_rate is neutral at .5, panel/*, ceiling/* and calls/replayed describe.
_HIGHER = (
    *("accuracy", "kappa", "kappa_null_category", "position_consistency", "coverage"),
    *("spearman", "kendall", "pearson", "abs_spearman", "abs_kendall", "abs_pearson"),
    *("precision", "recall", "f1", "multilabel", "kappa_quadratic"),
)
_LOWER = ("unscored", "calls", "embeddings", "tokens", "cost_usd", "latency_s", "duration_s")
_COUNTS = ("n", "unscored", "not_applicable", "calls", "embeddings", "tokens", "parser")
# Counts by the last part of a name: of an audit's findings; and of a cascade.
_OF_CASCADES = ("escalated", "reached", "decided")
_COUNTED = ("always_first", "always_second", "picked", "raised", "lowered", "left_out", "anchors", "epochs")
# Prefixes of metrics of a part of the method: the name of the part follows.
_PARTS = ("judge", "group", "group_before", "group_change")
_MOST_DIMENSIONS = 6


def higher_is_better(metric: str) -> bool | None:
    """True where more is better, False where it is worse, None where neither."""
    parts = _own_parts(metric)
    if parts[0] in _HIGHER:
        return True
    neutral = ("calls/replayed", "embeddings/replayed")
    return False if parts[0] in _LOWER and metric not in neutral else None


def decimals_of(metric: str) -> int:
    """Decimals of a metric in a table: none of counts, four of dollars, two of seconds, else three."""
    for headline in HEADLINE:
        if headline.metric == metric:
            return headline.decimals
    parts = _own_parts(metric)
    if "cost_usd" in (parts[0], parts[-1]):
        return 4
    if parts[0] in ("tokens", "personas") or parts[-1] in _COUNTED or _is_count_of_cascade(parts):
        return 0
    if parts[0] in _COUNTS:
        return 1 if parts[-1] == "per_instance" else 0
    return 2 if parts[0] == "latency_s" else 3


def format_metric(metric: str, value: float) -> str:
    """The number as tables show it: counts in full, cost with four decimals, others with three."""
    if math.isnan(value):
        return "–"
    for headline in HEADLINE:
        if headline.metric == metric:
            return f"{value:,.{headline.decimals}f}"
    parts = _own_parts(metric)
    whole = parts[0] == "tokens" or (parts[0] in _COUNTS and parts[-1] != "per_instance")
    if whole or metric == "panel/no_majority" or _is_count_of_cascade(parts):
        return f"{value:,.0f}"
    return f"{value:,.4f}" if parts[0] == "cost_usd" else f"{value:,.3f}"


def _is_count_of_cascade(parts: Sequence[str]) -> bool:
    """`accuracy/decided` is none."""
    return parts[0] == "cascade" and parts[-1] in _OF_CASCADES


def _own_parts(metric: str) -> list[str]:
    """The name's parts without a leading `judge/<name>`, `group/<name>`, ..., or `mean_of_agents`."""
    parts = metric.split("/")
    if parts[0] in _PARTS and len(parts) > 2:
        return parts[2:]
    return parts[1:] if parts[0].startswith("mean_of_") and len(parts) > 1 else parts


def dimensions_of(record: RunRecord) -> list[str]:
    """The dimensions that a run on human ratings was measured on; none of a run on preferences.

    Those that judges rate come first, in the data set's order.
    """
    measured = {name.removeprefix("n/") for name in record.metrics if name.startswith("n/")}
    asked = [name for name in asked_of(record) if name in measured]
    return [*asked, *sorted(measured - set(asked))]


def asked_of(record: RunRecord) -> list[str]:
    """The dimensions that judges rate, in the data set's order, as far as the run says."""
    return [metric_name(name) for name in record.tags.get("dimensions", "").split(", ") if name]


def rated_columns(records: Sequence[RunRecord]) -> tuple[Headline, ...]:
    """Spearman's rho by dimension; nothing where there are too many for a table."""
    dimensions = list(dict.fromkeys(name for record in records for name in dimensions_of(record)))
    if len(dimensions) > _MOST_DIMENSIONS:
        return ()
    return tuple(Headline(f"spearman/{name}", f"rho {name}") for name in dimensions)
