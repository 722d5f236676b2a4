"""Dependent correlations against published worked examples."""

import math

import numpy as np
import pytest
from tests.seeds import on_each_seed

from venire.stats.dependent import compare_dependent, steiger_z, zou_interval
from venire.stats.estimate import NAN


def test_steiger_s_own_example():
    # Steiger (1980), case A, p. 249: r .4 and .5, .1 between, n 103; he prints .8913 from rounded steps, the
    # exact arithmetic of his formula gives .8887 (as R's cocor notes).
    assert steiger_z(0.4, 0.5, 0.1, 103) == pytest.approx(0.8887185, abs=5e-8)


def test_steiger_s_test_as_other_software_has_it():
    # depcor (Silver, Hittner & May, 2006): r .3 and .4, .5 between, n 100: z 1.0718, p .2838
    made = compare_dependent(0.3, 0.4, 0.5, 100)
    assert (made.z, made.p) == pytest.approx((1.0718, 0.2838), abs=5e-5)
    assert made.difference == pytest.approx(0.1)


def test_zou_s_own_example():
    # Zou (2007): .396 minus .179, .088 between, n 66: -.093 to .517
    assert zou_interval(0.179, 0.396, 0.088, 66) == pytest.approx((-0.093, 0.517), abs=5e-4)


def test_the_other_way_round_is_the_mirror_image():
    one, other = compare_dependent(0.2, 0.5, 0.3, 80), compare_dependent(0.5, 0.2, 0.3, 80)
    assert (one.z, one.low, one.high) == pytest.approx((-other.z, -other.high, -other.low))
    assert one.p == pytest.approx(other.p)


def test_equal_correlations_have_p_one():
    made = compare_dependent(0.4, 0.4, 0.3, 50)
    assert (made.z, made.p) == (0.0, 1.0)
    assert made.low == pytest.approx(-made.high)


@pytest.mark.parametrize(
    ("first", "second", "between", "n", "note"),
    [
        (NAN, 0.5, 0.1, 50, "a correlation is undefined"),
        (0.4, 0.5, NAN, 50, "a correlation is undefined"),
        (0.4, 0.5, 0.1, 3, "it takes four items"),
        (1.0, 0.5, 0.5, 50, "a correlation of 1 has no Fisher z"),
        (0.4, 0.4, 1.0, 50, "the two methods rate alike throughout"),
    ],
)
def test_what_is_undefined_says_why(first, second, between, n, note):
    made = compare_dependent(first, second, between, n)
    assert (math.isnan(made.z), math.isnan(made.p), made.note) == (True, True, note)


def test_the_test_keeps_its_level_and_the_interval_its_coverage():
    # 3,000 worlds of 60 items with r .6 for both methods, which share nothing else. Standard error: .004.
    rng = np.random.default_rng(4)
    rejected = covered = 0
    for _ in range(3000):
        gold = rng.normal(size=60)
        first, second = (0.75 * gold + rng.normal(size=60) for _ in range(2))
        r = np.corrcoef([first, second, gold])
        made = compare_dependent(r[0, 2], r[1, 2], r[0, 1], 60)
        rejected += made.p < 0.05
        covered += made.low <= 0 <= made.high
    assert rejected / 3000 == pytest.approx(0.05, abs=0.012)
    assert covered / 3000 == pytest.approx(0.95, abs=0.012)


def covariance(r, j, k, h, m):
    """Of two correlations r_jk and r_hm, times n: Pearson and Filon (1898), Steiger's (1980) equation 2."""
    return (
        (r[j, h] - r[j, k] * r[k, h]) * (r[k, m] - r[k, h] * r[h, m])
        + (r[j, m] - r[j, h] * r[h, m]) * (r[k, h] - r[k, j] * r[j, h])
        + (r[j, h] - r[j, m] * r[m, h]) * (r[k, m] - r[k, j] * r[j, m])
        + (r[j, m] - r[j, k] * r[k, m]) * (r[k, h] - r[k, m] * r[m, h])
    ) / 2


@on_each_seed(200)
def test_both_equal_the_general_covariance_of_two_correlations(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 200))
    r = np.corrcoef(rng.normal(size=(3, 3)) @ rng.normal(size=(3, n)) + rng.normal(size=(3, n)))
    first, second, between = r[0, 1], r[0, 2], r[1, 2]  # 0 is the human side
    pooled = r.copy()
    pooled[0, 1] = pooled[1, 0] = pooled[0, 2] = pooled[2, 0] = (first + second) / 2
    shared = covariance(pooled, 0, 1, 0, 2) / (1 - pooled[0, 1] ** 2) ** 2
    z = (np.arctanh(second) - np.arctanh(first)) * math.sqrt(n - 3) / math.sqrt(2 - 2 * shared)
    assert steiger_z(first, second, between, n) == pytest.approx(z, rel=1e-9)
    together = covariance(r, 0, 1, 0, 2) / ((1 - first**2) * (1 - second**2))
    half = 1.959963984540054 / math.sqrt(n - 3)
    (a, b), (c, d) = (
        (math.tanh(math.atanh(x) - half), math.tanh(math.atanh(x) + half)) for x in (first, second)
    )
    low = (
        second
        - first
        - math.sqrt(max((second - c) ** 2 + (b - first) ** 2 - 2 * together * (second - c) * (b - first), 0))
    )
    high = (
        second
        - first
        + math.sqrt(max((d - second) ** 2 + (first - a) ** 2 - 2 * together * (d - second) * (first - a), 0))
    )
    assert zou_interval(first, second, between, n) == pytest.approx((low, high), rel=1e-7, abs=1e-9)
