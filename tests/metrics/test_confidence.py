"""Whether confidences are worth their numbers, of a run."""

import math
from dataclasses import replace

import numpy as np
import pytest

from venire.errors import ConfigError
from venire.judging.confidence import Source
from venire.metrics.confidence import ConfidenceSettings, confidence_metrics, sources_of, told_by
from venire.metrics.measure import MetricSettings, measure
from venire.metrics.measurement import Collector
from venire.records import Outcome, Preference, Reason, Unscored, Winner
from venire.stats.calibration import Binning
from venire.stats.intervals import Resampler
from venire.stats.recalibration import Recalibration


def judged(instances, confidence, right):
    """Instances whose gold is the first response, with final confidences; None: no outcome, "-": unscored."""
    made = []
    for instance, value, hit in zip(instances("1" * len(confidence)), confidence, right, strict=True):
        if value is None:
            made.append((instance, None))
        elif value == "-":
            made.append((instance, Outcome(instance.id, Unscored(Reason.ESCALATED))))
        else:
            winner = Winner.FIRST if hit else Winner.SECOND
            made.append((instance, Outcome(instance.id, Preference(winner, value))))
    return made


def measured(pairs, development=(), **settings):
    out = Collector()
    resampler = Resampler.draw(np.arange(len(pairs)), 200, np.random.default_rng(0))
    confidence_metrics(pairs, resampler, ConfidenceSettings(**settings), out, development=development)
    return out.result()


def test_final_confidences_are_measured_over_items_that_have_one(instances):
    # .9: right, right, wrong; .6: right, wrong; one unscored, one not judged. ECE .18 (tests/stats), Brier
    # (.01 + .01 + .81 + .16 + .36) / 5 = .27; AUROC over 3 x 2 pairs: (1/2 + 1 + 1/2 + 1 + 0 + 1/2) / 6
    pairs = judged(instances, [0.9, 0.9, 0.9, 0.6, 0.6, "-", None], [1, 1, 0, 1, 0, 0, 0])
    made = measured(pairs)
    metrics = {name.removeprefix("confidence/final/"): value for name, value in made.metrics.items()}
    assert (metrics["n"], metrics["mean"], metrics["accuracy"]) == (5, pytest.approx(0.78), 0.6)
    assert (metrics["brier"], metrics["ece"]) == (pytest.approx(0.27), pytest.approx(0.18))
    assert metrics["auroc"] == pytest.approx(3.5 / 6)
    assert metrics["brier/ci_low"] < 0.27 < metrics["brier/ci_high"]
    note = made.notes["confidence/final/ece"]
    assert note.startswith("10 bins of equal width; 95% BCa bootstrap over 5 items")
    assert not [name for name in made.metrics if "isotonic" in name or "verbalised" in name]


def test_curves_are_fitted_on_the_development_split_alone(instances):
    # Development: .9 is right half of the time, so isotonic says .5 of the evaluated items' .9: Brier .25.
    development = judged(instances, [0.9] * 10, [1, 0] * 5)
    pairs = judged(instances, [0.9] * 4, [1, 1, 1, 1])
    made = measured(pairs, development).metrics
    assert made["confidence/final/development_n"] == 10
    assert made["confidence/final/isotonic/brier"] == pytest.approx(0.25)
    assert made["confidence/final/isotonic/ece"] == pytest.approx(0.5)
    # Platt: targets 6/7 and 1/7, their mean .5
    assert made["confidence/final/platt/brier"] == pytest.approx(0.25)
    # the evaluated gold moves no curve
    wrong = measured(judged(instances, [0.9] * 4, [0, 0, 0, 0]), development).metrics
    assert wrong["confidence/final/isotonic/ece"] == pytest.approx(0.5)


def test_figures_of_curves_have_intervals_over_the_evaluated_items(instances):
    # Isotonic says .5 throughout: the gap is |.5 - accuracy|, of 12 right among 16 .25; Brier .25 whatever
    # is right, so that no draw differs.
    development = judged(instances, [0.9] * 10, [1, 0] * 5)
    made = measured(judged(instances, [0.9] * 16, [1, 1, 1, 0] * 4), development)
    name = "confidence/final/isotonic/ece"
    assert made.metrics[name] == pytest.approx(0.25)
    # the share of right ones varies by sqrt(.75 * .25 / 16) = .108
    assert made.metrics[f"{name}/ci_low"] == pytest.approx(0.25 - 1.96 * 0.108, abs=0.09)
    assert made.metrics[f"{name}/ci_high"] == pytest.approx(0.25 + 1.96 * 0.108, abs=0.09)
    assert "over 16 items" in made.notes[name]
    assert made.notes[name].endswith("the curve as fitted, its own chance is no part")
    assert "no bootstrap draw differs" in made.notes["confidence/final/isotonic/brier"]


