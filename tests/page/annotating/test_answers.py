import pytest
from tests.page.served import FLUENCY, LENGTH, POLITE, pair, rated

from venire.page.annotating.answers import Fault, answer_of
from venire.page.annotating.work import Answer, Item
from venire.records import Order, Winner

PAIR = Item.of(pair("a"))
RATED = Item.of(rated("b", FLUENCY, POLITE, LENGTH))


def said(form: dict[str, str], item: Item = PAIR, sides: Order = Order.AS_GIVEN) -> Answer | Fault:
    return answer_of(form, item, winners=tuple(Winner), sides=sides)


@pytest.mark.parametrize(
    ("slot", "sides", "winner"),
    [
        ("A", Order.AS_GIVEN, Winner.FIRST),
        ("B", Order.AS_GIVEN, Winner.SECOND),
        ("A", Order.SWAPPED, Winner.SECOND),
        ("B", Order.SWAPPED, Winner.FIRST),
        ("tie", Order.SWAPPED, Winner.TIE),
    ],
)
def test_a_side_is_the_response_that_stood_there(slot, sides, winner):
    assert said({"verdict": slot}, sides=sides) == Answer(winner, "", None)


@pytest.mark.parametrize("given", ["", "C", "response_1", "a"])
def test_no_side_is_no_answer(given):
    assert said({"verdict": given}) == Fault("verdict", "Choose which response is better.")
    assert said({}) == Fault("verdict", "Choose which response is better.")


def test_a_verdict_that_the_data_does_not_know_is_refused():
    fault = answer_of({"verdict": "tie"}, PAIR, winners=(Winner.FIRST, Winner.SECOND), sides=Order.AS_GIVEN)
    assert fault == Fault("verdict", "This verdict is not one of the data set's.")


def test_ratings_are_points_of_their_scales_and_what_does_not_apply_is_left_out():
    form = {
        "rating-0": "5",
        "rating-1": "N/A",
        "rating-2": " 3.25 ",
        "comment": " so\r\nso ",
        "seconds": "3.14",
    }
    assert said(form, RATED) == Answer({"fluency": 5.0, "length": 3.25}, "so\nso", 3.14)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"rating-0": ""}, Fault("rating-0", "fluency: choose a rating, or N/A.")),
        ({"rating-0": "6"}, Fault("rating-0", "fluency: expected 1 to 5.")),
        ({"rating-0": "2.5"}, Fault("rating-0", "fluency: expected 1 to 5.")),
        ({"rating-1": "nan"}, Fault("rating-1", "polite: expected 0 to 1.")),
        ({"rating-2": "inf"}, Fault("rating-2", "length: expected 0 to 10.")),
        ({"rating-2": "long"}, Fault("rating-2", "length: expected 0 to 10.")),
        (
            {"rating-0": "N/A", "rating-1": "N/A", "rating-2": "N/A"},
            Fault("rating-0", "Rate at least one; what cannot be rated at all is passed over."),
        ),
        (
            {"comment": "x" * 10_001},
            Fault("comment", "The comment has 10001 characters; at most 10000 are kept."),
        ),
    ],
)
def test_nothing_is_filled_in_clipped_or_rounded(changed, fault):
    assert said({"rating-0": "1", "rating-1": "0", "rating-2": "0", **changed}, RATED) == fault


def test_what_does_not_apply_may_be_typed():
    assert said({"rating-0": "1", "rating-1": "0", "rating-2": "n/a"}, RATED) == Answer(
        {"fluency": 1.0, "polite": 0.0}, "", None
    )


@pytest.mark.parametrize("given", ["", "-1", "0", "nan", "inf", "86401", "soon"])
def test_a_time_that_cannot_be_is_not_known(given):
    answer = said({"verdict": "A", "seconds": given})
    assert isinstance(answer, Answer)
    assert answer.seconds is None
