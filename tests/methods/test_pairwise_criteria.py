"""Pairwise results in the guide's form, and comparisons on criteria.

Worked: papers/advanced-evaluation, example 2 and "Confidence Calibration".
"""

import asyncio
import json

import pytest
from tests.judging.scripted import ScriptedLLM

from venire.errors import ConfigError
from venire.judging.criteria import CriteriaSet, Criterion
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.orders import Orders
from venire.methods.pairwise import Pairwise
from venire.records import (
    FinishReason,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
CRITERIA = CriteriaSet(
    "explanation",
    (
        Criterion("clarity", "clarity", "Can it be followed?", 0.5),
        Criterion("accessibility", "accessibility", "Can anybody follow it?", 0.5),
    ),
)
PAIR = Instance(
    "ml",
    "Explain machine learning to a beginner",
    (Response("Technical explanation with jargon"), Response("Simple analogy-based explanation")),
    PreferenceGold(Winner.SECOND),
)
Verdict = tuple[str, float]


def judged(
    first: Verdict, second: Verdict, *, criteria: CriteriaSet | None = None, **more: object
) -> Outcome:
    """The outcome where the judge says `first` with A first, and `second` with B first."""

    def script(request: Request) -> str:
        assert request.subject is not None
        winner, confidence = first if request.subject.order is Order.AS_GIVEN else second
        reply = {"reasoning": "So.", "winner": winner, "confidence": confidence}
        if criteria is None:
            return json.dumps(reply)
        compared = {each.key: {"comparison": "So.", "winner": winner} for each in criteria.criteria}
        return json.dumps({"criteria": compared | more, **reply})

    method = Pairwise(JUDGE, criteria=criteria)
    method.check([PAIR])
    return asyncio.run(method.judge(PAIR, None, ScriptedLLM(script)))


@pytest.mark.parametrize("criteria", [None, CRITERIA])
def test_the_guide_s_second_example_comes_out_in_its_very_form(criteria: CriteriaSet | None) -> None:
    # A first: B .8; B first: "A" .6, which is B .6; final B .7, consistent
    outcome = judged(("B", 0.8), ("A", 0.6), criteria=criteria)
    assert outcome.detail["result"] == {
        "winner": "B",
        "confidence": pytest.approx(0.7),
        "positionConsistency": {"consistent": True, "firstPassWinner": "B", "secondPassWinner": "B"},
    }
    assert outcome.prediction == Preference(Winner.SECOND, pytest.approx(0.7))
    assert outcome.by_order[Order.SWAPPED] == Preference(Winner.SECOND, 0.6)


@pytest.mark.parametrize("criteria", [None, CRITERIA])
def test_passes_that_disagree_are_a_tie_with_confidence_one_half(criteria: CriteriaSet | None) -> None:
    outcome = judged(("B", 0.8), ("B", 0.6), criteria=criteria)
    assert outcome.detail["result"] == {
        "winner": "TIE",
        "confidence": 0.5,
        "positionConsistency": {"consistent": False, "firstPassWinner": "B", "secondPassWinner": "A"},
    }
    assert outcome.prediction == Preference(Winner.TIE, 0.5)


def test_each_criterion_has_its_own_winner_over_both_passes() -> None:
    outcome = judged(
        ("B", 0.8), ("A", 0.6), criteria=CRITERIA, accessibility={"comparison": "Both.", "winner": "A"}
    )
    results = {each["criterion"]: each for each in outcome.detail["criteria"]}  # type: ignore[attr-defined]
    assert results["clarity"]["winner"] == "B"
    assert results["accessibility"]["winner"] == "TIE"  # whichever is first: A, then B
    assert results["accessibility"]["positionConsistency"]["consistent"] is False
    assert outcome.detail["by_criterion"] == {"clarity": "response_2", "accessibility": "tie"}
    assert outcome.detail["criterion_consistent"] == {"clarity": True, "accessibility": False}


def test_a_reply_without_a_criterion_is_no_verdict() -> None:
    def script(request: Request) -> str:
        clarity = {"clarity": {"comparison": "So.", "winner": "A"}}
        return json.dumps({"criteria": clarity, "winner": "A", "confidence": 1})

    outcome = asyncio.run(Pairwise(JUDGE, criteria=CRITERIA).judge(PAIR, None, ScriptedLLM(script)))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.UNPARSED
    assert "accessibility is missing" in outcome.prediction.detail
    assert outcome.detail["criteria"] == []
    assert outcome.detail["by_criterion"] == {}


def test_a_pass_that_failed_leaves_a_result_without_winner() -> None:
    llm = ScriptedLLM(lambda request: ("", FinishReason.REFUSED))
    outcome = asyncio.run(Pairwise(JUDGE).judge(PAIR, None, llm))
    assert outcome.detail["result"] == {
        "winner": None,
        "confidence": None,
        "positionConsistency": {"consistent": None, "firstPassWinner": None, "secondPassWinner": None},
    }


def test_one_order_alone_has_no_consistency() -> None:
    llm = ScriptedLLM(lambda request: json.dumps({"winner": "A", "confidence": 0.9}))
    outcome = asyncio.run(Pairwise(JUDGE, orders=Orders.AS_GIVEN).judge(PAIR, None, llm))
    assert outcome.detail["result"] == {
        "winner": "A",
        "confidence": 0.9,
        "positionConsistency": {"consistent": None, "firstPassWinner": "A", "secondPassWinner": None},
    }


def test_criteria_that_nobody_would_be_asked_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"^criteria: GPT-4 is recorded"):
        Pairwise(RecordedJudge("GPT-4", "Vanilla"), criteria=CRITERIA).check([])
    with pytest.raises(ConfigError, match=r"^method\.prompt: with criteria the prompt is pairwise_criteria"):
        Pairwise(JUDGE, criteria=CRITERIA, prompt="pairwise_vanilla").check([PAIR])
