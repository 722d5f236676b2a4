"""Bounds over missing ratings, against every completion there is."""

import itertools
import math

import numpy as np
import pytest

from venire.stats.completion import completion_bounds
from venire.stats.correlation import Coefficient, correlation
from venire.stats.estimate import NAN


def every_completion(coefficient, ratings, gold, levels):
    missing = np.flatnonzero(np.isnan(ratings))
    for values in itertools.product(levels, repeat=len(missing)):
        complete = ratings.copy()
        complete[missing] = values
        value = correlation(coefficient, complete, gold).value
        if not math.isnan(value):
            yield value


@pytest.mark.parametrize("coefficient", Coefficient)
@pytest.mark.parametrize("seed", range(70))  # 210 inputs
def test_bounds_are_those_of_all_completions(coefficient, seed):
    rng = np.random.default_rng(seed)
    levels = np.arange(3.0)
    gold = rng.integers(0, 4, 9).astype(float)
    ratings = rng.choice(levels, 9)
    ratings[:3] = NAN
    values = list(every_completion(coefficient, ratings, gold, levels))
    bounds = completion_bounds(coefficient, ratings, gold, levels)
    if not values:
        assert math.isnan(bounds.worst)
        assert math.isnan(bounds.best)
        return
    assert (bounds.worst, bounds.best) == pytest.approx((min(values), max(values)), abs=0.02)
    assert min(values) - 1e-9 <= bounds.worst <= bounds.best <= max(values) + 1e-9


def test_one_missing_rating_by_hand():
    # 1 ? 3 against 1 2 3, scale 1 to 3: 2 gives rho 1; 1 or 3 gives 1.5 / sqrt(1.5 * 2) = .8660.
    bounds = completion_bounds(
        Coefficient.SPEARMAN, np.array([1.0, NAN, 3.0]), np.array([1.0, 2.0, 3.0]), np.arange(1.0, 4.0)
    )
    assert (bounds.worst, bounds.best) == pytest.approx((0.8660254, 1.0))


@pytest.mark.parametrize("coefficient", Coefficient)
def test_without_a_missing_rating_both_bounds_are_the_value(coefficient):
    ratings, gold = np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0])
    bounds = completion_bounds(coefficient, ratings, gold, np.arange(3.0))
    value = correlation(coefficient, ratings, gold).value
    assert (bounds.worst, bounds.best) == pytest.approx((value, value))


def test_items_without_gold_do_not_count():
    with_more = completion_bounds(
        Coefficient.PEARSON,
        np.array([1.0, NAN, 3.0, NAN]),
        np.array([1.0, 2.0, 3.0, NAN]),
        np.arange(1.0, 4.0),
    )
    assert with_more.best == pytest.approx(1.0)


def test_constant_gold_has_no_bounds():
    bounds = completion_bounds(
        Coefficient.KENDALL, np.array([1.0, NAN]), np.array([2.0, 2.0]), np.arange(1.0, 4.0)
    )
    assert math.isnan(bounds.worst)
    assert math.isnan(bounds.best)
