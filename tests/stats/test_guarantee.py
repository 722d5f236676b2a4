"""Thresholds with a guarantee: the tests, what they certify, and what is chosen among it."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint
from tests.seeds import on_each_seed

from venire.errors import DataError
from venire.stats.guarantee import (
    StageScores,
    Start,
    certified,
    cheapest,
    delta_of_stage,
    least_cost,
    least_items,
    p_values,
    p_violated,
    passed,
    risk_bound,
    sequence,
    sufficient_items,
    widest,
)

NAN = math.nan


def scores(*stages, cost=None):
    """Each stage a list of (confidence, right)."""
    confidence = np.array([[c for c, _ in stage] for stage in stages], dtype=float).T
    right = np.array([[bool(r) for _, r in stage] for stage in stages]).T
    return StageScores(confidence, right, np.array(cost or [1.0] * len(stages)))


def items(n, errors, confidence=1.0):
    return [(confidence, k >= errors) for k in range(n)]


def test_p_is_the_exact_binomial_tail():
    # 2 wrong of 60 where a tenth is allowed: .9^60 + 60 * .1 * .9^59 + 1770 * .01 * .9^58 = .053045
    assert p_values(np.array(2), np.array(60), 0.1) == pytest.approx(0.053045, abs=1e-6)
    assert p_values(np.array(2), np.array(60), 0.1) == pytest.approx(
        binomtest(2, 60, 0.1, alternative="less").pvalue
    )
    assert p_violated(12, 60, 0.1) == pytest.approx(binomtest(12, 60, 0.1, alternative="greater").pvalue)
    assert p_violated(0, 0, 0.1) == 1.0


def test_the_bound_of_a_risk_is_clopper_and_pearson_s():
    # none wrong of n: 1 - delta^(1/n); 22 items, delta .1: 1 - .1^(1/22) = .099372
    assert risk_bound(0, 22, 0.1) == pytest.approx(0.099372, abs=1e-6)
    assert risk_bound(3, 50, 0.05) == pytest.approx(binomtest(3, 50).proportion_ci(0.9).high)
    assert (risk_bound(4, 4, 0.1), risk_bound(0, 0, 0.1)) == (1.0, 1.0)


@pytest.mark.parametrize(
    # smallest n with target^n <= delta
    ("target", "delta", "n"),
    [(0.9, 0.1, 22), (0.9, 0.05, 29), (0.8, 0.1, 11), (0.95, 0.05, 59), (0.5, 0.25, 2)],
)
def test_the_fewest_items_that_can_certify(target, delta, n):
    assert least_items(target, delta) == n
    assert target**n <= delta < target ** (n - 1)


def test_the_items_that_do_hang_on_the_truth():
    n = sufficient_items(0.9, 0.1, 0.95)
    assert n is not None

    def power(size):
        most = max((k for k in range(size) if binom.cdf(k, size, 0.1) <= 0.1), default=-1)
        return binom.cdf(most, size, 0.05)

    assert power(n) >= 0.8 > power(n - 1)
    assert sufficient_items(0.9, 0.1, 1.0) == 22
    assert sufficient_items(0.9, 0.1, 0.9) is None
    assert sufficient_items(0.9, 0.1, 0.9 + 1e-6) is None


def test_stages_share_delta_and_combinations_share_a_stage_s_part():
    # two stages with 1 and 2 levels before the third: 2 * 3 combinations, a third of delta each stage
    levels = [(1.0,), (1.0, 0.8), (0.9,)]
    assert [delta_of_stage(levels, k, 0.12) for k in range(3)] == pytest.approx([0.04, 0.02, 0.04 / 6])


def test_a_sequence_stops_at_its_first_failure():
    # 1.0: 30 right; .9: 30 more of which 10 wrong; .8: 100 right, which would pass again
    stage = [*items(30, 0, 1.0), *items(30, 10, 0.9), *items(200, 0, 0.8)]
    tests = sequence(scores(stage), 0, (1.0, 0.9, 0.8), np.full(260, True), target=0.9, delta=0.1)
    assert [(test.level, test.n, test.errors, test.certified) for test in tests] == [
        (1.0, 30, 0, True),
        (0.9, 60, 10, False),
    ]


def test_a_first_level_that_few_reach_closes_a_stage_unless_any_may_be_the_first():
    # 3 items at 1.0, too few for any test; 100 right at .9
    stage = [*items(3, 0, 1.0), *items(100, 0, 0.9)]
    made = scores(stage)
    (closed,) = certified(made, [(1.0, 0.9)], target=0.9, delta=0.1)
    assert closed.thresholds == (None,)
    found = widest(made, certified(made, [(1.0, 0.9)], target=0.9, delta=0.1, start=Start.ANY))
    assert found.thresholds == (0.9,)
    assert [test.delta for test in found.tests[0]] == [0.05, 0.05]


def test_what_a_passed_test_had_goes_on_to_the_next():
    stage = [*items(100, 0, 1.0), *items(100, 0, 0.9), *items(100, 90, 0.8), *items(300, 0, 0.7)]
    tests = sequence(
        scores(stage), 0, (1.0, 0.9, 0.8, 0.7), np.full(600, True), target=0.8, delta=0.1, start=Start.ANY
    )
    assert [test.delta for test in tests] == pytest.approx([0.025, 0.05, 0.075, 0.025])
    # 90 of 300 wrong at .8; 90 of 600 at .7 is .15, under .2
    assert [test.certified for test in tests] == [True, True, False, True]


def test_a_stage_below_chance_stays_closed_and_the_next_one_decides():
    below = items(100, 60)
    good = items(100, 1)
    found = widest(
        scores(below, good), certified(scores(below, good), [(1.0,), (1.0,)], target=0.9, delta=0.1)
    )
    assert found.thresholds == (None, 1.0)
    assert passed(scores(below, good), found.thresholds).decided == (0, 100)


def test_nothing_certified_leaves_every_stage_closed():
    bad = items(100, 40)
    (only,) = certified(scores(bad), [(1.0, 0.5)], target=0.9, delta=0.1)
    assert only.thresholds == (None,)
    assert passed(scores(bad), only.thresholds).left == 100


def test_a_later_stage_is_tested_on_what_reaches_it():
    # The second judge is right on 100 easy items and wrong on a third of the 60 hard ones that it would get.
    easy = [*items(100, 0, 1.0), *items(60, 0, 0.5)]
    later = [*items(100, 0, 1.0), *items(60, 20, 1.0)]
    made = certified(scores(easy, later), [(1.0,), (1.0,)], target=0.8, delta=0.1)
    # alone it has 140 of 160 right, which certifies .8; behind the first stage it must stay closed
    assert {each.thresholds for each in made} == {(None, None), (None, 1.0), (1.0, None)}
    assert widest(scores(easy, later), made).thresholds == (None, 1.0)


def test_no_verdict_is_never_confident():
    stage = [(NAN, False)] * 5 + [(1.0, True)] * 30
    outcome = passed(scores(stage), (0.1,))
    assert (outcome.reached, outcome.decided, outcome.errors, outcome.left) == ((35,), (30,), (0,), 5)


def test_no_item_certifies_nothing():
    empty = StageScores(np.zeros((0, 1)), np.zeros((0, 1), dtype=bool), np.ones(1))
    (only,) = certified(empty, [(1.0,)], target=0.9, delta=0.1)
    assert only.thresholds == (None,)
    assert math.isnan(passed(empty, (None,)).cost(empty.cost))


def test_a_mean_of_votes_that_misses_its_level_by_an_ulp_reaches_it():
    assert passed(scores([(0.1 + 0.2, True)]), (0.3,)).decided == (1,)
    assert passed(scores([(0.3 - 1e-17, True)]), (0.3,)).decided == (1,)
    assert passed(scores([(0.299, True)]), (0.3,)).decided == (0,)


def test_of_equal_coverage_the_cheaper_is_taken():
    both = items(200, 0), items(200, 0)
    for cost, thresholds in (([1.0, 5.0], (1.0, None)), ([5.0, 1.0], (None, 1.0))):
        made = scores(*both, cost=cost)
        found = certified(made, [(1.0,), (1.0,)], target=0.9, delta=0.1)
        assert widest(made, found).thresholds == thresholds


def test_the_cheapest_weighs_people_against_judges():
    # the stage decides all 100 for 1 each; people take 100 for 3 or for .5 each
    made = scores(items(100, 0))
    found = certified(made, [(1.0,)], target=0.9, delta=0.1)
    assert cheapest(made, found, people=3.0).thresholds == (1.0,)
    assert cheapest(made, found, people=0.5).thresholds == (None,)


def test_least_cost_prices_errors_and_has_no_guarantee():
    # .9: 10 right for sure; .6: 10 items, 4 wrong. People cost 2, the stage 1 an item asked.
    made = scores([*items(10, 0, 0.9), *items(10, 4, 0.6)])
    levels = [(0.9, 0.6)]
    # error 1: threshold .9 costs 1 + 10 * 2 / 20 = 2; .6 costs 1 + 4 / 20 = 1.2
    assert least_cost(made, levels, people=2.0, error=1.0) == (0.6,)
    # error 10: .6 costs 1 + 40 / 20 = 3; closed costs 2; .9 costs 2 and decides more
    assert least_cost(made, levels, people=2.0, error=10.0) == (0.9,)


def test_an_unknown_cost_is_no_number():
    made = scores(items(10, 0), cost=[NAN])
    assert math.isnan(passed(made, (1.0,)).cost(made.cost))
    assert passed(made, (None,)).cost(made.cost, people=2.0) == 2.0


@pytest.mark.parametrize("levels", [[()], [(0.5, 0.9)], [(0.5, 0.5)], [(1.2,)], [(0.0,)]])
def test_levels_that_are_none_are_refused(levels):
    with pytest.raises(DataError, match="levels: expected some numbers above 0, up to 1, that fall"):
        certified(scores(items(5, 0)), levels, target=0.9, delta=0.1)


def test_levels_of_another_number_of_stages_are_refused():
    with pytest.raises(DataError, match="expected those of 1 stages, got 2"):
        certified(scores(items(5, 0)), [(1.0,), (1.0,)], target=0.9, delta=0.1)


@pytest.mark.parametrize("start", list(Start))
def test_the_guarantee_holds_where_every_stage_lies_on_the_edge(start):
    # Every level has the risk that is just not allowed: any open stage is a violation. 2,000 development
    # sets of 120 items, delta .1; 4 standard errors: .1 + 4 * sqrt(.09 / 2000) = .127
    rng = np.random.default_rng(11)
    violations = 0
    for _ in range(2000):
        confidence = rng.choice([0.6, 0.8, 1.0], size=(120, 2))
        made = StageScores(confidence, rng.random((120, 2)) < 0.8 - 1e-9, np.ones(2))
        found = certified(made, [(1.0, 0.8, 0.6)] * 2, target=0.8, delta=0.1, start=start)
        violations += any(level is not None for level in widest(made, found).thresholds)
    assert 0.02 < violations / 2000 < 0.127


def random_world(rng):
    """One to three stages with ties, missing verdicts and costs; levels, target, delta and start."""
    stages, n = int(rng.integers(1, 4)), int(rng.integers(0, 90))
    grid = np.array([1.0, 0.9, 0.8, 0.6])
    levels = [
        tuple(sorted(rng.choice(grid, int(rng.integers(1, 4)), False), reverse=True)) for _ in range(stages)
    ]
    confidence = rng.choice([*grid, 0.5, NAN], size=(n, stages))
    right = (rng.random((n, stages)) < rng.uniform(0.5, 1, stages)) & ~np.isnan(confidence)
    target, delta = float(rng.choice([0.6, 0.7, 0.8])), float(rng.choice([0.1, 0.3]))
    return (
        StageScores(confidence, right, rng.random(stages)),
        levels,
        target,
        delta,
        list(Start)[int(rng.integers(2))],
    )


def followed(world, thresholds):
    """Item by item: how many each stage is asked about, decides, and decides wrongly."""
    counts = [[0, 0, 0] for _ in thresholds]
    for confidence, right in zip(world.confidence.tolist(), world.right.tolist(), strict=True):
        for stage, threshold in enumerate(thresholds):
            if threshold is None:
                continue
            counts[stage][0] += 1
            if confidence[stage] >= threshold - 1e-9:
                counts[stage][1] += 1
                counts[stage][2] += not right[stage]
                break
    return counts


def tail(errors, n, risk):
    """P(Binomial(n, risk) <= errors), term by term."""
    return math.fsum(math.comb(n, k) * risk**k * (1 - risk) ** (n - k) for k in range(errors + 1))


def certifies(world, levels, target, delta, start, thresholds):
    """Whether each open stage's level is reached by its own sequence, whatever opened before it."""
    for stage, threshold in enumerate(thresholds):
        if threshold is None:
            continue
        part = delta / len(levels) / math.prod(len(each) + 1 for each in levels[:stage])
        budget, share = (part, 0.0) if start is Start.FIRST else (0.0, part / len(levels[stage]))
        for level in levels[stage]:
            _, n, errors = followed(world, [*thresholds[:stage], level])[stage]
            budget += share
            passes = n > 0 and budget > 0 and tail(errors, n, 1 - target) <= budget
            budget = budget if passes else 0.0
            if level == threshold:
                break
        if not passes:
            return False
    return True


