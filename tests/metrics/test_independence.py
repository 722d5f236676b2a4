import math

import numpy as np
import pytest
from tests.seeds import on_each_seed

from venire.metrics.estimators import Estimator
from venire.metrics.independence import BOTH, ONLY, independence_of
from venire.metrics.join import CODE
from venire.metrics.measure import MetricSettings, measure
from venire.metrics.panel import bench_of
from venire.records import Outcome, Preference, PreferenceGold, Vote, Winner
from venire.stats.intervals import Resampler

LABELS = (Winner.FIRST, Winner.SECOND)


def report(gold, outcomes, subset=(), draws=200, seed=0):
    codes = np.array(
        [CODE[instance.gold.winner] for instance in gold if isinstance(instance.gold, PreferenceGold)]
    )
    drawn = Resampler.draw(np.arange(len(gold)), draws, np.random.default_rng(seed))
    return independence_of(bench_of(outcomes), Estimator(codes, drawn, 0.95), subset)


@pytest.fixture
def three(instances, ballots):
    """Gold all 1. As given a right on all but the last, b on 1 and 2, c on 1 and 3; swapped all are right."""
    votes = [
        {"a": "11", "b": "11", "c": "11"},
        {"a": "11", "b": "11", "c": "21"},
        {"a": "11", "b": "21", "c": "11"},
        {"a": "21", "b": "21", "c": "21"},
    ]
    return instances("1111"), [ballots(index, each) for index, each in enumerate(votes)]


def test_numbers_of_one_order_worked_by_hand(three):
    view = report(*three)[0]
    assert view.view == "as_given"
    assert [each.value for each in view.accuracy] == [0.75, 0.5, 0.5]
    assert view.majority.value == 0.75
    # Shares 3/4, 1/2, 1/2: three right 3/16; two: 3/16 + 3/16 + 1/16.
    assert view.expected.value == pytest.approx(10 / 16)
    assert view.gap.value == pytest.approx(2 / 16)
    # phi of a and b: (1/2 - 3/8) / sqrt(3/16 * 1/4) = .57735, of a and c the same, of b and c 0.
    assert view.errors[0, 1] == pytest.approx(0.57735, abs=1e-5)
    assert view.correlation.value == pytest.approx(2 * 0.57735 / 3, abs=1e-5)
    assert view.votes.value == pytest.approx(3 / (1 + 2 * 2 * 0.57735 / 3), abs=1e-4)
    assert view.best == "a"
    assert view.lead.value == 0.0


def test_without_a_judge_half_may_be_right_and_a_coin_decides(three):
    without = {each.judge: each for each in report(*three)[0].without}
    # Without a: b and c are both right on the first alone, one of them on two more.
    assert without["a"].majority.value == 0.25
    assert without["a"].with_coin.value == 0.5
    assert without["a"].change.value == -0.25
    assert without["a"].correlation.value == pytest.approx(0.0, abs=1e-12)
    assert without["a"].votes.value == pytest.approx(2.0)
    # Without b: a and c are both right on 1 and 3, one of them on 2.
    assert without["b"].majority.value == 0.5
    assert without["b"].with_coin.value == 0.625


def test_two_orders_have_a_view_each_and_their_mean(three):
    as_given, swapped, both = report(*three)
    assert (swapped.view, both.view) == ("swapped", BOTH)
    assert swapped.majority.value == 1.0
    assert swapped.expected.value == 1.0
    assert both.majority.value == pytest.approx((as_given.majority.value + 1) / 2)
    assert both.gap.value == pytest.approx(as_given.gap.value / 2)


def test_judges_that_are_always_right_leave_votes_undefined_and_are_named(three):
    swapped = report(*three)[1]
    assert math.isnan(swapped.votes.value)
    assert swapped.votes.note == "undefined: right always or never: a, b, c"
    assert np.isnan(swapped.errors).all()


def test_a_missing_vote_is_not_right(instances, ballots):
    view = report(
        instances("11"),
        [ballots(0, {"a": "1", "b": "-", "c": "1"}), ballots(1, {"a": "-", "b": "1", "c": "2"})],
    )[0]
    assert view.view == ONLY
    assert [each.value for each in view.accuracy] == [0.5, 0.5, 0.5]
    assert view.majority.value == 0.5


