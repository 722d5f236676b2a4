"""What heat maps show of runs: gold by verdict, and how the judges of a panel err together."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from venire.judging.cascade import is_cascade
from venire.metrics.independence import error_matrix
from venire.metrics.join import CODE
from venire.metrics.panel import bench_of
from venire.records import Prediction, Preference, PreferenceGold, Winner
from venire.reporting.heat_map import Confusion, Correlations
from venire.reporting.pairing import Run
from venire.runs import read_judged

_LABELS = {Winner.FIRST: "first", Winner.SECOND: "second", Winner.TIE: "tie"}
_UNSCORED = "unscored"


def confusion_of(run: Run, title: str) -> Confusion | None:
    """Every verdict of a run on preferences against its gold, of both orders mapped back; None of others."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in run.rows.values():
        if not isinstance(row.gold, PreferenceGold):
            return None
        for prediction in list(row.by_order.values()) or [row.prediction]:
            counts[_LABELS[row.gold.winner], _label(prediction)] += 1
    if not counts:
        return None
    gold = _in_order({gold for gold, _ in counts})
    verdict = _in_order({"first", "second", *(verdict for _, verdict in counts)})
    table = [[counts[row, column] for column in verdict] for row in gold]
    return Confusion(title, gold, verdict, np.array(table, dtype=np.int64))


def _label(prediction: Prediction) -> str:
    return _LABELS[prediction.winner] if isinstance(prediction, Preference) else _UNSCORED


def _in_order(labels: set[str]) -> tuple[str, ...]:
    return tuple(each for each in (*_LABELS.values(), _UNSCORED) if each in labels)


def correlations_of(run: Run, folder: Path, title: str) -> Correlations | None:
    """Of a panel's judges, mean over the orders; None of runs without several judges' votes on every pair."""
    items = sorted(run.rows)
    golds = [run.rows[item].gold for item in items]
    codes = [CODE[gold.winner] for gold in golds if isinstance(gold, PreferenceGold)]
    if not items or len(codes) < len(golds):
        return None
    judged = {outcome.instance_id: outcome for outcome in read_judged(folder)}
    outcomes = [judged.get(item) for item in items]
    if any(outcome is not None and is_cascade(outcome) for outcome in outcomes):
        return None
    bench = bench_of(outcomes)
    if len(bench.judges) < 2:
        return None
    return Correlations(title, tuple(bench.judges), error_matrix(bench, np.array(codes, dtype=np.int64)))


def shortened(titles: Sequence[str]) -> list[str]:
    """Without the words that all have at their end: the data set goes without saying."""
    words = [title.split() for title in titles]
    if len(words) < 2 or len({tuple(each) for each in words}) < len(words):
        return list(titles)
    while all(len(each) > 1 for each in words) and len({each[-1] for each in words}) == 1:
        words = [each[:-1] for each in words]
    return [" ".join(each) for each in words]
