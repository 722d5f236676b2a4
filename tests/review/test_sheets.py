import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from venire.errors import ConfigError
from venire.records import Outcome, Preference, Ratings, Reason, Response, Unscored, Winner
from venire.review.labels import content_of
from venire.review.queue import ReviewItem, Why, handle_of
from venire.review.sheets import SheetFormat, Shown, judged_text, scale_text, sheet

FIRST = Winner.FIRST


def item(instance, prediction=Preference(FIRST, 0.25)):  # noqa: B008
    return ReviewItem(
        handle_of(instance.id), instance, (Why.LOW_CONFIDENCE,), Outcome(instance.id, prediction)
    )


def rows(text, form):
    if form is SheetFormat.JSONL:
        return [json.loads(line) for line in text.rstrip("\n").split("\n")]
    return list(csv.DictReader(io.StringIO(text)))


def test_a_pair_as_people_see_it(pair):
    instance = pair("81/gpt-9/llama-9", context="the source")
    (row,) = rows(sheet([item(instance)], SheetFormat.JSONL), SheetFormat.JSONL)
    assert row == {
        "instance_id": handle_of("81/gpt-9/llama-9"),
        "content": content_of(instance),
        "prompt": "prompt of 81/gpt-9/llama-9",
        "context": "the source",
        "reference": None,
        "response_1": "one",
        "response_2": "two",
        "verdict": "",
        "annotator": "",
        "created_at": "",
        "seconds": None,
        "comment": "",
    }


@pytest.mark.parametrize("form", SheetFormat)
def test_neither_models_nor_gold_nor_the_run_s_word_are_told_unless_asked(pair, form):
    instance = pair("secret/gpt-9", subset="Adversarial", prompt="which?")
    text = sheet([item(instance)], form)
    for told in ("gpt-9", "llama-9", "Adversarial", "secret", "0.25", "low_confidence"):
        assert told not in text
    (row,) = rows(sheet([item(instance)], form, Shown(names=True, verdicts=True)), form)
    assert row["instance_id"] == "secret/gpt-9"
    assert (row["model_1"], row["model_2"], row["subset"]) == ("gpt-9", "llama-9", "Adversarial")
    assert row["judged"] == "response_1 (0.25)"
    assert "low_confidence" in row["why"]


def test_ratings_have_a_place_each_and_their_scale(rated):
    text = sheet([item(rated("a"), Ratings({"fluency": 3}))], SheetFormat.CSV)
    (row,) = rows(text, SheetFormat.CSV)
    assert row["scale.fluency"] == "1 to 5 in steps of 1: how fluent"
    assert (row["rating.fluency"], row["rating.polite"]) == ("", "")
    assert "rating.average" not in row  # a mean of others is nobody's to give
    assert "verdict" not in row
    (row,) = rows(sheet([item(rated("a"))], SheetFormat.JSONL), SheetFormat.JSONL)
    assert row["ratings"] == {"fluency": None, "polite": None}


def test_no_text_becomes_a_formula_in_a_spreadsheet(pair):
    instance = replace(pair("a"), responses=(Response("=HYPERLINK(1)"), Response("- a list")))
    (row,) = rows(sheet([item(instance)], SheetFormat.CSV), SheetFormat.CSV)
    assert (row["response_1"], row["response_2"]) == ("'=HYPERLINK(1)", "'- a list")
    (row,) = rows(sheet([item(instance)], SheetFormat.JSONL), SheetFormat.JSONL)
    assert row["response_1"] == "=HYPERLINK(1)"


def test_texts_keep_their_lines_and_letters(pair):
    prompt = 'two\nlines, "quotes", ünïcode\u2028 and a comma'
    for form in SheetFormat:
        (row,) = rows(sheet([item(pair("a", prompt=prompt))], form), form)
        assert row["prompt"] == prompt


def test_an_empty_queue_is_an_empty_file():
    assert sheet([], SheetFormat.JSONL) == ""


def test_the_ending_names_the_form():
    assert SheetFormat.of(Path("x.CSV")) is SheetFormat.CSV
    with pytest.raises(ConfigError, match=r"a name that ends in \.jsonl or \.csv, got x\.xlsx"):
        SheetFormat.of(Path("x.xlsx"))


def test_what_a_run_said_in_words(rated):
    assert judged_text(Ratings({"fluency": 3.5, "polite": 1})) == "fluency 3.5, polite 1"
    assert judged_text(Unscored(Reason.REFUSED, "filter")) == "no judgment: refused (filter)"
    assert scale_text(rated("a").dimensions[2]) == "0 to 1: mean"
