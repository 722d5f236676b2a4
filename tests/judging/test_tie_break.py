"""Equal scores: the strongest judge's holistic verdict in both orders."""

import asyncio
import json
from collections.abc import Mapping

import pytest
from tests.judging.scripted import ScriptedLLM
from tests.methods.panels import PAIR

from venire.errors import ConfigError
from venire.judging.judge import PromptedJudge
from venire.judging.orders import seeded_order
from venire.judging.tie_break import Decision, TieBreak, TieBreaking, decide
from venire.records import (
    FinishReason,
    Order,
    Preference,
    Reason,
    Request,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("j", "m", "f", max_reasks=0)
GIVEN, SWAPPED = Order.AS_GIVEN, Order.SWAPPED


def decided(
    scores: tuple[float | None, float | None],
    said: Mapping[Order, str],
    seed: int = 0,
    tie_break: TieBreak | None = TieBreak(),  # noqa: B008  (frozen)
) -> tuple[Decision, ScriptedLLM]:
    def script(request: Request) -> str | tuple[str, FinishReason]:
        assert request.subject is not None
        assert request.subject.order is not None
        slot = said[request.subject.order]
        if not slot:
            return "", FinishReason.REFUSED
        return json.dumps({"reasoning": "r", "winner": slot, "confidence": 0.8})

    llm = ScriptedLLM(script)
    return asyncio.run(decide(PAIR, scores, JUDGE, llm, tie_break=tie_break, seed=seed)), llm


def test_different_scores_need_no_call() -> None:
    made, llm = decided((0.5, 0.75), {})
    assert (made.prediction, made.breaking, made.calls) == (Preference(Winner.SECOND), None, ())
    assert llm.requests == []
    assert made.detail == {"tie_break": None}


@pytest.mark.parametrize("scores", [(0.5, 0.5), (None, 0.5), (None, None)])
def test_a_tie_is_the_winner_that_both_orders_name(scores: tuple[float | None, float | None]) -> None:
    made, llm = decided(scores, {GIVEN: "B", SWAPPED: "A"})
    assert (made.prediction, made.breaking) == (Preference(Winner.SECOND, 0.8), TieBreaking.CONSISTENT)
    assert [request.stage for request in llm.requests] == ["tie_break", "tie_break"]
    assert len(made.calls) == 2
    assert made.detail["tie_break_by_order"] == {"as_given": "response_2", "swapped": "response_2"}


@pytest.mark.parametrize("seed", range(6))
def test_where_the_orders_disagree_the_one_that_seed_and_instance_name_decides(seed: int) -> None:
    made, _ = decided((0.5, 0.5), {GIVEN: "A", SWAPPED: "A"}, seed)
    expected = Winner.FIRST if seeded_order(seed, PAIR.id) is GIVEN else Winner.SECOND
    assert (made.prediction, made.breaking) == (Preference(expected, 0.8), TieBreaking.INCONSISTENT)


def test_both_orders_decide_for_some_seed() -> None:
    assert {seeded_order(seed, PAIR.id) for seed in range(6)} == set(Order)


def test_a_lost_order_leaves_the_pair_unscored() -> None:
    made, _ = decided((0.5, 0.5), {GIVEN: "A", SWAPPED: ""})
    assert made.breaking is TieBreaking.FAILED
    assert isinstance(made.prediction, Unscored)
    assert made.prediction.reason is Reason.REFUSED


def test_without_a_tie_break_the_tie_stands() -> None:
    made, llm = decided((0.5, 0.5), {}, tie_break=None)
    assert (made.prediction, made.breaking) == (Preference(Winner.TIE), TieBreaking.OFF)
    assert llm.requests == []


def test_an_unknown_prompt_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^prompt: expected one of .*got 'pairwize'"):
        TieBreak("pairwize")
