"""The findings on the figures of the two papers and the guide, and the pages that show them."""

from pathlib import Path

import pytest

from venire.claimcheck import Finding, Level, bundled_claims, check_claims, read_claims
from venire.claimcheck.report import as_markdown
from venire.reporting.specs import read_spec

PAGES = Path(__file__).parents[2] / "docs" / "claims"


def findings(name: str) -> dict[str, Finding]:
    return {finding.title: finding for finding in check_claims(read_claims(name))}


@pytest.mark.parametrize("name", bundled_claims())
def test_the_page_is_what_the_command_prints(name: str) -> None:
    # venire check-claims NAME --format md > docs/claims/NAME.md
    claims = read_claims(name)
    assert (PAGES / f"{name}.md").read_text(encoding="utf-8") == as_markdown(claims, check_claims(claims))


@pytest.mark.parametrize(
    ("name", "counts"),
    [("juryflow", (1, 9, 0, 15)), ("maj_eval", (0, 3, 0, 4)), ("judging_guide", (0, 0, 2, 1))],
)
def test_so_many_findings_of_each_level(name: str, counts: tuple[int, ...]) -> None:
    levels = [finding.level for finding in check_claims(read_claims(name))]
    assert tuple(levels.count(level) for level in Level) == counts


def test_a_development_split_within_all_of_llmbar_is_the_one_impossible_claim() -> None:
    (found,) = [f for f in findings("juryflow").values() if f.level is Level.IMPOSSIBLE]
    assert found.check == "split"
    assert "at least 420 of a set of 419" in found.arithmetic[0]


@pytest.mark.parametrize(
    ("beginning", "condition"),
    [
        ("Accuracies on LLMBar as", "they are means over 3 to 10 runs (tried: 2 to 10)"),
        ("Accuracies on MT-Bench", "they are means over 3 to 10 runs (tried: 2 to 10)"),
        (
            "Kappa .59",
            "the margins make e 0.515 to 0.529: for instance both sides have the same label in a sh",
        ),
        ("Approximately additive", "the effects interact: by −0.006 to −0.002 beyond their sum"),
        ("1.4 calls at beta .9", "one of these does not hold: table 4 counts rubric calls"),
        (
            "The same with the gold",
            "this does not hold: the paper's 300 pairs have the gold of venire's sample",
        ),
    ],
)
def test_what_must_hold_for_juryflow(beginning: str, condition: str) -> None:
    (found,) = [f for title, f in findings("juryflow").items() if title.startswith(beginning)]
    assert found.level is Level.CONDITIONAL
    assert found.conditions[0].startswith(condition)


def test_the_published_task_of_maj_eval_has_two_documents_and_four_groups() -> None:
    found = findings("maj_eval")
    (two,) = [f for title, f in found.items() if "two documents" in title]
    assert two.conditions == ("groups is 4 (tried: 1 to 20)",)
    (cost,) = [f for f in found.values() if f.check == "cost"]
    assert cost.conditions[0] == "between 0.00% and 0.06% of the tokens are output"


def test_the_two_figures_of_the_guide_are_unsourced() -> None:
    texts = [f.arithmetic[0][:6] for f in findings("judging_guide").values() if f.level is Level.UNSOURCED]
    assert texts == ["15-25%", "40-60%"]


def test_the_figures_are_those_of_the_table_specs() -> None:
    figures = read_claims("juryflow").figures
    second, third = read_spec("juryflow/table2").published, read_spec("juryflow/table3").published
    pairs = {
        "single_mt": second["MT-Bench, single judge"]["accuracy"],
        "majority_mt": second["MT-Bench, majority panel"]["accuracy"],
        "full_mt": second["MT-Bench, JuryFlow"]["accuracy"],
        "kappa_single_mt": second["MT-Bench, single judge"]["kappa"],
        "kappa_full_mt": second["MT-Bench, JuryFlow"]["kappa"],
        "single": second["LLMBar, single judge"]["accuracy"],
        "majority": second["LLMBar, majority panel"]["accuracy"],
        "kappa_single": second["LLMBar, single judge"]["kappa"],
        "kappa_full": second["LLMBar, JuryFlow"]["kappa"],
        "full": third["full system"]["accuracy"],
        "without_propagation": third["without propagation"]["accuracy"],
        "without_rubric": third["without rubric"]["accuracy"],
        "focal": third["focal only"]["accuracy"],
        "beta_0": read_spec("juryflow/table4").published["beta 0.00"]["accuracy"],
        "beta_09": read_spec("juryflow/table4").published["beta 0.90"]["accuracy"],
        "multi_persona": read_spec("juryflow/table5").published["one model, five personas"]["accuracy"],
        "multi_model": read_spec("juryflow/table5").published["five models"]["accuracy"],
    }
    assert {name: float(figures[name].value) for name in pairs} == pairs
