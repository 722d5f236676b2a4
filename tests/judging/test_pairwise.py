"""Pairwise comparison: what a judge is shown, and what its reply means."""

import asyncio
import json

import pytest
from tests.judging.scripted import ScriptedLLM, replies

from venire.errors import BudgetExhausted, DataError
from venire.judging.ballot import Ballot
from venire.judging.judge import PromptedJudge
from venire.judging.pairs import check_pairs
from venire.judging.pairwise import compare, poll
from venire.llm.protocol import LLM
from venire.records import (
    Completion,
    FinishReason,
    Instance,
    Order,
    Preference,
    PreferenceGold,
    Reason,
    Request,
    Response,
    Subject,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai")
PAIR = Instance(
    id="set/7",
    prompt="Name a prime.",
    responses=(Response("Seven is prime.", generator="gpt-secret"), Response("Nine is prime.")),
    gold=PreferenceGold(Winner.SECOND, {Winner.SECOND: 41}),
    subset="subset-secret",
    cluster="cluster-secret",
    metadata={"note": "metadata-secret"},
)


def says(winner: str, confidence: float | None = None) -> str:
    return json.dumps({"reasoning": f"because {winner}", "winner": winner, "confidence": confidence})


def ballot(
    llm: LLM, order: Order = Order.AS_GIVEN, *, allow_tie: bool = True, instance: Instance = PAIR
) -> Ballot:
    return asyncio.run(compare(JUDGE, instance, order, llm, prompt="pairwise", allow_tie=allow_tie))


def shown(llm: ScriptedLLM) -> str:
    return "\n".join(message.content for message in llm.requests[0].messages)


@pytest.mark.parametrize(
    ("order", "said", "winner"),
    [
        (Order.AS_GIVEN, "A", Winner.FIRST),
        (Order.AS_GIVEN, "B", Winner.SECOND),
        (Order.SWAPPED, "A", Winner.SECOND),
        (Order.SWAPPED, "B", Winner.FIRST),
        (Order.SWAPPED, "tie", Winner.TIE),
    ],
)
def test_the_verdict_is_mapped_back_to_the_data_set_s_order(order: Order, said: str, winner: Winner) -> None:
    vote = ballot(replies(says(said, 0.75)), order).vote
    assert vote.prediction == Preference(winner, 0.75)
    assert (vote.judge, vote.order, vote.rationale, vote.raw) == (
        "gpt",
        order,
        f"because {said}",
        says(said, 0.75),
    )


@pytest.mark.parametrize(("order", "first"), [(Order.AS_GIVEN, "Seven"), (Order.SWAPPED, "Nine")])
def test_the_order_decides_which_response_is_shown_as_a(order: Order, first: str) -> None:
    llm = replies(says("A"))
    ballot(llm, order)
    after_a = shown(llm).rpartition("Response A:\n")[2]
    assert after_a.splitlines()[1].startswith(first)
    assert llm.requests[0].subject == Subject("set/7", order)


@pytest.mark.parametrize("order", Order)
def test_gold_and_all_that_tables_need_reach_no_prompt(order: Order) -> None:
    llm = replies(says("A"))
    ballot(llm, order)
    text = shown(llm)
    for hidden in ("secret", "41", "set/7", "response_1", "response_2"):
        assert hidden not in text


def test_two_equal_instances_with_other_gold_send_equal_requests() -> None:
    one, other = replies(says("A")), replies(says("A"))
    ballot(one)
    ballot(other, instance=Instance(PAIR.id, PAIR.prompt, PAIR.responses, PreferenceGold(Winner.FIRST)))
    assert one.requests == other.requests


def test_a_tie_where_none_is_allowed_is_asked_again_and_then_unscored() -> None:
    llm = replies(says("tie"), says("tie"), says("tie"))
    made = ballot(llm, allow_tie=False)
    assert isinstance(made.vote.prediction, Unscored)
    assert made.vote.prediction.reason is Reason.UNPARSED
    assert made.vote.raw == says("tie")
    assert len(made.calls) == 3  # 1 + the default of 2 re-asks


def test_an_empty_response_is_shown_and_judged() -> None:
    llm = replies(says("B"))
    empty = Instance("set/8", "Name a prime.", (Response(""), Response("7")))
    assert ballot(llm, instance=empty).vote.prediction == Preference(Winner.SECOND)


def test_a_panel_is_asked_all_at_once_and_answers_in_panel_order() -> None:
    judges = [PromptedJudge(f"j{i}", f"m{i}", "f") for i in range(3)]
    everyone = asyncio.Barrier(6)

    class Together(ScriptedLLM):
        async def complete(self, request: Request) -> Completion:
            await asyncio.wait_for(everyone.wait(), 5)  # opens once all 3 judges are asked in both orders
            return await super().complete(request)

    async def ask_all() -> dict[Order, list[str]]:
        llm = Together(lambda request: says("A"))
        made = await poll(judges, PAIR, tuple(Order), llm, prompt="pairwise", allow_tie=True)
        return {order: [each.vote.judge for each in cast] for order, cast in made.items()}

    assert asyncio.run(ask_all()) == {order: ["j0", "j1", "j2"] for order in Order}


def test_an_error_that_stops_the_run_waits_for_the_calls_in_flight() -> None:
    judges = [PromptedJudge("poor", "m0", "f"), PromptedJudge("slow", "m1", "f")]
    ended = []

    class Budgeted(ScriptedLLM):
        async def complete(self, request: Request) -> Completion:
            if request.role == "poor":
                raise BudgetExhausted("budget.calls")
            await asyncio.sleep(0.01)
            ended.append(request.role)
            return await super().complete(request)

    llm = Budgeted(lambda request: says("A"))
    with pytest.raises(BudgetExhausted, match=r"budget\.calls"):
        asyncio.run(poll(judges, PAIR, (Order.AS_GIVEN,), llm, prompt="pairwise", allow_tie=True))
    assert ended == ["slow"]


def test_a_failed_judge_is_an_unscored_vote_beside_the_others() -> None:
    judges = [PromptedJudge("down", "m0", "f"), PromptedJudge("up", "m1", "f")]

    def script(request: Request) -> str | tuple[str, FinishReason]:
        return ("", FinishReason.ERROR) if request.role == "down" else says("A")

    made = asyncio.run(
        poll(judges, PAIR, (Order.AS_GIVEN,), ScriptedLLM(script), prompt="pairwise", allow_tie=True)
    )
    down, up = (each.vote.prediction for each in made[Order.AS_GIVEN])
    assert down == Unscored(Reason.PROVIDER_ERROR, "no reply after 3 attempts")
    assert up == Preference(Winner.FIRST)


def test_single_responses_are_refused_by_id_before_any_call() -> None:
    alone = Instance("set/9", "Tell a story.", (Response("Once"),))
    with pytest.raises(DataError, match=r"^set/9: expected two responses to compare, got 1"):
        check_pairs((JUDGE,), [PAIR, alone])
    check_pairs((JUDGE,), [PAIR])
    check_pairs((JUDGE,), [])
