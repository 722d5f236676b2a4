import json
from dataclasses import replace

import pytest

from venire.records import Order, Winner
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
    came = [replace(each, imported_at="now", source=path.name, run_id="run-1", shown=None) for each in given]
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


def test_no_labels_are_an_empty_file():
    assert label_sheet([], SheetFormat.JSONL) == ""
    assert label_sheet([], SheetFormat.CSV) == "\n"