@on_each_seed(200)
def test_what_is_certified_and_chosen_equals_a_search_item_by_item(seed):
    world, levels, target, delta, start = random_world(np.random.default_rng(seed))
    every = list(itertools.product(*((None, *each) for each in levels)))
    expected = [each for each in every if certifies(world, levels, target, delta, start, each)]
    made = certified(world, levels, target=target, delta=delta, start=start)
    assert {each.thresholds for each in made} == set(expected)
    assert len(made) == len(expected)
    for thresholds in every:
        found = passed(world, thresholds)
        assert list(map(list, zip(found.reached, found.decided, found.errors, strict=True))) == followed(
            world, thresholds
        )

    def decided(thresholds):
        return sum(each[1] for each in followed(world, thresholds))

    assert decided(widest(world, made).thresholds) == max(map(decided, expected))

    def cost(thresholds, error=0.0):
        counts = followed(world, thresholds)
        asked = sum(each[0] * price for each, price in zip(counts, world.cost.tolist(), strict=True))
        left = world.n - decided(thresholds)
        return (asked + 1.5 * left + error * sum(each[2] for each in counts)) / world.n

    if world.n:
        least = cost(cheapest(world, made, people=1.5).thresholds)
        assert least == pytest.approx(min(map(cost, expected)))
        priced = least_cost(world, levels, people=1.5, error=2.0)
        assert cost(priced, 2.0) == pytest.approx(min(cost(each, 2.0) for each in every))


def test_p_and_bounds_equal_scipy_and_statsmodels_on_200_counts():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 300))
        errors, risk, delta = int(rng.integers(0, n + 1)), rng.uniform(0.02, 0.5), rng.uniform(0.01, 0.3)
        less, greater = (binomtest(errors, n, risk, alternative=side).pvalue for side in ("less", "greater"))
        assert p_values(np.array(errors), np.array(n), risk) == pytest.approx(less)
        assert p_violated(errors, n, risk) == pytest.approx(greater)
        bound = 1.0 if errors == n else proportion_confint(errors, n, 2 * delta, method="beta")[1]
        assert risk_bound(errors, n, delta) == pytest.approx(bound)
