"""The study of intervals and tests, in small: it can fail, and its worlds are what it takes them for."""

from functools import partial

import numpy as np
import pytest
from benchmarks.bootstrap import features_of, intervals, verdicts
from benchmarks.interval_study import (
    Case,
    Draws,
    any_false,
    difference_covers,
    hits_of,
    kappa_gap_covers,
    kappa_of,
    labels,
    mcnemar_rejects,
    of_clusters,
    of_items,
    paired_gaps,
    sign_flip_rejects,
    tost_rejects,
)
from sklearn.metrics import cohen_kappa_score

from venire.stats.intervals import Resampler, bootstrap, ratio
from venire.stats.multiple import ALPHA, Correction


def test_the_worlds_have_the_truth_that_is_looked_for() -> None:
    rng = np.random.default_rng(1)
    for clusters, size in ((40_000, 1), (20_000, 4)):
        # standard deviation below .4, so a standard error below .003
        assert paired_gaps(rng, clusters, size, 0.04, 0.10).mean() == pytest.approx(0.06, abs=0.01)
    gold, (said,) = labels(rng, 100_000, [0.8])
    assert kappa_of(0.8) == pytest.approx(cohen_kappa_score(gold, said), abs=0.01)


def test_bootstrap_intervals_of_a_hundred_items_cover() -> None:
    draws = Draws(of_items(100))
    for hit in (partial(difference_covers, draws, 100, 1), partial(kappa_gap_covers, draws, 100)):
        # 150 worlds: of 95% at least 134 with all but 1 in 1,000
        assert Case("c", "", hit, 0.93, 0.97).holds(hits_of(Case("c", "", hit), 150, 0), 150)


def test_few_clusters_fall_short_and_the_study_sees_it() -> None:
    draws = Draws(of_clusters(6, 4))
    hit = partial(difference_covers, draws, 6, 4)
    hits = hits_of(Case("c", "", hit), 200, 0)
    assert not Case("c", "", hit, 0.93, 0.97).holds(hits, 200)
    cluster = of_clusters(6, 4)
    found = bootstrap(np.column_stack([np.arange(24.0), np.ones(24)]), ratio, draws(np.random.default_rng(0)))
    assert "fewer than 50 clusters: perhaps too narrow" in found.note
    assert len(cluster) == 24


def test_exact_tests_reject_no_more_than_they_may_and_a_wrong_level_is_seen() -> None:
    for hit in (
        partial(mcnemar_rejects, 419, 0.1),
        partial(sign_flip_rejects, of_items(100), 100),
        partial(tost_rejects, 100, 0.05),
    ):
        case = Case("c", "", hit, high=ALPHA)
        assert case.holds(hits_of(case, 300, 0), 300)
    # scipy.stats.binom.ppf(.999, 300, .05) is 28
    assert not case.holds(29, 300)
    assert case.holds(28, 300)


def test_holm_keeps_the_family_and_no_correction_does_not() -> None:
    holm, none = (
        hits_of(Case("c", "", partial(any_false, correction, 0)), 100, 0)
        for correction in (Correction.HOLM, Correction.NONE)
    )
    case = Case("c", "", partial(any_false, Correction.HOLM, 0), high=ALPHA)
    assert case.holds(holm, 100)
    assert not case.holds(none, 100)


def test_the_benchmarks_intervals_are_those_of_single_bootstraps() -> None:
    made = verdicts()
    found = intervals(made, np.random.default_rng(1), draws=500)
    right, _ = features_of(made)
    resampler = Resampler.draw(of_items(len(made.gold)), 500, np.random.default_rng(1))
    assert found[3] == bootstrap(right[3], ratio, resampler)
    both = np.hstack([right[0], right[4]])
    alone = bootstrap(both, lambda sums: ratio(sums[..., 2:]) - ratio(sums[..., :2]), resampler)
    assert (found[23].low, found[23].high) == pytest.approx((alone.low, alone.high))
    assert len(found) == 38
