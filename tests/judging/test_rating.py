"""Direct rating: what a judge is asked, and which ratings are taken for ratings."""

import asyncio
import json

import pytest
from tests.judging.scripted import ScriptedLLM, replies

from venire.errors import ConfigError, DataError
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.matter import Matter
from venire.judging.rating import (
    OwnScale,
    Rated,
    check_rated,
    own_dimension,
    rate,
    rating_form,
    with_overall,
)
from venire.judging.reply import parse_reply, schema_text
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Persona,
    PersonaLevel,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Response,
    Subject,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai")
FLUENCY = Dimension("fluency", "Does it read well?", 0, 2)
STRENGTH = Dimension("strength", "Is its certainty right?", 0, 3, 0.5)
SHARE = Dimension("share", "What share of it is right?", 0, 1, None)
DIMENSIONS = (FLUENCY, STRENGTH)
ITEM = Instance(
    id="mslr/3",
    prompt="Summarise the studies.",
    responses=(Response("It helps.", generator="system-secret"),),
    gold=RatingsGold({"fluency": 1.7}, {"annotator-secret": {"fluency": 1.7}}),
    subset="subset-secret",
    context="Study one. Study two.",
    dimensions=(*DIMENSIONS, Dimension("mean-secret", "", 0, 1, None, asked=False)),
    metadata={"note": "metadata-secret"},
)


def says(feedback: str = "Because.", **ratings: object) -> str:
    return json.dumps({"feedback": feedback, "ratings": ratings})


def rated(llm: ScriptedLLM) -> Rated:
    return asyncio.run(rate(JUDGE, Matter(ITEM, 0), DIMENSIONS, llm))


def test_every_dimension_is_rated_in_one_call_with_its_reason() -> None:
    llm = replies(says("Short but right.", fluency=2, strength=1.5))
    made = rated(llm)
    assert made.ratings == Ratings({"fluency": 2.0, "strength": 1.5})
    assert made.feedback == "Short but right."
    (request,) = llm.requests
    assert (request.stage, request.role, request.subject) == ("rate", "gpt", Subject("mslr/3", None, 0))


def test_the_judge_is_shown_scales_and_material_and_nothing_that_only_tables_need() -> None:
    llm = replies(says(fluency=2, strength=1.5))
    rated(llm)
    shown = "\n".join(message.content for message in llm.requests[0].messages)
    for part in ("It helps.", "Study one. Study two.", "Does it read well?", "one of 0, 1, 2;"):
        assert part in shown
    assert "one of 0, 0.5, 1, 1.5, 2, 2.5, 3;" in shown
    for hidden in ("secret", "1.7", "mslr/3"):
        assert hidden not in shown


@pytest.mark.parametrize(
    ("fluency", "complaint"),
    [
        (3, "fluency: expected a number from 0 to 2 in steps of 1"),
        (-1, "got -1"),
        (1.5, "got 1.5"),  # between two points: not rounded
        ("2", "got '2'"),
        (None, "got None"),
        (True, "got True"),
        ([2], r"got [2]"),
    ],
)
def test_a_rating_that_is_no_point_of_the_scale_is_asked_again_and_then_no_rating(
    fluency: object, complaint: str
) -> None:
    llm = replies(*[says(fluency=fluency, strength=1)] * 3)
    made = rated(llm)
    assert isinstance(made.ratings, Unscored)
    assert made.ratings.reason is Reason.UNPARSED
    assert complaint in made.ratings.detail
    assert len(made.calls) == 3  # 1 + the default of 2 re-asks
    assert complaint in llm.requests[1].messages[-1].content


def test_a_missing_dimension_is_asked_for_again() -> None:
    llm = replies(says(fluency=1), says(fluency=1, strength=3))
    made = rated(llm)
    assert made.ratings == Ratings({"fluency": 1.0, "strength": 3.0})
    assert "strength is missing" in llm.requests[1].messages[-1].content


def test_a_dimension_that_does_not_apply_is_absent_and_one_that_nobody_asked_for_is_ignored() -> None:
    made = rated(replies(says(fluency="N/A", strength=2, style=9)))
    assert made.ratings == Ratings({"strength": 2.0})
    assert rated(replies(says(fluency=" n/a ", strength=2))).ratings == Ratings({"strength": 2.0})


