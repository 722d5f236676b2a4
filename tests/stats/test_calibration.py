"""Calibration metrics against scikit-learn, brute force and hand-made figures."""

import math
from itertools import permutations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score
from tests.seeds import on_each_seed

from venire.errors import DataError
from venire.stats.calibration import (
    MOST_VALUES,
    Binning,
    Bins,
    aurc,
    aurc_of,
    auroc,
    auroc_of,
    brier,
    brier_interval,
    brier_of,
    e_aurc,
    e_aurc_of,
    ece,
    ece_interval,
    graded,
    reliability,
    risk_coverage,
    with_interval,
)
from venire.stats.features import Cells
from venire.stats.intervals import Resampler

METRICS = (brier, ece, auroc, aurc, e_aurc)


def items(confidence, right):
    return graded(np.asarray(confidence, dtype=float), np.asarray(right, dtype=bool))


def world(seed, n=None):
    """Confidences with ties, and whether they were right."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(4, 200))
    confidence = rng.integers(0, 11, n) / 10 if seed % 2 else rng.random(n)
    right = rng.random(n) < 0.3 + 0.6 * confidence
    right[:2] = True, False
    return confidence, right


@on_each_seed(200)
def test_brier_and_auroc_equal_scikit_learn(seed):
    confidence, right = world(seed)
    assert brier(items(confidence, right)).value == pytest.approx(
        brier_score_loss(right, confidence), abs=1e-12
    )
    assert auroc(items(confidence, right)).value == pytest.approx(roc_auc_score(right, confidence), abs=1e-12)


@on_each_seed(200)
@pytest.mark.parametrize(
    ("kind", "strategy"), [(Binning.EQUAL_WIDTH, "uniform"), (Binning.EQUAL_MASS, "quantile")]
)
def test_bins_and_their_accuracy_equal_scikit_learn(seed, kind, strategy):
    # continuous confidences: an edge that falls on one may be rounded either way
    confidence, right = world(2 * seed)
    accuracy, mean = calibration_curve(right, confidence, n_bins=7, strategy=strategy)
    bins = reliability(items(confidence, right), Bins(7, kind))
    assert [each.accuracy for each in bins] == pytest.approx(list(accuracy))
    assert [each.confidence for each in bins] == pytest.approx(list(mean))
    gaps = sum(each.n * abs(each.confidence - each.accuracy) for each in bins)
    assert ece(items(confidence, right), Bins(7, kind)).value == pytest.approx(gaps / len(right))


def test_ece_by_hand():
    # .9: two of three right, gap |.9 - 2/3| = .2333; .6: one of two, gap .1. (3 * .2333 + 2 * .1) / 5 = .18
    found = ece(items([0.9, 0.9, 0.9, 0.6, 0.6], [1, 1, 0, 1, 0]))
    assert found.value == pytest.approx(0.18)
    assert found.note == "10 bins of equal width"


def test_the_binning_decides_the_ece():
    # One bin: mean confidence .5, accuracy .5, ECE 0. Two: .2 with accuracy 0 and .8 with accuracy 1: .2.
    both = items([0.2, 0.8], [0, 1])
    assert ece(both, Bins(1)).value == pytest.approx(0)
    assert ece(both, Bins(2)).value == pytest.approx(0.2)


def test_an_edge_belongs_to_the_bin_below_it():
    # .5 is in (0, .5] with .4, not in (.5, 1]: means .45 and .9
    bins = reliability(items([0.4, 0.5, 0.9], [1, 1, 1]), Bins(2))
    assert [(each.n, each.confidence) for each in bins] == [(2, 0.45), (1, 0.9)]


def test_equal_confidences_stay_in_one_bin_of_equal_mass():
    bins = reliability(items([0.5] * 7 + [0.9], [1] * 8), Bins(4, Binning.EQUAL_MASS))
    assert sorted(each.n for each in bins) == [1, 7]


def test_a_bin_has_wilson_s_interval():
    # 8 of 10 right: .490162 to .943318 (tests/stats/test_intervals.py)
    (only,) = reliability(items([0.75] * 10, [1] * 8 + [0] * 2))
    assert (only.accuracy, only.low, only.high) == pytest.approx((0.8, 0.490162, 0.943318), abs=1e-6)


def test_auroc_counts_ties_half_and_constants_tell_nothing():
    # pairs (right, wrong): .9 > .5 counts 1, .5 = .5 counts half: 1.5 of 2
    assert auroc(items([0.9, 0.5, 0.5], [1, 1, 0])).value == 0.75
    assert auroc(items([0.7] * 4, [1, 0, 1, 0])).value == 0.5


@pytest.mark.parametrize(("right", "word"), [([1, 1], "right"), ([0, 0], "wrong")])
def test_auroc_is_undefined_where_all_are_alike(right, word):
    found = auroc(items([0.2, 0.9], right))
    assert math.isnan(found.value)
    assert found.note == f"undefined: all are {word}: there is nothing to tell apart"


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_has_no_value_and_says_why(metric):
    found = metric(items([], []))
    assert math.isnan(found.value)
    assert found.note == "undefined: no item has a confidence"


def test_one_item_has_values_where_they_exist():
    one = items([0.8], [True])
    assert brier(one).value == pytest.approx(0.04)
    assert ece(one).value == pytest.approx(0.2)
    assert (aurc(one).value, e_aurc(one).value) == (0.0, 0.0)
    assert math.isnan(auroc(one).value)


@pytest.mark.parametrize("bad", [[1.2], [-0.1], [math.nan]])
def test_what_is_no_confidence_is_refused(bad):
    with pytest.raises(DataError, match="expected numbers from 0 to 1"):
        items(bad, [True])


def test_a_missing_confidence_is_refused():
    with pytest.raises(DataError, match="got 1 for 2"):
        items([0.5], [True, False])


def test_risk_falls_with_the_items_that_are_kept():
    curve = risk_coverage(items([0.9, 0.9, 0.7, 0.6], [1, 1, 0, 1]))
    assert list(curve.threshold) == [0.9, 0.7, 0.6]
    assert list(curve.coverage) == [0.5, 0.75, 1.0]
    assert list(curve.risk) == pytest.approx([0, 1 / 3, 1 / 4])


def test_aurc_by_hand():
    # right, wrong, right from the most confident down: risks 0, 1/2, 1/3, mean 5/18. The best order puts the
    # error last: 0, 0, 1/3, mean 1/9. Excess 5/18 - 2/18 = 1/6.
    found = items([0.9, 0.8, 0.7], [1, 0, 1])
    assert aurc(found).value == pytest.approx(5 / 18)
    assert e_aurc(found).value == pytest.approx(1 / 6)


def test_a_confidence_that_tells_nothing_has_the_error_rate_for_area():
    assert aurc(items([0.5] * 5, [1, 0, 0, 1, 0])).value == pytest.approx(0.6)


def test_aurc_is_the_mean_over_all_orders_of_equal_confidences():
    confidence, right = [0.9, 0.9, 0.9, 0.4, 0.4], [1, 0, 1, 0, 1]
    areas = []
    for order in permutations(range(5)):
        falling = sorted(order, key=lambda k: -confidence[k])  # stable: ties in this permutation's order
        wrong = np.cumsum([1 - right[k] for k in falling])
        areas.append((wrong / np.arange(1, 6)).mean())
    assert aurc(items(confidence, right)).value == pytest.approx(np.mean(areas))


def test_a_perfect_order_has_no_excess():
    assert e_aurc(items([0.9, 0.8, 0.3, 0.2], [1, 1, 0, 0])).value == pytest.approx(0)


@pytest.mark.parametrize("statistic", [auroc_of, aurc_of])
def test_the_bootstrap_repeats_the_statistic_on_every_draw(statistic):
    confidence, right = world(5, n=40)
    found = items(confidence, right)
    resampler = Resampler.draw(np.arange(40), 50, np.random.default_rng(0))
    sums = (resampler.counts @ Cells(found.flat[:, None], 2 * len(found.values)).dense).reshape(50, -1, 2)
    point = {auroc_of: auroc, aurc_of: aurc}[statistic]
    for draw, value in zip(resampler.counts.astype(int), statistic(sums), strict=True):
        again = items(np.repeat(confidence, draw), np.repeat(right, draw))
        assert value == pytest.approx(point(again).value)


def test_an_interval_is_over_the_items_that_have_a_confidence():
    confidence, right = world(7, n=120)
    resampler = Resampler.draw(np.arange(200), 500, np.random.default_rng(1))
    used = np.arange(200) < 120
    found = items(confidence, right)
    made = with_interval(found, auroc(found), auroc_of, resampler, used)
    assert made.low < made.value < made.high
    assert "bootstrap over 120 items" in made.note
    score = brier_interval(found, resampler, used)
    assert score.low < score.value < score.high
    assert score.value == pytest.approx(brier(found).value)


def test_too_many_distinct_confidences_have_no_interval_and_say_so():
    n = MOST_VALUES + 1
    found = items(np.linspace(0, 1, n), np.arange(n) % 2)
    resampler = Resampler.draw(np.arange(n), 2, np.random.default_rng(1))
    made = with_interval(found, aurc(found), aurc_of, resampler, np.full(n, True))
    assert math.isnan(made.low)
    assert made.note.startswith(f"no interval: {n} distinct confidences")


@pytest.mark.parametrize("kind", Binning)
def test_the_interval_of_the_ece_holds_the_bins_and_resamples_the_items(kind):
    # 40 items in a run of 50, each a cluster. Every draw's ECE by hand: gaps summed in the bins of the
    # whole, over the items drawn. BCa reads two of its quantiles.
    rng = np.random.default_rng(3)
    confidence, used = rng.choice([0.55, 0.7, 0.85, 0.95], 40), np.arange(50) >= 10
    right = rng.random(40) < confidence - 0.2
    whole, bins = items(confidence, right), Bins(4, kind)
    resampler = Resampler.draw(np.arange(50), 500, np.random.default_rng(4))
    found = ece_interval(whole, bins, resampler, used)
    where = bins.of(whole)[whole.cell]
    drawn = []
    for counts in resampler.counts[:, 10:]:
        gaps = [abs(np.sum(((confidence - right) * counts)[where == b])) for b in range(4)]
        drawn.append(sum(gaps) / counts.sum())
    assert found.value == ece(whole, bins).value
    assert min(drawn) < found.low < np.quantile(drawn, 0.3)
    assert np.quantile(drawn, 0.7) < found.high <= max(drawn)
    assert found.n == 40
    assert found.note.startswith(f"{bins}; 95% BCa bootstrap over 40 items, 500 draws")


def test_an_ece_without_draws_has_no_interval_and_nothing_has_no_ece():
    none = Resampler.draw(np.arange(2), 0, np.random.default_rng(0))
    alone = ece_interval(items([0.9, 0.8], [1, 0]), Bins(), none, np.full(2, True))
    assert math.isnan(alone.low)
    assert "no bootstrap draws" in alone.note
    assert not ece_interval(items([], []), Bins(), none, np.full(2, False)).is_defined


def area_by_hand(confidence, right):
    """The mean risk of the k most confident; of equal confidences each is as wrong as their mean."""
    falling, errors, risks = sorted({*confidence}, reverse=True), 0.0, []
    for value in falling:
        tied = [not r for c, r in zip(confidence, right, strict=True) if c == value]
        for _ in tied:
            errors += sum(tied) / len(tied)
            risks.append(errors / (len(risks) + 1))
    return np.mean(risks)


@on_each_seed(200)
def test_risks_and_areas_equal_plain_counting_also_with_ties_constants_and_one_item(seed):
    n = 1 if seed < 4 else None
    confidence, right = world(seed, n) if n is None else (np.array([0.5]), np.array([seed % 2 == 0]))
    if seed % 7 == 0:
        confidence = np.full(len(right), 0.5)
    if seed % 11 == 0:
        right = np.full(len(right), seed % 2 == 0)
    found = items(confidence, right)
    curve = risk_coverage(found)
    assert list(curve.threshold) == pytest.approx(sorted({*confidence}, reverse=True))
    for threshold, coverage, risk in zip(curve.threshold, curve.coverage, curve.risk, strict=True):
        kept = confidence >= threshold - 1e-9
        assert coverage == pytest.approx(kept.mean())
        assert risk == pytest.approx((~right[kept]).mean())
    area = area_by_hand(confidence, right)
    assert aurc(found).value == pytest.approx(area, abs=1e-12)
    best = area_by_hand(np.where(right, np.arange(len(right)) + len(right), np.arange(len(right))), right)
    assert e_aurc(found).value == pytest.approx(area - best, abs=1e-12)


@on_each_seed(200)
def test_every_draw_of_each_statistic_is_that_of_the_items_it_drew(seed):
    confidence, right = world(seed, n=int(np.random.default_rng(seed).integers(2, 40)))
    found = items(confidence, right)
    counts = np.random.default_rng(seed).multinomial(len(right), np.full(len(right), 1 / len(right)), size=3)
    for draw in counts:
        table = np.bincount(found.flat, weights=draw, minlength=2 * len(found.values)).reshape(-1, 2)
        again = items(np.repeat(confidence, draw), np.repeat(right, draw))
        assert brier_of(found.values, table) == pytest.approx(brier(again).value)
        assert auroc_of(table) == pytest.approx(auroc(again).value, nan_ok=True)
        assert aurc_of(table) == pytest.approx(aurc(again).value)
        assert e_aurc_of(table) == pytest.approx(e_aurc(again).value, abs=1e-12)
