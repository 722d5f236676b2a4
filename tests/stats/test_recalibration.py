"""Isotonic and Platt curves against scikit-learn."""

import math

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from tests.seeds import on_each_seed

from venire.errors import DataError
from venire.stats.calibration import brier, ece, graded
from venire.stats.recalibration import Recalibration, fit, fit_isotonic, fit_platt

GRID = np.linspace(0, 1, 41)


def world(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 300))
    confidence = rng.integers(0, 11, n) / 10 if seed % 2 else rng.random(n)
    return confidence, rng.random(n) < 0.2 + 0.5 * confidence


@on_each_seed(200)
def test_isotonic_equals_scikit_learn(seed):
    confidence, right = world(seed)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(confidence, right)
    assert fit_isotonic(graded(confidence, right))(GRID) == pytest.approx(theirs.predict(GRID), abs=1e-9)


@on_each_seed(200)
def test_platt_equals_scikit_learn(seed):
    confidence, right = world(seed)
    theirs = _SigmoidCalibration().fit(confidence, right.astype(int))
    # theirs is an approximate maximum (L-BFGS with its default tolerance)
    assert fit_platt(graded(confidence, right))(GRID) == pytest.approx(theirs.predict(GRID), abs=2e-4)


def test_platt_keeps_the_mean_of_its_targets():
    # At the maximum the probabilities sum to the targets: 3 right and 1 wrong, 3 * 4/5 + 1 * 1/3 = 2.7333.
    confidence, right = np.array([0.2, 0.6, 0.8, 0.9]), np.array([False, True, True, True])
    assert fit_platt(graded(confidence, right))(confidence).sum() == pytest.approx(2.4 + 1 / 3, abs=1e-6)


def test_isotonic_pools_what_falls():
    # .5 has 1 of 1 right, .7 has 0 of 1: pooled to one half each; .9 has 1 of 1
    curve = fit_isotonic(graded(np.array([0.5, 0.7, 0.9]), np.array([True, False, True])))
    assert list(curve(np.array([0.1, 0.5, 0.7, 0.8, 0.95]))) == pytest.approx([0.5, 0.5, 0.5, 0.75, 1.0])


@pytest.mark.parametrize(("right", "share"), [(True, 7 / 8), (False, 1 / 8)])
def test_a_split_that_is_all_alike_is_never_certain_by_platt(right, share):
    # six right: target 7/8; six wrong: 1/8
    curve = fit_platt(graded(np.full(6, 0.9), np.full(6, right)))
    assert curve(np.array([0.1, 0.9])) == pytest.approx([share, share])


def test_all_right_at_several_confidences_has_a_flat_curve():
    curve = fit_platt(graded(np.array([0.6, 0.8, 0.9]), np.full(3, True)))
    assert curve(np.array([0.6, 0.9])) == pytest.approx([0.8, 0.8], abs=1e-6)


def test_two_confidences_have_the_curve_through_both():
    # .9: 3 of 4 right, .6: 1 of 2; of 4 right and 2 wrong the targets are 5/6 and 1/4:
    # .9: (3 * 5/6 + 1/4) / 4 = .6875; .6: (5/6 + 1/4) / 2 = .541667
    items = graded(np.array([0.9] * 4 + [0.6] * 2), np.array([1, 1, 1, 0, 1, 0], dtype=bool))
    assert fit_platt(items)(np.array([0.9, 0.6])) == pytest.approx([0.6875, 0.541667], abs=1e-6)


def test_one_item_has_a_curve():
    one = graded(np.array([0.7]), np.array([True]))
    assert fit_isotonic(one)(GRID) == pytest.approx(np.ones(41))
    assert fit_platt(one)(GRID) == pytest.approx(np.full(41, 2 / 3))


def test_a_missing_confidence_has_no_probability():
    for kind in Recalibration:
        assert math.isnan(fit(kind, graded(*world(3)))(np.array([math.nan]))[0])


def test_nothing_to_fit_on_is_refused():
    for kind in Recalibration:
        with pytest.raises(DataError, match="expected development items"):
            fit(kind, graded(np.zeros(0), np.zeros(0, dtype=bool)))


@pytest.mark.parametrize("kind", list(Recalibration))
def test_an_overconfident_judge_is_mended_on_items_that_were_not_fitted(kind):
    # Says .5 to 1, is right with half of the excess over .5: P(right) = .5 + (c - .5) / 2.
    rng = np.random.default_rng(0)
    confidence = 0.5 + rng.random(4000) / 2
    right = rng.random(4000) < 0.5 + (confidence - 0.5) / 2
    curve = fit(kind, graded(confidence[:2000], right[:2000]))
    raw = graded(confidence[2000:], right[2000:])
    mended = graded(curve(confidence[2000:]), right[2000:])
    assert ece(raw).value > 0.1 > 0.05 > ece(mended).value
    assert brier(mended).value < brier(raw).value
