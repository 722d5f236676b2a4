"""Verdicts on the criteria that a run compared pairs on: out, back, kept, measured."""

import csv
import io
import json
from dataclasses import replace

import pytest

from venire.errors import DataError
from venire.judging.criteria import Criterion
from venire.metrics.measure import MetricSettings
from venire.records import Outcome, Preference, Reason, Unscored, Winner
from venire.review.feedback import corrections
from venire.review.label_sheet import label_sheet
from venire.review.labels import consensus_on, content_of_criteria, labels_by_instance
from venire.review.measuring import relabelled
from venire.review.queue import ReviewFilter, review_queue
from venire.review.reading import Reading, read_sheet
from venire.review.rubric import corrected_rubric
from venire.review.sheets import SheetFormat, Shown, sheet
from venire.review.store import append_labels, read_labels

FIRST, SECOND, TIE = Winner
CLEAR = Criterion("clear", "Clarity", "Whether it is clear.", 0.5)
DEEP = Criterion("deep", "Depth", "=How deep it goes.", 0.5)
CRITERIA = (CLEAR, DEEP)
CONTENT = content_of_criteria(CRITERIA)


def on(instance, name, **verdicts):
    """An outcome with a winner on each criterion."""
    said = {key: winner.value for key, winner in verdicts.items()}
    return Outcome(instance.id, Preference(FIRST, 0.6), detail={"by_criterion": said, "name": name})


def exported(instance, form, tmp_path, **filled):
    """A review file of one pair, filled in."""
    items = review_queue([instance], [on(instance, "", clear=FIRST)], ReviewFilter())
    text = sheet(items, form, criteria=CRITERIA)
    path = tmp_path / f"sheet{form}"
    if form is SheetFormat.JSONL:
        row = json.loads(text)
        row |= {"verdict": filled.pop("verdict"), "annotator": "ann", "by_criterion": filled}
        path.write_text(json.dumps(row))
        return path
    (row,) = csv.DictReader(io.StringIO(text))
    assert set(filled) - {"verdict"} <= {name.removeprefix("verdict.") for name in row}
    row |= {"annotator": "ann", "verdict": filled.pop("verdict")}
    row |= {f"verdict.{key}": said for key, said in filled.items()}
    made = io.StringIO()
    writer = csv.DictWriter(made, row)
    writer.writeheader()
    writer.writerow(row)
    path.write_text(made.getvalue(), newline="")
    return path


@pytest.mark.parametrize("form", list(SheetFormat))
def test_a_review_file_has_a_place_for_each_criterion_and_comes_back_filled_in(pair, form, tmp_path):
    instance = pair("a")
    path = exported(instance, form, tmp_path, verdict="response_1", clear="tie", deep="N/A")
    assert "Whether it is clear." in path.read_text()
    if form is SheetFormat.CSV:
        assert "'=How" not in path.read_text()  # the name stands before it: no formula
    (label,) = read_sheet(path, Reading([instance], criteria=CRITERIA)).labels
    assert (label.verdict, dict(label.by_criterion)) == (FIRST, {"clear": TIE, "deep": None})
    assert label.criteria_content == CONTENT


def test_a_place_that_is_left_empty_says_nothing(pair, tmp_path):
    instance = pair("a")
    path = exported(instance, SheetFormat.JSONL, tmp_path, verdict="tie", clear="response_2", deep="")
    (label,) = read_sheet(path, Reading([instance], criteria=CRITERIA)).labels
    assert dict(label.by_criterion) == {"clear": SECOND}
    path = exported(instance, SheetFormat.JSONL, tmp_path, verdict="tie", clear="", deep="")
    (label,) = read_sheet(path, Reading([instance], criteria=CRITERIA)).labels
    assert (dict(label.by_criterion), label.criteria_content) == ({}, "")


