"""What heat maps show of runs, counted by hand; R right, W wrong, T tie, U unscored."""

from pathlib import Path

import numpy as np
import pytest
from tests.commands.test_independence import panel_run
from tests.reporting.test_compare import rows

from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.heat_map import Confusion, Correlations, confusions, heat_maps
from venire.reporting.pairing import Run, read_run
from venire.reporting.run_matrices import confusion_of, correlations_of, shortened
from venire.runs import read_judged


def test_every_verdict_of_both_orders_is_counted_against_its_gold(make_record) -> None:
    # gold is the first response throughout; eight verdicts of four items
    found = confusion_of(Run(make_record(), rows("RRWT", "RWUU")), "a run")
    assert found is not None
    assert (found.gold, found.verdict) == (("first",), ("first", "second", "tie", "unscored"))
    assert found.counts.tolist() == [[3, 2, 1, 2]]


def test_labels_that_nobody_used_have_no_column_but_both_responses_do(make_record) -> None:
    found = confusion_of(Run(make_record(), rows("RR", "RR")), "a run")
    assert found is not None
    assert (found.verdict, found.counts.tolist()) == (("first", "second"), [[4, 0]])


def test_a_panels_judges_are_correlated_by_being_right(tmp_path: Path) -> None:
    panel_run(tmp_path, {"a": "1112", "b": "1122", "c": "1212"})
    folder = tmp_path / "runs" / "panel"
    found = correlations_of(read_run(folder), folder, "a panel")
    assert found is not None
    assert found.labels == ("a", "b", "c")
    right = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    assert found.matrix == pytest.approx(np.corrcoef(right))
    assert len(read_judged(folder)) == 4


def test_words_that_all_titles_end_with_go_without_saying() -> None:
    assert shortened(["single a llmbar", "majority b llmbar"]) == ["single a", "majority b"]
    assert shortened(["a b", "a b"]) == ["a b", "a b"]
    assert shortened(["alone here"]) == ["alone here"]


def test_the_same_matrices_give_the_same_files_which_say_what_answered(tmp_path: Path) -> None:
    captions = Captions("a title", "verdict", "gold", "n = 4, backend simulated", SIMULATED)
    counts = Confusion("one", ("first", "second"), ("first", "second"), np.array([[3, 1], [0, 0]]))
    panel = Correlations("two", ("a", "b"), np.array([[1.0, 0.25], [0.25, 1.0]]))
    for name in ("p", "q"):
        paths = confusions([counts] * 5, captions, tmp_path / name / "confusion")
        paths += heat_maps([panel], captions, tmp_path / name / "correlation")
    for path in paths:
        assert path.read_bytes() == (tmp_path / "p" / path.name).read_bytes()
    text = (tmp_path / "p" / "confusion.svg").read_text(encoding="utf-8")
    assert SIMULATED in text
    assert "backend simulated" in text
    assert text.count(">75%<") == 5
    assert "nan" not in text
