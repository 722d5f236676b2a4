"""`method=length`."""

import pytest
from tests.methods.panels import always, run

from venire.errors import DataError
from venire.methods.length import Length
from venire.records import OVERALL, Instance, Order, Preference, Ratings, Response, Winner


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("ab", "a", Winner.FIRST),
        ("a", "ab", Winner.SECOND),
        ("ab", "cd", Winner.TIE),
        ("", "", Winner.TIE),
        ("", "a", Winner.SECOND),
        ("🙂🙂", "abc", Winner.SECOND),  # characters, not bytes: 2 against 3
        ("a  ", "ab", Winner.FIRST),  # white space counts
    ],
)
def test_the_response_with_more_characters_wins_in_both_orders_without_a_call(
    first: str, second: str, winner: Winner
) -> None:
    instance = Instance("set/1", "p", (Response(first), Response(second)))
    outcome, llm = run(Length(), always("A"), instance)
    assert outcome.prediction == Preference(winner)
    assert outcome.by_order == {Order.AS_GIVEN: Preference(winner), Order.SWAPPED: Preference(winner)}
    assert outcome.detail["position_consistent"] is True
    assert outcome.detail["characters"] == [len(first), len(second)]
    assert (outcome.calls, outcome.votes, llm.requests) == ((), (), [])


def test_it_has_neither_judges_nor_prompts() -> None:
    assert (Length().judges, Length().prompts) == ((), ())


@pytest.mark.parametrize(("text", "characters"), [("", 0.0), ("🙂 ab", 4.0)])
def test_a_single_response_is_rated_by_its_characters(text: str, characters: float) -> None:
    outcome, llm = run(Length(), always("A"), Instance("set/1", "p", (Response(text),)))
    assert outcome.prediction == Ratings({OVERALL: characters})
    assert (outcome.by_order, llm.requests) == ({}, [])


def test_pairs_and_single_responses_do_not_mix() -> None:
    single = Instance("set/1", "p", (Response("a"),))
    pair = Instance("set/2", "p", (Response("a"), Response("b")))
    Length().check([single])
    Length().check([pair])
    with pytest.raises(DataError, match=r"^set/1: expected two responses to compare, got 1"):
        Length().check([single, pair])
