import gzip
import json
import math
from collections import Counter

import pytest

from venire.errors import DataError
from venire.metrics.measure import MetricSettings, measure
from venire.records import (
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Response,
    Unscored,
    Vote,
    Winner,
)

LABELS = (Winner.FIRST, Winner.SECOND)


def run(instances, outcomes, draws=100):
    return measure(instances, outcomes, labels=LABELS, seed=0, settings=MetricSettings(draws=draws))


def test_each_judge_has_its_own_accuracy_kappa_and_coverage(instances, ballots):
    # Gold 1 2: a is right three times of four, b twice with one vote missing.
    outcomes = [ballots(0, {"a": "11", "b": "1-"}), ballots(1, {"a": "21", "b": "21"})]
    metrics = run(instances("12"), outcomes).metrics
    assert metrics["judge/a/accuracy"] == 0.75
    assert metrics["judge/a/accuracy/as_given"] == 1.0
    assert metrics["judge/a/accuracy/swapped"] == 0.5
    assert metrics["judge/b/accuracy"] == 0.5
    assert metrics["judge/b/coverage"] == 0.75
    assert metrics["judge/a/kappa"] == 0.5  # 1 as given; 0 swapped, where it always says 1


def test_the_best_judge_is_named_and_ties_go_to_the_first_name(instances, ballots):
    outcomes = [ballots(0, {"b": "11", "a": "11"}), ballots(1, {"b": "11", "a": "11"})]
    measured = run(instances("12"), outcomes)
    assert measured.metrics["panel/best_judge_accuracy"] == 0.5
    assert measured.notes["panel/best_judge_accuracy"].startswith("a,")
    assert measured.metrics["panel/best_judge_accuracy/swapped"] == 0.5


def test_the_order_of_the_judges_changes_nothing(instances, ballots):
    votes = [
        {"a": "12", "b": "11", "c": "2-"},
        {"a": "22", "b": "12", "c": "21"},
        {"a": "11", "b": "t1", "c": "12"},
    ]
    gold = instances("121")
    one = run(gold, [ballots(index, each) for index, each in enumerate(votes)]).metrics
    names = [name for name in one if name.startswith(("panel/", "judge/"))]
    backwards = [dict(reversed(each.items())) for each in votes]
    two = run(gold, [ballots(index, each) for index, each in enumerate(backwards)]).metrics
    assert repr([one[name] for name in names]) == repr([two[name] for name in names])


def test_panel_agreement_is_the_mean_of_the_orders(instances, ballots):
    # As given aa, ab, bb: Fleiss 1/3, alpha 4/9 (see tests/stats); swapped ab, ab, aa:
    # Fleiss: P 1/3, shares 4/6 and 2/6, P_e 5/9: -1/2; alpha: 1 - 5 * 4 / (36 - 16 - 4) = -1/4.
    outcomes = [
        ballots(0, {"a": "11", "b": "12"}),
        ballots(1, {"a": "11", "b": "22"}),
        ballots(2, {"a": "21", "b": "21"}),
    ]
    metrics = run(instances("121"), outcomes).metrics
    assert metrics["panel/fleiss_kappa"] == pytest.approx((1 / 3 - 1 / 2) / 2)
    assert metrics["panel/krippendorff_alpha"] == pytest.approx((4 / 9 - 1 / 4) / 2)


def test_verdicts_without_a_majority_are_counted_in_every_order(instances, ballots):
    # [1, unparsed, 2] and [1, tie, 2] have none; [1, 1, 2] has one; nobody voted is no case of it.
    outcomes = [ballots(0, {"a": "11", "b": "-t", "c": "22"}), ballots(1, {"a": "1-", "b": "1-", "c": "2-"})]
    assert run(instances("12"), outcomes).metrics["panel/no_majority"] == 2


def test_a_constant_judge_makes_effective_votes_undefined_and_is_named(instances, ballots):
    outcomes = [ballots(0, {"sure": "11", "b": "12"}), ballots(1, {"sure": "22", "b": "12"})]
    measured = run(instances("12"), outcomes)
    assert math.isnan(measured.metrics["panel/effective_votes"])
    assert measured.notes["panel/effective_votes"] == "undefined: right always or never: sure"
    assert math.isnan(measured.metrics["panel/error_correlation"])


def test_one_judge_is_no_panel(instances, ballots):
    metrics = run(instances("12"), [ballots(0, {"a": "11"}), ballots(1, {"a": "22"})]).metrics
    assert not [name for name in metrics if name.startswith(("panel/", "judge/"))]


