"""Runs on the same items side by side: what differs in them, and the paired differences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from venire.errors import RunError
from venire.metrics.headline import HEADLINE
from venire.records import Order, Prediction, Preference, PreferenceGold, RunRecord, RunStatus
from venire.reporting.table import Cell, Estimate, Table
from venire.runs import OutcomeRow, read_outcomes, read_record
from venire.stats.estimate import FloatArray
from venire.stats.paired import mcnemar_exact, paired_difference

_DRAWS = 5000
# Tags whose difference makes two runs incomparable, or comparable only with care.
_LOUD: Mapping[str, str] = {
    "data_fingerprint": "the data differ",
    "kind": "the backend kinds differ: real, recorded, local and simulated judges are not one population",
    "models_returned": "the providers answered with different models",
    "version.venire": "the versions of venire differ",
}


@dataclass(frozen=True, slots=True)
class Run:
    """A run as comparisons need it."""

    record: RunRecord
    rows: Mapping[str, OutcomeRow]


@dataclass(frozen=True, slots=True)
class Paired:
    """`second` minus `first` on the items that both judged.

    Args:
        first, second: the runs' labels.
        accuracy: difference of the mean share of orders judged right, with interval.
        discordant: per order, items that only the first and only the second gets right.
        p_exact: per order, McNemar's exact p.
        common, left_out: items in both runs; items in only one.
    """

    first: str
    second: str
    accuracy: Estimate
    note: str
    discordant: Mapping[Order, tuple[int, int]]
    p_exact: Mapping[Order, float]
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
        RunError: fewer than two runs, or two of them have no item in common.
    """
    if len(runs) < 2:
        raise RunError(f"compare: expected at least two runs, got {len(runs)}")
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
    rows: list[tuple[Cell, ...]] = [("backend", *(str(run.record.kind) for run in runs))]
    rows.append(("n", *(f"{run.record.metrics['n']:.0f}" for run in runs)))
    for column in HEADLINE:
        cells = [_estimate(run.record.metrics, column.metric, column.decimals) for run in runs]
        if any(not math.isnan(cell.value) for cell in cells):
            rows.append((column.title, *cells))
    return Table("side by side", ("", *labels), tuple(rows), ("[low, high]: 95% interval over items.",))


def _estimate(metrics: Mapping[str, float], name: str, decimals: int) -> Estimate:
    low, high = (metrics.get(f"{name}/ci_{end}", math.nan) for end in ("low", "high"))
    return Estimate(metrics.get(name, math.nan), low, high, decimals)


def _settings(labels: Sequence[str], records: Sequence[RunRecord]) -> Table:
    keys = sorted({key for record in records for key in record.params})
    differing = [key for key in keys if len({record.params.get(key) for record in records}) > 1]
    rows = tuple((key, *(record.params.get(key, "–") for record in records)) for key in differing)
    return Table("settings that differ", ("", *labels), rows)


def _warnings(records: Sequence[RunRecord]) -> list[str]:
    warnings = [
        f"{words}: {' / '.join(record.tags.get(tag, '?')[:40] for record in records)}"
        for tag, words in _LOUD.items()
        if len({record.tags.get(tag) for record in records}) > 1
    ]
    prompts = {key for record in records for key in record.tags if key.startswith("prompt.")}
    for key in sorted(prompts):
        hashes = {record.tags[key] for record in records if key in record.tags}
        if len(hashes) > 1:
            warnings.append(f"prompt {key.removeprefix('prompt.')!r} has a different text in these runs")
    if len({record.params.get("judge.parser", record.params.get("panel.parser")) for record in records}) > 1:
        warnings.append("the parsers differ")
    for record in records:
        if record.status is not RunStatus.FINISHED:
            warnings.append(f"{record.name} is {record.status}: {record.error}")
        if record.metrics.get("coverage", 1.0) < 1.0:
            low, high = record.metrics["accuracy/worst"], record.metrics["accuracy/best"]
            warnings.append(
                f"{record.name} has missing verdicts: its accuracy lies in [{low:.3f}, {high:.3f}]"
            )
    return warnings


def _paired(first: tuple[str, Run], second: tuple[str, Run]) -> Paired:
    (first_label, one), (second_label, two) = first, second
    common = sorted(one.rows.keys() & two.rows.keys())
    if not common:
        raise RunError(f"compare: {first_label} and {second_label} have no item in common")
    pairs = [(one.rows[key], two.rows[key]) for key in common]
    orders = [order for order in Order if all(order in a.by_order and order in b.by_order for a, b in pairs)]
    correct = {
        order: np.array([[_right(a, order), _right(b, order)] for a, b in pairs], dtype=float)
        for order in orders
    }
    if correct:
        mean = np.mean(list(correct.values()), axis=0)
    else:
        mean = np.array([[_mean_right(a), _mean_right(b)] for a, b in pairs], dtype=float)
    codes = np.unique([a.cluster or a.id for a, _ in pairs], return_inverse=True)[1]
    difference = paired_difference(mean[:, 0], mean[:, 1], codes, draws=_DRAWS, rng=np.random.default_rng(0))
    discordant = {order: _discordant(values) for order, values in correct.items()}
    return Paired(
        first=first_label,
        second=second_label,
        accuracy=Estimate(difference.value, difference.low, difference.high),
        note=difference.note,
        discordant=discordant,
        p_exact={order: mcnemar_exact(*counts) for order, counts in discordant.items()},
        common=len(common),
        left_out=len(one.rows.keys() ^ two.rows.keys()),
    )


def _discordant(correct: FloatArray) -> tuple[int, int]:
    first, second = correct[:, 0] > 0, correct[:, 1] > 0
    return int((first & ~second).sum()), int((second & ~first).sum())


def _right(row: OutcomeRow, order: Order) -> bool:
    return _is_right(row, row.by_order[order])


def _mean_right(row: OutcomeRow) -> float:
    predictions = list(row.by_order.values()) or [row.prediction]
    return sum(_is_right(row, prediction) for prediction in predictions) / len(predictions)


def _is_right(row: OutcomeRow, prediction: Prediction) -> bool:
    return (
        isinstance(row.gold, PreferenceGold)
        and isinstance(prediction, Preference)
        and prediction.winner is row.gold.winner
    )
