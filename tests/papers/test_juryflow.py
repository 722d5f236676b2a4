"""The arithmetic behind docs/papers/juryflow.md: published figures held against each other.

Source of every literal: JuryFlow, sections 4 and 5, as in experiments/juryflow/*.yaml.
"""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from venire.data.llmbar import LLMBar
from venire.data.mt_bench import MTBench
from venire.records import PreferenceGold, Winner
from venire.reporting.spec_table import REEVALUATION
from venire.reporting.specs import read_spec
from venire.stats.agreement import kappa_of_table

DOC = Path(__file__).parents[2] / "docs" / "papers" / "juryflow.md"
accuracy_of = SimpleNamespace(full=0.784, no_propagation=0.756, no_rubric=0.772, focal=0.748)
calls_of = SimpleNamespace(full=3.6, focal=1.3, propagation=1.7, rubric=0.6, beta_nine_tenths=1.4)


@pytest.fixture(scope="module")
def doc() -> str:
    return " ".join(DOC.read_text(encoding="utf-8").split())


def reached(figure: float, n: int) -> list[int]:
    """The k for which k / n is `figure` to three decimals (half up)."""
    return [k for k in range(n + 1) if math.floor(1000 * k / n + 0.5) == round(1000 * figure)]


def expected_agreement(accuracy: float, kappa: float) -> float:
    """The e for which kappa = (accuracy - e) / (1 - e)."""
    return (accuracy - kappa) / (1 - kappa)


def test_the_figures_here_are_those_of_the_specs() -> None:
    third = read_spec("juryflow/table3").published
    assert third["full system"]["accuracy"] == accuracy_of.full
    assert third["without propagation"]["accuracy"] == accuracy_of.no_propagation
    assert third["without rubric"]["accuracy"] == accuracy_of.no_rubric
    assert third["focal only"]["accuracy"] == accuracy_of.focal
    assert third["full system"][REEVALUATION] == pytest.approx(
        calls_of.focal + calls_of.propagation + calls_of.rubric
    )
    assert third["without propagation"][REEVALUATION] == pytest.approx(calls_of.focal + calls_of.rubric)
    assert third["without rubric"][REEVALUATION] == pytest.approx(calls_of.focal + calls_of.propagation)
    assert read_spec("juryflow/table4").published["beta 0.90"][REEVALUATION] == calls_of.beta_nine_tenths


def test_leave_one_out_effects_leave_an_interaction_of_four_tenths_of_a_point(doc: str) -> None:
    by_propagation, by_rubric = (
        accuracy_of.full - accuracy_of.no_propagation,
        accuracy_of.full - accuracy_of.no_rubric,
    )
    assert accuracy_of.focal + by_propagation + by_rubric == pytest.approx(0.788)
    assert accuracy_of.full - (accuracy_of.focal + by_propagation + by_rubric) == pytest.approx(-0.004)
    assert (
        accuracy_of.full - accuracy_of.no_rubric - accuracy_of.no_propagation + accuracy_of.focal
        == pytest.approx(0.004)
    )
    assert accuracy_of.no_rubric - accuracy_of.focal == pytest.approx(0.024)
    assert accuracy_of.no_propagation - accuracy_of.focal == pytest.approx(0.008)
    interaction, rounding = 0.004, 4 * 0.0005
    assert interaction * 419 == pytest.approx(1.7, abs=0.05)
    assert interaction - rounding == pytest.approx(0.002)
    assert interaction + rounding == pytest.approx(0.006)
    assert "The sum is .788" in doc
    assert "interaction of -.4 points" in doc
    assert "between .2 and .6 points" in doc


def test_beta_of_nine_tenths_takes_fewer_calls_than_focal_and_rubric_together(doc: str) -> None:
    assert calls_of.focal + calls_of.rubric == pytest.approx(1.9)
    assert calls_of.focal + calls_of.rubric - 2 * 0.05 > calls_of.beta_nine_tenths  # with both rounded
    assert calls_of.full - calls_of.rubric == pytest.approx(3.0)
    assert "1.3 + .6 = 1.9, within rounding 1.8" in doc
    assert "should be 3.0" in doc


@pytest.mark.parametrize(
    ("accuracy", "published", "balanced"),
    [(0.857, 0.71, 0.714), (0.679, 0.36, 0.358), (0.784, 0.57, 0.568), (0.804, 0.59, 0.608)],
)
def test_balanced_margins_give_every_published_kappa_but_one(
    accuracy: float, published: float, balanced: float, doc: str
) -> None:
    right = round(1000 * accuracy)
    table = np.array([[right, 1000 - right], [1000 - right, right]])  # 1,000 of either label
    assert kappa_of_table(table).value == pytest.approx(balanced)
    assert (round(balanced, 2) == published) is (published != 0.59)
    assert f"{balanced:.3f}"[1:] in doc


def test_the_one_kappa_needs_margins_that_the_pairs_here_do_not_have(doc: str) -> None:
    assert expected_agreement(0.804, 0.59) == pytest.approx(0.522, abs=5e-4)
    assert expected_agreement(0.804 - 5e-4, 0.59 + 5e-3) == pytest.approx(0.515, abs=5e-4)
    # equal margins p: p^2 + (1 - p)^2 = .522
    share = 0.5 + math.sqrt((expected_agreement(0.804, 0.59) - 0.5) / 2)
    assert share == pytest.approx(0.605, abs=5e-4)
    # the widest that 152 of 300 allow: every prediction the more frequent label
    most = 0.5 + 2 * (152 / 300 - 0.5) * 0.5
    assert most == pytest.approx(0.507, abs=5e-4)
    assert (0.804 - most) / (1 - most) == pytest.approx(0.603, abs=5e-4)
    for told in ("e must be .522, with rounding at least .515", "of .605", "at most .507", "at least .603"):
        assert told in doc


def test_the_pairs_here_are_as_balanced_as_the_page_says(data_root: Path, doc: str) -> None:
    golds = [instance.gold for instance in MTBench(str(data_root)).load().instances]
    winners = [gold.winner for gold in golds if isinstance(gold, PreferenceGold)]
    assert [winners.count(winner) for winner in (Winner.FIRST, Winner.SECOND)] == [152, 148]
    assert "wins 152 and loses 148" in doc


def test_six_accuracies_are_no_single_run_of_419_but_means_over_three_seeds(doc: str) -> None:
    means = (0.784, 0.679, 0.748, 0.756, 0.772, 0.779)
    assert [figure for figure in means if reached(figure, 419)] == []
    assert [figure for figure in means if not reached(figure, 3 * 419)] == []
    assert [figure for figure in means if not reached(figure, 2 * 419)] == [0.756]
    assert [reached(figure, 419) for figure in (0.718, 0.761, 0.726)] == [[301], [319], [304]]
    assert [reached(figure, 300) for figure in (0.804, 0.857, 0.828)] == [[], [257], []]
    assert "301, 319 and 304" in doc
    assert all(re.search(rf"\.{round(1000 * figure)}\b", doc) for figure in means)


def test_llmbar_has_exactly_the_evaluated_instances(data_root: Path, doc: str) -> None:
    assert 100 + 134 + 92 + 47 + 46 == 419
    assert len(LLMBar(str(data_root)).load().instances) == 419
    assert "100 + 134 + 92 + 47 + 46 = 419" in doc
