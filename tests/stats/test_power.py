import math

import numpy as np
import pytest
from scipy import stats
from tests.seeds import on_each_seed

from venire.stats.paired import mcnemar_exact
from venire.stats.power import items_needed, mcnemar_power, smallest_difference


@on_each_seed(200)
def test_power_equals_the_sum_over_all_tables(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 16))
    discordance = float(rng.uniform(0.05, 1))
    difference = float(rng.uniform(-discordance, discordance)) if seed % 5 else discordance
    alpha = (0.05, 0.2)[seed % 2]
    shares = ((discordance - difference) / 2, (discordance + difference) / 2, 1 - discordance)
    expected = sum(
        stats.multinomial.pmf((b, c, n - b - c), n, np.clip(shares, 0, 1))
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if mcnemar_exact(b, c) <= alpha
    )
    assert mcnemar_power(n, discordance, difference, alpha=alpha) == pytest.approx(expected, abs=1e-9)


def test_power_equals_that_of_simulated_experiments():
    # 419 items, 60 of them discordant on average, 5 points apart: 2,000 experiments, standard error .011.
    rng = np.random.default_rng(1)
    first, second, _ = rng.multinomial(419, [0.045, 0.095, 0.86], size=2000).T
    p = np.minimum(2 * stats.binom.cdf(np.minimum(first, second), first + second, 0.5), 1)
    found = np.mean(p <= 0.05)
    assert mcnemar_power(419, 0.14, 0.05) == pytest.approx(found, abs=0.035)


def test_at_no_difference_power_is_the_level_at_most():
    assert 0.03 < mcnemar_power(419, 0.1, 0.0) <= 0.05


def test_the_smallest_difference_has_just_the_power_asked_for():
    found = smallest_difference(419, 0.1)
    assert mcnemar_power(419, 0.1, found) == pytest.approx(0.8, abs=1e-3)
    assert smallest_difference(419, 0.1, power=0.9) > found
    assert smallest_difference(419, 0.1, alpha=0.01) > found
    assert smallest_difference(1000, 0.1) < found


def test_five_items_that_all_differ_one_way_are_never_significant():
    # 2 / 2 ** 5 = .0625
    assert mcnemar_power(5, 1.0, 1.0) == 0.0
    assert math.isnan(smallest_difference(5, 1.0))
    assert mcnemar_power(6, 1.0, 1.0) == pytest.approx(1.0)


def test_the_items_needed_find_it_and_fewer_do_not():
    n = items_needed(0.1, 0.03)
    assert mcnemar_power(n, 0.1, 0.03) >= 0.8 > mcnemar_power(n - 1, 0.1, 0.03)
    # The normal approximation of Connor (1987): (1.96 sqrt(.1) + .8416 sqrt(.1 - .0009))^2 / .0009 = 868;
    # the exact test is conservative and takes more.
    assert 868 < n < 868 * 1.1


def test_more_than_the_discordance_cannot_be_found():
    assert items_needed(0.1, 0.11) == 0
    assert items_needed(0.1, 0.0) == 0
    assert items_needed(0.1, 0.00001) == 0
    assert mcnemar_power(0, 0.1, 0.1) == 0.0
    assert mcnemar_power(10, 0.0, 0.0) == 0.0


@on_each_seed(200)
def test_what_is_found_has_the_power_and_a_little_less_has_not(seed):
    rng = np.random.default_rng(seed)
    n, discordance = int(rng.integers(1, 200)), float(rng.uniform(0.05, 1))
    power = (0.5, 0.8, 0.9)[seed % 3]
    found = smallest_difference(n, discordance, power=power)
    if math.isnan(found):
        assert mcnemar_power(n, discordance, discordance) < power
        return
    assert mcnemar_power(n, discordance, found) >= power > mcnemar_power(n, discordance, found - 1e-3)
    needed = items_needed(discordance, found, power=power)
    assert mcnemar_power(needed, discordance, found) >= power > mcnemar_power(needed - 1, discordance, found)
