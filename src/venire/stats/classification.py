"""Precision, recall and F1 of a yes against human yeses; macro and micro over several labels.

Items are cells of a table of gold (rows) by prediction, flattened as in `agreement.cell_features`:
no/no, no/yes, yes/no, yes/yes. Every statistic is a function of their sums, for one bootstrap.
"""

from enum import StrEnum

import numpy as np

from venire.stats.agreement import cell_features
from venire.stats.estimate import Estimate, FloatArray, IntArray, divide, undefined

CELLS = 4


class Score(StrEnum):
    """What is asked of a yes."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"


def cells_of(gold: IntArray, predicted: IntArray) -> FloatArray:
    """The cell of each item, one-hot, shape (n, 4); codes 1 for yes, 0 for no, negative for none."""
    return cell_features(gold, predicted, 2)


def score_from_sums(cells: FloatArray, score: Score) -> FloatArray:
    """The score of summed cells, (..., 4) to (...); NaN where undefined.

    Precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP + FN).
    """
    false_yes, false_no, yes = cells[..., 1], cells[..., 2], cells[..., 3]
    match score:
        case Score.PRECISION:
            return divide(yes, yes + false_yes)
        case Score.RECALL:
            return divide(yes, yes + false_no)
        case Score.F1:
            return divide(2 * yes, 2 * yes + false_yes + false_no)


def score_of(cells: FloatArray, score: Score) -> Estimate:
    """The score over items, without an interval; cells have shape (n, 4).

    Undefined, and never 0, where nothing is counted, or nobody says yes where the score needs it.
    """
    sums = cells.sum(axis=0)
    n = int(sums.sum())
    if n == 0:
        return undefined("no item is labelled by both sides")
    value = float(score_from_sums(sums, score))
    if np.isnan(value):
        return undefined(_NOBODY[score], n)
    return Estimate(value, n=n)


_NOBODY = {
    Score.PRECISION: "the judge says yes to nothing",
    Score.RECALL: "the humans say yes to nothing",
    Score.F1: "neither side says yes to anything",
}


def macro_f1_from_sums(cells: FloatArray) -> FloatArray:
    """The mean of the labels' F1, (..., 4 L) to (...); NaN where one has none."""
    scores = score_from_sums(cells.reshape(*cells.shape[:-1], -1, CELLS), Score.F1)
    return np.asarray(scores.mean(axis=-1))


def micro_f1_from_sums(cells: FloatArray) -> FloatArray:
    """F1 of all labels' cells together, (..., 4 L) to (...); NaN where no side says yes."""
    together = cells.reshape(*cells.shape[:-1], -1, CELLS).sum(axis=-2)
    return score_from_sums(together, Score.F1)
