import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from venire.errors import ConfigError, DataError
from venire.metrics.measure import MetricSettings, measure
from venire.records import (
    Outcome,
    Preference,
    Ratings,
    Reason,
    Unscored,
    Winner,
)

LABELS = (Winner.FIRST, Winner.SECOND)


def run(instances, outcomes, labels=LABELS, seed=0, draws=200):
    return measure(instances, outcomes, labels=labels, seed=seed, settings=MetricSettings(draws=draws))


def test_both_orders_worked_by_hand(instances, outcomes):
    # gold      1 1 1 2 2 2
    # as given  1 1 2 2 2 1   4/6 right; table rows 1: 2,1; 2: 1,2; p_o 2/3, p_e 1/2, kappa 1/3
    # swapped   1 1 1 2 1 -   4/6 right; scored rows 1: 3,0; 2: 1,1; p_o 4/5, p_e (3*4+2*1)/25, kappa 6/11
    # same winner in both: items 0, 1, 3 (of 6), all of them right
    measured = run(instances("111222"), outcomes("112221", "11121-")).metrics
    assert measured["n"] == 6
    assert measured["accuracy/as_given"] == pytest.approx(4 / 6)
    assert measured["accuracy/swapped"] == pytest.approx(4 / 6)
    assert measured["accuracy"] == pytest.approx(4 / 6)
    assert measured["kappa/as_given"] == pytest.approx(1 / 3)
    assert measured["kappa/swapped"] == pytest.approx(6 / 11)
    assert measured["kappa"] == pytest.approx((1 / 3 + 6 / 11) / 2)
    assert measured["position_consistency"] == pytest.approx(3 / 6)
    assert measured["accuracy/consistent"] == 1.0
    assert measured["kappa/consistent"] == 1.0
    assert measured["accuracy/both_orders"] == pytest.approx(3 / 6)
    # Shown first and picked: as given winner 1 (0, 1, 5), swapped winner 2 (3); of 11 verdicts.
    assert measured["first_place_rate"] == pytest.approx(4 / 11)
    assert measured["coverage"] == pytest.approx(11 / 12)
    assert measured["unscored/total"] == measured["unscored/unparsed"] == 1
    assert measured["accuracy/worst"] == pytest.approx(8 / 12)
    assert measured["accuracy/best"] == pytest.approx(9 / 12)


def test_kappa_with_null_as_a_category_counts_unscored_items(instances, outcomes):
    # Gold 1122, verdicts 112-: p_o 3/4, p_e (2*2 + 2*1)/16 = 3/8, kappa (3/4 - 3/8)/(5/8) = .6.
    # Over scored items only: three of three right, kappa 1.
    measured = run(instances("1122"), outcomes("112-", "1122")).metrics
    assert measured["kappa_null_category/as_given"] == pytest.approx(0.6)
    assert measured["kappa/as_given"] == 1.0


def test_the_two_orders_agreement_is_a_kappa_of_its_own(instances, outcomes):
    # Winners 1122 and 1222: p_o 3/4, p_e (2*1 + 2*3)/16 = 1/2, kappa 1/2, whatever the gold is.
    measured = run(instances("1212"), outcomes("1122", "1222")).metrics
    assert measured["kappa/between_orders"] == pytest.approx(0.5)


def test_ties_are_no_correct_answer_and_no_first_place(instances, outcomes):
    measured = run(instances("12"), outcomes("tt", "1t", final="tt")).metrics
    assert measured["accuracy"] == pytest.approx(1 / 4)
    assert measured["accuracy/final"] == 0
    assert measured["coverage"] == 1
    assert measured["position_consistency"] == 0.5  # item 1 is a tie in both orders
    # One verdict picks a response: swapped, winner 1, which was shown second.
    assert measured["first_place_rate"] == 0


def test_a_gold_tie_can_be_judged_right(instances, outcomes):
    measured = run(instances("1t"), outcomes("1t", "1t"), labels=tuple(Winner)).metrics
    assert measured["accuracy"] == 1
    assert measured["kappa"] == 1


