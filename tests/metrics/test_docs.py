"""`docs/metrics.md` defines every metric that a run can have."""

import re
from dataclasses import replace
from pathlib import Path

from tests.metrics.rating_worlds import rated, rates, run

from venire.metrics.calls import ACCOUNTING
from venire.metrics.headline import HEADLINE
from venire.metrics.measure import MetricSettings, measure
from venire.records import Reason, Unscored, Winner

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


def documented():
    return set(re.findall(r"`([^`\s]+)`", DOCS.read_text(encoding="utf-8")))


def pattern(name):
    """The name as the page writes it: `<judge>` for any judge, and so on; bounds are said once."""
    name = re.sub(r"/ci_(low|high)$", "", name)
    name = re.sub(r"^judge/[ab]/", "judge/<judge>/", name)
    name = re.sub(r"/(as_given|swapped)$", "/<order>", name)
    name = re.sub(r"(?<![a-z])(abs_)?(spearman|kendall|pearson)/", r"\1<coefficient>/", name)
    name = re.sub(r"/(fluency|pio)\b", "/<dimension>", name)
    name = re.sub(r"^(group(?:_before|_change)?)/patients/", r"\1/<group>/", name)
    name = re.sub(r"^mean_of_agents/", "<variant>/", name)
    name = re.sub(r"^(group_change/<group>/(?:abs_)?)<coefficient>", r"\1spearman", name)
    name = re.sub(r"^unscored/(?!total).*", "unscored/<reason>", name)
    name = re.sub(r"^(calls|tokens|cost_usd)/focal\b", r"\1/<stage>", name)
    name = re.sub(r"^confidence/[a-z_]+/", "confidence/<source>/", name)
    name = re.sub(r"/(isotonic|platt)/", "/<curve>/", name)
    name = re.sub(r"^cascade/stage/[a-z_]+/", "cascade/stage/<stage>/", name)
    return re.sub(r"/subset/s$", "/subset/<Subset>", name)


def test_every_metric_of_a_run_is_defined(instances, ballots, call):
    outcomes = [ballots(0, {"a": "12", "b": "1-"}), ballots(1, {"a": "21", "b": "-2"})]
    outcomes = [replace(outcome, calls=(call(stage="focal"),)) for outcome in outcomes]
    gold = instances("121", subsets="sss")
    settings = MetricSettings(draws=10)
    metrics = measure(gold, outcomes, labels=tuple(Winner), seed=0, settings=settings).metrics
    names = {pattern(name) for name in metrics}
    assert {"unscored/<reason>", "calls/<stage>", "judge/<judge>/kappa", "kappa/subset/<Subset>"} <= names
    assert names - documented() == set()


def test_every_metric_of_a_run_on_ratings_is_defined(call):
    gold = {"fluency": (0, 1, 2, 2, 1), "pio": (1, 2, 3, 4, 5)}
    instances = rated(gold, annotators={"a": gold, "b": gold})
    outcomes = rates({"fluency": (0, 1, 1, 2, None), "pio": (5, 4, 3, 2, 1)}, {0: Unscored(Reason.REFUSED)})
    table = {"patients": {"fluency": 1.0, "pio": 2.0}}
    details = {"groups": table, "groups_before": table, "variants": {"mean_of_agents": table["patients"]}}
    outcomes = [replace(each, detail=details, calls=(call(stage="focal"),)) for each in outcomes]
    names = {pattern(name) for name in run(instances, outcomes, draws=10).metrics}
    assert {
        "abs_<coefficient>/mean",
        "<coefficient>/<dimension>/worst",
        "ceiling/<coefficient>/<dimension>",
        "ceiling/kappa_linear/<dimension>",
        "not_applicable/<dimension>",
        "group_change/<group>/abs_spearman/mean",
        "<variant>/<coefficient>/<dimension>",
    } <= names
    assert names - documented() == set()


def test_accounting_and_headline_metrics_are_defined():
    assert {*ACCOUNTING, *(headline.metric for headline in HEADLINE)} - documented() == set()
