"""The catalogue explains every metric that a run can have."""

from dataclasses import replace

import pytest
from tests.metrics.rating_worlds import rated, rates, run

from venire.errors import DataError
from venire.metrics.calls import ACCOUNTING
from venire.metrics.catalogue import catalogue, explain
from venire.metrics.headline import HEADLINE
from venire.metrics.measure import MetricSettings, measure
from venire.records import Reason, Unscored, Winner


def unexplained(metrics):
    """The names that the catalogue does not explain, or as a stage, judge or subset that there is not."""
    known = {"stage": {"focal"}, "judge": {"a", "b"}, "Subset": {"s"}, "dimension": {"fluency", "pio"}}
    known |= {"group": {"patients"}}
    found = {name: explain(name) for name in metrics}
    return [
        name
        for name, said in found.items()
        if said is None or any(value not in known.get(key, {value}) for key, value in said.values.items())
    ]


def names_of(metrics):
    """The names, with placeholders, under which the catalogue explains them."""
    return {said.name for name in metrics if (said := explain(name)) is not None}


def test_every_metric_of_a_run_is_defined(instances, ballots, call):
    outcomes = [ballots(0, {"a": "12", "b": "1-"}), ballots(1, {"a": "21", "b": "-2"})]
    outcomes = [replace(outcome, calls=(call(stage="focal"),)) for outcome in outcomes]
    gold = instances("121", subsets="sss")
    settings = MetricSettings(draws=10)
    metrics = measure(gold, outcomes, labels=tuple(Winner), seed=0, settings=settings).metrics
    assert {"unscored/<reason>", "calls/<stage>", "judge/<judge>/kappa", "kappa/subset/<Subset>"} <= names_of(
        metrics
    )
    assert unexplained(metrics) == []


def test_every_metric_of_a_run_on_ratings_is_defined(call):
    gold = {"fluency": (0, 1, 2, 2, 1), "pio": (1, 2, 3, 4, 5)}
    instances = rated(gold, annotators={"a": gold, "b": gold})
    outcomes = rates({"fluency": (0, 1, 1, 2, None), "pio": (5, 4, 3, 2, 1)}, {0: Unscored(Reason.REFUSED)})
    table = {"patients": {"fluency": 1.0, "pio": 2.0}}
    details = {"groups": table, "groups_before": table, "variants": {"mean_of_agents": table["patients"]}}
    outcomes = [replace(each, detail=details, calls=(call(stage="focal"),)) for each in outcomes]
    metrics = run(instances, outcomes, draws=10).metrics
    assert {
        "abs_<coefficient>/mean",
        "<coefficient>/<dimension>/worst",
        "ceiling/<coefficient>/<dimension>",
        "ceiling/kappa_linear/<dimension>",
        "not_applicable/<dimension>",
        "group_change/<group>/abs_spearman/mean",
        "<variant>/<coefficient>/<dimension>",
    } <= names_of(metrics)
    assert unexplained(metrics) == []


def test_accounting_and_headline_metrics_are_explained():
    assert unexplained([*ACCOUNTING, *(headline.metric for headline in HEADLINE)]) == []


def test_a_name_of_ours_is_not_taken_for_a_stage_and_bounds_are_their_metrics():
    assert explain("calls/paid").name == "calls/paid"
    assert explain("calls/focal").values == {"stage": "focal"}
    assert explain("judge/gpt_4o/accuracy/swapped/ci_low").values == {"judge": "gpt_4o", "order": "swapped"}
    assert explain("accuracy/subset/Adversarial/Neighbor").values == {"Subset": "Adversarial/Neighbor"}


def test_a_name_that_nobody_explained_has_no_explanation():
    assert explain("accuracy/of_tuesdays") is None
    assert explain("") is None


def test_a_catalogue_with_a_field_of_another_name_or_a_double_is_refused(tmp_path, monkeypatch):
    section = "- section: S\n  of: all\n  rows:\n"
    row = "    - {names: [n], is: items, unit: count"
    for rows, said in ((f"{row}, untt: x}}", "unknown untt"), (f"{row}}}\n{row}}}", "explained twice: n")):
        file = tmp_path / "catalogue.yaml"
        file.write_text(section + rows, encoding="utf-8")
        monkeypatch.setattr("venire.metrics.catalogue.CATALOGUE", file)
        with pytest.raises(DataError, match=said):
            catalogue.__wrapped__()