def test_an_instance_that_was_not_run_is_unscored_in_both_orders_and_not_correct(instances, outcomes):
    measured = run(instances("1212"), outcomes("121", "121"))
    assert measured.metrics["n"] == 4
    assert measured.metrics["accuracy"] == 0.75
    assert measured.metrics["unscored/not_run"] == 2
    assert measured.metrics["coverage"] == 0.75
    assert measured.metrics["accuracy/best"] == 1


def test_a_run_that_judged_nothing_is_measured(instances):
    measured = run(instances("12"), []).metrics
    assert measured["accuracy"] == 0
    assert measured["coverage"] == 0
    assert math.isnan(measured["kappa"])
    assert math.isnan(measured["calls/per_instance"])


def test_an_order_missing_from_one_outcome_is_unscored_there(instances, outcomes):
    measured = run(instances("12"), outcomes("12", "1.")).metrics
    assert measured["accuracy/as_given"] == 1
    assert measured["accuracy/swapped"] == 0.5
    assert measured["unscored/not_run"] == 1


def test_a_single_order_has_no_consistency_and_says_why(instances, outcomes):
    measured = run(instances("1212"), outcomes("1211", "...."))
    assert measured.metrics["accuracy"] == measured.metrics["accuracy/as_given"] == 0.75
    assert measured.metrics["kappa"] == measured.metrics["kappa/as_given"] == 0.5
    assert math.isnan(measured.metrics["accuracy/swapped"])
    assert math.isnan(measured.metrics["position_consistency"])
    assert "one order" in measured.notes["position_consistency"]
    assert measured.metrics["first_place_rate"] == 0.75


def test_an_interrupted_run_of_one_order_counts_the_rest_as_wrong_in_that_order(instances, outcomes):
    measured = run(instances("1212"), outcomes("12", "..")).metrics
    assert measured["accuracy"] == measured["accuracy/as_given"] == 0.5
    assert measured["coverage"] == 0.5


def test_an_order_drawn_for_each_instance_is_measured_over_its_own_part(instances, outcomes):
    measured = run(instances("1212"), outcomes("12..", "..11")).metrics
    assert measured["accuracy"] == 0.75
    assert measured["accuracy/as_given"] == 1
    assert measured["accuracy/swapped"] == 0.5
    assert measured["coverage"] == 1
    assert math.isnan(measured["position_consistency"])
    # As given: winner 1 of item 0; swapped: none (winner 1 was shown second); of four verdicts.
    assert measured["first_place_rate"] == 0.25


def test_a_method_without_orders_or_calls_is_measured_by_its_prediction(instances):
    outcomes = [Outcome("i000", Preference(Winner.FIRST)), Outcome("i001", Preference(Winner.FIRST))]
    measured = run(instances("12"), outcomes)
    assert measured.metrics["accuracy"] == measured.metrics["accuracy/final"] == 0.5
    assert math.isnan(measured.metrics["first_place_rate"])
    assert "no order" in measured.notes["first_place_rate"]
    assert measured.metrics["calls/total"] == 0
    assert measured.metrics["cost_usd/total"] == 0


def test_one_instance_is_measured(instances, outcomes):
    measured = run(instances("1"), outcomes("1", "1"))
    assert measured.metrics["accuracy"] == 1
    # Wilson over one item: 1 / (1 + z**2) = .206549.
    assert measured.metrics["accuracy/ci_low"] == pytest.approx(0.206549, abs=1e-6)
    assert math.isnan(measured.metrics["kappa"])
    assert "one label only" in measured.notes["kappa"]


def test_subsets_have_accuracy_with_interval_and_an_unweighted_mean(instances, outcomes):
    # Subset a: 3 of 3 right in both orders; b: 0 of 1. Macro 1/2 against micro 3/4.
    measured = run(instances("1212", subsets="aaab"), outcomes("1211", "1211")).metrics
    assert measured["accuracy/subset/a"] == 1
    assert measured["accuracy/subset/b"] == 0
    assert measured["accuracy/macro"] == 0.5
    assert measured["accuracy"] == 0.75
    assert measured["accuracy/subset/a/ci_high"] == 1
    assert measured["accuracy/subset/a/ci_low"] == pytest.approx(3 / (3 + 3.841459), abs=1e-6)
    assert measured["kappa/subset/a"] == 1
    assert measured["kappa/subset/b"] == 0  # constant but different labels
    assert "kappa/subset/a/ci_low" not in measured


