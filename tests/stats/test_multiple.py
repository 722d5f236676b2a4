import math

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from tests.seeds import on_each_seed

from venire.stats.multiple import Correction, adjusted, family_size

THEIRS = {Correction.HOLM: "holm", Correction.BENJAMINI_HOCHBERG: "fdr_bh"}


@pytest.mark.parametrize("correction", THEIRS)
@on_each_seed(200)
def test_adjusted_p_equal_statsmodels_also_with_ties_and_gaps(seed: int, correction: Correction) -> None:
    rng = np.random.default_rng(seed)
    p = rng.random(int(rng.integers(1, 15))) ** 3
    if seed % 3 == 0:
        p = np.round(p, 1)
    p[rng.random(len(p)) < 0.2 * (seed % 2)] = math.nan
    tested = ~np.isnan(p)
    ours = np.array(adjusted(list(p), correction))
    assert list(np.isnan(ours)) == list(~tested)
    assert family_size(list(p)) == tested.sum()
    if tested.any():
        expected = multipletests(p[tested], method=THEIRS[correction])[1]
        assert ours[tested] == pytest.approx(expected, abs=1e-15)


def test_holm_by_hand() -> None:
    # .01 * 3, then the larger of that and .02 * 2, then .5 * 1
    assert adjusted([0.5, 0.01, 0.02], Correction.HOLM) == pytest.approx((0.5, 0.03, 0.04))
    assert adjusted([0.02, 0.03], Correction.HOLM) == pytest.approx((0.04, 0.04))
    assert adjusted([0.7, 0.6], Correction.HOLM) == (1.0, 1.0)


def test_benjamini_and_hochberg_by_hand() -> None:
    # .04 * 3/3; .03 * 3/2 = .045, above the .04 that follows; .01 * 3/1
    assert adjusted([0.01, 0.03, 0.04], Correction.BENJAMINI_HOCHBERG) == pytest.approx((0.03, 0.04, 0.04))


def test_a_family_of_one_is_not_corrected() -> None:
    assert [adjusted([0.03], each) for each in Correction] == [(0.03,)] * 3


def test_no_correction_is_none() -> None:
    assert adjusted([0.03, 0.04, math.nan], Correction.NONE)[:2] == (0.03, 0.04)


def test_an_empty_family_and_one_of_nothing_tested() -> None:
    assert adjusted([], Correction.HOLM) == ()
    assert math.isnan(adjusted([math.nan], Correction.HOLM)[0])
    assert family_size([math.nan]) == 0
