import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score
from tests.seeds import on_each_seed

from venire.stats.classification import (
    Score,
    cells_of,
    macro_f1_from_sums,
    micro_f1_from_sums,
    score_from_sums,
    score_of,
)

THEIRS = {Score.PRECISION: precision_score, Score.RECALL: recall_score, Score.F1: f1_score}
GOLD = np.array([1, 1, 1, 0, 0, 0, 0, 1])
SAID = np.array([1, 1, 0, 1, 0, 0, 0, -1])  # the last one said nothing


def test_by_hand():
    # Of 7 labelled by both: TP 2, FP 1, FN 1, TN 3.
    cells = cells_of(GOLD, SAID)
    assert cells.sum(axis=0).tolist() == [3.0, 1.0, 1.0, 2.0]
    assert score_of(cells, Score.PRECISION).value == pytest.approx(2 / 3)
    assert score_of(cells, Score.RECALL).value == pytest.approx(2 / 3)
    assert score_of(cells, Score.F1).value == pytest.approx(4 / 6)
    assert score_of(cells, Score.F1).n == 7


@on_each_seed(200)
@pytest.mark.parametrize("score", Score)
def test_equal_to_scikit_learn(seed, score):
    rng = np.random.default_rng(seed)
    gold, said = rng.integers(2, size=(2, int(rng.integers(1, 30))))
    ours = score_of(cells_of(gold, said), score)
    theirs = THEIRS[score](gold, said, zero_division=np.nan)
    assert ours.value == pytest.approx(theirs, nan_ok=True)
    assert ours.is_defined != np.isnan(theirs)


@on_each_seed(200)
def test_several_labels_equal_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(4, 30)), int(rng.integers(2, 5)))
    gold, said = rng.integers(2, size=(2, *shape))
    cells = np.hstack([cells_of(gold[:, at], said[:, at]) for at in range(shape[1])]).sum(axis=0)
    each = f1_score(gold, said, average=None, zero_division=np.nan)
    assert macro_f1_from_sums(cells) == pytest.approx(np.mean(each), nan_ok=True)
    assert micro_f1_from_sums(cells) == pytest.approx(
        f1_score(gold, said, average="micro", zero_division=np.nan), nan_ok=True
    )


def test_what_nobody_says_is_undefined_and_not_zero():
    nothing = cells_of(np.array([0, 0]), np.array([0, 0]))
    assert "the judge says yes to nothing" in score_of(nothing, Score.PRECISION).note
    assert "the humans say yes to nothing" in score_of(nothing, Score.RECALL).note
    assert "neither side" in score_of(nothing, Score.F1).note
    assert not score_of(cells_of(np.array([1]), np.array([-1])), Score.F1).is_defined
    missed = cells_of(np.array([1, 1]), np.array([0, 0]))
    assert score_of(missed, Score.F1).value == 0.0


def test_all_draws_at_once_give_what_each_gives_alone():
    sums = np.array([[3.0, 1.0, 1.0, 2.0], [1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 1.0]])
    for score in Score:
        together = score_from_sums(sums, score)
        np.testing.assert_array_equal(together, [float(score_from_sums(row, score)) for row in sums])
