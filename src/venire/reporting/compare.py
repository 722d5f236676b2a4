"""Runs on the same items side by side: what differs in them, and the paired differences."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from venire.errors import RunError
from venire.metrics.headline import HEADLINE
from venire.records import (
    Order,
    Prediction,
    Preference,
    PreferenceGold,
    Reason,
    RunRecord,
    RunStatus,
    Unscored,
)
from venire.reporting.footer import cautions, provenance
from venire.reporting.table import Cell, Estimate, Table
from venire.runs import OutcomeRow, read_outcomes, read_record
from venire.stats.estimate import FloatArray, IntArray
from venire.stats.paired import mcnemar_exact, paired_difference

_DRAWS = 5000
_MOST = 26  # runs have letters

# The one verdict of an item, where it has no order or one of its own (`method.orders=seeded`).
VERDICT = "verdict"

Pair = tuple[OutcomeRow, OutcomeRow]


@dataclass(frozen=True, slots=True)
class Run:
    """A run as comparisons need it."""

    record: RunRecord
    rows: Mapping[str, OutcomeRow]


@dataclass(frozen=True, slots=True)
class Paired:
    """`second` minus `first` on the items of both runs. What is unscored, or a tie, is not right.

    Args:
        first, second: the runs' labels.
        accuracy: difference of the mean share of verdicts that are right, with interval.
        note: over which verdicts, and how the interval was made.
        discordant: by order (or `verdict`), items that only the first and only the second gets right.
        p_exact: likewise, McNemar's exact p.
        common, left_out: items in both runs; items in only one.
    """

    first: str
    second: str
    accuracy: Estimate
    note: str
    discordant: Mapping[str, tuple[int, int]]
    p_exact: Mapping[str, float]
    common: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `venire compare` says."""

    side_by_side: Table
    settings: Table
    paired: tuple[Paired, ...]
    warnings: tuple[str, ...]


def read_run(folder: Path) -> Run:
    """The run in `folder`.

    Raises:
        RunError: there is none.
    """
    return Run(read_record(folder), {row.id: row for row in read_outcomes(folder)})


def compare(runs: Sequence[Run]) -> Comparison:
    """The first run is the baseline of every paired difference.

    Raises:
        RunError: fewer than two runs or more than 26, or two of them have no item in common, or
            items whose gold differs.
    """
    if not 2 <= len(runs) <= _MOST:
        raise RunError(f"compare: expected at least two runs and at most {_MOST}, got {len(runs)}")
    labels = _labels([run.record for run in runs])
    baseline, *others = zip(labels, runs, strict=True)
    return Comparison(
        side_by_side=_side_by_side(labels, runs),
        settings=_settings(labels, [run.record for run in runs]),
        paired=tuple(_paired(baseline, other) for other in others),
        warnings=tuple(_warnings([run.record for run in runs])),
    )


def _labels(records: Sequence[RunRecord]) -> list[str]:
    return [f"{chr(ord('A') + index)}: {record.name}" for index, record in enumerate(records)]


def _side_by_side(labels: Sequence[str], runs: Sequence[Run]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        ("backend", *(str(run.record.kind) for run in runs)),
        ("n", *(f"{run.record.metrics['n']:.0f}" for run in runs)),
    ]
    for column in HEADLINE:
        cells = [_estimate(run.record.metrics, column.metric, column.decimals) for run in runs]
        if any(not math.isnan(cell.value) for cell in cells):
            rows.append((column.title, *cells))
    footer = ("[low, high]: 95% interval over items.", provenance([run.record for run in runs]))
    return Table("side by side", ("", *labels), tuple(rows), footer)


def _estimate(metrics: Mapping[str, float], name: str, decimals: int) -> Estimate:
    low, high = (metrics.get(f"{name}/ci_{end}", math.nan) for end in ("low", "high"))
    return Estimate(metrics.get(name, math.nan), low, high, decimals)


def _settings(labels: Sequence[str], records: Sequence[RunRecord]) -> Table:
    keys = sorted({key for record in records for key in record.params})
    differing = [key for key in keys if len({record.params.get(key) for record in records}) > 1]
    rows = tuple((key, *(record.params.get(key, "–") for record in records)) for key in differing)
    return Table("settings that differ", ("", *labels), rows)


def _warnings(records: Sequence[RunRecord]) -> Iterator[str]:
    """What makes the runs incomparable, or comparable only with care."""
    yield from (sentence.removeprefix("WARNING: ").rstrip(".") for sentence in cautions(records))
    if len({record.tags.get("models_returned") for record in records}) > 1:
        answered = " / ".join(record.tags.get("models_returned", "none") for record in records)
        yield f"the models that answered differ: {answered}"
    parsers = [record.params.get("judge.parser", record.params.get("panel.parser")) for record in records]
    if len({parser for parser in parsers if parser}) > 1:
        yield f"the parsers differ: {' / '.join(parser or 'none' for parser in parsers)}"
    for label, record in zip(_labels(records), records, strict=True):
        if record.status is not RunStatus.FINISHED:
            yield f"{label} is {record.status}: {record.error}"
        if record.metrics.get("coverage", 1.0) < 1.0:
            low, high = (record.metrics.get(f"accuracy/{end}", math.nan) for end in ("worst", "best"))
            yield f"{label} has missing verdicts: its accuracy lies in [{low:.3f}, {high:.3f}]"


