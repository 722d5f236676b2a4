"""Who debates: persona levels, own dimensions, names, models, prompts and settings."""

from dataclasses import replace
from typing import Any

import pytest
from tests.methods.maj_eval.table import (
    CHAIR,
    DOCTOR,
    ITEM,
    JUDGE,
    NURSE,
    OPENINGS,
    TALK,
    Play,
    agent,
    judged,
    method,
    names,
    personas,
    rates,
    says,
    transcript,
)

from venire.errors import ConfigError, DataError
from venire.methods.maj_eval.aggregate import Synthesis
from venire.methods.maj_eval.debate import FreeDebate
from venire.methods.maj_eval.method import MajEval
from venire.methods.maj_eval.read_only import ReadOnly
from venire.records import (
    Instance,
    Persona,
    PersonaLevel,
    PersonaSet,
    Ratings,
    Response,
    StakeholderGroup,
)


def test_an_agent_s_own_dimension_is_rated_and_enters_no_score() -> None:
    caring = personas()
    groups = (
        caring.groups[0],
        replace(caring.groups[1], personas=(Persona("patient", "a patient", dimension="plain words"),)),
    )
    llm = Play(OPENINGS, TALK, {("rate", "patients/patient"): [rates(0, 3, plain_words=5)]})
    made = judged(llm, MajEval(JUDGE, replace(caring, groups=groups)))
    assert agent(made, "patient")["dimension"] == "plain_words"
    assert agent(made, "patient")["final"]["ratings"] == {"fluency": 0, "strength": 3, "plain_words": 5}
    assert made.prediction == Ratings({"overall": 0.5625, "fluency": 0.75, "strength": 2.25})
    assert "- plain_words: plain words\n  Rating: one of 1, 2, 3, 4, 5;" in llm.shown(
        "rate", "patients/patient"
    )
    assert "plain_words" not in llm.shown("rate", NURSE)


def test_agents_without_personas_are_numbered_and_each_asked_on_its_own() -> None:
    llm = Play(
        {
            ("rate", NURSE): [rates(2, 2)],
            ("rate", DOCTOR): [rates(1, 1)],
            ("rate", "patients/patient"): [rates(0, 0)],
        }
    )
    judged(llm, method(personas=personas(PersonaLevel.NONE), debate=None, synthesis=None))
    first, second, third = llm.requests
    assert first.messages == second.messages == third.messages
    assert [request.replicate for request in llm.requests] == [0, 1, 2]  # three calls, not one
    talk_method = method(personas=personas(PersonaLevel.NONE), debate=FreeDebate(turns=1))
    finals = {("final", NURSE): [rates(1, 1)], ("final", DOCTOR): [rates(1, 1)]}
    talk = Play(
        OPENINGS, {("coordinate", CHAIR): [names("Judge 2")], ("debate", DOCTOR): [says("x")]}, finals
    )
    made = judged(talk, talk_method)
    assert transcript(made)["turns"][0]["speaker"] == "doctor"
    for request in talk.requests:
        text = "\n".join(message.content for message in request.messages)
        for told in ("nurse", "doctor", "clinic", "patients", "People who"):
            assert told not in text.replace("patient's", "")


def test_agents_with_a_role_alone_are_numbered_under_their_group_s_name() -> None:
    finals = {("final", NURSE): [rates(1, 1)], ("final", DOCTOR): [rates(1, 1)]}
    llm = Play(
        OPENINGS, {("coordinate", CHAIR): [names("clinicians 2")], ("debate", DOCTOR): [says("x")]}, finals
    )
    judged(llm, method(personas=personas(PersonaLevel.SIMPLE), debate=FreeDebate(turns=1)))
    shown = llm.shown("debate", DOCTOR)
    assert "You are one of them:\nclinicians 2." in shown
    assert "a doctor" in shown
    assert "Says for whom." not in shown


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"turns": 0}, "turns: expected at least 1, got 0; debate=null is no debate"),
        ({"turns_per_agent": 0}, "turns_per_agent: expected at least 1, got 0"),
        ({"max_history": 0}, "max_history: expected at least 1 character, got 0"),
        ({"repetition": 0.0}, "repetition: expected more than 0, up to 1, got 0"),
    ],
)
def test_a_limit_that_is_none_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}"):
        FreeDebate(**settings)


def test_names_that_could_be_mistaken_for_others_are_refused() -> None:
    def of(*given: str) -> PersonaSet:
        return PersonaSet("x", "t", (StakeholderGroup("g", "", tuple(Persona(n, n) for n in given)),))

    with pytest.raises(ConfigError, match="must differ in letters, got head_nurse, Head nurse"):
        method(personas=of("head_nurse", "Head nurse"))
    with pytest.raises(ConfigError, match="an agent is called coordinator"):
        method(personas=of("Coordinator"))
    with pytest.raises(ConfigError, match="must not have a slash, got 'a/b'"):
        method(personas=of("a/b"))
    with pytest.raises(ConfigError, match=r"^judged_by\.persona: expected none, got nurse"):
        method(judged_by=replace(JUDGE, persona=Persona("nurse", "n")))


def test_pairs_and_items_without_dimensions_are_refused_before_any_call() -> None:
    with pytest.raises(DataError, match="expected one response to rate, got 2"):
        method().check([Instance("p", "?", (Response("a"), Response("b")))])
    with pytest.raises(DataError, match="expected at least one dimension"):
        method().check([replace(ITEM, dimensions=())])
    method().check([ITEM])


def test_a_coordinator_and_an_aggregator_of_their_own_are_asked_under_their_roles() -> None:
    chair, writer = replace(JUDGE, name="mini", model="mini"), replace(JUDGE, name="big", model="big")
    llm = Play(OPENINGS, TALK)
    made = method(debate=FreeDebate(coordinator=chair), synthesis=Synthesis(writer))
    judged(llm, made)
    assert [judge.name for judge in made.judges] == ["gpt", "mini", "big"]
    models = {(request.stage, request.model) for request in llm.requests}
    assert models == {
        ("rate", "openai/gpt"),
        ("coordinate", "mini"),
        ("debate", "openai/gpt"),
        ("final", "openai/gpt"),
        ("aggregate", "big"),
    }


def test_the_prompts_that_a_run_names_are_those_that_it_renders() -> None:
    assert set(method().prompts) == {"rate", "debate", "coordinate", "final", "aggregate", "persona", "reask"}
    assert set(method(debate=None, synthesis=None).prompts) == {"rate", "persona", "reask"}
    assert set(method(debate=ReadOnly(), personas=personas(PersonaLevel.NONE)).prompts) == {
        "rate",
        "final",
        "aggregate",
        "reask",
    }