def test_within_subsets_shared_difficulty_explains_the_gap(instances, ballots):
    # All three right on x, none on y: within a subset there is nothing left to explain.
    outcomes = [ballots(i, dict.fromkeys("abc", "1" if i < 2 else "2")) for i in range(4)]
    view = report(instances("1111"), outcomes, subset=["x", "x", "y", "y"])[0]
    assert view.majority.value == 0.5
    assert view.expected.value == 0.5  # .5 of each: .125 + .375
    assert view.expected_within.value == 0.5
    one_subset = report(instances("1111"), outcomes, subset=["x"] * 4)[0]
    assert math.isnan(one_subset.expected_within.value)
    assert "fewer than two subsets" in one_subset.expected_within.note


def test_two_judges_leave_one_which_has_no_correlation(instances, ballots):
    outcomes = [
        ballots(0, {"a": "1", "b": "1"}),
        ballots(1, {"a": "1", "b": "2"}),
        ballots(2, {"a": "2", "b": "1"}),
    ]
    (view,) = report(instances("111"), outcomes)
    assert view.majority.value == pytest.approx(1 / 3)
    assert view.without[0].majority.value == pytest.approx(2 / 3)
    assert view.without[0].votes.note == "undefined: needs two judges"


def random_panel(seed):
    rng = np.random.default_rng(seed)
    n, judges = int(rng.integers(2, 30)), int(rng.integers(2, 6))
    right = rng.random((n, judges)) < rng.uniform(0.2, 0.9, judges)
    outcomes = [
        Outcome(
            f"i{i:03d}",
            Preference(Winner.FIRST, None),
            {},
            tuple(
                Vote(f"j{j}", None, Preference(Winner.FIRST if right[i, j] else Winner.SECOND, None))
                for j in range(judges)
            ),
        )
        for i in range(n)
    ]
    return right.astype(float), outcomes


@on_each_seed(200)
def test_random_panels_equal_plain_counting(seed, instances):
    right, outcomes = random_panel(seed)
    n, judges = right.shape
    (view,) = report(instances("1" * n), outcomes, draws=0)
    assert [each.value for each in view.accuracy] == pytest.approx(right.mean(axis=0))
    assert view.majority.value == pytest.approx(np.mean(2 * right.sum(axis=1) > judges))
    for place, each in enumerate(view.without):
        others = np.delete(right, place, axis=1)
        more, half = 2 * others.sum(axis=1) > judges - 1, 2 * others.sum(axis=1) == judges - 1
        assert each.majority.value == pytest.approx(more.mean())
        assert each.with_coin.value == pytest.approx(more.mean() + half.mean() / 2)
    for i in range(judges):
        for j in range(judges):
            if np.ptp(right[:, i]) and np.ptp(right[:, j]):
                expected = np.corrcoef(right[:, i], right[:, j])[0, 1]
                assert view.errors[i, j] == pytest.approx(expected, abs=1e-9)
            else:
                assert np.isnan(view.errors[i, j])
    best = right[:, view.judges.index(view.best)].mean()
    assert best == right.mean(axis=0).max()
    assert view.lead.value == pytest.approx(best - view.majority.value)


def test_the_same_draws_give_the_same_intervals_and_other_draws_others(instances):
    right, outcomes = random_panel(3)
    gold = instances("1" * len(right))
    one, two, other = (report(gold, outcomes, seed=seed)[0].gap for seed in (0, 0, 1))
    assert (one.low, one.high) == (two.low, two.high)
    assert (one.low, one.high) != (other.low, other.high)


def test_a_run_logs_the_majority_beside_its_expectation(three):
    metrics = measure(*three, labels=LABELS, seed=0, settings=MetricSettings(draws=50)).metrics
    assert metrics["panel/majority_accuracy/as_given"] == 0.75
    assert metrics["panel/independent_accuracy/as_given"] == pytest.approx(10 / 16)
    assert metrics["panel/independence_gap/as_given"] == pytest.approx(2 / 16)
    assert metrics["panel/independence_gap"] == pytest.approx(1 / 16)
    assert not math.isnan(metrics["panel/independence_gap/as_given/ci_low"])
