"""`method=majority`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judging.scripted import Script
from tests.methods.panels import JUDGES, PANEL, panel_says, run

from venire.data.llmbar import LLMBar
from venire.judging.judge import PromptedJudge
from venire.judging.panel import Panel, recorded_panel
from venire.judging.votes import MajorityRule, TieRule
from venire.llm.protocol import Backend
from venire.llm.recorded import RecordedBackend
from venire.methods.majority import Majority
from venire.records import (
    Completion,
    Embeddings,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Request,
    Unscored,
    Winner,
)

SLOTS = st.text("ABT-", min_size=5, max_size=5)


def said(as_given: str, swapped: str) -> Script:
    return panel_says({Order.AS_GIVEN: as_given, Order.SWAPPED: swapped})


def test_the_plurality_of_each_order_is_mapped_back_and_the_two_are_compared() -> None:
    # As given: A 3 of 5. Swapped: B (the first response) 4 of 5. Mean share: (.6 + .8) / 2 = .7.
    outcome, _ = run(Majority(PANEL), said("AAABB", "BBBBA"))
    assert outcome.by_order == {
        Order.AS_GIVEN: Preference(Winner.FIRST, 0.6),
        Order.SWAPPED: Preference(Winner.FIRST, 0.8),
    }
    assert outcome.prediction == Preference(Winner.FIRST, pytest.approx(0.7))
    assert outcome.detail == {
        "orders": ["as_given", "swapped"],
        "position_consistent": True,
        "counts": {
            "as_given": {"response_1": 3, "response_2": 2},
            "swapped": {"response_1": 4, "response_2": 1},
        },
        "no_majority": [],
    }


def test_a_panel_that_changes_its_mind_with_the_order_calls_a_tie() -> None:
    outcome, _ = run(Majority(PANEL), said("AAABB", "AAABB"))
    assert outcome.prediction == Preference(Winner.TIE, 0.5)
    assert outcome.detail["position_consistent"] is False


def test_a_failed_judge_has_no_vote_but_its_call_and_reason_stay() -> None:
    outcome, _ = run(Majority(PANEL), said("AA-BB", "BBAA-"))
    failed = [vote for vote in outcome.votes if isinstance(vote.prediction, Unscored)]
    assert [(vote.judge, vote.order) for vote in failed] == [("j2", Order.AS_GIVEN), ("j4", Order.SWAPPED)]
    assert len(outcome.calls) == 10
    # As given 2:2 and the strongest judge, j2, without a vote: no majority, so no answer either.
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.NO_MAJORITY
    # Swapped 2:2, where j2 said A, the second response.
    assert outcome.by_order[Order.SWAPPED] == Preference(Winner.SECOND, 0.5)
    assert outcome.detail["no_majority"] == ["as_given", "swapped"]


@pytest.mark.parametrize(
    ("tie_rule", "expected"),
    [
        (TieRule.STRONGEST, Preference(Winner.FIRST, pytest.approx(0.45))),  # (2/4 + 2/5) / 2
        (TieRule.TIE, Preference(Winner.TIE, 0.5)),
    ],
)
def test_the_tie_rule_decides_where_the_votes_do_not(tie_rule: TieRule, expected: Preference) -> None:
    outcome, _ = run(Majority(PANEL, tie_rule=tie_rule), said("BAAB-", "ABBTA"))
    assert outcome.prediction == expected


def test_without_a_tie_rule_no_majority_is_its_own_outcome() -> None:
    outcome, _ = run(Majority(PANEL, tie_rule=TieRule.UNSCORED), said("BAAB-", "ABBTA"))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.NO_MAJORITY


def test_a_panel_of_which_nobody_replied_has_no_votes() -> None:
    outcome, _ = run(Majority(PANEL, tie_rule=TieRule.TIE), said("-----", "-----"))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.NO_VOTES
    assert outcome.prediction.detail == "as_given: provider_error"


def test_a_panel_of_one_is_that_judge_with_full_share() -> None:
    outcome, _ = run(Majority(Panel(JUDGES[:1], "j0")), said("A", "B"))
    assert outcome.prediction == Preference(Winner.FIRST, 1.0)


@given(
    st.tuples(SLOTS, SLOTS), st.permutations(JUDGES), st.sampled_from(MajorityRule), st.sampled_from(TieRule)
)
def test_permuting_the_judges_never_changes_the_verdict(
    slots: tuple[str, str], judges: list[PromptedJudge], rule: MajorityRule, tie_rule: TieRule
) -> None:
    made, permuted = (
        run(Majority(panel, rule=rule, tie_rule=tie_rule), said(*slots))[0]
        for panel in (PANEL, Panel(tuple(judges), "j2"))
    )
    assert made.prediction == permuted.prediction
    assert made.by_order == permuted.by_order
    assert made.detail == permuted.detail


FIVE = ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon")
WITHOUT_MANUAL = ("Natural", "Adversarial/Neighbor", "Adversarial/GPTInst", "Adversarial/GPTOut")


class FromBackend:
    """An `LLM` without store, retries and limits: each request is one attempt at `backend`."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    async def complete(self, request: Request) -> Completion:
        reply = await self.backend.send(request)
        return Completion(reply.text, reply.finish, "key", reply.model, (), False, self.backend.kind)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


def recorded_majority(root: Path, tie_rule: TieRule) -> tuple[int, dict[Order, int], int]:
    """Instances, correct panel verdicts by order, and verdicts without a majority of votes."""
    instances = LLMBar(str(root), subsets=WITHOUT_MANUAL).load().instances
    method = Majority(recorded_panel(FIVE, "Vanilla", root=str(root)), tie_rule=tie_rule)
    method.check(instances)
    llm = FromBackend(RecordedBackend(root, [(model, "Vanilla") for model in FIVE]))

    async def judge_all() -> list[Outcome]:
        return [await method.judge(instance, None, llm) for instance in instances]

    outcomes = asyncio.run(judge_all())
    correct = dict.fromkeys(Order, 0)
    for instance, outcome in zip(instances, outcomes, strict=True):
        assert isinstance(instance.gold, PreferenceGold)
        for order, made in outcome.by_order.items():
            correct[order] += isinstance(made, Preference) and made.winner is instance.gold.winner
    return (
        len(outcomes),
        correct,
        sum(str(outcome.detail["no_majority"]).count("'") // 2 for outcome in outcomes),
    )


def test_the_recorded_five_have_the_majority_that_their_verdicts_say(data_root: Path) -> None:
    # Counted from recorded.jsonl.gz apart from this code; one swapped pair has no majority.
    assert recorded_majority(data_root, TieRule.UNSCORED) == (
        373,
        {Order.AS_GIVEN: 223, Order.SWAPPED: 222},
        1,
    )
    # GPT-4 is right where the swapped votes are split.
    assert recorded_majority(data_root, TieRule.STRONGEST) == (
        373,
        {Order.AS_GIVEN: 223, Order.SWAPPED: 223},
        1,
    )
