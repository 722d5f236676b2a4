import pytest

from venire.errors import ConfigError
from venire.records import Order, Outcome, Preference, Ratings, Reason, Unscored, Winner
from venire.review.queue import ReviewFilter, Why, handle_of, ids_by_handle, review_queue

FIRST, SECOND, TIE = Winner


def reasons(instance, outcome, **chosen):
    found = review_queue([instance], [outcome], ReviewFilter(**chosen))
    return [why.value for item in found for why in item.why]


def test_what_is_sure_is_not_in_the_queue(pair, outcome):
    assert reasons(pair("a"), outcome("a", FIRST, 0.9, as_given=FIRST, swapped=FIRST)) == []
    assert reasons(pair("a"), outcome("a", FIRST, None)) == []  # no confidence is not a low one


def test_orders_that_disagree_and_their_low_confidence(pair, outcome):
    split = outcome("a", TIE, 0.5, as_given=FIRST, swapped=SECOND)
    assert reasons(pair("a"), split) == ["inconsistent", "low_confidence"]
    assert reasons(pair("a"), split, reasons=(Why.INCONSISTENT,)) == ["inconsistent"]


def test_a_confidence_at_the_threshold_is_not_low(pair, outcome):
    assert reasons(pair("a"), outcome("a", FIRST, 0.7)) == []
    assert reasons(pair("a"), outcome("a", FIRST, 0.6999)) == ["low_confidence"]
    assert reasons(pair("a"), outcome("a", FIRST, 0.6999), below=0.6) == []


def test_what_a_method_hands_to_people_is_escalated_and_not_merely_unscored(pair):
    escalated = Outcome("a", Unscored(Reason.ESCALATED), detail={"escalated": {"why": "nobody was sure"}})
    assert reasons(pair("a"), escalated) == ["escalated"]
    assert reasons(pair("a"), Outcome("a", Unscored(Reason.REFUSED))) == ["unscored"]
    told = Outcome("a", Preference(FIRST, 0.9), detail={"escalated": {}})
    assert reasons(pair("a"), told) == ["escalated"]


def test_half_a_comparison_is_unscored_but_not_inconsistent(pair):
    half = Outcome(
        "a",
        Unscored(Reason.UNPARSED),
        {Order.AS_GIVEN: Preference(FIRST), Order.SWAPPED: Unscored(Reason.UNPARSED)},
    )
    assert reasons(pair("a"), half) == ["unscored"]


def test_what_was_not_run_is_no_doubt_of_the_judge_unless_asked_for(pair):
    assert reasons(pair("a"), Outcome("a", Unscored(Reason.NOT_RUN))) == []
    (item,) = review_queue([pair("a")], [], ReviewFilter((Why.NOT_RUN,)))
    assert item.why == (Why.NOT_RUN,)


def test_a_missing_rating_of_a_dimension_that_is_asked_for_is_incomplete(rated):
    assert reasons(rated("a"), Outcome("a", Ratings({"fluency": 3, "polite": 1}))) == []
    assert reasons(rated("a"), Outcome("a", Ratings({"fluency": 3}))) == ["incomplete"]


def test_items_come_in_the_order_of_the_data(pair, outcome):
    instances = [pair("b"), pair("a"), pair("c")]
    outcomes = [outcome(each, FIRST, 0.1) for each in "abc"]
    assert [item.instance.id for item in review_queue(instances, outcomes)] == ["b", "a", "c"]


def test_a_handle_tells_nothing_and_leads_back():
    name = "81/turn-1/gpt-4/alpaca-13b"
    assert handle_of(name) == "item-0d974126ec15"  # sha256 of the id
    assert ids_by_handle([name]) == {name: name, handle_of(name): name}


def test_filters_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError, match=r"--below: expected 0 to 1, got 1\.5"):
        ReviewFilter(below=1.5)
    with pytest.raises(ConfigError, match="--include: expected some of"):
        ReviewFilter(())
