"""`method=pairwise`."""

import pytest
from tests.judging.scripted import Script
from tests.methods.panels import JUDGES, PAIR, run, says

from venire.judging.orders import Orders
from venire.methods.pairwise import Pairwise
from venire.records import FinishReason, Order, Preference, Reason, Request, Unscored, Winner

BOTH = Pairwise(JUDGES[0])


def passes(as_given: str, swapped: str) -> Script:
    """The reply in each order; an empty one is a refusal."""

    def script(request: Request) -> str | tuple[str, FinishReason]:
        assert request.subject is not None
        assert request.subject.order is not None
        text = as_given if request.subject.order is Order.AS_GIVEN else swapped
        return text if text else ("", FinishReason.REFUSED)

    return script


def test_the_guide_s_second_example() -> None:
    # papers/advanced-evaluation, example 2: B .8 with A first, then "A" .6 with B first: B, .7, consistent.
    outcome, _ = run(BOTH, passes(says("B", 0.8), says("A", 0.6)))
    assert outcome.by_order == {
        Order.AS_GIVEN: Preference(Winner.SECOND, 0.8),
        Order.SWAPPED: Preference(Winner.SECOND, 0.6),
    }
    assert outcome.prediction == Preference(Winner.SECOND, pytest.approx(0.7))
    assert outcome.detail["position_consistent"] is True


def test_a_pass_that_failed_leaves_the_instance_unscored_and_the_other_pass_on_record() -> None:
    outcome, _ = run(BOTH, passes(says("B", 0.8), ""))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.REFUSED
    assert outcome.by_order[Order.AS_GIVEN] == Preference(Winner.SECOND, 0.8)
    assert outcome.detail["position_consistent"] is None
    assert len(outcome.calls) == 2


def test_as_given_is_one_call_and_its_word_is_final() -> None:
    method = Pairwise(JUDGES[0], orders=Orders.AS_GIVEN)
    outcome, llm = run(method, passes(says("A", 0.6), ""))
    assert len(llm.requests) == 1
    assert outcome.prediction == Preference(Winner.FIRST, 0.6)


def test_the_prompt_file_is_the_one_that_is_named() -> None:
    said = passes(says("A"), says("B"))
    _, guided = run(BOTH, said)
    _, vanilla = run(Pairwise(JUDGES[0], prompt="pairwise_vanilla"), said)
    assert "What must not sway you" in guided.requests[0].messages[0].content
    assert "What must not sway you" not in vanilla.requests[0].messages[0].content
    assert PAIR.prompt in vanilla.requests[0].messages[1].content