@pytest.mark.parametrize(
    ("filled", "criteria", "message"),
    [
        (
            {"verdict": "tie", "clear": "A"},
            CRITERIA,
            "'verdict.clear': expected one of response_1, response_2, tie, N/A, got 'A'",
        ),
        ({"verdict": "", "clear": "tie"}, CRITERIA, "'verdict': expected a verdict on the whole"),
        (
            {"verdict": "tie", "deep": "tie"},
            (CLEAR,),
            r"'verdict.deep': expected the run's criteria \(clear\), got 'deep'",
        ),
        (
            {"verdict": "tie", "clear": "tie"},
            (),
            r"'verdict.clear': expected the run's criteria \(it has none\)",
        ),
        (
            {"verdict": "tie", "clear": "tie"},
            (CLEAR, replace(DEEP, description="Another.")),
            "'criteria_content': expected the run's criteria .*, got other words for them",
        ),
    ],
)
def test_what_is_no_verdict_on_a_criterion_of_the_run_is_refused(pair, tmp_path, filled, criteria, message):
    instance = pair("a")
    path = exported(instance, SheetFormat.CSV, tmp_path, **filled)
    with pytest.raises(DataError, match=message):
        read_sheet(path, Reading([instance], criteria=criteria))


def test_criteria_of_rated_responses_or_of_nobody_knows_which_are_refused(pair, rated, tmp_path):
    path = tmp_path / "l.jsonl"
    row = {"instance_id": "a", "annotator": "ann", "by_criterion": {"clear": "tie"}}
    path.write_text(json.dumps({**row, "ratings": {"fluency": 1}}))
    with pytest.raises(DataError, match="'by_criterion': expected ratings: one response is rated"):
        read_sheet(path, Reading([rated("a")], criteria=CRITERIA))
    path.write_text(json.dumps({**row, "verdict": "tie"}))
    with pytest.raises(DataError, match="'criteria_content': expected the criteria that were asked on"):
        read_sheet(path, Reading([pair("a")], criteria=None))
    path.write_text(json.dumps({**row, "verdict": "tie", "by_criterion": ["clear"]}))
    with pytest.raises(DataError, match="'by_criterion': expected verdicts by criterion"):
        read_sheet(path, Reading([pair("a")], criteria=CRITERIA))


@pytest.mark.parametrize("form", list(SheetFormat))
def test_labels_come_back_by_an_import_and_from_the_store_as_they_were(form, pair, label, tmp_path):
    items = [pair("a"), pair("b")]
    given = [
        label(
            items[0],
            FIRST,
            by_criterion={"clear": SECOND, "deep": None},
            criteria_content=CONTENT,
            source="s",
        ),
        label(items[1], TIE, source="s"),
    ]
    path = tmp_path / f"labels{form}"
    path.write_text(label_sheet(given, form), newline="")
    for criteria in (CRITERIA, None):
        came = read_sheet(path, Reading(items, criteria=criteria)).labels
        assert [replace(each, source="s") for each in came] == given
    store = tmp_path / "store.jsonl"
    assert append_labels(store, given) == tuple(given)
    assert read_labels(store) == tuple(given)
    assert append_labels(store, given) == ()
    changed = replace(given[0], by_criterion={"clear": TIE, "deep": None})
    assert append_labels(store, [changed]) == (changed,)


def test_what_the_run_said_on_criteria_is_told_where_verdicts_are(pair):
    instance = pair("a")
    items = review_queue([instance], [on(instance, "", clear=SECOND)], ReviewFilter())
    (row,) = map(json.loads, sheet(items, SheetFormat.JSONL, Shown(verdicts=True), CRITERIA).splitlines())
    assert row["judged"] == "response_1 (0.60); clear response_2"
    assert "response_1 (0.60)" not in sheet(items, SheetFormat.JSONL, criteria=CRITERIA)


