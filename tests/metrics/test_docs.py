"""`docs/metrics.md` defines every metric that a run can have."""

import re
from dataclasses import replace
from pathlib import Path

from venire.metrics.calls import ACCOUNTING
from venire.metrics.headline import HEADLINE
from venire.metrics.measure import MetricSettings, measure
from venire.records import Winner

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


def documented():
    return set(re.findall(r"`([^`\s]+)`", DOCS.read_text(encoding="utf-8")))


def pattern(name):
    """The name as the page writes it: `<judge>` for any judge, and so on; bounds are said once."""
    name = re.sub(r"/ci_(low|high)$", "", name)
    name = re.sub(r"^judge/[ab]/", "judge/<judge>/", name)
    name = re.sub(r"/(as_given|swapped)$", "/<order>", name)
    name = re.sub(r"^unscored/(?!total).*", "unscored/<reason>", name)
    name = re.sub(r"^(calls|tokens|cost_usd)/focal\b", r"\1/<stage>", name)
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


def test_accounting_and_headline_metrics_are_defined():
    assert {*ACCOUNTING, *(headline.metric for headline in HEADLINE)} - documented() == set()
