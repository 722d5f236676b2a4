"""The files of a cascade's run: what its thresholds rest on, and what became of each instance."""

import json
from collections.abc import Mapping, Sequence
from math import isnan

from venire.judging.cascade import CascadeFit, all_said, is_cascade
from venire.metrics.cascade import NO_GOLD
from venire.metrics.measurement import metric_name
from venire.records import Instance, Outcome, PreferenceGold
from venire.reporting.table import DASH, Estimate, or_null
from venire.stats.guarantee import risk_bound


def cascade_files(
    fit: CascadeFit | None,
    development: Sequence[tuple[Instance, Outcome]],
    metrics: Mapping[str, float],
    *,
    title: str,
) -> dict[str, str]:
    """`cascade.json`, `cascade.md`, and `development.jsonl` where there was a development split.

    Args:
        fit: of a cascade; nothing without one.
        development: with what all stages say.
        metrics: of the run.
        title: of the run.
    """
    if fit is None:
        return {}
    files = {
        "cascade.json": json.dumps(_plain(fit), indent=1, ensure_ascii=False) + "\n",
        "cascade.md": _page(fit, metrics, title),
    }
    if development:
        files["development.jsonl"] = "".join(_line(*each) for each in development)
    return files


def _plain(fit: CascadeFit) -> dict[str, object]:
    stages = []
    for column, name in enumerate(fit.names):
        tests = fit.chosen.tests[column] if fit.chosen.tests else ()
        cost = fit.cost_usd[column] if fit.cost_usd else float("nan")
        stages.append(
            {
                "stage": name,
                "threshold": fit.chosen.thresholds[column],
                "cost_usd": or_null(cost),
                "tests": [
                    {
                        "level": test.level,
                        "n": test.n,
                        "errors": test.errors,
                        "p": test.p,
                        "delta": test.delta,
                        "certified": test.certified,
                        "risk_at_most": risk_bound(test.errors, test.n, test.delta),
                    }
                    for test in tests
                ],
                **_developed(fit, column),
            }
        )
    guarantee = None
    if fit.guarantee is not None:
        guarantee = {
            "target": fit.guarantee.target,
            "delta": fit.guarantee.delta,
            "prefer": str(fit.guarantee.prefer),
        }
    n = None if fit.development is None else fit.development.n
    return {"guarantee": guarantee, "development_n": n, "stages": stages}


def _developed(fit: CascadeFit, column: int) -> dict[str, object]:
    if fit.development is None:
        return {}
    found = fit.development
    return {
        "development": {
            "reached": found.reached[column],
            "decided": found.decided[column],
            "errors": found.errors[column],
        }
    }


def _line(instance: Instance, outcome: Outcome) -> str:
    said = all_said(outcome) if is_cascade(outcome) else ()
    gold = instance.gold.winner.value if isinstance(instance.gold, PreferenceGold) else None
    row = {"instance_id": instance.id, "gold": gold, "stages": [each.detail for each in said]}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _page(fit: CascadeFit, metrics: Mapping[str, float], title: str) -> str:
    """A page to read: what is promised, what was tested, what came of it."""
    lines = [f"# {title}", "", *_promise(fit), "", "## Evaluated instances", ""]
    head = ("stage", "threshold", "reached", "decided", "coverage", "agreement", "calls", "USD/1,000")
    lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for name in fit.names:
        stage = metric_name("cascade/stage", name)
        cells = [
            name,
            _number(metrics.get(f"{stage}/threshold"), 3, closed="closed"),
            _number(metrics.get(f"{stage}/reached"), 0),
            _number(metrics.get(f"{stage}/decided"), 0),
            _number(metrics.get(f"{stage}/coverage"), 3),
            Estimate.among(metrics, f"{stage}/agreement").text(),
            _number(metrics.get(f"{stage}/calls_per_instance"), 2),
            _number(metrics.get(f"{stage}/cost_usd_per_1000"), 2),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    coverage, left = metrics.get("cascade/coverage"), metrics.get("cascade/escalated")
    lines += [
        "",
        f"Decided: {_number(coverage, 3)} of {_number(metrics.get('n'), 0)} instances, agreement with gold "
        f"{Estimate.among(metrics, 'cascade/agreement').text()}; left to people: {_number(left, 0)}.",
    ]
    if fit.guarantee is not None:
        held = {1.0: "held", 0.0: "did not hold"}.get(metrics.get("cascade/guarantee/held", float("nan")))
        p = _number(metrics.get("cascade/guarantee/p"), 4)
        if held:
            lines.append(f"The promise {held} on them (p of so many errors at the target: {p}).")
        elif coverage:
            lines.append(f"Whether the promise held is not known: {NO_GOLD}.")
        else:
            lines.append("Nothing was decided: the promise is kept by abstaining.")
    return "\n".join([*lines, "", *_tests(fit)]) + "\n"


def _promise(fit: CascadeFit) -> list[str]:
    if fit.guarantee is None:
        return ["These thresholds promise nothing: they are given, or chosen by cost."]
    n = 0 if fit.development is None else fit.development.n
    return [
        f"Promise: of what each stage decides at least {fit.guarantee.target:g} agrees with gold, all stages "
        f"at once, with probability {1 - fit.guarantee.delta:g} over development splits of {n} independent "
        "instances like those that are judged. docs/cascade.md says what is tested.",
        *(["", f"Mind that {fit.dependence}."] if fit.dependence else []),
    ]


def _tests(fit: CascadeFit) -> list[str]:
    if not fit.chosen.tests:
        return []
    lines = ["## Tests on the development split", ""]
    head = ("stage", "level", "n", "errors", "p", "its part of delta", "certified")
    lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for name, tests in zip(fit.names, fit.chosen.tests, strict=True):
        for test in tests:
            done = "yes" if test.certified else "no"
            p, part = f"{test.p:.3g}", f"{test.delta:.3g}"
            cells = (name, f"{test.level:.3g}", test.n, test.errors, p, part, done)
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def _number(value: float | None, decimals: int, closed: str = DASH) -> str:
    return closed if value is None or isnan(value) else f"{value:,.{decimals}f}"
