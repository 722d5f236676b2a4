"""Readings of an audit go into an outcome's detail and come back."""

import json

import pytest

from venire.judging.probe import Reading
from venire.records import Order, Preference, Ratings, Reason, Unscored, Winner


@pytest.mark.parametrize(
    "reading",
    [
        Reading("plain", "as_is", Order.AS_GIVEN, Preference(Winner.FIRST, 0.8)),
        Reading("plain", "as_is", Order.SWAPPED, Preference(Winner.TIE)),
        Reading("plain", "injection", Order.AS_GIVEN, Preference(Winner.SECOND, 0.5), 0, "appeal"),
        Reading("plain", "drift", Order.AS_GIVEN, Unscored(Reason.REFUSED, "why"), replicate=3),
        Reading("evidence", "padding", Order.SWAPPED, Preference(Winner.FIRST), 1, facts={"quotes": 2.0}),
    ],
)
def test_a_reading_comes_back_from_json_as_it_was(reading: Reading) -> None:
    assert Reading.from_json(json.loads(json.dumps(reading.as_json()))) == reading


def test_ratings_are_no_reading() -> None:
    with pytest.raises(TypeError, match="expected a preference or none, got Ratings"):
        Reading("plain", "as_is", Order.AS_GIVEN, Ratings({"fluency": 1.0})).as_json()