def test_only_the_chosen_curves_are_fitted(instances):
    pairs = judged(instances, [0.9, 0.8], [1, 0])
    made = measured(pairs, pairs, recalibration=(Recalibration.PLATT,)).metrics
    assert {name.split("/")[2] for name in made if name.count("/") == 3 and "ci_" not in name} == {"platt"}


def test_a_development_split_without_a_confidence_says_so(instances):
    made = measured(judged(instances, [0.9], [1]), judged(instances, ["-"], [0]))
    assert math.isnan(made.metrics["confidence/final/platt/ece"])
    assert (
        "no outcome of the development split has a confidence by final"
        in made.notes["confidence/final/platt/ece"]
    )


def test_what_tells_nothing_is_left_out_unless_it_is_asked_for(instances):
    pairs = judged(instances, [0.9, 0.6], [1, 0])
    assert sources_of(ConfidenceSettings(), pairs) == (Source.FINAL,)
    made = measured(pairs, sources=(Source.EVIDENCE,))
    assert made.metrics["confidence/evidence/n"] == 0
    assert math.isnan(made.metrics["confidence/evidence/ece"])
    assert made.notes["confidence/evidence/ece"] == "undefined: no outcome has a confidence by evidence"


def test_all_right_has_no_auroc_and_says_why(instances):
    made = measured(judged(instances, [0.9, 0.6], [1, 1]))
    assert math.isnan(made.metrics["confidence/final/auroc"])
    assert "all are right" in made.notes["confidence/final/auroc"]
    assert made.metrics["confidence/final/aurc"] == 0.0


def test_a_tie_is_right_where_gold_is_a_tie(instances):
    (instance,) = instances("t")
    told = told_by(Source.FINAL, [(instance, Outcome(instance.id, Preference(Winner.TIE, 0.5)))])
    assert list(told.right) == [True]


def test_a_run_has_the_consistency_of_its_judge(instances, ballots):
    gold = instances("112")
    outcomes = [ballots(0, {"a": "11"}), ballots(1, {"a": "12"}), ballots(2, {"a": "22"})]
    settings = MetricSettings(draws=10, confidence=ConfidenceSettings(binning=Binning.EQUAL_MASS, bins=2))
    made = measure(gold, outcomes, labels=tuple(Winner), seed=0, settings=settings)
    # 1 and right twice; .5 on the second: the first order's verdict stands (tests/metrics/conftest), right
    assert made.metrics["confidence/consistency/mean"] == pytest.approx(2.5 / 3)
    assert made.notes["confidence/consistency/ece"].startswith("2 bins of equal mass; ")
    assert made.metrics["confidence/verbalised/n"] == 3


def test_no_bin_is_refused():
    with pytest.raises(ConfigError, match="bins: expected at least 1, got 0"):
        ConfidenceSettings(bins=0)


def test_win_rates_are_corrected_by_the_development_split(instances):
    # Evaluated: 6 of 10 said first. Labelled: 5 golds first, 4 found; 5 others, 4 cleared: (.6 - .2) / .6
    gold = instances("1" * 5 + "2" * 5)
    said = [Preference(Winner.FIRST)] * 4 + [Preference(Winner.SECOND)] * 5 + [Preference(Winner.FIRST)]
    labelled = [(each, Outcome(each.id, verdict)) for each, verdict in zip(gold, said, strict=True)]
    new = [replace(each, id=f"new{k}") for k, each in enumerate(gold)]
    outcomes = [
        Outcome(each.id, Preference(Winner.FIRST if k < 6 else Winner.SECOND)) for k, each in enumerate(new)
    ]
    made = measure(
        new, outcomes, labels=tuple(Winner), seed=0, settings=MetricSettings(draws=0), development=labelled
    ).metrics
    assert made["win_rate/measured"] == 0.6
    assert (made["win_rate/sensitivity"], made["win_rate/specificity"]) == (0.8, 0.8)
    assert made["win_rate/corrected"] == pytest.approx(2 / 3)
    assert made["win_rate/gold"] == 0.5
    assert made["win_rate/corrected/ci_low"] < 0.5 < made["win_rate/corrected/ci_high"]


def test_without_a_development_split_there_is_no_win_rate(instances):
    gold = instances("12")
    outcomes = [Outcome(each.id, Preference(Winner.FIRST)) for each in gold]
    made = measure(gold, outcomes, labels=tuple(Winner), seed=0, settings=MetricSettings(draws=0))
    assert not [name for name in made.metrics if name.startswith("win_rate")]
