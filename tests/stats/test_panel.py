import itertools

import numpy as np
import pytest
from tests.seeds import on_each_seed

from venire.stats.panel import (
    correlation_features,
    correlation_from_sums,
    effective_votes,
    effective_votes_of,
    error_correlation,
    mean_error_correlation,
    votes_from_sums,
)


def random_correct(seed):
    rng = np.random.default_rng(seed)
    n, judges = int(rng.integers(1, 60)), int(rng.integers(2, 7))
    return (rng.random((n, judges)) < rng.uniform(0.2, 0.95, judges)).astype(float)


@on_each_seed(200)
def test_error_correlation_equals_pearson_pair_by_pair(seed):
    correct = random_correct(seed)
    ours = error_correlation(correct)
    estimate = mean_error_correlation(correct)
    sums = correlation_features(correct).sum(axis=0)
    closed = correlation_from_sums(sums, correct.shape[1])
    spread = np.ptp(correct, axis=0) > 0
    pairs = list(itertools.combinations(range(correct.shape[1]), 2))
    for i, j in pairs:
        if spread[i] and spread[j]:
            assert ours[i, j] == pytest.approx(np.corrcoef(correct[:, i], correct[:, j])[0, 1], abs=1e-12)
        else:
            assert np.isnan(ours[i, j])
    if not spread.all():
        assert not estimate.is_defined
        assert np.isnan(closed)
        return
    expected = np.mean([np.corrcoef(correct[:, i], correct[:, j])[0, 1] for i, j in pairs])
    assert estimate.value == pytest.approx(expected, abs=1e-12)
    assert closed == pytest.approx(expected, abs=1e-12)
    votes = effective_votes_of(correct)
    if votes.is_defined:
        assert votes.value == pytest.approx(len(spread) / (1 + (len(spread) - 1) * expected))
        assert votes_from_sums(sums, len(spread)) == pytest.approx(votes.value)


def test_phi_worked_by_hand():
    # Both right 2, first only 1, second only 1, none 2: (2*2 - 1*1) / sqrt(3*3*3*3) = 3/9.
    correct = np.array([[1, 1], [1, 1], [1, 0], [0, 1], [0, 0], [0, 0]], dtype=float)
    assert mean_error_correlation(correct).value == pytest.approx(1 / 3, abs=1e-15)
    # 2 / (1 + 1/3) = 1.5.
    assert effective_votes_of(correct).value == pytest.approx(1.5, abs=1e-15)


def test_independent_judges_count_fully_and_copies_count_as_one():
    assert effective_votes(5, 0.0) == 5.0
    assert effective_votes(5, 1.0) == 1.0


def test_effective_votes_of_the_recorded_five():
    # r .3153 (as given), mean phi of GPT-4, ChatGPT, LLaMA2, PaLM2, Falcon: 5 / 2.2612 = 2.211.
    assert effective_votes(5, 0.3153) == pytest.approx(2.2112, abs=5e-5)


def test_errors_that_cancel_out_have_no_effective_votes():
    assert np.isnan(effective_votes(2, -1.0))
    estimate = effective_votes_of(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert not estimate.is_defined
    assert "cancel out" in estimate.note


def test_a_judge_that_is_always_right_makes_it_undefined_and_is_named():
    estimate = effective_votes_of(np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]))
    assert not estimate.is_defined
    assert "judge 2 of 2" in estimate.note


def test_one_judge_has_no_correlation():
    assert not mean_error_correlation(np.array([[1.0], [0.0]])).is_defined


def test_no_item_makes_it_undefined():
    assert not mean_error_correlation(np.zeros((0, 3))).is_defined
