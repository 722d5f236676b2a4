import csv
import io
import json
from dataclasses import replace

import pytest

from venire.records import Dimension, Order, Winner
from venire.review.label_sheet import label_sheet
from venire.review.queue import handle_of
from venire.review.reading import Reading, read_sheet
from venire.review.sheets import SheetFormat


@pytest.mark.parametrize("form", list(SheetFormat))
@pytest.mark.parametrize("handles", [True, False])
def test_labels_come_back_by_an_import_as_they_were(form, handles, pair, rated, label, tmp_path):
    items = [pair("models/gpt/1"), rated("b"), pair("c")]
    given = [
        label(items[0], Winner.SECOND, seconds=2.5, comment='a, "b"\nc', shown=Order.SWAPPED),
        label(items[1], {"fluency": 4.0}),
        label(items[1], {"fluency": 3.0, "polite": 1.0}, "bob"),
        label(items[2], Winner.TIE, seconds=None),
    ]
    path = tmp_path / f"labels{form.value}"
    path.write_text(label_sheet(given, form, handles=handles))
    assert ("models/gpt/1" in path.read_text()) is not handles
    assert (handle_of("models/gpt/1") in path.read_text()) is handles
    read = read_sheet(path, Reading(items, now="now", run_id="run-1"))
    came = [replace(each, imported_at="now", source=path.name, run_id="run-1") for each in given]
    assert (list(read.labels), read.empty) == (came, 0)


def test_a_sheet_says_what_import_does_not_need_too(pair, label):
    text = label_sheet([label(pair("a"), Winner.TIE, shown=Order.SWAPPED, source="page")], SheetFormat.JSONL)
    assert {name: json.loads(text)[name] for name in ("shown", "source", "verdict")} == {
        "shown": "swapped",
        "source": "page",
        "verdict": "tie",
    }


def test_what_a_spreadsheet_would_calculate_is_text(pair, label):
    text = label_sheet([label(pair("a"), Winner.TIE, comment="=1+1")], SheetFormat.CSV)
    assert "'=1+1" in text
    assert ",=1+1" not in text


@pytest.mark.parametrize("form", list(SheetFormat))
def test_texts_that_begin_like_formulas_and_negative_ratings_come_back_as_they_were(
    form, pair, rated, label, tmp_path
):
    comments = ["=1+1", "-1", "@x", "+x", "'=1+1", "''=1", "'quoted'", "'", "\uff1dSUM(A1)", "it's =1", "|x"]
    items = [pair(f"{first}{n}") for n, first in enumerate("=+-@'a")]
    balance = replace(rated("r"), dimensions=(Dimension("balance", "which way", -2, 2, 1),))
    given = [
        label(item, Winner.TIE, f"p{n}", comment=text) for item in items for n, text in enumerate(comments)
    ]
    given.append(label(balance, {"balance": -2.0}))
    path = tmp_path / f"labels{form.value}"
    path.write_text(label_sheet(given, form), newline="")
    came = read_sheet(path, Reading([*items, balance])).labels
    assert [(each.who_and_what, each.comment, each.verdict) for each in came] == [
        (each.who_and_what, each.comment, each.verdict) for each in given
    ]
    if form is SheetFormat.CSV:
        cells = [cell for row in csv.reader(io.StringIO(path.read_text(), newline="")) for cell in row]
        assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r\n\uff1d")] == []


def test_no_labels_are_an_empty_file():
    assert label_sheet([], SheetFormat.JSONL) == ""
    assert label_sheet([], SheetFormat.CSV) == "\n"
