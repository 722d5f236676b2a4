"""Metrics of single criteria."""

import math
import re
from pathlib import Path

import pytest
from tests.metrics.rating_worlds import rated, rates, run

from venire.metrics.measure import MetricSettings, measure
from venire.records import Outcome, Preference, Reason, Unscored, Winner

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
FIRST, SECOND, TIE = (each.value for each in (Winner.FIRST, Winner.SECOND, Winner.TIE))


def outcome(place, by_criterion, *, consistent=None, direct=None):
    detail = {"by_criterion": by_criterion} | ({"criterion_consistent": consistent} if consistent else {})
    return Outcome(
        str(place), Preference(Winner.FIRST), detail=detail | ({"direct": direct} if direct else {})
    )


def measured(gold, outcomes):
    ids = [each.id for each in gold]
    named = [
        Outcome(name, each.prediction, detail=each.detail) for name, each in zip(ids, outcomes, strict=True)
    ]
    return measure(gold, named, labels=tuple(Winner), seed=0, settings=MetricSettings(draws=0)).metrics


def test_a_criterion_s_winner_is_held_against_the_overall_preference(instances):
    outcomes = [outcome(0, {"a": FIRST}), outcome(1, {"a": TIE}), outcome(2, {"a": SECOND}), outcome(3, {})]
    metrics = measured(instances("1122"), outcomes)
    # gold 1, 1, 2, 2: right, a tie, right; the last does not apply and is left out
    assert metrics["criterion/a/accuracy"] == pytest.approx(2 / 3)
    assert metrics["criterion/a/ties"] == pytest.approx(1 / 3)
    assert "criterion/a/position_consistency" not in metrics


def test_an_unscored_pair_is_not_correct_on_any_criterion(instances):
    failed = Outcome("x", Unscored(Reason.REFUSED), detail={"by_criterion": {}})
    metrics = measured(instances("11"), [outcome(0, {"a": FIRST}), failed])
    assert metrics["criterion/a/accuracy"] == 0.5


def test_consistency_over_orders_is_a_share_of_the_pairs_that_have_both(instances):
    outcomes = [
        outcome(0, {"a": FIRST}, consistent={"a": True}),
        outcome(1, {"a": TIE}, consistent={"a": False}),
        outcome(2, {}),
    ]
    assert measured(instances("112"), outcomes)["criterion/a/position_consistency"] == 0.5


def test_scores_are_averaged_over_responses_and_what_is_missing_is_counted(instances):
    response = {"scores": {"a": 2.0, "b": None}, "unscored": {}, "total": 0.25}
    other = {"scores": {"a": 4.0}, "unscored": {"b": {"reason": "refused"}}, "total": None}
    metrics = measured(instances("1"), [outcome(0, {"a": FIRST}, direct=[response, other])])
    assert metrics["criterion/a/score"] == 3
    assert (metrics["criterion/b/not_applicable"], metrics["criterion/b/unscored"]) == (1, 1)
    assert math.isnan(metrics["criterion/b/score"])
    assert metrics["criterion/total"] == 0.25


def test_runs_without_criteria_have_no_such_metrics(instances):
    plain = [Outcome("x", Preference(Winner.FIRST))]
    assert not [name for name in measured(instances("1"), plain) if name.startswith("criterion/")]
    ratings = run(rated({"fluency": (0, 1, 2)}), rates({"fluency": (0, 1, 2)}), draws=0).metrics
    assert not [name for name in ratings if name.startswith("criterion/")]


def test_every_metric_of_a_criterion_is_defined_in_the_docs(instances):
    response = {"scores": {"a": 2.0}, "unscored": {}, "total": 0.25}
    both = [outcome(0, {"a": FIRST}, consistent={"a": True}, direct=[response, response])]
    names = {name for name in measured(instances("1"), both) if name.startswith("criterion/")}
    shown = {
        re.sub(r"^criterion/a/", "criterion/<criterion>/", re.sub(r"/ci_(low|high)$", "", n)) for n in names
    }
    documented = set(re.findall(r"`([^`\s]+)`", DOCS.read_text(encoding="utf-8")))
    assert len(shown) == 8
    assert shown - documented == set()
