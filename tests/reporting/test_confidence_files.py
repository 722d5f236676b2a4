"""The files that a run's confidences and a cascade leave."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from venire.judging.cascade import CascadeFit, Said
from venire.judging.confidence import CASCADE
from venire.judging.thresholds import Chosen, Guaranteed
from venire.metrics.confidence import ConfidenceSettings
from venire.records import (
    BackendKind,
    Instance,
    Outcome,
    Preference,
    PreferenceGold,
    Response,
    Winner,
)
from venire.reporting.cascade_files import cascade_files
from venire.reporting.confidence_files import figures
from venire.stats.guarantee import LevelTest, Passed

PAIR = (Response("one"), Response("two"))


def judged(n: int, seed: int = 0) -> list[tuple[Instance, Outcome | None]]:
    rng = np.random.default_rng(seed)
    made: list[tuple[Instance, Outcome | None]] = []
    for k in range(n):
        confidence = float(rng.integers(5, 11)) / 10
        winner = Winner.FIRST if rng.random() < confidence else Winner.SECOND
        instance = Instance(f"i{k}", "which?", PAIR, PreferenceGold(Winner.FIRST))
        made.append((instance, Outcome(instance.id, Preference(winner, confidence))))
    return made


def drawn(settings: ConfidenceSettings, development: int = 30, kind: BackendKind = BackendKind.RECORDED):  # type: ignore[no-untyped-def]
    return figures(judged(40), judged(development, 1), settings, kind=kind, title="a run")


def test_a_run_with_a_development_split_has_its_figures() -> None:
    files = drawn(ConfidenceSettings())
    assert sorted(files) == [
        *("reliability_final.pdf", "reliability_final.png", "reliability_final.svg"),
        *("risk_coverage.pdf", "risk_coverage.png", "risk_coverage.svg"),
    ]
    assert files["risk_coverage.png"].startswith(b"\x89PNG")
    svg = files["reliability_final.svg"].decode()
    for words in (
        "a run",
        "isotonic, development",
        "platt, development",
        "10 bins of equal width",
        "n = 40 of 40",
    ):
        assert words in svg
    assert "SIMULATED" not in svg


def test_figures_of_simulated_judges_say_so() -> None:
    files = drawn(ConfidenceSettings(), kind=BackendKind.SIMULATED)
    assert "SIMULATED judges" in files["reliability_final.svg"].decode()


def test_equal_confidences_give_equal_figures() -> None:
    assert (
        drawn(ConfidenceSettings())["risk_coverage.svg"] == drawn(ConfidenceSettings())["risk_coverage.svg"]
    )


def test_figures_are_drawn_where_they_are_wanted() -> None:
    assert drawn(ConfidenceSettings(), development=0) == {}
    assert drawn(ConfidenceSettings(figures=False)) == {}
    assert len(drawn(ConfidenceSettings(figures=True), development=0)) == 6
    nothing = [(instance, None) for instance, _ in judged(3)]
    assert figures(nothing, [], ConfidenceSettings(figures=True), kind=BackendKind.NONE, title="t") == {}


FIT = CascadeFit(
    names=("cheap", "strong"),
    chosen=Chosen((None, 1.0), ((LevelTest(1.0, 40, 20, 0.9, 0.05),), (LevelTest(1.0, 40, 1, 0.01, 0.025),))),
    guarantee=Guaranteed(target=0.8, delta=0.1),
    development=Passed((0, 40), (0, 40), (0, 1), 40),
    cost_usd=(math.nan, 0.02),
)
METRICS = {
    "n": 10.0,
    "cascade/coverage": 0.9,
    "cascade/escalated": 1.0,
    "cascade/agreement": 0.8888,
    "cascade/agreement/ci_low": 0.56,
    "cascade/agreement/ci_high": 0.98,
    "cascade/stage/cheap/threshold": math.nan,
    "cascade/stage/strong/threshold": 1.0,
    "cascade/stage/strong/decided": 9.0,
    "cascade/guarantee/held": 1.0,
    "cascade/guarantee/p": 0.86,
}


def test_a_cascade_s_page_says_what_is_promised_tested_and_came_of_it() -> None:
    page = cascade_files(FIT, [], METRICS, title="a cascade")["cascade.md"]
    assert "at least 0.8 agrees with gold, all stages at once, with probability 0.9" in page
    assert "| cheap | closed | – | – |" in page
    assert (
        "Decided: 0.900 of 10 instances, agreement with gold 0.889 [0.560, 0.980]; left to people: 1." in page
    )
    assert "The promise held on them (p of so many errors at the target: 0.8600)." in page
    assert "| cheap | 1 | 40 | 20 | 0.9 | 0.05 | no |" in page
    assert "| strong | 1 | 40 | 1 | 0.01 | 0.025 | yes |" in page


def test_its_facts_are_json_and_each_development_item_is_a_line() -> None:
    instance = Instance("i", "which?", PAIR, PreferenceGold(Winner.FIRST))
    said = Said("cheap", True, Winner.SECOND, 0.5)
    outcome = Outcome(
        "i", Preference(Winner.SECOND), detail={CASCADE: {"decided_by": None, "stages": [said.detail]}}
    )
    files = cascade_files(FIT, [(instance, outcome)], METRICS, title="t")
    facts = json.loads(files["cascade.json"])
    assert facts["guarantee"] == {"target": 0.8, "delta": 0.1, "prefer": "coverage"}
    assert [(each["stage"], each["threshold"], each["cost_usd"]) for each in facts["stages"]] == [
        ("cheap", None, None),
        ("strong", 1.0, 0.02),
    ]
    # Clopper-Pearson, 1 of 40 at .025: scipy.stats.beta.ppf(.975, 2, 39)
    assert facts["stages"][1]["tests"][0]["risk_at_most"] == pytest.approx(0.131586, abs=1e-5)
    assert json.loads(files["development.jsonl"]) == {
        "instance_id": "i",
        "gold": "response_1",
        "stages": [
            {"stage": "cheap", "asked": True, "winner": "response_2", "confidence": 0.5, "threshold": None}
        ],
    }


def test_a_page_says_where_the_development_items_are_not_independent() -> None:
    told = "Mind that the 40 development instances have 12 prompts"
    for prompts, said in ((12, True), (40, False)):
        page = cascade_files(replace(FIT, prompts=prompts), [], METRICS, title="t")["cascade.md"]
        assert (told in page) is said


def test_without_gold_a_page_does_not_say_that_nothing_was_decided() -> None:
    metrics = {**METRICS, "cascade/guarantee/held": math.nan}
    page = cascade_files(FIT, [], metrics, title="t")["cascade.md"]
    assert "Whether the promise held is not known: the evaluated instances have no human preference" in page
    assert "abstaining" not in page
    nothing = cascade_files(FIT, [], {**metrics, "cascade/coverage": 0.0}, title="t")["cascade.md"]
    assert "Nothing was decided: the promise is kept by abstaining." in nothing


def test_given_thresholds_promise_nothing() -> None:
    page = cascade_files(CascadeFit(("cheap",), Chosen((0.9,))), [], METRICS, title="t")["cascade.md"]
    assert "These thresholds promise nothing" in page
    assert "Tests on the development split" not in page


def test_other_methods_have_no_such_files() -> None:
    assert cascade_files(None, [], METRICS, title="t") == {}
