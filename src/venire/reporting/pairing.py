"""Which verdicts of runs on the same items are right, and over which of them runs can be compared.

What is unscored, a tie where the gold is none, or not judged is not right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from venire.records import (
    Order,
    Prediction,
    Preference,
    PreferenceGold,
    Reason,
    RunRecord,
    Unscored,
    Winner,
)
from venire.runs import OutcomeRow, read_outcomes, read_record
from venire.stats.estimate import FloatArray, IntArray
from venire.stats.intervals import codes_of

_MISSING = Unscored(Reason.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Run:
    """A run as comparisons need it: its record, and its outcomes by item."""

    record: RunRecord
    rows: Mapping[str, OutcomeRow]


def read_run(folder: Path) -> Run:
    """The run in `folder`.

    Raises:
        RunError: there is none.
    """
    return Run(read_record(folder), {row.id: row for row in read_outcomes(folder)})


def orders_asked(run: Run, items: Sequence[str]) -> frozenset[Order]:
    """The orders in which all `items` were to be judged; those that were not judged do not tell.

    None where the method shows no order, or each item in one of its own (`method.orders=seeded`).
    """
    rows = [run.rows[item] for item in items]
    told = [frozenset(row.by_order) for row in rows if row.by_order]
    if len(told) < sum(not _is_not_run(row) for row in rows):
        return frozenset()
    if any(len(orders) > 1 for orders in told):
        return frozenset[Order]().union(*told)
    return told[0] if len(set(told)) == 1 else frozenset()


def right_in(run: Run, items: Sequence[str], order: Order) -> FloatArray:
    """1 for each item that is right in `order`, else 0; shape (n,)."""
    rows = (run.rows[item] for item in items)
    right = [order in row.by_order and _is_right(row, row.by_order[order]) for row in rows]
    return np.array(right, dtype=float)


def share_missing(run: Run, items: Sequence[str], orders: Sequence[Order]) -> FloatArray:
    """The share of each item's verdicts in `orders` (its own, where empty) that are missing; shape (n,)."""
    return np.array([_share_missing(run.rows[item], orders) for item in items], dtype=float)


def shares_right(run: Run, items: Sequence[str]) -> FloatArray:
    """The share of each item's own verdicts that are right; shape (n,)."""
    return np.array([_share_right(run.rows[item]) for item in items], dtype=float)


def ties_half(run: Run, items: Sequence[str]) -> FloatArray:
    """The share of each item's own verdicts that are right, a tie where the gold is none half; shape (n,)."""
    return np.array([_share_right(run.rows[item], tie=0.5) for item in items], dtype=float)


def clusters_of(run: Run, items: Sequence[str]) -> IntArray:
    """Codes 0 .. C - 1, shape (n,); an item without a cluster is one of its own."""
    rows = (run.rows[item] for item in items)
    return codes_of([("cluster", row.cluster) if row.cluster else ("id", row.id) for row in rows])


def other_gold(one: Run, two: Run, items: Sequence[str]) -> list[str]:
    """The items of which the two runs have different gold: their right and wrong cannot be subtracted."""
    return [item for item in items if _label(one.rows[item]) != _label(two.rows[item])]


def _label(row: OutcomeRow) -> object:
    return row.gold.winner if isinstance(row.gold, PreferenceGold) else row.gold


def _is_not_run(row: OutcomeRow) -> bool:
    return isinstance(row.prediction, Unscored) and row.prediction.reason is Reason.NOT_RUN


def _share_missing(row: OutcomeRow, orders: Sequence[Order]) -> float:
    if not orders:
        predictions = list(row.by_order.values()) or [row.prediction]
        return sum(isinstance(prediction, Unscored) for prediction in predictions) / len(predictions)
    return sum(isinstance(row.by_order.get(order, _MISSING), Unscored) for order in orders) / len(orders)


def _share_right(row: OutcomeRow, tie: float = 0.0) -> float:
    """The share of its verdicts that are right; a tie where the gold is none counts `tie`."""
    predictions = list(row.by_order.values()) or [row.prediction]
    right = sum(_is_right(row, prediction) for prediction in predictions)
    ties = sum(_is_wrong_tie(row, prediction) for prediction in predictions)
    return (right + tie * ties) / len(predictions)


def _is_wrong_tie(row: OutcomeRow, prediction: Prediction) -> bool:
    said = isinstance(prediction, Preference) and prediction.winner is Winner.TIE
    return said and not _is_right(row, prediction)


def _is_right(row: OutcomeRow, prediction: Prediction) -> bool:
    return (
        isinstance(row.gold, PreferenceGold)
        and isinstance(prediction, Preference)
        and prediction.winner is row.gold.winner
    )
