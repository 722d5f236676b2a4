"""What became of a cascade's instances."""

import math
from dataclasses import replace

import pytest

from venire.judging.cascade import CascadeFit, Said
from venire.judging.confidence import CASCADE
from venire.judging.thresholds import Chosen, Guaranteed
from venire.metrics.cascade import guarantee_metrics
from venire.metrics.measure import MetricSettings, measure
from venire.records import Outcome, Preference, Reason, Unscored, Winner
from venire.stats.guarantee import Passed

FIRST, SECOND, _ = Winner


def outcome(index, call, cheap=None, strong=None, closed=False):
    """Verdicts of two stages with thresholds .9 and .8, `(winner, confidence)`; None: not asked."""
    heard = []
    for name, given, threshold in (("cheap", cheap, None if closed else 0.9), ("strong", strong, 0.8)):
        winner, confidence = given or (None, None)
        heard.append(Said(name, given is not None, winner, confidence, threshold))
    decider = next((each for each in heard if each.decides), None)
    prediction = Unscored(Reason.ESCALATED)
    if decider is not None:
        prediction = Preference(decider.winner, decider.confidence)
    calls = tuple(
        call(f"{index}{each.stage}", stage=each.stage, cost_usd=0.5, instance_id=f"i{index:03d}")
        for each in heard
        if each.asked
    )
    stages = [each.detail for each in heard]
    decided_by = None if decider is None else decider.stage
    return Outcome(
        f"i{index:03d}",
        prediction,
        calls=calls,
        detail={CASCADE: {"decided_by": decided_by, "stages": stages}},
    )


def world(call):
    """Gold is always the first response: two decided by cheap, one wrongly; two by strong; one escalated."""
    return [
        outcome(0, call, (FIRST, 0.95)),
        outcome(1, call, (SECOND, 1.0)),
        outcome(2, call, (SECOND, 0.5), (FIRST, 0.9)),
        outcome(3, call, (FIRST, 0.85), (FIRST, 0.8)),
        outcome(4, call, (FIRST, 0.85), (FIRST, 0.7)),
    ]


def measured(instances, outcomes, n=5):
    settings = MetricSettings(draws=0)
    return measure(instances("1" * n), outcomes, labels=tuple(Winner), seed=0, settings=settings)


def test_each_stage_has_its_coverage_agreement_and_cost(instances, call):
    metrics = measured(instances, world(call)).metrics
    assert (metrics["cascade/coverage"], metrics["cascade/agreement"]) == (0.8, 0.75)
    assert (metrics["cascade/escalated"], metrics["unscored/escalated"]) == (1, 1)
    # three right and one escalated, of five
    assert metrics["cascade/with_people/accuracy"] == 0.8
    cheap = {name: metrics[f"cascade/stage/cheap/{name}"] for name in ("threshold", "reached", "decided")}
    assert cheap == {"threshold": 0.9, "reached": 5, "decided": 2}
    assert metrics["cascade/stage/cheap/agreement"] == 0.5
    assert metrics["cascade/stage/strong/reached"] == 3
    assert metrics["cascade/stage/strong/agreement"] == 1.0
    assert metrics["cascade/stage/strong/coverage"] == 0.4
    # three calls for .5 dollars over five instances
    assert metrics["cascade/stage/strong/calls_per_instance"] == 0.6
    assert metrics["cascade/stage/strong/cost_usd_per_1000"] == pytest.approx(300.0)
    assert metrics["cascade/agreement/ci_low"] < 0.75 < metrics["cascade/agreement/ci_high"]


def test_a_cascade_s_verdict_is_its_accuracy_and_its_judges_are_not_compared(instances, call):
    metrics = measured(instances, world(call)).metrics
    assert (metrics["accuracy"], metrics["coverage"]) == (0.6, 0.8)
    assert not [name for name in metrics if name.startswith(("judge/", "panel/"))]


def test_a_closed_stage_has_no_threshold_and_says_so(instances, call):
    made = measured(instances, [outcome(0, call, None, (FIRST, 0.9), closed=True)], n=1)
    assert math.isnan(made.metrics["cascade/stage/cheap/threshold"])
    assert made.notes["cascade/stage/cheap/threshold"] == "undefined: the stage stays closed"
    assert made.metrics["cascade/stage/cheap/reached"] == 0
    assert math.isnan(made.metrics["cascade/stage/cheap/agreement"])


def test_an_instance_that_was_not_judged_is_neither_decided_nor_escalated(instances, call):
    metrics = measured(instances, world(call)[:4]).metrics
    assert (metrics["cascade/coverage"], metrics["cascade/escalated"]) == (0.8, 0)
    assert metrics["cascade/with_people/accuracy"] == 0.6


