"""Rubrics of criteria: what is wrong with levels, and what a model's reply must have."""

import asyncio
import json

import pytest
from tests.judging.scripted import replies

from venire.errors import ConfigError
from venire.judging.criteria import Criterion
from venire.judging.judge import PromptedJudge
from venire.judging.rubric import (
    CriterionRubric,
    GeneratedRubric,
    RubricLevel,
    Strictness,
    several_things,
)
from venire.judging.scales import PASS_FAIL, Scale
from venire.judging.write_rubric import rubric_messages, write_rubric
from venire.records import Persona, Reason, Unscored

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
THREE = Scale(1, 3)
CRITERION = Criterion("clarity", "Clarity", "Whether it can be followed.", 1.0, THREE)


def level(low: float, high: float | None = None, text: str = "") -> RubricLevel:
    return RubricLevel(low, low if high is None else high, "label", text or f"From {low} to {high}.")


def rubric(*levels: RubricLevel, scale: Scale = THREE) -> CriterionRubric:
    return CriterionRubric("clarity", "Clarity", "Whether it can be followed.", scale, levels)


def test_a_level_for_each_point_or_a_band_of_points_is_complete() -> None:
    assert rubric(level(1), level(2), level(3))
    bands = rubric(level(1, 4), level(5, 8), level(9, 10), scale=Scale(1, 10))
    assert [each.covers(8) for each in bands.levels] == [False, True, False]


@pytest.mark.parametrize(
    ("levels", "fault"),
    [
        ((level(1), level(3)), "2 has none"),
        ((), "1 has none"),
        ((level(1, 2), level(2, 3)), "1-2 and 2-3 overlap at 2"),
        ((level(1), level(2), level(2, text="Again."), level(3)), "2 and 2 overlap at 2"),
        ((level(3), level(2), level(1)), "expected the lowest first, got 3, 2, 1"),
        ((level(1), level(2), level(3), level(4)), "4 is no point of the scale 1-3"),
        ((level(1), level(2, text="So, so!"), level(3, text="so so")), "2 and 3 have the same description"),
        ((level(1), level(2), RubricLevel(3, 3, "", "Text.")), "expected a label and a description"),
    ],
)
def test_levels_that_are_missing_overlap_or_stand_in_disorder_are_refused(
    levels: tuple[RubricLevel, ...], fault: str
) -> None:
    with pytest.raises(ConfigError, match=rf"^levels: .*{fault}"):
        rubric(*levels)


def test_a_scale_of_any_numbers_has_no_levels() -> None:
    with pytest.raises(ConfigError, match="has no levels"):
        rubric(level(0), scale=Scale(0, 1, None))


@pytest.mark.parametrize(
    ("name", "description", "found"),
    [
        ("Code Readability", "How easy the code is to understand and maintain", "understand and maintain"),
        ("Tone & Style", "How it sounds.", "Tone & Style"),
        ("Accuracy", "Whether the statements are true.", None),
        (
            "Accuracy",
            "Whether it is true. Names and figures count.",
            None,
        ),  # the first sentence is the measure
        ("Understanding", "Whether the handling is sound.", None),  # "and" inside of words
    ],
)
def test_a_criterion_that_seems_to_measure_several_things_is_told_by_its_words(
    name: str, description: str, found: str | None
) -> None:
    words = several_things(name, description)
    assert (words is None) if found is None else (words is not None and words.endswith(found))


def reply(*scores: str, **more: object) -> str:
    levels = {
        score: {"description": f"It is {score}.", "characteristics": ["x"], "label": score, "example": ""}
        for score in scores
    }
    whole = {"aspects": ["clarity"], "levels": levels, "edge_cases": [], "scoring_guidelines": ["Be fair."]}
    return json.dumps(whole | more)


def written(text: str, criterion: Criterion = CRITERION) -> CriterionRubric | Unscored:
    wanted = GeneratedRubric(Strictness.STRICT, "law")
    return asyncio.run(write_rubric(JUDGE, criterion, wanted, replies(text))).rubric


def test_a_reply_becomes_a_rubric_of_the_asked_strictness_and_domain() -> None:
    made = written(reply("1", "2", "3", edge_cases=[{"situation": "Empty.", "guidance": "Score 1."}]))
    assert isinstance(made, CriterionRubric)
    assert [(each.low, each.description) for each in made.levels] == [
        (1, "It is 1."),
        (2, "It is 2."),
        (3, "It is 3."),
    ]
    assert (made.strictness, made.domain, made.edge_cases[0].guidance) == (
        Strictness.STRICT,
        "law",
        "Score 1.",
    )


def test_pass_and_fail_are_two_levels_by_name() -> None:
    pass_fail = Criterion("clarity", "Clarity", "Whether it can be followed.", 1.0, PASS_FAIL)
    made = written(reply("pass", "fail"), pass_fail)
    assert isinstance(made, CriterionRubric)
    assert [each.label for each in made.levels] == ["fail", "pass"]


SAME = {
    str(n): {"description": "It is.", "characteristics": ["x"], "label": "l", "example": ""}
    for n in (1, 2, 3)
}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (reply("1", "3"), "2 is missing"),
        (reply("1", "2", "3", "4"), "4 is no score of the scale"),
        (reply("1", "2", "3", levels=SAME), "have the same description"),
        (reply("1", "2", "3", scoring_guidelines=[]), "at least one"),
        (reply("1", "2", "3", levels=[]), "expected an object of score to level"),
    ],
)
def test_a_reply_with_levels_missing_strange_or_alike_is_no_rubric(text: str, fault: str) -> None:
    made = written(text)
    assert isinstance(made, Unscored)
    assert made.reason is Reason.UNPARSED
    assert fault in made.detail


def test_strictness_and_domain_are_told_and_no_persona_writes() -> None:
    told = {each: rubric_messages(CRITERION, GeneratedRubric(each)) for each in Strictness}
    lenient, strict = told[Strictness.LENIENT], told[Strictness.STRICT]
    assert "on the right way is encouraged" in lenient[0].content
    assert "errors are dear" in strict[0].content
    assert "Domain:" not in lenient[1].content
    asked = replies(reply("1", "2", "3"))
    person = PromptedJudge("gpt", "openai/gpt", "openai", persona=Persona("n", "a nurse at a clinic"))
    asyncio.run(write_rubric(person, CRITERION, GeneratedRubric(domain="care"), asked))
    (request,) = asked.requests
    assert request.subject is None
    assert "nurse" not in request.messages[0].content
    assert "care" in request.messages[1].content
