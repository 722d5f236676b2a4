"""G-Eval's score: what is asked, and what becomes of probabilities and samples."""

import asyncio
import json
import math
from collections.abc import Mapping

import pytest
from tests.judging.scripted import Script, ScriptedLLM, Told

from venire.errors import ConfigError
from venire.judging.geval import (
    Scored,
    Scoring,
    ScoringMode,
    check_scale,
    score,
    steps_messages,
    token_masses,
)
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Persona,
    RatingsGold,
    Reason,
    Response,
    Subject,
    Unscored,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", top_logprobs=20)
FLUENCY = Dimension("fluency", "Is the text well written?", 0, 2)
HALVES = Dimension("halves", "Half points.", 0, 1, 0.5)
ITEM = Instance(
    id="set/7",
    prompt="Summarise the trials.",
    responses=(Response("Five trials found no effect.", generator="system-secret"),),
    gold=RatingsGold({"fluency": 2.0}, {"A1-secret": {"fluency": 2.0}}),
    reference="No effect was found.",
    cluster="cluster-secret",
    dimensions=(FLUENCY,),
    metadata={"note": "metadata-secret"},
)
STEPS = json.dumps({"steps": ["Read the  text.", "Step 2: Count the errors."]})
LOGPROBS = Scoring()
THREE = Scoring(ScoringMode.SAMPLES, samples=3)


def logs(**shares: float) -> Mapping[str, float]:
    """Log probabilities of tokens `t1` for "1", ...; other names stand for themselves."""
    return {name.removeprefix("t"): math.log(share) for name, share in shares.items()}


def scored(
    script: Script, scoring: Scoring = LOGPROBS, dimension: Dimension = FLUENCY
) -> tuple[Scored, ScriptedLLM]:
    llm = ScriptedLLM(script)
    return asyncio.run(score(JUDGE, Matter(ITEM, 0), dimension, llm, scoring=scoring)), llm


def answered(*positions: Mapping[str, float], text: str = "3") -> Script:
    """The steps, then an answer with these log probabilities."""
    return lambda request: STEPS if request.stage == "steps" else Told(text, positions)


def sampled(*said: str | tuple[str, FinishReason]) -> Script:
    """The steps, then these samples, whatever re-asks come between."""
    return lambda request: STEPS if request.stage == "steps" else said[request.replicate % 100]


def test_the_score_is_the_expectation_over_the_levels_on_the_dimension_s_own_scale() -> None:
    # p = .1, .3, .6 of the ratings 0, 1, 2: 0 + .3 + 1.2 = 1.5.
    found, llm = scored(answered(logs(t0=0.1, t1=0.3, t2=0.6), text="2"))
    assert found.score == pytest.approx(1.5)
    assert found.covered == pytest.approx(1.0)
    assert found.weights == {0.0: pytest.approx(0.1), 1.0: pytest.approx(0.3), 2.0: pytest.approx(0.6)}
    assert "Reply with the rating, one digit from 0 to 2" in llm.requests[1].messages[0].content


def test_points_that_are_no_single_digits_are_asked_by_their_place() -> None:
    # 1, 2, 3 stand for 0, .5, 1: .25 x 0 + .5 x .5 + .25 x 1 = .5.
    found, llm = scored(answered(logs(t1=0.25, t2=0.5, t3=0.25)), dimension=HALVES)
    assert found.score == pytest.approx(0.5)
    system = llm.requests[1].messages[0].content
    assert "1 = a rating of 0\n2 = a rating of 0.5\n3 = a rating of 1\n" in system


