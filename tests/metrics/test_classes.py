"""Metrics of ratings that are labels, through the measurement of a run."""

import math

import pytest
from sklearn.metrics import cohen_kappa_score, f1_score
from tests.metrics.rating_worlds import FLUENCY, rated, rates, run

from venire.errors import ConfigError
from venire.metrics.choice import Family
from venire.metrics.classes import is_pass_fail, points_of
from venire.metrics.measure import MetricSettings, measure
from venire.records import OVERALL, Dimension, Reason, Unscored

POLITE = Dimension("polite", "", 0, 1, 1)
SAFE = Dimension("safe", "", 0, 1, 1)
ANY = Dimension("share", "", 0, 1, None)

GOLD = {"polite": (1, 1, 1, 0, 0, 0), "safe": (1, 0, 1, 1, 1, 0)}
SAID = {"polite": (1, 1, 0, 1, 0, 0), "safe": (1, 0, 0, 1, 1, 1)}


def test_pass_fail_dimensions_have_precision_recall_f1_and_kappa():
    # polite: TP 2, FP 1, FN 1, TN 2: all 2/3; agreement 4/6, chance 1/2, kappa 1/3.
    metrics = run(rated(GOLD, dimensions=(POLITE, SAFE)), rates(SAID)).metrics
    for name in ("precision", "recall", "f1"):
        assert metrics[f"{name}/polite"] == pytest.approx(2 / 3)
    assert metrics["kappa/polite"] == pytest.approx(1 / 3)
    assert metrics["kappa/safe"] == pytest.approx(cohen_kappa_score(GOLD["safe"], SAID["safe"]))
    assert metrics["f1/polite/ci_low"] < 2 / 3 < metrics["f1/polite/ci_high"]


def test_several_pass_fail_dimensions_have_macro_and_micro_f1():
    measured = run(rated(GOLD, dimensions=(POLITE, SAFE)), rates(SAID))
    gold, said = (list(zip(*columns.values(), strict=True)) for columns in (GOLD, SAID))
    for average in ("macro", "micro"):
        value = measured.metrics[f"multilabel/f1_{average}"]
        assert value == pytest.approx(f1_score(gold, said, average=average))
    assert measured.notes["multilabel/f1_macro"].endswith("over polite, safe")
    alone = run(rated({"polite": GOLD["polite"]}, dimensions=(POLITE,)), rates({"polite": SAID["polite"]}))
    assert "multilabel/f1_macro" not in alone.metrics


def test_a_missing_verdict_is_no_fail_and_the_bounds_say_what_it_may_do():
    # Item 0 (gold pass) and item 5 (gold fail) have none: TP 1, FP 1, FN 1 of the rest.
    lost = {0: Unscored(Reason.REFUSED), 5: Unscored(Reason.UNPARSED)}
    metrics = run(
        rated({"polite": GOLD["polite"]}, dimensions=(POLITE,)), rates({"polite": SAID["polite"]}, lost)
    ).metrics
    assert metrics["f1/polite"] == pytest.approx(2 / 4)
    assert metrics["f1/polite/worst"] == pytest.approx(2 / 6)  # item 0 failed, item 5 passed
    assert metrics["f1/polite/best"] == pytest.approx(4 / 6)
    complete = run(rated(GOLD, dimensions=(POLITE, SAFE)), rates(SAID)).metrics
    assert "f1/polite/worst" not in complete


def test_means_of_annotators_between_pass_and_fail_are_left_out_and_said():
    measured = run(rated({"polite": (1, 0.5, 0)}, dimensions=(POLITE,)), rates({"polite": (1, 1, 0)}))
    assert measured.metrics["f1/polite"] == 1.0
    assert "1 left out: humans between pass and fail" in measured.notes["f1/polite"]
    judge = run(rated({"polite": (1, 1, 0)}, dimensions=(POLITE,)), rates({"polite": (1, 0.5, 0)}))
    assert "1 left out: the judge between pass and fail" in judge.notes["f1/polite"]


def test_what_nobody_passes_is_undefined():
    measured = run(rated({"polite": (0, 0)}, dimensions=(POLITE,)), rates({"polite": (0, 0)}))
    assert math.isnan(measured.metrics["f1/polite"])
    assert "neither side says yes" in measured.notes["f1/polite"]
    assert math.isnan(measured.metrics["kappa/polite"])


def test_scales_with_points_have_kappa_quadratic_and_its_mean():
    gold = {"fluency": (0, 1, 2, 2), "other": (0, 1, 2, 2)}
    said = {"fluency": (0, 2, 1, 2), "other": (0, 1, 2, 2)}
    other = Dimension("other", "", 0, 2)
    measured = run(rated(gold, dimensions=(FLUENCY, other)), rates(said))
    expected = cohen_kappa_score(gold["fluency"], said["fluency"], weights="quadratic")
    assert measured.metrics["kappa_quadratic/fluency"] == pytest.approx(expected)
    assert measured.metrics["kappa_quadratic/mean"] == pytest.approx((expected + 1) / 2)
    assert "precision/fluency" not in measured.metrics


def test_ratings_between_the_points_count_and_are_said():
    measured = run(rated({"fluency": (0, 1.5, 2)}, dimensions=(FLUENCY,)), rates({"fluency": (0, 1, 2)}))
    assert "of 1 items a rating lies between the points" in measured.notes["kappa_quadratic/fluency"]


def test_one_score_of_the_whole_and_any_number_are_no_labels():
    whole = run(rated({"fluency": (0, 1, 2)}, dimensions=(FLUENCY,)), rates({OVERALL: (0.1, 0.2, 0.3)}))
    assert "kappa_quadratic/fluency" not in whole.metrics
    number = run(rated({"share": (0, 0.5, 1)}, dimensions=(ANY,)), rates({"share": (0, 0.5, 1)}))
    assert not any(name.startswith(("kappa_quadratic", "f1")) for name in number.metrics)


def test_points_of_a_scale():
    assert [points_of(each) for each in (POLITE, FLUENCY, ANY)] == [2, 3, None]
    assert [is_pass_fail(each) for each in (POLITE, FLUENCY, ANY)] == [True, False, False]


def test_chosen_metrics_are_the_only_ones_and_wrong_ones_are_refused():
    instances, outcomes = rated(GOLD, dimensions=(POLITE, SAFE)), rates(SAID)
    settings = MetricSettings(0, chosen=(Family.F1, Family.F1_MACRO))
    metrics = measure(instances, outcomes, labels=(), seed=0, settings=settings).metrics
    assert {"f1/polite", "f1/safe", "multilabel/f1_macro", "n", "coverage", "calls/total"} <= set(metrics)
    assert not {"kappa/polite", "multilabel/f1_micro", "spearman/polite"} & set(metrics)
    with pytest.raises(ConfigError, match="position_consistency does not fit this data: single responses"):
        measure(
            instances,
            outcomes,
            labels=(),
            seed=0,
            settings=MetricSettings(0, chosen=(Family.POSITION_CONSISTENCY,)),
        )