def test_a_panel_in_one_order_is_measured(instances, ballots):
    outcomes = [
        ballots(i, {"a": x, "b": y})
        for i, (x, y) in enumerate([("1", "1"), ("1", "2"), ("2", "2"), ("2", "2")])
    ]
    metrics = run(instances("1221"), outcomes).metrics
    # Right: a 1 0 1 0, b 1 1 1 0: phi = (4*2 - 2*3)/sqrt(4*3) = .57735, 2/(1 + phi) = 1.26795.
    assert metrics["panel/effective_votes"] == pytest.approx(1.267949, abs=1e-6)
    assert metrics["panel/effective_votes/as_given"] == metrics["panel/effective_votes"]
    assert "panel/effective_votes/swapped" not in metrics


def test_two_votes_of_one_judge_in_one_order_are_an_error(instances):
    vote = Vote("a", Order.AS_GIVEN, Preference(Winner.FIRST))
    outcome = Outcome("i000", vote.prediction, {Order.AS_GIVEN: vote.prediction}, (vote, vote))
    with pytest.raises(DataError, match="votes of 'a': two on 'i000'"):
        run(instances("1"), [outcome])


def test_a_judge_that_did_not_vote_where_others_did_is_unscored(instances, ballots):
    outcomes = [ballots(0, {"a": "11", "b": "11"}), ballots(1, {"a": "22"})]
    metrics = run(instances("12"), outcomes).metrics
    assert metrics["judge/b/coverage"] == 0.5
    assert metrics["judge/b/accuracy"] == 0.5


PANEL = ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon")
SUBSETS = ("Natural", "Adversarial/Neighbor", "Adversarial/GPTInst", "Adversarial/GPTOut")
WINNERS = {1: Preference(Winner.FIRST), 2: Preference(Winner.SECOND), None: Unscored(Reason.UNPARSED)}


def recorded_five(root):
    """LLMBar without Manual: instances, and the plurality of the recorded five under Vanilla."""
    instances, votes = [], {}
    for subset in SUBSETS:
        rows = json.loads((root / "llmbar/Dataset/LLMBar" / subset / "dataset.json").read_text("utf-8"))
        for index, row in enumerate(rows):
            gold = PreferenceGold(WINNERS[row["label"]].winner)
            instances.append(Instance(f"{subset}/{index}", "", (Response("a"), Response("b")), gold, subset))
    with gzip.open(root / "llmbar_recorded/recorded.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["strategy"] == "Vanilla" and row["model"] in PANEL and row["subset"] in SUBSETS:
                order = Order.SWAPPED if row["swap"] else Order.AS_GIVEN
                vote = Vote(row["model"], order, WINNERS[row["winner"]])
                votes.setdefault(f"{row['subset']}/{row['index']}", []).append(vote)
    return instances, [plurality(name, cast) for name, cast in votes.items()]


def plurality(name, votes):
    by_order = {}
    for order in Order:
        usable = [
            v.prediction.winner for v in votes if v.order is order and isinstance(v.prediction, Preference)
        ]
        (winner, most), *rest = Counter(usable).most_common()
        alone = not rest or rest[0][1] < most
        by_order[order] = Preference(winner) if alone else Unscored(Reason.NO_MAJORITY)
    return Outcome(name, by_order[Order.AS_GIVEN], by_order, tuple(votes))


def test_the_recorded_five_have_the_effective_votes_of_little_more_than_two(data_root):
    # Accuracies of majority and best judge as stated with the recordings; the effective votes were recomputed
    # with numpy.corrcoef from the recorded verdicts, an unscored vote counting as not correct.
    measured = run(*recorded_five(data_root)).metrics
    assert measured["n"] == 373
    assert measured["accuracy/as_given"] == pytest.approx(0.598, abs=5e-4)
    assert measured["accuracy/swapped"] == pytest.approx(0.595, abs=5e-4)
    assert measured["panel/best_judge_accuracy/as_given"] == pytest.approx(0.836, abs=5e-4)
    assert measured["panel/best_judge_accuracy/swapped"] == pytest.approx(0.863, abs=5e-4)
    assert measured["panel/effective_votes/as_given"] == pytest.approx(2.2110, abs=5e-5)
    assert measured["panel/effective_votes/swapped"] == pytest.approx(2.2745, abs=5e-5)
    assert measured["panel/no_majority"] == 1
