import pytest
from tests.page.served import FLUENCY, LENGTH, POLITE, pair, rated, work_of

from venire.page.annotating.views import (
    Choice,
    fields_of,
    guides_of,
    judged_of,
    questions_of,
    responses_of,
    said,
)
from venire.page.annotating.work import Guide, Item
from venire.records import Dimension, Order, Winner
from venire.review.labels import Label

PAIR = Item.of(pair("a"), judged="response_1 (0.60)")
RATED = Item.of(rated("b", FLUENCY, POLITE, LENGTH, Dimension("mean", "", 0, 1, None, asked=False)))


def label(item: Item, verdict: object) -> Label:
    return Label(item.instance.id, item.content, verdict, "ann", "", comment="so")  # type: ignore[arg-type]


def test_responses_stand_as_the_annotator_sees_them_without_their_models():
    shown = responses_of(PAIR, Order.SWAPPED, names=False)
    assert [(each.slot, each.text, each.model) for each in shown] == [
        ("A", "second of a", ""),
        ("B", "first of a", ""),
    ]
    assert [each.model for each in responses_of(PAIR, Order.AS_GIVEN, names=True)] == ["gpt-9", "llama-9"]
    (alone,) = responses_of(RATED, Order.AS_GIVEN, names=False)
    assert (alone.slot, alone.text, alone.model) == ("", "text", "")


def test_a_pair_is_one_question_without_a_verdict_that_the_data_does_not_know(tmp_path):
    work = work_of([], tmp_path, winners=(Winner.FIRST, Winner.SECOND))
    (question,) = questions_of(work, PAIR, Order.SWAPPED, {})
    assert question.choices == (Choice("A", "A is better", "1"), Choice("B", "B is better", "2"))
    (question,) = questions_of(work_of([], tmp_path), PAIR, Order.AS_GIVEN, {"verdict": "tie"})
    assert ([each.key for each in question.choices], question.given) == (["1", "2", "3"], "tie")


def test_a_rating_is_chosen_by_its_own_digit_else_by_its_place(tmp_path):
    halves = Dimension("halves", "", 0, 1, 0.5)
    many, more = Dimension("many", "", 0, 11, 1), Dimension("more", "", 0, 100, 1)
    item = Item.of(rated("c", POLITE, halves, many, more, LENGTH))
    polite, by_place, by_mouse, typed, number = questions_of(work_of([], tmp_path), item, Order.AS_GIVEN, {})
    assert [(each.text, each.key) for each in polite.choices] == [("0", "0"), ("1", "1"), ("N/A", "-")]
    assert [(each.text, each.key) for each in by_place.choices[:3]] == [("0", "1"), ("0.5", "2"), ("1", "3")]
    assert (len(by_mouse.choices), {each.key for each in by_mouse.choices}) == (13, {"", "-"})
    assert (typed.choices, typed.low, typed.high) == ((), 0, 100)
    assert (number.choices, number.low, number.high) == ((), 0, 10)


@pytest.mark.parametrize("sides", list(Order))
@pytest.mark.parametrize("winner", list(Winner))
def test_a_label_is_shown_as_it_was_given(winner, sides):
    slot = sides.slot(winner).value
    assert fields_of(PAIR, label(PAIR, winner), sides) == {"verdict": slot, "comment": "so"}
    assert said(label(PAIR, winner), sides) == slot


def test_ratings_are_shown_as_they_were_given_and_what_was_left_out_did_not_apply():
    given = label(RATED, {"fluency": 4.0, "length": 2.5})
    assert fields_of(RATED, given, Order.AS_GIVEN) == {
        "rating-0": "4",
        "rating-1": "N/A",
        "rating-2": "2.5",
        "comment": "so",
    }
    assert said(given, Order.AS_GIVEN) == "fluency 4, length 2.5"
    assert fields_of(RATED, None, Order.AS_GIVEN) == {}


def test_what_the_run_said_names_the_sides_that_are_shown():
    assert judged_of(PAIR, Order.AS_GIVEN) == "response A (0.60)"
    assert judged_of(PAIR, Order.SWAPPED) == "response B (0.60)"


def test_beside_ratings_stand_the_criteria_that_are_rated_and_beside_pairs_all(tmp_path):
    guides = tuple(
        Guide(name, "what it is", names=frozenset({key, name.casefold()}))
        for key, name in (("x", "Fluency"), ("style", "Style"))
    )
    learnt = Guide("learnt", "of all")
    work = work_of([], tmp_path, guides=(*guides, learnt))
    assert guides_of(work, RATED) == (guides[0], learnt)
    assert guides_of(work, PAIR) == (*guides, learnt)
    other = work_of([], tmp_path, guides=(guides[1], learnt))
    assert guides_of(other, RATED) == (guides[1], learnt)  # of another name than what is rated: still there
