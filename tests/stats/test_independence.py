import itertools
import math

import numpy as np
import pytest
from tests.seeds import on_each_seed

from venire.stats.independence import (
    expected_from_sums,
    expected_within_from_sums,
    gap_from_sums,
    in_groups,
    majority_chance,
    majority_from_sums,
    majority_right,
    right_counts,
    vote_features,
)


def enumerated(shares, coin):
    """The chance of a right majority by going through every pattern of right and wrong."""
    judges, total = len(shares), 0.0
    for pattern in itertools.product((0, 1), repeat=judges):
        chance = math.prod(p if right else 1 - p for p, right in zip(shares, pattern, strict=True))
        right = sum(pattern)
        total += chance * (1.0 if 2 * right > judges else 0.5 if coin and 2 * right == judges else 0.0)
    return total


@on_each_seed(200)
def test_the_chance_of_a_majority_equals_the_sum_over_all_patterns(seed):
    rng = np.random.default_rng(seed)
    shares = rng.random(int(rng.integers(1, 8)))
    shares[rng.random(len(shares)) < 0.1] = rng.integers(0, 2)  # always or never right
    for coin in (False, True):
        assert majority_chance(shares, coin=coin) == pytest.approx(enumerated(shares, coin), abs=1e-12)
    assert right_counts(shares).sum() == pytest.approx(1.0)


def test_equal_judges_are_a_binomial():
    # Three judges right with .8: .8^3 + 3 * .8^2 * .2 = .512 + .384.
    assert majority_chance(np.array([0.8, 0.8, 0.8])) == pytest.approx(0.896)
    # Two: .64 both, .32 one of them.
    assert majority_chance(np.array([0.8, 0.8])) == pytest.approx(0.64)
    assert majority_chance(np.array([0.8, 0.8]), coin=True) == pytest.approx(0.8)


def test_the_recorded_five_would_have_668_and_701():
    # Right of 373, as given and swapped, of GPT-4, ChatGPT, LLaMA2, PaLM2, Falcon: .836, .408, .450, .678,
    # .566 and .863, .405, .450, .729, .576 (plain counts of the recorded verdicts).
    given, swapped = (312, 152, 168, 253, 211), (322, 151, 168, 272, 215)
    assert majority_chance(np.array(given) / 373) == pytest.approx(0.66785, abs=5e-6)
    assert majority_chance(np.array(swapped) / 373) == pytest.approx(0.70127, abs=5e-6)


def test_a_majority_worked_by_hand():
    correct = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1]], dtype=float)
    assert majority_right(correct).tolist() == [0, 1, 0, 1]
    assert majority_right(correct, coin=True).tolist() == [0.5, 1, 0, 1]
    sums = vote_features(correct).sum(axis=0)
    assert majority_from_sums(sums) == 0.5
    assert majority_from_sums(sums, coin=True) == 0.625
    # Shares 3/4, 3/4, 3/4, 1/4. Four right: 27/256; three: (27 * 3 + 3 * 9 * 1) / 256 = 81/256 + 27/256.
    assert expected_from_sums(sums) == pytest.approx(27 / 256 + 81 / 256 + 27 / 256)
    assert gap_from_sums(sums) == pytest.approx(0.5 - 135 / 256)


@on_each_seed(200)
def test_closed_forms_equal_plain_counting(seed):
    rng = np.random.default_rng(seed)
    n, judges = int(rng.integers(1, 50)), int(rng.integers(1, 7))
    correct = (rng.random((n, judges)) < rng.uniform(0, 1, judges)).astype(float)
    group = rng.integers(0, 3, n)
    _, group = np.unique(group, return_inverse=True)
    sums = vote_features(correct).sum(axis=0)
    plain = sum(2 * sum(row) > judges for row in correct) / n
    assert majority_from_sums(sums) == pytest.approx(plain)
    expected = enumerated(correct.mean(axis=0), False)
    assert expected_from_sums(sums) == pytest.approx(expected)
    assert gap_from_sums(sums) == pytest.approx(plain - expected)
    within = sum(
        (group == g).sum() / n * enumerated(correct[group == g].mean(axis=0), False) for g in set(group)
    )
    grouped = in_groups(vote_features(correct), group).sum(axis=0)
    assert expected_within_from_sums(grouped, int(group.max()) + 1) == pytest.approx(within)


def test_independent_judges_have_no_gap_on_average():
    # The plug-in expectation is multilinear in shares that are independent, so unbiased: the mean gap over
    # 2,000 panels of 100 items is within five standard errors of 0.
    rng = np.random.default_rng(0)
    shares = np.array([0.9, 0.6, 0.5, 0.7, 0.4])
    gaps = [
        float(gap_from_sums(vote_features((rng.random((100, 5)) < shares).astype(float)).sum(axis=0)))
        for _ in range(2000)
    ]
    assert abs(np.mean(gaps)) < 5 * np.std(gaps) / math.sqrt(2000)


def test_copies_of_a_judge_are_worth_that_judge_alone():
    column = np.array([1, 1, 1, 0, 0], dtype=float)
    sums = vote_features(np.stack([column] * 3, axis=1)).sum(axis=0)
    assert majority_from_sums(sums) == 0.6
    # .6^3 + 3 * .6^2 * .4 = .648
    assert gap_from_sums(sums) == pytest.approx(0.6 - 0.648)


def test_no_item_makes_all_undefined():
    sums = vote_features(np.zeros((0, 3))).sum(axis=0)
    assert np.isnan(majority_from_sums(sums))
    assert np.isnan(expected_from_sums(sums))
    assert np.isnan(gap_from_sums(sums))


def test_draws_are_computed_at_once():
    rng = np.random.default_rng(1)
    features = vote_features((rng.random((30, 4)) < 0.6).astype(float))
    draws = rng.multinomial(30, np.full(30, 1 / 30), size=50) @ features
    assert gap_from_sums(draws) == pytest.approx([float(gap_from_sums(row)) for row in draws])
