import json

import pytest

from venire.errors import DataError
from venire.records import Winner
from venire.review.labels import content_of
from venire.review.queue import ReviewFilter, handle_of, review_queue
from venire.review.reading import Reading, read_sheet
from venire.review.sheets import SheetFormat, sheet

NOW = "2026-11-30T12:00:00+00:00"


@pytest.fixture
def write(tmp_path):
    def write_rows(*rows, name="labels.jsonl"):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return write_rows


def refused(path, reading):
    with pytest.raises(DataError) as caught:
        read_sheet(path, reading)
    return str(caught.value)


def test_a_label_with_everything_in_it(pair, write):
    instance = pair("a")
    row = {
        "instance_id": "a",
        "verdict": "response_2",
        "annotator": "ann",
        "created_at": "2026-11-29T08:00:00+01:00",
        "seconds": 31.5,
        "comment": " too long ",
    }
    read = read_sheet(write(row), Reading([instance], now=NOW, run_id="run-1"))
    (label,) = read.labels
    assert label.instance_id == "a"
    assert label.content == content_of(instance)
    assert label.verdict is Winner.SECOND
    assert (label.annotator, label.created_at, label.seconds) == ("ann", "2026-11-29T08:00:00+01:00", 31.5)
    assert (label.comment, label.imported_at, label.source, label.run_id) == (
        "too long",
        NOW,
        "labels.jsonl",
        "run-1",
    )
    assert read.empty == 0


def test_handles_lead_back_and_what_is_left_open_is_filled_in(pair, write):
    row = {"instance_id": handle_of("a"), "verdict": "tie"}
    (label,) = read_sheet(write(row), Reading([pair("a")], annotator="bob", now=NOW)).labels
    assert (label.instance_id, label.annotator, label.created_at, label.seconds) == ("a", "bob", NOW, None)


def test_rows_without_a_verdict_are_not_labelled_yet(pair, rated, write):
    rows = [{"instance_id": "a", "verdict": ""}, {"instance_id": "b", "verdict": None, "annotator": "ann"}]
    read = read_sheet(write(*rows), Reading([pair("a"), pair("b")]))
    assert (read.labels, read.empty) == ((), 2)
    row = {"instance_id": "a", "ratings": {"fluency": None, "polite": ""}}
    assert read_sheet(write(row), Reading([rated("a")])).empty == 1


@pytest.mark.parametrize("form", SheetFormat)
def test_an_exported_file_comes_back_filled_in(pair, rated, outcome, tmp_path, form):
    for instance, given, expected in (
        (pair("a"), {"verdict": "response_1"}, Winner.FIRST),
        (rated("a"), {"rating.fluency": "4", "rating.polite": "1"}, {"fluency": 4.0, "polite": 1.0}),
    ):
        items = review_queue([instance], [outcome("a", Winner.FIRST, 0.1)], ReviewFilter())
        text = sheet(items, form)
        if form is SheetFormat.JSONL:
            row = json.loads(text)
            nested = {
                name.removeprefix("rating."): float(value) for name, value in given.items() if "." in name
            }
            row |= {"annotator": "ann", **({"ratings": nested} if nested else given)}
            text = json.dumps(row)
        else:
            head, body = text.split("\n", 1)
            values = dict(zip(head.split(","), body.rstrip("\n").split(","), strict=True))
            values |= {"annotator": "ann", **given}
            text = f"{head}\n{','.join(values.values())}\n"
        path = tmp_path / f"sheet{form}"
        path.write_text(text, encoding="utf-8")
        (label,) = read_sheet(path, Reading([instance], now=NOW)).labels
        assert label.verdict == expected


def test_unknown_ids_are_refused(pair, write):
    row = {"instance_id": "z", "verdict": "tie", "annotator": "ann"}
    assert refused(write(row), Reading([pair("a")])).endswith(
        "row 1, field 'instance_id': expected an id or a handle of the data set, got 'z'; import it for the "
        "run, or the data set with its limit and sample, that it came from"
    )


def test_labels_of_other_texts_are_refused(pair, write):
    row = {"instance_id": "a", "content": "0" * 16, "verdict": "tie", "annotator": "ann"}
    assert "field 'content': expected the texts that 'a' has now" in refused(write(row), Reading([pair("a")]))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"verdict": "A"}, "'verdict': expected one of response_1, response_2, got 'A'; correct it"),
        ({"verdict": "tie"}, "got 'tie'; this data set's labels do not have it"),
        (
            {"verdict": "response_1", "annotator": ""},
            "'annotator': expected who gave this label, got nothing",
        ),
        ({"verdict": "response_1", "created_at": "yesterday"}, "'created_at': expected a time such as"),
        (
            {"verdict": "response_1", "seconds": -1},
            "'seconds': expected a number of seconds, at least 0, got -1",
        ),
        ({"verdict": "response_1", "seconds": "long"}, "'seconds': expected a number of seconds"),
        ({"ratings": {"fluency": 3}}, "'ratings': expected a verdict: two responses are compared"),
    ],
)
def test_a_label_of_a_pair_that_is_none_is_refused(row, message, pair, write):
    whole = {"instance_id": "a", "annotator": "ann", **row}
    assert message in refused(write(whole), Reading([pair("a")], (Winner.FIRST, Winner.SECOND)))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"ratings": {"fluency": 6}}, "'rating.fluency': expected a rating from 1 to 5, got 6"),
        ({"ratings": {"fluency": 3.5}}, "expected a rating from 1 to 5 in steps of 1, got 3.5"),
        ({"ratings": {"fluency": "good"}}, "'rating.fluency': expected a rating from 1 to 5, got 'good'"),
        ({"ratings": {"style": 3}}, "expected a dimension that is rated (fluency, polite), got 'style'"),
        ({"ratings": {"average": 0.5}}, "expected a dimension that is rated"),
        ({"rating.polite": 0.5}, "'rating.polite': expected a rating from 0 to 1 in steps of 1, got 0.5"),
        ({"verdict": "tie"}, "'verdict': expected ratings on dimensions, got 'tie'"),
        ({"ratings": "3"}, "'ratings': expected ratings by dimension, got '3'"),
    ],
)
def test_a_rating_that_is_none_is_refused(row, message, rated, write):
    assert message in refused(write({"instance_id": "a", "annotator": "ann", **row}), Reading([rated("a")]))


def test_two_labels_of_one_annotator_on_an_item_are_refused_those_of_two_are_not(pair, write):
    row = {"instance_id": "a", "verdict": "tie", "annotator": "ann"}
    handle = {**row, "instance_id": handle_of("a")}
    assert "expected one label an item and annotator, got a second of 'ann' (first: row 1)" in refused(
        write(row, handle), Reading([pair("a")])
    )
    two = read_sheet(write(row, {**row, "annotator": "bob"}), Reading([pair("a")]))
    assert [label.annotator for label in two.labels] == ["ann", "bob"]


def test_a_line_that_takes_a_label_back_is_no_row_of_an_import(pair, write):
    row = {"taken_back": {"instance_id": "a"}, "at": "2026-11-30T09:00:00Z"}
    assert "expected a label, got a line that takes one back; import what venire review labels" in refused(
        write(row), Reading([pair("a")])
    )
