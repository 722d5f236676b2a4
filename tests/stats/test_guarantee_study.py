"""The study of the cascade's guarantee can fail, and does not."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.guarantee_study import (
    NATURAL,
    Setting,
    edge_population,
    guaranteed,
    naive,
    recorded_population,
    recorded_stages,
    row,
    study,
)

from venire.stats.guarantee import Start, passed


def test_every_level_of_the_edge_has_a_risk_just_above_what_is_allowed() -> None:
    edge = edge_population(0.8, n=3000)
    for level in (1.0, 0.9, 0.8, 0.7):
        for thresholds in ((level, None, None), (None, level, None), (0.9, level, 0.8)):
            outcome = passed(edge.scores, thresholds)
            for errors, decided in zip(outcome.errors, outcome.decided, strict=True):
                # one error more than a fifth in each of 125 combinations of confidences
                assert decided == 0 or 0.2 < errors / decided < 0.2 + 1 / 12


@pytest.mark.parametrize("start", list(Start))
def test_the_guarantee_holds_on_the_edge_and_the_naive_choice_does_not(start: Start) -> None:
    edge, setting = edge_population(0.8, n=3000), Setting(0.8, 0.1, 150, start)
    held = study(edge, setting, guaranteed(setting), draws=100, seed=1)
    fooled = study(edge, setting, naive(setting), draws=100, seed=1)
    assert held.holds
    assert not fooled.holds
    assert fooled.violations > 80
    # scipy.stats.binom.ppf(.999, 100, .1)
    assert held.limit == 20
    assert "| NO |" in row(edge, "naive", setting, fooled)


def test_recorded_judges_are_a_population(data_root: Path) -> None:
    stages = recorded_stages(str(data_root), "Vanilla_NoRules", ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2"))
    population = recorded_population(str(data_root), "easy", NATURAL, stages)
    assert population.scores.confidence.shape == (300, 3)
    # reference.json: n_position_consistent of GPT-4 and ChatGPT, Vanilla_NoRules, on Natural and MT-Bench
    consistent = np.count_nonzero(~np.isnan(population.scores.confidence[:, :2]), axis=0)
    reference = json.loads((data_root / "llmbar_recorded" / "reference.json").read_text(encoding="utf-8"))
    expected = [
        sum(
            each["n_position_consistent"]
            for each in reference
            if (each["model"], each["strategy"]) == (model, "Vanilla_NoRules") and each["subset"] in NATURAL
        )
        for model in ("ChatGPT", "GPT-4")
    ]
    assert list(consistent) == expected
    setting = Setting(0.8, 0.1, 100)
    assert study(population, setting, guaranteed(setting), draws=40, seed=0).holds


def test_one_test_on_the_edge_uses_most_of_delta_and_no_more() -> None:
    # Of 100 items, about half reach the level: P(Binomial(50, .2) <= 5) = .048, <= 6: .103. So about 5 to
    # 10% of 300 draws violate; 47 is the .999 quantile at a tenth.
    edge = edge_population(0.8, n=3100, levels=(1.0,), names=("only",))
    held = study(edge, Setting(0.8, 0.1, 100), guaranteed(Setting(0.8, 0.1, 100)), draws=300, seed=2)
    assert held.limit == 47
    assert 9 <= held.violations <= held.limit
