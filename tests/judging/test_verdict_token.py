"""A comparison by one token."""

import asyncio
import math

import pytest
from tests.judging.scripted import Script, ScriptedLLM, Told

from venire.judging.judge import PromptedJudge
from venire.judging.verdict_token import compare_by_token, letter_masses
from venire.records import (
    FinishReason,
    Instance,
    Order,
    Prediction,
    Preference,
    Reason,
    Response,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("j", "m", "f", top_logprobs=5)
PAIR = Instance("set/1", "Name a prime.", (Response("Seven"), Response("Nine or so")))


def token(**shares: float) -> Told:
    return Told(next(iter(shares)), ({name: math.log(share) for name, share in shares.items()},))


def compared(
    said: "Script | Told", order: Order = Order.AS_GIVEN, *, allow_tie: bool = True
) -> tuple[Prediction, ScriptedLLM]:
    llm = ScriptedLLM((lambda request: said) if isinstance(said, Told) else said)
    ballot = asyncio.run(compare_by_token(JUDGE, PAIR, order, llm, allow_tie=allow_tie, stage="cheap"))
    assert len(ballot.calls) == 1
    return ballot.vote.prediction, llm


def test_the_confidence_is_the_winner_s_share_of_the_letters() -> None:
    # A .6, B .2, C .1 of .9 on letters: 2/3
    made, _ = compared(token(A=0.6, B=0.2, C=0.1, The=0.1))
    assert made == Preference(Winner.FIRST, pytest.approx(2 / 3))


def test_the_verdict_is_mapped_back() -> None:
    assert compared(token(A=0.9, B=0.1), Order.SWAPPED)[0] == Preference(Winner.SECOND, pytest.approx(0.9))
    assert compared(token(C=0.8, B=0.2))[0] == Preference(Winner.TIE, pytest.approx(0.8))


def test_a_tie_that_is_not_allowed_has_no_probability() -> None:
    made, llm = compared(token(C=0.4, A=0.4, B=0.2), allow_tie=False)
    assert made == Preference(Winner.FIRST, pytest.approx(2 / 3))
    assert "C = neither" not in llm.requests[0].messages[0].content
    assert "C = neither" in compared(token(A=1.0))[1].requests[0].messages[0].content


def test_spellings_of_a_letter_are_added_up_and_words_are_none() -> None:
    position = {" A": math.log(0.3), "A": math.log(0.2), "a": math.log(0.1), "Answer": math.log(0.4)}
    assert letter_masses(position, ("A", "B")) == {"A": pytest.approx(0.6)}
    assert letter_masses({"A": -math.inf}, ("A", "B")) == {}


def test_what_is_asked_is_one_token_with_its_probabilities() -> None:
    _, llm = compared(token(A=1.0), Order.SWAPPED)
    (request,) = llm.requests
    assert (request.max_tokens, request.logprobs, request.schema, request.stage) == (1, 5, None, "cheap")
    shown = request.messages[-1].content
    assert shown.index("Nine or so") < shown.index("Seven")


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (token(A=0.9, B=0.1), FinishReason.STOP),  # ended by the limit of one token, as asked
        (Told("A", None), FinishReason.LENGTH),
        (Told("no", None, FinishReason.REFUSED), FinishReason.REFUSED),
    ],
)
def test_the_one_token_that_was_asked_for_is_no_cut_reply(said: Told, finish: FinishReason) -> None:
    ballot = asyncio.run(
        compare_by_token(JUDGE, PAIR, Order.AS_GIVEN, ScriptedLLM(lambda request: said), allow_tie=True)
    )
    assert [call.finish for call in ballot.calls] == [finish]


@pytest.mark.parametrize(
    ("said", "reason", "detail"),
    [
        (Told("A", None), Reason.UNPARSED, "no log probabilities"),
        (token(The=0.7, A=0.3), Reason.UNPARSED, "A, B, C have 0.300 of the probability"),
        (token(A=0.5, B=0.5), Reason.UNDEFINED, "A and B are equally probable"),
        (Told("no", None, FinishReason.REFUSED), Reason.REFUSED, "no"),
        (Told("", None, FinishReason.ERROR), Reason.PROVIDER_ERROR, "no reply after 3 attempts"),
    ],
)
def test_what_is_no_verdict_says_why(said: Told, reason: Reason, detail: str) -> None:
    made, _ = compared(said)
    assert isinstance(made, Unscored)
    assert made.reason is reason
    assert detail in made.detail