def test_probability_off_the_scale_is_left_out_and_its_share_is_told() -> None:
    # .4 and .4 of the ratings 1 and 2, .2 elsewhere: (.4 x 1 + .4 x 2) / .8 = 1.5, covered .8.
    found, _ = scored(answered(logs(t1=0.4, t2=0.4, The=0.1, t3=0.1)))
    assert found.score == pytest.approx(1.5)
    assert found.covered == pytest.approx(0.8)
    assert sum(found.weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(("share", "is_scored"), [(0.5, True), (0.49, False)])
def test_less_than_the_minimum_on_the_scale_is_no_score(share: float, is_scored: bool) -> None:
    found, _ = scored(answered(logs(t2=share, The=1 - share), text="The"))
    assert found.covered == pytest.approx(share)
    if is_scored:
        assert found.score == 2.0
    else:
        assert found.score == Unscored(
            Reason.UNPARSED,
            "the scale's points have 0.490 of the probability, expected at least 0.5; the answer was 'The'",
        )
        assert found.weights == {}


def test_no_mass_at_all_is_unscored_and_not_the_lowest_rating() -> None:
    found, _ = scored(answered(logs(The=0.9, I=0.1), text="The"))
    assert isinstance(found.score, Unscored)
    assert found.covered == 0.0


def test_spellings_of_one_number_are_added_and_other_numbers_are_none() -> None:
    spelled = {" 1": math.log(0.2), "▁2": math.log(0.3), "２": math.log(0.1)}
    others = dict.fromkeys(("12", "-1", "0", "4", "1.", "one", ""), -1.0) | {"3": float("-inf")}
    position = logs(t1=0.1) | spelled | others
    assert token_masses(position, ("1", "2", "3")) == {"1": pytest.approx(0.3), "2": pytest.approx(0.4)}


def test_the_answer_is_the_last_position_with_mass_on_the_scale() -> None:
    # A model that says "1 ... 2" and ends: the last number counts, not the end mark after it.
    first, last, end = logs(t1=1.0), logs(t2=0.9, t1=0.1), {"<end>": -0.001, "2": -8.0}
    found, _ = scored(answered(first, last, end))
    assert found.score == pytest.approx(1.9)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Told("3", None), Reason.UNPARSED),
        (Told("3", ()), Reason.UNPARSED),
        (("", FinishReason.ERROR), Reason.PROVIDER_ERROR),
        (("I will not.", FinishReason.REFUSED), Reason.REFUSED),
    ],
)
def test_an_answer_without_probabilities_is_unscored(
    said: Told | tuple[str, FinishReason], reason: Reason
) -> None:
    found, _ = scored(lambda request: STEPS if request.stage == "steps" else said)
    assert isinstance(found.score, Unscored)
    assert found.score.reason is reason
    assert len(found.calls) == 2


def test_by_log_probabilities_one_token_is_asked_without_a_schema() -> None:
    _, llm = scored(answered(logs(t2=1.0)))
    request = llm.requests[1]
    assert (request.stage, request.role, request.max_tokens, request.schema) == ("score", "gpt", 1, None)
    assert (request.logprobs, request.temperature) == (20, 0.0)
    assert request.subject == Subject("set/7", response_index=0, dimension="fluency")


def test_the_steps_are_asked_for_about_no_instance_and_shown_in_their_order() -> None:
    found, llm = scored(answered(logs(t2=1.0)))
    steps, question = llm.requests
    assert (steps.stage, steps.subject) == ("steps", None)
    assert steps.messages == steps_messages(FLUENCY)
    assert "trials" not in "".join(message.content for message in steps.messages)
    assert "1. Read the text.\n2. Count the errors.\n" in question.messages[0].content
    assert found.steps == ("Read the text.", "Count the errors.")
    assert [call.stage for call in found.calls] == ["steps", "score"]
    assert [call.instance_id for call in found.calls] == ["", "set/7"]


@pytest.mark.parametrize("mode", list(ScoringMode))
def test_a_judge_sees_request_response_and_reference_but_nothing_of_gold(mode: ScoringMode) -> None:
    said = Told("3", (logs(t2=1.0),)) if mode is ScoringMode.LOGPROBS else '{"score": 2}'
    _, llm = scored(lambda request: STEPS if request.stage == "steps" else said, Scoring(mode, samples=1))
    shown = "\n".join(message.content for message in llm.requests[1].messages)
    assert all(
        text in shown for text in ("Summarise the trials.", "Five trials found no effect.", "No effect was")
    )
    assert "secret" not in shown


def test_an_answer_of_the_one_token_asked_is_no_cut_reply() -> None:
    found, _ = scored(answered(logs(t2=1.0)))
    assert [call.finish for call in found.calls] == [FinishReason.STOP, FinishReason.STOP]
    silent, _ = scored(lambda request: STEPS if request.stage == "steps" else Told("3", None))
    assert silent.calls[-1].finish is FinishReason.LENGTH


@pytest.mark.parametrize(
    "said", ['{"steps": []}', '{"steps": ["  ", "1."]}', "Read it.", '{"steps": "Read it."}']
)
def test_without_evaluation_steps_there_is_no_score(said: str) -> None:
    found, llm = scored(lambda request: said)
    assert isinstance(found.score, Unscored)
    assert found.score.reason is Reason.UNPARSED
    assert found.score.detail.startswith("no evaluation steps: ")
    assert math.isnan(found.covered)
    assert {request.stage for request in llm.requests} == {"steps"}
    assert len(llm.requests) == 3  # asked again twice


