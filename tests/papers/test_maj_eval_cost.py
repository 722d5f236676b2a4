"""What MAJ-EVAL's published costs add up to: the numbers at the end of docs/papers/maj_eval.md.

Source of the figures: spec, section 2, "Published costs".
"""

from pathlib import Path

import pytest

from venire.planning import published_tokens
from venire.records import Price, Usage

PAGE = Path(__file__).parents[2] / "docs" / "papers" / "maj_eval.md"
DOCUMENT, PAIR, TASK, DOLLARS = 34_103, 18_281, 141_329, 0.42
SONNET = Price(3.0, 15.0)  # conf/judge/claude_3_7_sonnet.yaml


def tokens(documents: int, groups: int, instances: int = 1) -> int:
    return published_tokens(
        documents=documents,
        per_document=DOCUMENT,
        groups=groups,
        per_group_instance=PAIR,
        instances=instances,
    )


def dollars(tokens_in: float, tokens_out: float) -> float:
    cost = SONNET.cost_usd(Usage(round(tokens_in), round(tokens_out)))
    assert cost is not None
    return cost


def test_the_published_task_is_two_documents_and_four_groups_but_for_rounding() -> None:
    # The two addends are means, rounded: two and four of them may be off by 3.
    assert tokens(2, 4) == 141_330
    assert abs(tokens(2, 4) - TASK) <= 3


def test_no_number_of_groups_fits_three_documents() -> None:
    assert [groups for groups in range(10) if abs(tokens(3, groups) - TASK) <= 0.5 * (3 + groups)] == []
    assert tokens(3, 4) == 175_433


def test_the_published_dollars_are_all_tokens_as_input() -> None:
    assert round(dollars(tokens(2, 4), 0), 2) == DOLLARS
    assert dollars(0.9 * tokens(2, 4), 0.1 * tokens(2, 4)) == pytest.approx(0.594, abs=5e-4)


def test_a_run_of_102_summaries_pays_its_personas_once() -> None:
    assert (tokens(2, 0), tokens(0, 4)) == (68_206, 73_124)
    assert (tokens(0, 4, 102), tokens(2, 4, 102), 102 * tokens(2, 4)) == (7_458_648, 7_526_854, 14_415_660)


def test_these_numbers_stand_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    counts = [DOCUMENT, PAIR, TASK, tokens(2, 4), tokens(3, 4), tokens(2, 0), tokens(0, 4)]
    counts += [tokens(0, 4, 102), tokens(2, 4, 102), 102 * tokens(2, 4)]
    assert [count for count in counts if f"{count:,}" not in page] == []
    priced = [dollars(tokens(2, 4), 0), dollars(0.9 * tokens(2, 4), 0.1 * tokens(2, 4))]
    assert [usd for usd in priced if f"${usd:.3f}".replace("$0", "$") not in page] == []
