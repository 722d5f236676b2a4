"""Rates corrected by sensitivity and specificity."""

import math

import numpy as np
import pytest
from scipy.optimize import approx_fprime, brentq
from scipy.stats import norm
from tests.seeds import on_each_seed

from venire.stats.corrected import Labelled, corrected_rate, measured_rate


def test_the_estimate_by_hand():
    # p .6, sensitivity .9, specificity .8: (.6 + .8 - 1) / (.9 + .8 - 1) = .4 / .7
    found = corrected_rate(60, 100, Labelled(50, 45, 50, 40))
    assert found.value == pytest.approx(4 / 7)
    assert found.low < found.value < found.high
    assert found.note == "95% interval of Lang and Reiczigel, 100 labelled items"


def test_the_interval_by_hand():
    # z 1.959964, z^2 3.841459. n' 103.841459, p' (60 + 1.920729) / n' = .596301
    # sensitivity' 46/52 = .884615, specificity' 41/52 = .788462, sum - 1 = .673077
    # rate' (.596301 - .211538) / .673077 = .571648; variances .102071/52 = .00196290, .166790/52 = .00320750
    # spread^2 = (.240726/103.841459 + .326781 * .00196290 + .183486 * .00320750) / .453033 = .00783210
    # shift 7.682918 * (.571648 * .00196290 - .428352 * .00320750) = -.00193503
    # .569713 -+ 1.959964 * .0884992 = .396257, .743169 (rounded)
    found = corrected_rate(60, 100, Labelled(50, 45, 50, 40))
    assert (found.low, found.high) == pytest.approx((0.396257, 0.743169), abs=5e-6)


def rate_of(parts):
    """The root of "share said = rate * sensitivity + (1 - rate) * (1 - specificity)"."""
    share, sensitivity, specificity = parts
    return brentq(
        lambda rate: rate * sensitivity + (1 - rate) * (1 - specificity) - share, -50, 50, xtol=1e-14
    )


@on_each_seed(200)
def test_estimate_and_interval_equal_a_root_and_a_numerical_delta_method(seed):
    # No formula of the module: the estimate is a root, the spread comes of numerical derivatives. Only the
    # added items and the shift 2 z^2 (...) are the paper's.
    rng = np.random.default_rng(seed)
    n, positives, negatives = (int(size) for size in rng.integers(20, 400, 3))
    said, found, cleared = (
        int(rng.binomial(n, rng.random())),
        *map(int, rng.binomial((positives, negatives), rng.uniform(0.62, 0.98, 2))),
    )
    level = float(rng.choice([0.8, 0.95, 0.99]))
    made = corrected_rate(said, n, Labelled(positives, found, negatives, cleared), level)
    raw = rate_of((said / n, found / positives, cleared / negatives))
    assert made.value == pytest.approx(np.clip(raw, 0, 1), abs=1e-9)
    z = norm.ppf((1 + level) / 2)
    sizes = np.array([n + z**2, positives + 2, negatives + 2])
    parts = np.array([said + z**2 / 2, found + 1, cleared + 1]) / sizes
    slopes = approx_fprime(parts, rate_of, 1e-7)
    spread = math.sqrt(np.sum(slopes**2 * parts * (1 - parts) / sizes))
    rate = rate_of(parts)
    variances = (parts * (1 - parts) / sizes)[1:]
    centre = rate + 2 * z**2 * (rate * variances[0] - (1 - rate) * variances[1])
    assert (made.low, made.high) == pytest.approx(
        np.clip([centre - z * spread, centre + z * spread], 0, 1), abs=1e-5
    )


def test_a_perfect_judge_is_not_corrected():
    assert corrected_rate(30, 100, Labelled(50, 50, 50, 50)).value == pytest.approx(0.3)


def test_an_estimate_outside_is_cut_and_says_so():
    # p .05, sensitivity .9, specificity .8: (.05 - .2) / .7 = -.214
    found = corrected_rate(5, 100, Labelled(50, 45, 50, 40))
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.note.endswith("-0.214 before it was cut")


@pytest.mark.parametrize(
    ("said", "n", "labelled", "why"),
    [
        (0, 0, Labelled(5, 5, 5, 5), "no verdict"),
        (1, 2, Labelled(0, 0, 5, 5), "with the property and without it"),
        (1, 2, Labelled(5, 5, 0, 0), "with the property and without it"),
        (1, 2, Labelled(10, 5, 10, 5), "the judge tells nothing"),
        (1, 2, Labelled(10, 2, 10, 3), "the judge tells nothing"),
    ],
)
def test_what_cannot_be_corrected_says_why(said, n, labelled, why):
    found = corrected_rate(said, n, labelled)
    assert math.isnan(found.value)
    assert why in found.note


def test_one_labelled_item_of_each_kind_has_the_widest_interval():
    # 2/3 + 2/3 - 1 = 1/3 after the added items; found none of one: 1/3 + 2/3 - 1 = 0 would have none at all
    found = corrected_rate(50, 100, Labelled(1, 1, 1, 1))
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_the_measured_rate_has_wilson_s_interval():
    assert measured_rate(8, 10).low == pytest.approx(0.490162, abs=1e-6)
    assert math.isnan(measured_rate(0, 0).value)


def test_no_labelled_items_have_neither_sensitivity_nor_specificity():
    nothing = Labelled(0, 0, 0, 0)
    assert math.isnan(nothing.sensitivity)
    assert math.isnan(nothing.specificity)


@pytest.mark.parametrize(
    ("rate", "sensitivity", "specificity"), [(0.5, 0.85, 0.75), (0.2, 0.7, 0.9), (0.6, 0.8, 0.65)]
)
def test_the_correction_is_unbiased_and_the_interval_covers(rate, sensitivity, specificity):
    # 1,500 worlds: 300 items judged, 120 others labelled. The plain rate is off by (1 - specificity) -
    # rate * (2 - sensitivity - specificity); coverage .95 has a standard error of .006.
    rng = np.random.default_rng(3)
    values, covered, plain = [], 0, []
    for _ in range(1500):
        gold = rng.random(300) < rate
        said = np.where(gold, rng.random(300) < sensitivity, rng.random(300) >= specificity)
        positives = int(rng.binomial(120, rate))
        labelled = Labelled(
            positives,
            int(rng.binomial(positives, sensitivity)),
            120 - positives,
            int(rng.binomial(120 - positives, specificity)),
        )
        found = corrected_rate(int(said.sum()), 300, labelled)
        values.append(found.value)
        plain.append(said.mean())
        covered += found.low <= rate <= found.high
    bias = (1 - specificity) - rate * (2 - sensitivity - specificity)
    assert np.mean(plain) - rate == pytest.approx(bias, abs=0.005)
    assert np.mean(values) == pytest.approx(rate, abs=0.01)
    assert 0.93 < covered / 1500 < 0.985