def test_the_mean_of_samples_is_the_score_and_each_is_a_call_of_its_own() -> None:
    # 2, 1, 2: 5/3.
    found, llm = scored(sampled('{"score": 2}', '{"score": 1}', '{"score": 2.0}'), THREE)
    assert found.score == pytest.approx(5 / 3)
    assert found.weights == {1.0: pytest.approx(1 / 3), 2.0: pytest.approx(2 / 3)}
    assert found.covered == 1.0
    asked = llm.requests[1:]
    assert [request.replicate for request in asked] == [0, 1, 2]
    assert {request.temperature for request in asked} == {1.0}
    assert {request.logprobs for request in asked} == {None}
    assert {request.subject for request in asked} == {Subject("set/7", response_index=0, dimension="fluency")}


@pytest.mark.parametrize(
    "odd", ['{"score": 3}', '{"score": 0.5}', '{"score": true}', '{"score": "2"}', "two", ""]
)
def test_a_sample_off_the_scale_is_asked_again_and_then_left_out(odd: str) -> None:
    # Neither clipped to 2 nor taken for 0: 1 and 2 are left, 1.5 with two thirds covered.
    found, llm = scored(sampled('{"score": 1}', odd, '{"score": 2}'), THREE)
    assert found.score == 1.5
    assert found.covered == pytest.approx(2 / 3)
    assert len(llm.requests) == 1 + 3 + JUDGE.max_reasks


def test_too_few_usable_samples_are_no_score() -> None:
    refused = ("I will not.", FinishReason.REFUSED)
    found, _ = scored(sampled('{"score": 2}', refused, refused), THREE)
    assert found.score == Unscored(
        Reason.REFUSED, "1 of 3 samples are on the scale, expected at least a share of 0.5; I will not."
    )
    assert found.covered == pytest.approx(1 / 3)


def test_one_sample_is_its_own_mean() -> None:
    found, _ = scored(sampled('{"score": 0}'), Scoring(ScoringMode.SAMPLES, samples=1))
    assert found.score == 0.0
    assert found.covered == 1.0


def test_a_scale_without_steps_takes_any_number_between_its_ends() -> None:
    percent = Dimension("percent", "How much?", 0, 100, None)
    found, _ = scored(sampled('{"score": 12.5}', '{"score": 100}', '{"score": 101}'), THREE, percent)
    assert found.score == 56.25


def test_a_persona_is_told_at_the_head_of_the_question() -> None:
    llm = ScriptedLLM(answered(logs(t2=1.0)))
    nurse = PromptedJudge(
        "gpt", "openai/gpt", "openai", top_logprobs=5, persona=Persona("nurse", "a nurse on a ward")
    )
    asyncio.run(score(nurse, Matter(ITEM, 0), FLUENCY, llm, scoring=LOGPROBS))
    assert all("a nurse on a ward" in request.messages[0].content for request in llm.requests)


@pytest.mark.parametrize(
    ("dimension", "fault"),
    [
        (Dimension("ten", "", 1, 10), "ten has 10 points"),
        (Dimension("any", "", 0, 1, None), "any has any number"),
    ],
)
def test_a_scale_whose_levels_are_no_single_digits_needs_samples(dimension: Dimension, fault: str) -> None:
    with pytest.raises(ConfigError, match=rf"^method\.scoring: .*{fault}; set method\.scoring=samples"):
        check_scale(dimension, JUDGE)


@pytest.mark.parametrize(("told", "words"), [(0, "gpt tells none"), (2, "gpt tells 2")])
def test_a_judge_that_tells_too_few_probabilities_needs_samples(told: int, words: str) -> None:
    with pytest.raises(ConfigError, match=rf"{words} .*method\.scoring=samples"):
        check_scale(FLUENCY, PromptedJudge("gpt", "openai/gpt", "openai", top_logprobs=told))


def test_as_many_probabilities_as_levels_are_enough() -> None:
    check_scale(FLUENCY, PromptedJudge("gpt", "openai/gpt", "openai", top_logprobs=3))


@pytest.mark.parametrize(
    "settings",
    [
        *({"samples": 0}, {"samples": 101}, {"minimum_covered": 0.0}, {"minimum_covered": 1.1}),
        *({"sampling_temperature": 0.0}, {"sampling_temperature": 2.1}),
    ],
)
def test_settings_out_of_range_are_refused_by_their_key(settings: dict[str, float]) -> None:
    (name,) = settings
    with pytest.raises(ConfigError, match=rf"^{name}: expected"):
        Scoring(**settings)  # type: ignore[arg-type]
