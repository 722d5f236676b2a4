import math

import numpy as np
import pytest
from scipy.stats import false_discovery_control, ttest_1samp, wilcoxon
from tests.seeds import on_each_seed

from venire.stats.alt_test import (
    AltTestSettings,
    alt_test,
    below,
    benjamini_yekutieli,
    minus_rmse,
    share_equal,
)

# Three annotators, four items; the judge says what the majority says.
HUMANS = {
    "ann": {"1": "x", "2": "x", "3": "y", "4": "y"},
    "bob": {"1": "x", "2": "x", "3": "y", "4": "x"},
    "cy": {"1": "y", "2": "x", "3": "x", "4": "y"},
}
JUDGE = {"1": "x", "2": "x", "3": "y", "4": "y"}
SMALL = AltTestSettings(min_items=1)


def test_the_worked_example_by_hand():
    # ann aside: others 1 {x, y}, 2 {x, x}, 3 {y, x}, 4 {x, y}; judge and ann say the same: all ties.
    # bob aside: others 1 {x, y}, 2 {x, x}, 3 {y, x}, 4 {y, y}; 1 to 3 alike; on 4 judge 1, bob 0.
    #   judge ahead 4/4, bob ahead 3/4; d = 0 0 0 -1.
    # cy aside: others 1 {x, x}, 2 {x, x}, 3 {y, y}, 4 {y, x}; judge 1 1 1 .5, cy 0 1 0 .5.
    #   judge ahead 4/4, cy ahead 2/4; d = -1 0 -1 0.
    found = alt_test(HUMANS, JUDGE, share_equal, SMALL)
    ann, bob, cy = found.against
    assert (ann.judge_ahead, ann.annotator_ahead) == (1.0, 1.0)
    assert (bob.judge_ahead, bob.annotator_ahead) == (1.0, 0.75)
    assert (cy.judge_ahead, cy.annotator_ahead) == (1.0, 0.5)
    assert found.advantage == 1.0
    # ann: no difference varies and 0 < .2. Wilcoxon on d - .2: bob -.2 -.2 -.2 -1.2, cy -1.2 -.2 -1.2 -.2:
    # all four are negative, so exact p = 1/2^4.
    assert (ann.p, ann.test) == (0.0, "constant")
    assert (bob.p, bob.test) == (pytest.approx(1 / 16), "Wilcoxon")
    assert (cy.p, cy.test) == (pytest.approx(1 / 16), "Wilcoxon")
    # BY at q .05, m 3, harmonic 11/6: thresholds .0091, .0182, .0273: ann alone.
    assert [each.won for each in found.against] == [True, False, False]
    assert found.winning_rate == pytest.approx(1 / 3)
    assert not found.passes


def test_with_two_annotators_the_judge_is_held_against_the_other_one():
    humans = {"A1": {"1": 2.0, "2": 4.0}, "A2": {"1": 3.0, "2": 4.0}}
    found = alt_test(humans, {"1": 3.0, "2": 2.0}, minus_rmse, SMALL)
    # A1 aside, A2 says 3, 4: judge 0, -2; A1 -1, 0. A2 aside, A1 says 2, 4: judge -1, -2; A2 -1, 0.
    assert [each.judge_ahead for each in found.against] == [0.5, 0.5]
    assert [each.annotator_ahead for each in found.against] == [0.5, 1.0]


def test_scores_of_labels_and_ratings():
    assert share_equal("x", ["x", "y", "x"]) == pytest.approx(2 / 3)
    # squares of 3 - 1 and 3 - "4": 4 and 1, mean 2.5
    assert minus_rmse(3.0, [1.0, 4.0]) == pytest.approx(-math.sqrt(2.5))


def test_items_without_a_second_annotator_or_a_verdict_do_not_count():
    humans = {"ann": {"1": "x", "2": "x", "3": "x"}, "bob": {"1": "x", "3": "y"}}
    found = alt_test(humans, {"1": "x", "2": "x"}, share_equal, SMALL)
    assert [each.items for each in found.against] == [1, 1]
    assert (found.items, found.unjudged) == (1, 1)


def test_annotators_with_too_few_items_are_left_out_and_said():
    found = alt_test(HUMANS, JUDGE, share_equal, AltTestSettings(min_items=5))
    assert found.left_out == {"ann": 4, "bob": 4, "cy": 4}
    assert math.isnan(found.winning_rate)
    assert math.isnan(found.advantage)
    assert not found.passes


def test_differences_that_do_not_vary_are_decided_by_epsilon():
    assert below(np.zeros(40), 0.1) == (0.0, "constant")
    assert below(np.zeros(40), 0.0) == (1.0, "constant")
    assert below(np.ones(40), 0.2) == (1.0, "constant")


def test_the_t_statistic_by_hand():
    # 30 zeros and 6 ones: mean 1/6, variance (6 * 25/36 + 30 * 1/36) / 35 = 1/7, so t against .3 is
    # (1/6 - .3) / sqrt(1/7/36) = -2.116601..., with 35 degrees of freedom: one-sided p .020738...
    p, test = below(np.array([0.0] * 30 + [1.0] * 6), 0.3)
    assert test == "t"
    assert p == pytest.approx(0.020738, abs=5e-7)