def test_people_agree_on_a_criterion_by_plurality_of_those_who_were_asked_in_these_words(pair, label):
    a = pair("a")

    def said(who, winner, content=CONTENT):
        return label(a, TIE, who, by_criterion={"clear": winner}, criteria_content=content)

    three = [said("x", FIRST), said("y", FIRST), said("z", SECOND)]
    found = consensus_on(three, "clear", CONTENT)
    assert found is not None
    assert (found.winner, dict(found.votes)) == (FIRST, {FIRST: 2, SECOND: 1})
    assert consensus_on(three[1:], "clear", CONTENT) is None
    assert consensus_on([said("x", None)], "clear", CONTENT) is None
    assert consensus_on([said("x", FIRST, "other")], "clear", CONTENT) is None
    assert consensus_on(three, "deep", CONTENT) is None


def test_a_run_is_measured_on_each_criterion_against_peoples_verdicts_on_it(pair, label):
    # On clear people say 1 1 2 1 - and draw on f; the run says 1 2 2 (unjudged) -: right on a and c, 2 of 4.
    # On deep people say 1 of e alone, on which the run has no verdict: it is left out.
    a, b, c, d, e, f = (pair(name) for name in "abcdef")
    outcomes = [
        on(a, "", clear=FIRST),
        on(b, "", clear=SECOND),
        on(c, "", clear=SECOND),
        Outcome("d", Unscored(Reason.ESCALATED)),
        on(e, ""),
        on(f, "", clear=FIRST),
    ]

    def said(item, winner, who="ann", key="clear"):
        return label(item, FIRST, who, by_criterion={key: winner}, criteria_content=CONTENT)

    own = labels_by_instance(
        [
            said(a, FIRST),
            said(b, FIRST),
            said(c, SECOND),
            said(d, FIRST),
            said(e, FIRST, key="deep"),
            said(f, FIRST),
            said(f, SECOND, "bob"),
        ],
        [a, b, c, d, e, f],
    )
    settings = MetricSettings(draws=20)

    def found(criteria):
        return relabelled(
            [a, b, c, d, e, f],
            outcomes,
            own,
            winners=(FIRST, SECOND),
            seed=0,
            settings=settings,
            criteria=criteria,
        ).by_criterion

    clear, deep = found(CRITERIA)
    assert clear.measured is not None
    assert (clear.criterion, clear.undecided, clear.left_out) == (CLEAR, ("f",), ())
    metrics = clear.measured.metrics
    assert (metrics["n"], metrics["accuracy/final"], metrics["coverage"]) == (4, 0.5, 0.75)
    assert not any(name.startswith(("calls", "cost_usd", "tokens")) for name in metrics)
    assert (deep.criterion, deep.measured, deep.left_out) == (DEEP, None, ("e",))
    # in other words, or without criteria, they are verdicts on something else
    assert found((replace(CLEAR, description="Another."), DEEP)) == ()
    assert found(()) == ()


def test_corrections_on_a_criterion_are_edge_cases_of_its_rubric(pair, label):
    a, b = pair("a"), pair("b")
    outcomes = [on(a, "", clear=FIRST, deep=SECOND), Outcome("b", Unscored(Reason.ESCALATED))]
    own = labels_by_instance(
        [
            label(
                a,
                FIRST,
                by_criterion={"clear": SECOND, "deep": SECOND},
                criteria_content=CONTENT,
                comment="terse",
            ),
            label(b, TIE, by_criterion={"clear": FIRST, "deep": None}, criteria_content=CONTENT),
        ],
        [a, b],
    )
    found = corrections([a, b], outcomes, own, CRITERIA)
    assert [(each.instance_id, each.dimension, each.judged, each.corrected) for each in found] == [
        ("a", "clear", "response_1", "response_2"),
        ("b", "", "no judgment: escalated", "tie"),
        ("b", "clear", "no judgment: escalated", "response_1"),
    ]
    assert [each.dimension for each in corrections([a, b], outcomes, own)] == [
        ""
    ]  # of a run without criteria
    made = corrected_rubric({"rubrics": {"clear": {}}}, found, name="n", run_id="r")
    rubrics = made.content["rubrics"]
    assert isinstance(rubrics, dict)
    (case,) = rubrics["clear"]["edge_cases"]
    assert case["situation"] == 'Two responses like these: "one" and "two". A judge said response_1.'
    assert case["guidance"] == "A person says response_2. terse"
