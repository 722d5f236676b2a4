"""Criteria, their scales and the weighted total."""

import math

import pytest

from venire.errors import ConfigError, DataError
from venire.judging.criteria import (
    CriteriaSet,
    Criterion,
    OfData,
    criteria_for,
    effective_weights,
    weighted_total,
)
from venire.judging.scales import PASS_FAIL, Scale, read_score, scale_of
from venire.records import Dimension, Instance, Response

FIVE = Scale(1, 5)


def criterion(key: str, weight: float, scale: Scale = FIVE) -> Criterion:
    return Criterion(key, key.title(), f"What {key} is.", weight, scale)


A, B, C = criterion("a", 0.5), criterion("b", 0.3), criterion("c", 0.2)


def test_the_total_is_the_weighted_mean_of_places_on_the_scales() -> None:
    # places 1, .5 and 0: .5 * 1 + .3 * .5 + .2 * 0
    assert weighted_total([A, B, C], {"a": 5, "b": 3, "c": 1}) == 0.65


def test_weights_are_renormalised_over_what_applies() -> None:
    scores = {"a": 5.0, "b": None, "c": 1.0}
    # .5 * 1 / (.5 + .2)
    assert weighted_total([A, B, C], scores) == pytest.approx(5 / 7, abs=1e-9)
    assert effective_weights([A, B, C], scores) == {"a": pytest.approx(5 / 7), "c": pytest.approx(2 / 7)}


def test_nothing_that_applies_with_a_weight_has_no_total() -> None:
    assert weighted_total([A], {"a": None}) is None
    assert weighted_total([criterion("free", 0.0)], {"free": 5}) is None


def test_criteria_on_different_scales_are_put_on_one() -> None:
    pair = [criterion("a", 0.5, Scale(1, 10)), criterion("b", 0.5, PASS_FAIL)]
    assert weighted_total(pair, {"a": 1, "b": 1}) == 0.5


@pytest.mark.parametrize("weights", [(0.5, 0.4), (0.9, 0.2)])
def test_weights_that_do_not_sum_to_1_are_refused_and_told(weights: tuple[float, float]) -> None:
    with pytest.raises(ConfigError, match=r"expected weights that sum to 1, got .*a 0\.\d, b 0\.\d"):
        CriteriaSet("s", (criterion("a", weights[0]), criterion("b", weights[1])))


def test_thirds_are_written_with_two_digits() -> None:
    assert CriteriaSet(
        "s", tuple(criterion(key, w) for key, w in zip("abc", (0.33, 0.33, 0.34), strict=True))
    )


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan, math.inf])
def test_a_weight_that_is_no_share_is_refused(weight: float) -> None:
    with pytest.raises(ConfigError, match=r"^weight: "):
        criterion("a", weight)


def test_a_key_twice_none_at_all_and_the_name_of_the_total_are_refused() -> None:
    with pytest.raises(ConfigError, match="'a' stands twice"):
        CriteriaSet("s", (criterion("a", 0.5), criterion("a", 0.5)))
    with pytest.raises(ConfigError, match="at least one, got none"):
        CriteriaSet("s", ())
    with pytest.raises(ConfigError, match="'overall', which is that of the total"):
        criterion("overall", 1.0)


RATED = Instance(
    "x",
    "p",
    (Response("r"),),
    dimensions=(
        Dimension("fluency", "Does it read well?", 0, 2),
        Dimension("pio", "Is it about the same?", 0, 6),
        Dimension("average", "", 0, 1, None, asked=False),
    ),
)
PAIR = Instance("y", "p", (Response("r"), Response("s")))


def test_criteria_of_data_are_the_dimensions_asked_and_for_pairs_the_others() -> None:
    choice = OfData(CriteriaSet("general", (criterion("a", 1.0),)))
    made = criteria_for(choice, RATED)
    assert [(each.key, each.weight, str(each.scale)) for each in made] == [
        ("fluency", 0.5, "0-2"),
        ("pio", 0.5, "0-6"),
    ]
    assert [each.key for each in criteria_for(choice, PAIR)] == ["a"]
    assert {str(each.scale) for each in criteria_for(choice, RATED, Scale(1, 3))} == {"1-3"}


def test_data_of_which_nothing_is_asked_have_no_criteria() -> None:
    with pytest.raises(DataError, match="at least one dimension to score, got none"):
        criteria_for(
            OfData(CriteriaSet("g", (criterion("a", 1.0),))),
            Instance("z", "p", (Response("r"),), dimensions=(Dimension("d", "", 0, 1, asked=False),)),
        )


@pytest.mark.parametrize(
    "text", ["1-3", "1-5", "1-10", "pass/fail", "0-2", "-1-1", "0-2 step 0.5", "0-1 step 0"]
)
def test_a_scale_is_written_as_it_is_read(text: str) -> None:
    assert str(scale_of(text)) == text


@pytest.mark.parametrize("text", ["five", "5-1", "1-1", ""])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^scale: "):
        scale_of(text)


@pytest.mark.parametrize("value", [0, 6, 2.5, "3", True, None, "five", math.nan])
def test_a_score_off_the_scale_is_none_and_nothing_is_clipped(value: object) -> None:
    with pytest.raises(ValueError, match="expected 1-5"):
        read_score(Scale(1, 5), value, allow_not_applicable=True)


def test_the_points_words_and_not_applicable_are_read() -> None:
    assert read_score(Scale(1, 5), 3.0, allow_not_applicable=True) == 3
    assert read_score(PASS_FAIL, " Pass ", allow_not_applicable=True) == 1
    assert read_score(PASS_FAIL, "n/a", allow_not_applicable=True) is None
    with pytest.raises(ValueError, match="no answer here"):
        read_score(PASS_FAIL, "N/A", allow_not_applicable=False)


def test_ten_points_and_any_number_are_fine_scales() -> None:
    fine = {str(s): s.is_fine for s in (Scale(1, 9), Scale(1, 10), Scale(0, 1, None), PASS_FAIL)}
    assert fine == {"1-9": False, "1-10": True, "0-1 step 0": True, "pass/fail": False}