@on_each_seed(200)
def test_benjamini_yekutieli_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    p = rng.random(int(rng.integers(1, 12))) ** 3
    expected = false_discovery_control(p, method="by") <= 0.2
    assert benjamini_yekutieli(list(p), 0.2) == expected.tolist()


def by_loops(humans, judge, score, settings):
    """The paper's procedure, annotator by annotator and item by item; BY by scipy's adjusted p."""
    rows = {}
    for name, said in humans.items():
        wins = []
        for item, value in said.items():
            others = [each[item] for other, each in humans.items() if other != name and item in each]
            if others and item in judge:
                of_judge, own = score(judge[item], others), score(value, others)
                wins.append((of_judge >= own, own >= of_judge))
        if len(wins) < settings.min_items:
            continue
        gaps = np.array([float(own) - float(of_judge) for of_judge, own in wins]) - settings.epsilon
        if len(set(gaps)) == 1:
            p = float(gaps[0] >= 0)
        else:
            test = ttest_1samp if len(gaps) >= 30 else lambda x, _, **more: wilcoxon(x, **more)
            p = test(gaps, 0.0, alternative="less").pvalue
        rows[name] = (len(wins), np.mean([each for each, _ in wins]), np.mean([each for _, each in wins]), p)
    adjusted = false_discovery_control([row[3] for row in rows.values()], method="by") if rows else []
    return rows, np.asarray(adjusted) <= settings.q


@on_each_seed(200)
def test_the_whole_test_equals_one_by_loops(seed):
    rng = np.random.default_rng(seed)
    score, values = ((share_equal, list("abc")), (minus_rmse, [1.0, 2.0, 3.0, 4.0]))[seed % 2]
    items = int(rng.integers(26, 70))  # of fewer, scipy tries all signs of tied ranks: seconds an annotator
    truth = rng.integers(len(values), size=items)

    def says(accuracy):
        said = np.where(rng.random(items) < accuracy, truth, rng.integers(len(values), size=items))
        return {str(at): values[said[at]] for at in range(items) if rng.random() < 0.9}

    humans = {f"h{at}": says(rng.uniform(0.4, 1)) for at in range(int(rng.integers(2, 6)))}
    judge = says(rng.uniform(0.4, 1))
    settings = AltTestSettings(float(rng.choice([0.0, 0.1, 0.2])), 0.05, int(rng.choice([14, 30])))
    rows, won = by_loops(humans, judge, score, settings)
    found = alt_test(humans, judge, score, settings)
    assert [each.annotator for each in found.against] == list(rows)
    assert set(found.left_out) == humans.keys() - rows.keys()
    for each, row in zip(found.against, rows.values(), strict=True):
        assert (each.items, each.judge_ahead, each.annotator_ahead) == pytest.approx(row[:3])
        assert each.p == pytest.approx(row[3], abs=1e-12)
    assert [each.won for each in found.against] == won.tolist()
    if rows:
        assert found.winning_rate == pytest.approx(won.mean())
        assert found.advantage == pytest.approx(np.mean([row[1] for row in rows.values()]))


def test_without_hypotheses_nothing_is_rejected():
    assert benjamini_yekutieli([], 0.05) == []


def world(rng, items, accuracies, judge_accuracy, labels=3):
    """Annotators and a judge that give the true label with their accuracy, else one of the others."""
    truth = rng.integers(labels, size=items)

    def said(accuracy):
        wrong = (truth + rng.integers(1, labels, size=items)) % labels
        given = np.where(rng.random(items) < accuracy, truth, wrong)
        return {str(at): int(label) for at, label in enumerate(given)}

    return {f"h{at}": said(each) for at, each in enumerate(accuracies)}, said(judge_accuracy)


def test_a_judge_as_good_as_the_annotators_passes_and_a_bad_one_does_not():
    rng = np.random.default_rng(7)
    rates = {}
    for accuracy in (0.5, 0.8):
        passed = 0
        for _ in range(60):
            humans, judge = world(rng, 100, (0.8, 0.8, 0.8), accuracy)
            passed += alt_test(humans, judge, share_equal).passes
        rates[accuracy] = passed / 60
    assert rates[0.5] <= 0.05
    assert rates[0.8] >= 0.9


def test_at_the_boundary_an_annotator_is_wrongly_beaten_at_most_as_often_as_said():
    # The judge is exactly epsilon worse: d is 1 with probability .35, -1 with .15, mean .2. Of 2,000 tests at
    # level .05, 100 are expected; 3.5 standard deviations of a binomial are 34.
    rng = np.random.default_rng(11)
    draws = rng.choice([1.0, -1.0, 0.0], p=[0.35, 0.15, 0.5], size=(2000, 80))
    rejected = sum(below(row, 0.2)[0] <= 0.05 for row in draws)
    assert 66 <= rejected <= 134


def test_epsilon_0_is_harder_than_epsilon_of_experts():
    rng = np.random.default_rng(3)
    humans, judge = world(rng, 100, (0.75, 0.75, 0.75), 0.75)
    strict = alt_test(humans, judge, share_equal, AltTestSettings(epsilon=0.0))
    lenient = alt_test(humans, judge, share_equal, AltTestSettings(epsilon=0.2))
    assert strict.advantage == lenient.advantage
    assert all(one.p > other.p for one, other in zip(strict.against, lenient.against, strict=True))
