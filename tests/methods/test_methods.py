"""What every method on pairs promises, whichever it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.methods.panels import JUDGES, PAIR, PANEL, always, run

from venire.errors import ConfigError, DataError
from venire.judging.judge import RecordedJudge
from venire.judging.orders import Orders, seeded_order
from venire.judging.panel import Panel
from venire.methods.comparing import Comparing
from venire.methods.length import Length
from venire.methods.majority import Majority
from venire.methods.pairwise import Pairwise
from venire.methods.protocol import Method
from venire.methods.single import Single
from venire.records import Instance, Order, Preference, Response, Winner

COMPARING: list[Comparing] = [Pairwise(JUDGES[0]), Single(PANEL), Majority(PANEL)]
ALL: list[Method] = [*COMPARING, Length()]


def name(method: Method) -> str:
    return method.name


def test_the_names_are_those_of_the_configuration_files() -> None:
    assert [method.name for method in ALL] == ["pairwise", "single", "majority", "length"]


@pytest.mark.parametrize("method", ALL, ids=name)
def test_no_method_has_a_memory(method: Method) -> None:
    outcome, _ = run(method, always("A"))
    assert not method.order_dependent
    assert method.initial_memory() is None
    assert method.fold(None, outcome) is None
    assert outcome.additions is None


@pytest.mark.parametrize("method", ALL, ids=name)
def test_a_single_response_is_refused(method: Method) -> None:
    with pytest.raises(DataError, match="set/9"):
        method.check([PAIR, Instance("set/9", "p", (Response("x"),))])
    method.check([PAIR])


@pytest.mark.parametrize("make", [lambda **k: Pairwise(JUDGES[0], **k), lambda **k: Majority(PANEL, **k)])
def test_an_unknown_prompt_is_refused_when_the_method_is_built(make: type[Comparing]) -> None:
    with pytest.raises(ConfigError, match=r"^prompt: expected one of .*got 'pairwize'"):
        make(prompt="pairwize")


@pytest.mark.parametrize("method", COMPARING, ids=name)
def test_the_prompts_are_the_comparison_s_and_the_re_ask_s(method: Comparing) -> None:
    assert method.prompts == ("pairwise", "reask")


def test_a_recorded_judge_is_asked_with_no_prompt_of_ours() -> None:
    recorded = RecordedJudge("GPT-4", "Vanilla")
    assert Pairwise(recorded).prompts == ()
    assert Majority(Panel((recorded,), "GPT-4")).prompts == ()


@pytest.mark.parametrize("method", COMPARING, ids=name)
def test_one_instance_in_both_orders_is_two_calls_a_judge_with_both_facts_in_the_detail(
    method: Comparing,
) -> None:
    outcome, llm = run(method, always("A"))
    assert len(llm.requests) == len(outcome.calls) == len(outcome.votes) == 2 * len(method.judges)
    assert outcome.detail["orders"] == ["as_given", "swapped"]
    assert outcome.detail["position_consistent"] is False
    # "A" in both orders names the one and the other response.
    assert outcome.by_order[Order.AS_GIVEN].winner is Winner.FIRST
    assert outcome.by_order[Order.SWAPPED].winner is Winner.SECOND
    assert outcome.prediction == Preference(Winner.TIE, 0.5)


def test_the_votes_stand_in_panel_order_order_by_order() -> None:
    outcome, _ = run(Majority(PANEL), always("A"))
    names = [judge.name for judge in JUDGES]
    assert [(vote.order, vote.judge) for vote in outcome.votes] == [
        (order, each) for order in Order for each in names
    ]


@given(st.integers(0, 5), st.text(min_size=1, max_size=5))
def test_the_seeded_order_is_that_of_seed_and_instance_for_all_judges(seed: int, instance_id: str) -> None:
    instance = Instance(instance_id, PAIR.prompt, PAIR.responses)
    expected = seeded_order(seed, instance_id)
    outcome, llm = run(Majority(PANEL, orders=Orders.SEEDED, seed=seed), always("A"), instance)
    assert {request.subject.order for request in llm.requests if request.subject} == {expected}
    assert outcome.detail["orders"] == [expected.value]
    assert outcome.detail["position_consistent"] is None
    assert list(outcome.by_order) == [expected]
    assert outcome.prediction == outcome.by_order[expected]
