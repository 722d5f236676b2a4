"""Which metrics lead tables, console and MLflow views; how a metric is shown, and which way is better."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Headline:
    """A metric, the title of its column, and its decimals there."""

    metric: str
    title: str
    decimals: int = 3


HEADLINE = (
    Headline("accuracy", "accuracy"),
    Headline("kappa", "kappa"),
    Headline("position_consistency", "consistency"),
    Headline("coverage", "coverage"),
    Headline("calls/paid", "calls paid", 0),
    Headline("calls/total", "calls", 0),
    Headline("cost_usd/per_1000", "USD/1,000", 2),
    Headline("cost_usd/total", "USD", 4),
)

# By the first part of a name; `judge/<name>` is left out. What is in neither has no better direction:
# first_place_rate is neutral at .5, panel/* and calls/replayed describe.
_HIGHER = ("accuracy", "kappa", "kappa_null_category", "position_consistency", "coverage")
_LOWER = ("unscored", "calls", "embeddings", "tokens", "cost_usd", "latency_s", "duration_s")
_COUNTS = ("n", "unscored", "calls", "embeddings", "tokens", "parser")


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
    if parts[0] in ("tokens", "personas"):
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
    if whole or metric == "panel/no_majority":
        return f"{value:,.0f}"
    return f"{value:,.4f}" if parts[0] == "cost_usd" else f"{value:,.3f}"


def _own_parts(metric: str) -> list[str]:
    """The name's parts without a leading `judge/<name>`."""
    parts = metric.split("/")
    return parts[2:] if parts[0] == "judge" and len(parts) > 2 else parts