@pytest.mark.parametrize(
    ("finish", "reason"),
    [(FinishReason.REFUSED, Reason.REFUSED), (FinishReason.ERROR, Reason.PROVIDER_ERROR)],
)
def test_a_refusal_and_a_lost_reply_are_no_rating(finish: FinishReason, reason: Reason) -> None:
    made = rated(replies(("", finish)))
    assert isinstance(made.ratings, Unscored)
    assert made.ratings.reason is reason
    assert len(made.calls) == 1


def test_the_schema_names_the_dimensions_feedback_first_and_holds_no_bounds() -> None:
    schema = json.loads(schema_text(rating_form((FLUENCY, SHARE))))
    assert list(schema["properties"]) == ["feedback", "ratings"]
    ratings = schema["properties"]["ratings"]
    assert list(ratings["properties"]) == ratings["required"] == ["fluency", "share"]
    assert ratings["properties"]["share"] == {
        "anyOf": [{"type": "number"}, {"enum": ["N/A"], "type": "string"}]
    }


def test_two_ratings_in_one_reply_that_differ_are_none() -> None:
    form = rating_form((FLUENCY,))
    twice = says(fluency=1) + "\n" + says("Other words.", fluency=1)
    assert not isinstance(parse_reply(twice, form), Unscored)
    assert isinstance(parse_reply(says(fluency=1) + says(fluency=2), form), Unscored)


def test_overall_is_the_mean_of_the_ratings_rescaled_to_0_and_1() -> None:
    # fluency 1 of 0..2 is 1/2, strength 3 of 0..3 is 1: (1/2 + 1) / 2
    made = with_overall({"fluency": 1, "strength": 3}, DIMENSIONS)
    assert made == Ratings({"overall": 0.75, "fluency": 1, "strength": 3})


def test_overall_is_over_the_dimensions_that_were_rated_and_none_of_them_is_no_judgment() -> None:
    assert with_overall({"strength": 1.5, "own_view": 5}, DIMENSIONS) == Ratings(
        {"overall": 0.5, "strength": 1.5}
    )
    made = with_overall({"own_view": 5}, DIMENSIONS)
    assert isinstance(made, Unscored)
    assert made.reason is Reason.UNDEFINED


def test_the_points_of_a_scale() -> None:
    assert FLUENCY.points == (0, 1, 2)
    assert STRENGTH.points == (0, 0.5, 1, 1.5, 2, 2.5, 3)
    assert Dimension("signed", "", -3, 3, 3).points == (-3, 0, 3)
    assert SHARE.points == ()


def test_a_persona_s_own_dimension_is_named_as_a_key_and_only_where_it_is_told() -> None:
    persona = Persona("nurse", "a nurse", dimension="Usefulness at the bedside!")
    own = own_dimension(persona, DIMENSIONS, OwnScale())
    assert own == Dimension("usefulness_at_the_bedside", "Usefulness at the bedside!", 1, 5, 1)
    for level in (PersonaLevel.SIMPLE, PersonaLevel.NONE):
        told = Persona("nurse", "a nurse", dimension="Usefulness", level=level)
        assert own_dimension(told, DIMENSIONS, OwnScale()) is None
    assert own_dimension(Persona("nurse", "a nurse"), DIMENSIONS, OwnScale()) is None
    assert own_dimension(Persona("n", "a nurse", dimension="Fluency"), DIMENSIONS, OwnScale()) is None


def test_a_scale_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^high: expected more than low \(5\), got 1$"):
        OwnScale(5, 1)
    with pytest.raises(ConfigError, match=r"^step: expected more than 0, up to 4, got 0$"):
        OwnScale(1, 5, 0)


def test_pairs_items_without_dimensions_and_recorded_judges_are_refused_before_any_call() -> None:
    pair = Instance("p", "?", (Response("a"), Response("b")), PreferenceGold(Winner.FIRST))
    with pytest.raises(DataError, match=r"^p: expected one response to rate, got 2"):
        check_rated([JUDGE], [pair])
    with pytest.raises(DataError, match=r"^q: expected at least one dimension to rate"):
        check_rated([JUDGE], [Instance("q", "?", (Response("a"),))])
    with pytest.raises(ConfigError, match=r"^judge: GPT-4 is recorded and has no ratings"):
        check_rated([RecordedJudge("GPT-4", "CoT")], [ITEM])
    check_rated([JUDGE], [ITEM])
