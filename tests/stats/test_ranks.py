import math

import numpy as np
import pytest
from scipy import stats
from tests.seeds import on_each_seed

from venire.stats.ranks import correlation_of_ranks, mean_of_ranks, rank_features


@pytest.mark.filterwarnings("ignore")  # scipy warns of constant sides
@on_each_seed(200)
def test_it_is_spearmans_rho_also_with_ties_constants_gaps_and_one_item(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 1 if seed < 3 else int(rng.integers(2, 40))
    first, second = (rng.integers(0, (2, 5, 1)[seed % 3], size=n).astype(float) for _ in range(2))
    if seed % 4 == 0:
        first = rng.normal(size=n)
    if seed % 2:
        first[rng.random(n) < 0.2] = math.nan
    there = ~np.isnan(first)
    expected = stats.spearmanr(first[there], second[there]).statistic if there.sum() > 1 else math.nan
    ours = correlation_of_ranks(rank_features(first, second).sum(axis=0))
    assert ours == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_a_mean_over_dimensions_is_undefined_where_one_is() -> None:
    up, flat = np.arange(6.0), np.zeros(6)
    both = np.hstack([rank_features(up, up), rank_features(up, -up)])
    assert mean_of_ranks(both.sum(axis=0)) == pytest.approx(0.0)
    lacking = np.hstack([rank_features(up, up), rank_features(flat, up)])
    assert math.isnan(mean_of_ranks(lacking.sum(axis=0)))


def test_another_scale_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 30))
    assert rank_features(first, second) == pytest.approx(rank_features(np.exp(first) * 100, second))


@pytest.mark.filterwarnings("ignore")  # scipy warns of constant sides
@on_each_seed(200)
def test_a_mean_over_dimensions_is_that_of_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    pairs = [rng.integers(0, (4, 2)[seed % 5 == 0], size=(2, n)).astype(float) for _ in range(3)]
    expected = np.mean([stats.spearmanr(*pair).statistic for pair in pairs])
    ours = mean_of_ranks(np.hstack([rank_features(*pair) for pair in pairs]).sum(axis=0))
    assert ours == pytest.approx(expected, abs=1e-9, nan_ok=True)