def test_all_escalated_has_no_agreement(instances, call):
    made = measured(instances, [outcome(0, call, (FIRST, 0.5), (FIRST, 0.5))], n=1)
    assert made.metrics["cascade/coverage"] == 0
    assert math.isnan(made.metrics["cascade/agreement"])


def test_without_gold_shares_are_told_and_agreement_is_undefined(instances, call):
    pairs = [replace(each, gold=None) for each in instances("11111")]
    made = measure(pairs, world(call), labels=(), seed=0, settings=MetricSettings(draws=0))
    assert (made.metrics["cascade/coverage"], made.metrics["cascade/escalated"]) == (0.8, 1)
    assert made.metrics["cascade/stage/strong/coverage"] == 0.4
    for name in ("cascade/agreement", "cascade/with_people/accuracy", "cascade/stage/cheap/agreement"):
        assert math.isnan(made.metrics[name])
        assert "no human preference" in made.notes[name]
    held = guarantee_metrics(fit(), pairs, world(call))
    assert math.isnan(held.metrics["cascade/guarantee/held"])
    assert "no human preference" in held.notes["cascade/guarantee/p"]


def test_other_methods_have_no_such_metrics(instances, outcomes):
    metrics = measured(instances, outcomes("11111", "11111")).metrics
    assert not [name for name in metrics if name.startswith("cascade")]
    assert guarantee_metrics(None, [], []).metrics == {}


def fit(target=0.7, errors=(0, 1), cost=(0.1, 1.0)):
    return CascadeFit(
        names=("cheap", "strong"),
        chosen=Chosen((0.9, 0.8)),
        guarantee=Guaranteed(target=target, delta=0.1),
        development=Passed(reached=(40, 20), decided=(20, 10), errors=errors, n=40),
        cost_usd=cost,
    )


def test_the_guarantee_is_held_against_the_evaluated_instances(instances, call):
    made = guarantee_metrics(fit(), instances("11111"), world(call))
    metrics = made.metrics
    assert (metrics["cascade/development/n"], metrics["cascade/development/coverage"]) == (40, 0.75)
    assert metrics["cascade/development/agreement"] == pytest.approx(29 / 30)
    assert (metrics["cascade/guarantee/target"], metrics["cascade/guarantee/held"]) == (0.7, 1.0)
    # one of four wrong where .3 is allowed: 1 - .7^4
    assert metrics["cascade/guarantee/p"] == pytest.approx(1 - 0.7**4)
    # five ask cheap for .1, three strong for 1: 3.5 over five
    assert metrics["cascade/cost_usd_per_1000"] == pytest.approx(700.0)


def test_held_out_agreement_below_the_target_violates(instances, call):
    metrics = guarantee_metrics(fit(target=0.8), instances("11111"), world(call)).metrics
    assert metrics["cascade/guarantee/held"] == 0.0
    # one of four wrong where .2 is allowed: 1 - .8^4 = .59: no evidence against the promise
    assert metrics["cascade/guarantee/p"] == pytest.approx(1 - 0.8**4)


def test_abstaining_keeps_the_promise(instances, call):
    made = guarantee_metrics(fit(), instances("1"), [outcome(0, call, (FIRST, 0.5), (FIRST, 0.5))])
    assert math.isnan(made.metrics["cascade/guarantee/held"])
    assert "kept by abstaining" in made.notes["cascade/guarantee/held"]


def test_development_items_of_one_prompt_are_said_not_to_be_independent(instances, call):
    made = {n: guarantee_metrics(replace(fit(), prompts=n), instances("11111"), world(call)) for n in (7, 40)}
    told = made[7].notes["cascade/guarantee/target"]
    assert told.startswith("the 40 development instances have 7 prompts, and those of one prompt are not ind")
    assert "cascade/guarantee/target" not in made[40].notes


def test_an_unknown_cost_is_no_number(instances, call):
    made = guarantee_metrics(fit(cost=(0.1, math.nan)), instances("11111"), world(call))
    assert math.isnan(made.metrics["cascade/cost_usd_per_1000"])
    assert "give its cost_usd" in made.notes["cascade/cost_usd_per_1000"]


def test_thresholds_that_promise_nothing_have_no_guarantee(instances, call):
    bare = CascadeFit(("cheap", "strong"), Chosen((0.9, 0.8)))
    assert guarantee_metrics(bare, instances("11111"), world(call)).metrics == {}