def test_data_without_subsets_has_no_subset_metrics(instances, outcomes):
    measured = run(instances("12"), outcomes("12", "12")).metrics
    assert not [name for name in measured if "subset" in name or "macro" in name]


def test_joining_is_by_id_whatever_the_order(instances, outcomes):
    gold, verdicts = instances("1121221212"), outcomes("1122211212", "11-2121t12")
    straight = run(gold, verdicts)
    mixed_gold, mixed_verdicts = list(gold), list(verdicts)
    random.Random(4).shuffle(mixed_gold)
    random.Random(5).shuffle(mixed_verdicts)
    mixed = run(mixed_gold, mixed_verdicts)
    assert repr(straight.metrics) == repr(mixed.metrics)
    assert straight.notes == mixed.notes


def test_one_missing_verdict_moves_no_other_items_score(instances, outcomes):
    gold = instances("12121212", subsets="aaaabbbb")
    whole = run(gold, outcomes("12112212", "12121212")).metrics
    holed = run(gold, outcomes("-2112212", "12121212")).metrics
    assert holed["accuracy/subset/b"] == whole["accuracy/subset/b"]
    assert holed["accuracy"] == whole["accuracy"] - 1 / 16


def test_failures_in_one_arm_do_not_move_its_kappa_over_scored_items(instances, outcomes):
    # The first four items repeat in the last four, which are then lost.
    gold = instances("12121212")
    assert run(gold, outcomes("1211----", "1211----")).metrics["kappa"] == 0.5
    assert run(gold, outcomes("12111211", "12111211")).metrics["kappa"] == 0.5


@pytest.mark.parametrize("name", ["accuracy", "kappa", "position_consistency", "first_place_rate"])
def test_intervals_hold_their_value(instances, outcomes, name):
    rng = np.random.default_rng(1)
    gold = "".join(rng.choice(["1", "2"], 60))
    first, second = ("".join(g if rng.random() < 0.7 else "1" for g in gold) for _ in "ab")
    measured = run(instances(gold), outcomes(first, second), draws=500)
    low, high = measured.metrics[f"{name}/ci_low"], measured.metrics[f"{name}/ci_high"]
    assert low < measured.metrics[name] < high
    assert high - low < 0.5
    assert "95%" in measured.notes[name]


def test_same_seed_same_numbers_and_another_seed_other_intervals(instances, outcomes):
    gold, verdicts = instances("1212121212"), outcomes("1211121112", "1112221212")
    assert repr(run(gold, verdicts, seed=1)) == repr(run(gold, verdicts, seed=1))
    first, second = run(gold, verdicts, seed=1).metrics, run(gold, verdicts, seed=2).metrics
    assert first["kappa"] == second["kappa"]
    assert first["kappa/ci_low"] != second["kappa/ci_low"]


def test_repeated_prompts_are_resampled_as_clusters(instances, outcomes):
    measured = run(instances("12121212", clusters="aabbccdd"), outcomes("12111212", "12111212"))
    assert "4 clusters" in measured.notes["accuracy"]
    assert "4 clusters" in measured.notes["kappa"]
    assert "perhaps too narrow" in measured.notes["accuracy"]


def test_an_outcome_of_no_instance_is_an_error(instances, outcomes):
    with pytest.raises(DataError, match=r"2 of no instance.*'i001'"):
        run(instances("1"), outcomes("111", "111"))


def test_two_outcomes_of_one_instance_are_an_error(instances, outcomes):
    with pytest.raises(DataError, match="'i000' has two"):
        run(instances("1"), outcomes("1", "1") * 2)


def test_an_instance_id_that_occurs_twice_is_an_error(instances):
    with pytest.raises(DataError, match="'i000' 2 times"):
        run(instances("1") * 2, [])


def test_a_gold_label_that_is_not_declared_is_an_error(instances):
    with pytest.raises(DataError, match=r"'i001': expected one of response_1, response_2.*got tie"):
        run(instances("1t"), [])


def test_missing_gold_is_an_error(instances):
    first, second = instances("11")
    with pytest.raises(DataError, match=r"'i001'.*no gold"):
        run([first, replace(second, gold=None)], [])


def test_no_instance_at_all_is_an_error():
    with pytest.raises(DataError, match="at least one"):
        run([], [])


