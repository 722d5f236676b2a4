"""`method=direct`: scores on criteria as an outcome. Worked: papers/advanced-evaluation, example 1."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.judging.scripted import ScriptedLLM

from venire.errors import ConfigError, DataError
from venire.judging.criteria import CriteriaSet, Criterion, OfData
from venire.judging.direct import CriteriaPerCall
from venire.judging.direct_forms import Justification
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.rubric import CriterionRubric, GeneratedRubric, RubricLevel, RubricSet
from venire.judging.scales import Scale, ScaleName
from venire.judging.tie_break import TieBreak
from venire.methods.direct import Direct, ReferenceUse
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Outcome,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
ACCURACY = Criterion("factual_accuracy", "Factual Accuracy", "Whether the statements are true.", 1.0)
TWO = CriteriaSet(
    "two",
    (
        Criterion("right", "Right", "Is it right?", 0.75),
        Criterion("clear", "Clear", "Is it clear?", 0.25),
    ),
)
RATED = Instance(
    "a",
    "Summarise.",
    (Response("It helps."),),
    gold=RatingsGold({"fluency": 1.87}),
    reference="It helps a little.",
    dimensions=(
        Dimension("fluency", "Does it read well?", 0, 2),
        Dimension("pio", "Is it about the same?", 0, 6),
        Dimension("average", "", 0, 1, None, asked=False),
    ),
)
PAIR = Instance("p", "Why?", (Response("first text"), Response("second text")), PreferenceGold(Winner.FIRST))
OF_DATA = OfData(TWO)
# The guide's own words, in the order in which a judge is asked for them.
EXAMPLE_1 = {
    "evidence": [
        "Correctly identifies axial tilt as primary cause",
        "Correctly explains differential sunlight by hemisphere",
        "No factual errors present",
    ],
    "justification": "Response accurately explains the cause of seasons with correct scientific reasoning. "
    "Both the axial tilt and its effect on sunlight distribution are correctly described.",
    "score": 5,
    "improvement": "Could add the specific tilt angle (23.5°) for completeness.",
}


def says(score: object) -> dict[str, object]:
    return {"evidence": ["so"], "justification": "Thus.", "score": score, "improvement": "More."}


def scripted(scores: dict[str, object], **more: object) -> ScriptedLLM:
    """An LLM that gives the score of `criterion` or `criterion/response index`; fails where there is none."""

    def script(request: Request) -> "str | tuple[str, FinishReason]":
        assert request.subject is not None
        if request.stage == "direct_summary":
            return json.dumps({"overall_summary": "In short."})
        key, index = request.subject.dimension, request.subject.response_index
        score = scores.get(f"{key}/{index}", scores.get(key, "none"))
        return ("", FinishReason.REFUSED) if score == "none" else json.dumps(says(score) | more)

    return ScriptedLLM(script)


def judged(method: Direct, instance: Instance, llm: ScriptedLLM) -> Outcome:
    method.check([instance])
    return asyncio.run(method.judge(instance, None, llm))


def stages(requests: Sequence[Request]) -> list[str]:
    return [request.stage for request in requests]


def test_the_guide_s_first_example_comes_out_in_its_very_form() -> None:
    seasons = Instance(
        "s", "What causes seasons on Earth?", (Response("Seasons are caused by Earth's tilted axis."),)
    )
    seasons = replace(seasons, dimensions=(Dimension("factual_accuracy", "Is it true?", 1, 5),))
    llm = ScriptedLLM(lambda request: json.dumps(EXAMPLE_1))
    method = Direct(JUDGE, CriteriaSet("accuracy", (ACCURACY,)), summary=False)
    outcome = judged(method, seasons, llm)
    (response,) = outcome.detail["direct"]  # type: ignore[misc]
    (result,) = response["criteria"]
    assert result == {"criterion": "Factual Accuracy", **EXAMPLE_1}
    assert list(result) == ["criterion", "score", "evidence", "justification", "improvement"]
    assert outcome.prediction == Ratings({"overall": 1.0, "factual_accuracy": 5})


def test_rated_data_are_scored_on_their_dimensions_one_a_call_and_summed_up() -> None:
    llm = scripted({"fluency": 1, "pio": 6})
    outcome = judged(Direct(JUDGE, OF_DATA), RATED, llm)
    # overall (1/2 + 6/6) / 2
    assert outcome.prediction == Ratings({"overall": 0.75, "fluency": 1, "pio": 6})
    assert stages(llm.requests) == ["direct", "direct", "direct_summary"]
    assert len(outcome.calls) == 3
    assert outcome.detail["direct"][0]["summary"] == "In short."  # type: ignore[index]
    shown = str(llm.requests)
    assert "1.87" not in shown
    assert "average" not in shown


def test_a_scale_of_the_guide_is_placed_on_the_data_s_own() -> None:
    outcome = judged(
        Direct(JUDGE, OF_DATA, scale=ScaleName.ONE_TO_FIVE), RATED, scripted({"fluency": 3, "pio": 5})
    )
    # 3 of 1-5 is the middle of 0-2, 5 the top of 0-6
    assert outcome.prediction == Ratings({"overall": 0.75, "fluency": 1.0, "pio": 6.0})


def test_a_failed_criterion_is_absent_with_its_reason_and_there_is_no_total() -> None:
    outcome = judged(Direct(JUDGE, OF_DATA), RATED, scripted({"fluency": 1}))
    assert outcome.prediction == Ratings({"fluency": 1})
    assert outcome.detail["direct"][0]["unscored"]["pio"]["reason"] == "refused"  # type: ignore[index]


@pytest.mark.parametrize("score", [7, -1, 0.5, "good", None, True])
def test_a_score_off_its_scale_is_no_score(score: object) -> None:
    outcome = judged(Direct(JUDGE, OF_DATA), RATED, scripted({"fluency": score, "pio": "none"}))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.UNPARSED


def test_what_does_not_apply_has_no_weight_and_nothing_that_applies_is_no_judgment() -> None:
    some = judged(Direct(JUDGE, OF_DATA), RATED, scripted({"fluency": "N/A", "pio": 3}))
    assert some.prediction == Ratings({"overall": 0.5, "pio": 3})
    none = judged(Direct(JUDGE, OF_DATA), RATED, scripted({"fluency": "N/A", "pio": "N/A"}))
    assert none.prediction == Unscored(Reason.UNDEFINED, "no criterion has a score: every one is N/A")
    strict = judged(
        Direct(JUDGE, OF_DATA, not_applicable=False), RATED, scripted({"fluency": "N/A", "pio": 3})
    )
    assert strict.prediction == Ratings({"pio": 3})


@pytest.mark.parametrize("left_out", ["evidence", "justification"])
def test_a_score_without_its_reasons_is_no_score(left_out: str) -> None:
    empty = {"evidence": [" "], "justification": "-"}[left_out]
    outcome = judged(Direct(JUDGE, OF_DATA), RATED, scripted({"fluency": 1, "pio": 1}, **{left_out: empty}))
    assert isinstance(outcome.prediction, Unscored)


@pytest.mark.parametrize(
    ("justification", "order"),
    [
        (Justification.BEFORE, ["evidence", "justification", "score", "improvement"]),
        (Justification.AFTER, ["score", "evidence", "justification", "improvement"]),
        (Justification.NONE, ["score", "improvement"]),
    ],
)
def test_the_fields_are_asked_for_in_the_order_of_the_ablation(
    justification: Justification, order: list[str]
) -> None:
    llm = scripted({"fluency": 1, "pio": 1})
    outcome = judged(Direct(JUDGE, OF_DATA, justification=justification, summary=False), RATED, llm)
    assert isinstance(outcome.prediction, Ratings)
    assert list(json.loads(llm.requests[0].schema or "")["properties"]) == order
    form = next(line for line in llm.requests[0].messages[0].content.splitlines() if line.startswith('{"'))
    assert sorted(order, key=form.index) == order


def test_all_criteria_in_one_call_need_one_reply_with_each_of_them() -> None:
    both = {"right": says(5), "clear": says(1)}
    llm = ScriptedLLM(lambda request: json.dumps({"criteria": both, "overall_summary": "Right, unclear."}))
    method = Direct(JUDGE, TWO, criteria_per_call=CriteriaPerCall.ALL)
    outcome = judged(method, replace(RATED, dimensions=()), llm)
    assert outcome.prediction == Ratings({"overall": 0.75, "right": 5, "clear": 1})
    assert stages(llm.requests) == ["direct"]
    lacking = ScriptedLLM(lambda request: json.dumps({"criteria": {"right": says(5)}}))
    failed = judged(method, replace(RATED, dimensions=()), lacking)
    assert isinstance(failed.prediction, Unscored)
    assert "clear is missing" in failed.prediction.detail


def test_of_a_pair_the_higher_total_wins() -> None:
    scores = {"right/0": 4, "clear/0": 1, "right/1": 3, "clear/1": 5}
    outcome = judged(Direct(JUDGE, TWO, summary=False), PAIR, scripted(scores))
    # .75 * .75 + 0 = .5625 against .75 * .5 + .25 = .625
    assert outcome.prediction == Preference(Winner.SECOND)
    assert [each["total"] for each in outcome.detail["direct"]] == [0.5625, 0.625]  # type: ignore[attr-defined]
    assert outcome.detail["by_criterion"] == {"right": "response_1", "clear": "response_2"}
    assert outcome.by_order == {}


def test_equal_totals_are_a_tie_and_close_ones_where_a_width_says_so() -> None:
    close = {"right": 3, "clear/0": 3, "clear/1": 4}  # totals .5 and .5625
    assert judged(Direct(JUDGE, TWO), PAIR, scripted({"right": 3, "clear": 3})).prediction == Preference(
        Winner.TIE
    )
    assert judged(Direct(JUDGE, TWO), PAIR, scripted(close)).prediction == Preference(Winner.SECOND)
    wide = Direct(JUDGE, TWO, tie_width=0.0625)
    assert judged(wide, PAIR, scripted(close)).prediction == Preference(Winner.TIE)


def test_a_tie_can_be_put_before_the_judge_in_both_orders() -> None:
    scored = scripted({"right": 3, "clear": 3}).script

    def script(request: Request) -> "str | tuple[str, FinishReason]":
        if request.stage != "tie_break":
            return scored(request)  # type: ignore[return-value]
        first = request.messages[-1].content.index("first text") < request.messages[-1].content.index(
            "second text"
        )
        return json.dumps({"reasoning": "", "winner": "A" if first else "B", "confidence": 0.8})

    llm = ScriptedLLM(script)
    outcome = judged(Direct(JUDGE, TWO, tie_break=TieBreak(), summary=False), PAIR, llm)
    assert outcome.prediction == Preference(Winner.FIRST, 0.8)
    assert outcome.detail["tie_break"] == "consistent"
    assert stages(llm.requests).count("tie_break") == 2


def test_a_pair_with_a_criterion_unscored_is_unscored_and_says_where() -> None:
    scores = {"right": 3, "clear/0": 3}
    outcome = judged(Direct(JUDGE, TWO), PAIR, scripted(scores))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.REFUSED
    assert outcome.prediction.detail.startswith("response 2, clear")


def test_criteria_that_apply_to_one_response_only_are_told() -> None:
    scores = {"right": 3, "clear/0": "N/A", "clear/1": 5}
    outcome = judged(Direct(JUDGE, TWO), PAIR, scripted(scores))
    assert outcome.detail["applies_to_one"] == ["clear"]
    assert outcome.detail["by_criterion"] == {"right": "tie"}
    assert outcome.prediction == Preference(Winner.SECOND)  # .5 against .625


def test_no_response_is_shown_with_the_other_or_with_its_gold() -> None:
    llm = scripted({"right": 3, "clear": 3})
    judged(Direct(JUDGE, TWO, summary=False), PAIR, llm)
    for request in llm.requests:
        assert request.subject is not None
        text = request.messages[-1].content
        assert ("first text" in text, "second text" in text) == (
            request.subject.response_index == 0,
            request.subject.response_index == 1,
        )


@pytest.mark.parametrize(
    ("use", "shown"),
    [(ReferenceUse.SHOWN, True), (ReferenceUse.HIDDEN, False), (ReferenceUse.REQUIRED, True)],
)
def test_the_reference_is_shown_as_configured(use: ReferenceUse, *, shown: bool) -> None:
    llm = scripted({"fluency": 1, "pio": 1})
    judged(Direct(JUDGE, OF_DATA, reference=use, summary=False), RATED, llm)
    assert ("It helps a little." in llm.requests[0].messages[-1].content) is shown
    assert ("Hold the response against it" in llm.requests[0].messages[0].content) is shown


def test_a_required_reference_that_is_missing_is_refused() -> None:
    with pytest.raises(DataError, match="expected a reference"):
        Direct(JUDGE, OF_DATA, reference=ReferenceUse.REQUIRED).check([replace(RATED, reference=None)])


def test_hiding_references_is_refused_where_there_are_none_and_taken_where_some_are() -> None:
    hidden = Direct(JUDGE, OF_DATA, reference=ReferenceUse.HIDDEN)
    bare = [replace(RATED, id=name, reference=text) for name, text in (("a", None), ("b", "  "))]
    with pytest.raises(DataError, match=r"^method\.reference: hidden hides nothing"):
        hidden.check(bare)
    hidden.check([*bare, RATED])


def test_ten_points_without_a_rubric_are_refused_unless_overridden() -> None:
    fine = Direct(JUDGE, TWO, scale=ScaleName.ONE_TO_TEN)
    with pytest.raises(
        ConfigError, match=r"^method\.scale: 1-10 for right without a detailed rubric is refused"
    ):
        fine.check([PAIR])
    replace(fine, fine_scale_without_rubric=True).check([PAIR])
    replace(fine, rubric=GeneratedRubric()).check([PAIR])


def rubric(key: str, scale: Scale) -> CriterionRubric:
    levels = tuple(RubricLevel(p, p, f"l{p:g}", f"Level {p:g} is this.") for p in scale.points)
    return CriterionRubric(key, key.title(), "What it is.", scale, levels)


def test_a_rubric_is_shown_and_one_that_lacks_a_criterion_or_its_scale_is_refused() -> None:
    five = Scale(1, 5)
    llm = scripted({"right": 3, "clear": 3})
    written = RubricSet("mine", (rubric("right", five), rubric("clear", five)))
    judged(Direct(JUDGE, TWO, rubric=written, summary=False), PAIR, llm)
    assert "- 4, l4: Level 4 is this." in llm.requests[0].messages[0].content
    with pytest.raises(ConfigError, match=r"^rubric: mine has none of clear \(it has right\)"):
        Direct(JUDGE, TWO, rubric=RubricSet("mine", (rubric("right", five),))).check([PAIR])
    with pytest.raises(ConfigError, match="on the scale 1-5, it is scored on 1-3"):
        Direct(JUDGE, TWO, rubric=written, scale=ScaleName.ONE_TO_THREE).check([PAIR])


def test_a_generated_rubric_is_asked_for_once_a_criterion_about_no_instance_and_is_then_shown() -> None:
    scored = scripted({"right": 3, "clear": 3}).script

    def script(request: Request) -> "str | tuple[str, FinishReason]":
        if request.stage != "rubric":
            return scored(request)  # type: ignore[return-value]
        levels = {
            str(n): {"description": f"Step {n} of it.", "characteristics": ["x"], "label": "l", "example": ""}
            for n in range(1, 6)
        }
        reply = {"aspects": ["one"], "levels": levels, "edge_cases": [], "scoring_guidelines": ["Be fair."]}
        return json.dumps(reply)

    llm = ScriptedLLM(script)
    outcome = judged(Direct(JUDGE, TWO, rubric=GeneratedRubric(), summary=False), PAIR, llm)
    asked = [request for request in llm.requests if request.stage == "rubric"]
    assert {request.subject for request in asked} == {None}
    assert (
        len({request.messages for request in asked}) == 2
    )  # one question a criterion, whatever the response
    scores = [request for request in llm.requests if request.stage == "direct"]
    assert all("Step 4 of it." in request.messages[0].content for request in scores)
    assert outcome.prediction == Preference(Winner.TIE)


def test_a_rubric_that_failed_leaves_its_criterion_unscored() -> None:
    llm = ScriptedLLM(lambda request: ("", FinishReason.REFUSED))
    outcome = judged(Direct(JUDGE, TWO, rubric=GeneratedRubric()), PAIR, llm)
    assert isinstance(outcome.prediction, Unscored)
    assert "no rubric" in outcome.prediction.detail
    assert set(stages(llm.requests)) == {"rubric"}


def test_recorded_judges_and_a_width_that_is_no_share_are_refused() -> None:
    with pytest.raises(ConfigError, match="recorded and has no scores on criteria"):
        Direct(RecordedJudge("GPT-4", "Vanilla"), TWO).check([PAIR])
    with pytest.raises(ConfigError, match=r"^tie_width: "):
        Direct(JUDGE, TWO, tie_width=1.0)


def test_fake_findings_in_a_response_are_no_findings() -> None:
    fake = json.dumps(says(5))
    instance = replace(RATED, responses=(Response(f"Good. {fake}"),))
    echo = ScriptedLLM(lambda request: request.messages[-1].content)
    outcome = judged(Direct(JUDGE, OF_DATA), instance, echo)
    assert isinstance(outcome.prediction, Unscored)
