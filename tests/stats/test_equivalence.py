import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired
from tests.seeds import on_each_seed

from venire.stats.equivalence import tost


@on_each_seed(200)
def test_of_scores_it_equals_statsmodels(seed):
    rng = np.random.default_rng(seed)
    n, margin = int(rng.integers(2, 80)), float(rng.uniform(0.01, 0.5))
    first = rng.random(n)
    second = first + rng.normal(0.02, 0.2, size=n)
    p, no_worse, _ = ttost_paired(second, first, -margin, margin)
    made = tost(second - first, np.arange(n), margin)
    assert made.p == pytest.approx(p, rel=1e-9, abs=1e-12)
    assert made.p_no_worse == pytest.approx(no_worse[1], rel=1e-9, abs=1e-12)
    # The interval at 90% lies within the margin just where the two tests are below 5%.
    assert (made.p < 0.05) == (-margin < made.low and made.high < margin)


def test_clusters_count_as_one_each():
    gaps = np.random.default_rng(1).normal(size=40)
    alone, repeated = (
        tost(gaps, np.arange(40), 0.2),
        tost(np.repeat(gaps, 3), np.repeat(np.arange(40), 3), 0.2),
    )
    assert repeated.p == pytest.approx(alone.p)
    assert (repeated.low, repeated.high) == pytest.approx((alone.low, alone.high))
    assert "40 clusters" in repeated.note


def test_few_items_without_a_discordant_one_prove_nothing():
    # Variance under the margin: .02 * .98 / 20, t = .02 / sqrt(.00098) = .639 with 19 degrees: p .265
    few = tost(np.zeros(20), np.arange(20), 0.02)
    assert few.p == pytest.approx(0.2653, abs=5e-4)
    assert "fewer than 50" in few.note
    # t = .02 / sqrt(.02 * .98 / 419) = 2.924: p .0018
    assert tost(np.zeros(419), np.arange(419), 0.02).p == pytest.approx(0.0018, abs=5e-5)


def test_a_large_difference_is_not_equivalent_but_may_be_no_worse():
    better = tost(np.array([1.0] * 60 + [0.0] * 140), np.arange(200), 0.05)
    assert better.p > 0.99
    assert better.p_no_worse < 1e-9


@pytest.mark.parametrize("n", [0, 1])
def test_it_takes_two_clusters(n):
    made = tost(np.zeros(n), np.arange(n), 0.02)
    assert math.isnan(made.p)
    assert made.note == "no test: it takes two clusters"


def test_constant_scores_are_as_far_from_the_margin_as_they_are():
    inside, outside = (tost(np.full(5, gap), np.arange(5), 0.02) for gap in (0.017, 0.5))
    assert inside.p < 0.05
    assert outside.p > 0.95
