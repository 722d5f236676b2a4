"""Ties among verdicts, and accuracy that does not count them as wrong."""

import numpy as np

from venire.metrics.estimators import Estimator
from venire.metrics.join import CODE, Columns
from venire.metrics.measurement import Collector
from venire.records import Winner
from venire.stats.estimate import IntArray

_TIE = CODE[Winner.TIE]


def tie_metrics(columns: Columns, final: IntArray, estimator: Estimator, out: Collector) -> None:
    """`ties`, `ties/final`, `accuracy/decided` and `accuracy/tie_half`.

    A tie is half right where the gold is none, as a coin between the two would be; where the gold is
    a tie it is right. `accuracy/decided` is over the verdicts that pick one response.
    """
    verdicts = np.stack(columns.main)
    hits, base = estimator.correct(columns.main)
    wrong_ties = ((verdicts == _TIE) & (estimator.gold != _TIE)).sum(axis=0, dtype=np.float64)
    decided = (verdicts >= 0) & (verdicts != _TIE)
    right = (decided & (verdicts == estimator.gold)).sum(axis=0, dtype=np.float64)
    out.estimate("ties", estimator.share((verdicts == _TIE).sum(axis=0, dtype=np.float64), base))
    out.estimate("ties/final", estimator.share((final == _TIE).astype(float), np.ones(len(final))))
    out.estimate("accuracy/decided", estimator.share(right, decided.sum(axis=0, dtype=np.float64)))
    out.estimate("accuracy/tie_half", estimator.share(hits + wrong_ties / 2, base))