def _paired(first: tuple[str, Run], second: tuple[str, Run]) -> Paired:
    (first_label, one), (second_label, two) = first, second
    common = sorted(one.rows.keys() & two.rows.keys())
    if not common:
        raise RunError(f"compare: {first_label} and {second_label} have no item in common")
    pairs = [(one.rows[key], two.rows[key]) for key in common]
    _check_gold(pairs, first_label, second_label)
    correct, over = _correct(pairs)
    mean = np.mean(list(correct.values()), axis=0) if correct else _shares(pairs)
    difference = paired_difference(
        mean[:, 0], mean[:, 1], _clusters(pairs), draws=_DRAWS, rng=np.random.default_rng(0)
    )
    discordant = {name: _discordant(values) for name, values in correct.items()}
    return Paired(
        first=first_label,
        second=second_label,
        accuracy=Estimate(difference.value, difference.low, difference.high),
        note=f"{over}; {difference.note}",
        discordant=discordant,
        p_exact={name: mcnemar_exact(*counts) for name, counts in discordant.items()},
        common=len(common),
        left_out=len(one.rows.keys() ^ two.rows.keys()),
    )


def _check_gold(pairs: Sequence[Pair], first: str, second: str) -> None:
    """Right and wrong of two golds cannot be subtracted."""
    differing = [a.id for a, b in pairs if _label(a) != _label(b)]
    if differing:
        raise RunError(
            f"compare: {first} and {second} have different gold for {len(differing)} of {len(pairs)} common "
            f"items, first {differing[0]!r}; run both on the same data"
        )


def _label(row: OutcomeRow) -> object:
    return row.gold.winner if isinstance(row.gold, PreferenceGold) else row.gold


def _correct(pairs: Sequence[Pair]) -> tuple[dict[str, FloatArray], str]:
    """0 or 1 by verdict, each of shape (n, 2): for the orders that both runs asked for; and its name.

    Where a run has one verdict an item, in no order or an order of the item's own, so must the other.
    """
    asked = [_orders([pair[side] for pair in pairs]) for side in (0, 1)]
    shared = [order for order in Order if all(order in orders for orders in asked)]
    if shared:
        by_order = {
            str(order): np.array([[_right_in(row, order) for row in pair] for pair in pairs], dtype=float)
            for order in shared
        }
        over = f"over {' and '.join(by_order)}"
        only = "" if asked[0] == asked[1] else " (the orders that both were asked in)"
        return by_order, over + only
    if not asked[0] and not asked[1]:
        return {VERDICT: _shares(pairs)}, "over one verdict an item"
    return {}, "over each run's own verdicts (no order is common to all items: no exact test)"


def _orders(rows: Sequence[OutcomeRow]) -> frozenset[Order]:
    """The orders in which all items were to be judged; items that were not judged do not tell."""
    told = [frozenset(row.by_order) for row in rows if row.by_order]
    if len(told) < sum(not _is_not_run(row) for row in rows):
        return frozenset()
    return frozenset[Order]().union(*told) if any(len(each) > 1 for each in told) else _same(told)


def _same(orders: Sequence[frozenset[Order]]) -> frozenset[Order]:
    return orders[0] if len(set(orders)) == 1 else frozenset()


def _is_not_run(row: OutcomeRow) -> bool:
    return isinstance(row.prediction, Unscored) and row.prediction.reason is Reason.NOT_RUN


def _shares(pairs: Sequence[Pair]) -> FloatArray:
    """The share of each item's own verdicts that are right, shape (n, 2)."""
    return np.array([[_share_right(row) for row in pair] for pair in pairs], dtype=float)


def _share_right(row: OutcomeRow) -> float:
    predictions = list(row.by_order.values()) or [row.prediction]
    return sum(_is_right(row, prediction) for prediction in predictions) / len(predictions)


def _right_in(row: OutcomeRow, order: Order) -> bool:
    """An order without a verdict is not right."""
    return order in row.by_order and _is_right(row, row.by_order[order])


def _is_right(row: OutcomeRow, prediction: Prediction) -> bool:
    return (
        isinstance(row.gold, PreferenceGold)
        and isinstance(prediction, Preference)
        and prediction.winner is row.gold.winner
    )


def _clusters(pairs: Sequence[Pair]) -> IntArray:
    """Codes 0 .. C - 1; an item without a cluster is one of its own."""
    names = [("cluster", row.cluster) if row.cluster else ("id", row.id) for row, _ in pairs]
    position = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return np.array([position[name] for name in names], dtype=np.int64)


def _discordant(correct: FloatArray) -> tuple[int, int]:
    first, second = correct[:, 0] > 0, correct[:, 1] > 0
    return int((first & ~second).sum()), int((second & ~first).sum())