def test_a_pair_without_gold_is_an_error(instances):
    (pair,) = instances("1")
    with pytest.raises(DataError, match="expected a preference or ratings, got no gold"):
        run([replace(pair, gold=None)], [])


def test_ratings_against_a_preference_are_an_error(instances):
    with pytest.raises(DataError, match="expected preferences"):
        run(instances("1"), [Outcome("i000", Ratings({"fluency": 3.0}))])


@pytest.mark.parametrize("settings", [{"draws": -1}, {"level": 1.0}, {"level": 0.0}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigError, match=r"^(draws|level): expected "):
        MetricSettings(**settings)


def test_every_reason_is_counted_under_its_name(instances):
    reasons = list(Reason)
    outcomes = [Outcome(f"i{index:03d}", Unscored(reason)) for index, reason in enumerate(reasons)]
    measured = run(instances("1" * len(reasons)), outcomes).metrics
    assert {name for name in measured if name.startswith("unscored/")} == {
        "unscored/total",
        *(f"unscored/{reason}" for reason in Reason),
    }


def test_metrics_are_plain_floats(instances, outcomes):
    measured = run(instances("12"), outcomes("12", "1-"))
    assert all(type(value) is float for value in measured.metrics.values())
    assert json.loads(json.dumps(dict(measured.notes))) == measured.notes


def without_gold(made):
    return [replace(each, gold=None) for each in made]


def test_pairs_that_nobody_judged_have_what_needs_no_gold_and_nothing_else(instances, outcomes):
    # mapped back, 1 1, 1 2, 2 2, - 1: consistent 2 of 4; the one shown first is picked as given where 1 is
    # said, swapped where 2 is: 2 of 3 and 2 of 4
    pairs, judged = without_gold(instances("1111")), outcomes("112-", "1221")
    made = measure(pairs, judged, labels=(), seed=0, settings=MetricSettings(draws=20))
    assert made.metrics["position_consistency"] == 0.5
    assert made.metrics["first_place_rate"] == pytest.approx((2 + 2) / (3 + 4))
    assert made.metrics["coverage"] == 7 / 8
    assert made.metrics["unscored/unparsed"] == 1
    assert not [name for name in made.metrics if name.startswith(("accuracy", "kappa", "confidence"))]
    measure(pairs, (), labels=(), seed=0, settings=MetricSettings(draws=0))  # as before a run's first call


def test_the_win_rate_of_pairs_without_gold_is_corrected_by_the_labelled_ones(instances, outcomes):
    # Labelled: sensitivity 3/4, specificity 4/4; said 6 of 10: (.6 + 1 - 1) / (.75 + 1 - 1) = .8
    known = instances("11112222")
    development = list(zip(known, outcomes("11122222", "11122222"), strict=True))
    judged = outcomes("1111112222", "1111112222")
    pairs = [replace(each, gold=None) for each in instances("1" * 10)]
    made = measure(pairs, judged, labels=(), seed=0, development=development)
    assert made.metrics["win_rate/measured"] == 0.6
    assert made.metrics["win_rate/corrected"] == pytest.approx(0.8)
    assert made.metrics["win_rate/corrected/ci_low"] < 0.8 < made.metrics["win_rate/corrected/ci_high"]
    assert math.isnan(made.metrics["win_rate/gold"])
    assert "10 of the items have no human preference" in made.notes["win_rate/gold"]
    # with gold it is the same correction: nothing of the evaluated gold enters it
    labelled = measure(instances("2" * 10), judged, labels=tuple(Winner), seed=0, development=development)
    assert labelled.metrics["win_rate/corrected"] == made.metrics["win_rate/corrected"]
    assert labelled.metrics["win_rate/gold"] == 0


def test_pairs_of_which_some_have_no_gold_are_refused(instances):
    some = [*instances("1"), *(replace(each, id="other", gold=None) for each in instances("1"))]
    with pytest.raises(DataError, match="'other': expected a preference like the others, got no gold"):
        measure(some, [], labels=tuple(Winner), seed=0)
    with pytest.raises(DataError, match="got no gold"):
        measure([replace(some[0], id="z"), some[1]], [], labels=tuple(Winner), seed=0)
