"""Pairs that are compared on criteria, too: what is asked, taken, shown again, and counts as labelled."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.page.served import FLUENCY, Clock, pair, rated, work_of

from venire.judging.criteria import Criterion
from venire.metrics.annotators import AgreementSettings
from venire.page.annotating.agreement import agreement, progress
from venire.page.annotating.answers import Fault, answer_of
from venire.page.annotating.views import Choice, fields_of, questions_of, said
from venire.page.annotating.work import Answer, Desk, Item
from venire.records import Order, Winner
from venire.review.labels import content_of_criteria
from venire.review.store import read_labels

CLEAR = Criterion("clear", "Clarity", "Whether it is clear.", 0.5)
DEEP = Criterion("deep", "Depth", "How deep it goes.", 0.5)
CRITERIA = (CLEAR, DEEP)
FIRST, SECOND, TIE = Winner
PAIR = Item.of(pair("a"))


def answered(winner: Winner, *on: Winner | None) -> Answer:
    return Answer(winner, "", 1.0, dict(zip(("clear", "deep"), on, strict=False)))


def test_a_pair_is_asked_on_each_criterion_then_all_in_all_and_a_rated_response_is_not(tmp_path):
    work = work_of([], tmp_path, criteria=CRITERIA, winners=(FIRST, SECOND))
    clear, deep, whole = questions_of(work, PAIR, Order.SWAPPED, {"criterion-1": "N/A"})
    assert [(each.value, each.key) for each in clear.choices] == [
        ("A", "1"),
        ("B", "2"),
        ("tie", "3"),
        ("N/A", "-"),
    ]
    assert (clear.field, clear.legend, clear.about) == ("criterion-0", "Clarity", "Whether it is clear.")
    assert (clear.given, deep.given) == ("", "N/A")
    assert whole.choices == (Choice("A", "A is better", "1"), Choice("B", "B is better", "2"))
    alone = Item.of(rated("b"))
    assert work.criteria_of(alone) == ()
    ratings = Item.of(rated("c", FLUENCY))
    assert [each.field for each in questions_of(work, ratings, Order.AS_GIVEN, {})] == ["rating-0"]


@pytest.mark.parametrize("sides", list(Order))
def test_verdicts_on_criteria_are_turned_back_and_shown_again_as_they_were_given(tmp_path, sides):
    form = {"criterion-0": "B", "criterion-1": "N/A", "verdict": "A"}
    given = answer_of(form, PAIR, winners=tuple(Winner), sides=sides, criteria=CRITERIA)
    b_is = SECOND if sides is Order.AS_GIVEN else FIRST
    assert isinstance(given, Answer)
    assert dict(given.by_criterion) == {"clear": b_is, "deep": None}
    work = work_of([PAIR.instance], tmp_path / "l.jsonl", criteria=CRITERIA)
    desk = Desk(work, clock=Clock())
    desk.save("ann", work.items[0], given)
    (label,) = read_labels(work.labels)
    assert label.criteria_content == content_of_criteria(CRITERIA)
    assert fields_of(PAIR, label, sides, CRITERIA) == {**form, "comment": ""}
    assert said(label, sides) == "A (clear B, deep N/A)"
    # asked in other words it is asked anew
    other = (replace(CLEAR, description="Another."), DEEP)
    assert fields_of(PAIR, label, sides, other) == {"verdict": "A", "comment": ""}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"criterion-0": ""}, Fault("criterion-0", "Clarity: choose which response is better, or N/A.")),
        ({"criterion-1": "C"}, Fault("criterion-1", "Depth: choose which response is better, or N/A.")),
        ({"verdict": "N/A"}, Fault("verdict", "Choose which response is better.")),
    ],
)
def test_nothing_is_filled_in(changed, fault):
    form = {"criterion-0": "A", "criterion-1": "tie", "verdict": "A", **changed}
    assert answer_of(form, PAIR, winners=tuple(Winner), sides=Order.AS_GIVEN, criteria=CRITERIA) == fault


def test_on_a_criterion_responses_may_be_equal_where_the_data_knows_no_tie():
    form = {"criterion-0": "tie", "criterion-1": "tie", "verdict": "A"}
    given = answer_of(form, PAIR, winners=(FIRST, SECOND), sides=Order.AS_GIVEN, criteria=CRITERIA)
    assert isinstance(given, Answer)


def test_a_label_without_the_criteria_leaves_its_item_open_and_keeps_what_it_says(tmp_path: Path):
    plain = work_of([pair("a"), pair("b")], tmp_path / "l.jsonl", shuffled=False)
    asked = replace(plain, criteria=CRITERIA)
    item = plain.items[0]
    without, desk = Desk(plain, clock=Clock()), Desk(asked, clock=Clock())
    without.save("ann", item, answered(TIE))
    assert (without.next_open("ann"), desk.next_open("ann")) == (2, 1)
    assert [(each.labelled, each.median_s) for each in progress(desk)] == [(0, 1.0)]
    desk.save("ann", item, answered(TIE, FIRST, None))
    assert desk.next_open("ann") == 2
    assert list(desk.answered("ann")) == ["a"]
    # a page that does not ask on criteria does not take them away
    without.save("ann", item, answered(SECOND))
    label = desk.own("ann")["a"]
    assert (label.verdict, dict(label.by_criterion)) == (SECOND, {"clear": FIRST, "deep": None})
    assert desk.next_open("ann") == 2


def test_agreement_is_told_on_each_criterion(tmp_path: Path):
    work = work_of([pair(f"i{n}") for n in range(5)], tmp_path / "l.jsonl", criteria=CRITERIA)
    desk = Desk(work, clock=Clock())
    for who, on in (("ann", (FIRST, FIRST, FIRST, TIE, TIE)), ("bob", (FIRST, FIRST, TIE, TIE, FIRST))):
        for item, winner in zip(work.items, on, strict=True):
            desk.save(who, item, answered(FIRST, winner, None))
    found = agreement(desk, AgreementSettings(draws=20))
    assert [(each.title or each.question, each.with_ties.agree, each.units) for each in found] == [
        ("preference", 5, 5),
        ("Clarity", 3, 5),
    ]
