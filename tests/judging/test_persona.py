"""Personas in prompts."""

import asyncio
from dataclasses import replace

import pytest
from tests.judging.scripted import ScriptedLLM
from tests.methods.panels import PAIR, says

from venire.judging.judge import PromptedJudge
from venire.judging.pairwise import compare
from venire.judging.persona import in_person
from venire.records import Message, Order, Persona, PersonaLevel

TEACHER = Persona("teacher", "a teacher who grades essays", "In her forties.", expertise="Grammar.")
MESSAGES = (Message("system", "Rules."), Message("user", "Text."))


def system(persona: Persona | None) -> str:
    return in_person(MESSAGES, persona)[0].content


def test_a_detailed_persona_opens_the_system_message_with_the_parts_that_it_has() -> None:
    told, rules = system(TEACHER).split("\n\n")
    lines = told.splitlines()
    assert lines[0].endswith(": a teacher who grades essays.")
    assert lines[1:3] == ["Background: In her forties.", "What you know: Grammar."]
    assert "What you look for" not in told
    assert rules == "Rules."
    assert in_person(MESSAGES, TEACHER)[1] == MESSAGES[1]


def test_a_simple_one_tells_the_role_alone() -> None:
    told = system(replace(TEACHER, level=PersonaLevel.SIMPLE))
    assert "a teacher who grades essays." in told
    assert "Grammar" not in told


def test_no_demographics_tells_all_parts_but_that_one() -> None:
    told = system(replace(TEACHER, level=PersonaLevel.NO_DEMOGRAPHICS))
    assert "What you know: Grammar." in told
    assert "Background" not in told
    assert "forties" not in told


@pytest.mark.parametrize("persona", [None, replace(TEACHER, level=PersonaLevel.NONE)])
def test_without_a_persona_to_tell_the_messages_are_the_very_same(persona: Persona | None) -> None:
    assert in_person(MESSAGES, persona) == MESSAGES


def test_a_prompt_without_a_system_message_gets_one() -> None:
    assert [message.role for message in in_person(MESSAGES[1:], TEACHER)] == ["system", "user"]


def test_a_judge_s_persona_is_in_its_comparisons_and_its_re_asks() -> None:
    said = iter(["no verdict", says("A")])
    llm = ScriptedLLM(lambda request: next(said))
    judge = PromptedJudge("j", "m", "f", persona=TEACHER)
    asyncio.run(compare(judge, PAIR, Order.AS_GIVEN, llm, prompt="pairwise", allow_tie=True))
    openings = [request.messages[0].content.splitlines()[0] for request in llm.requests]
    assert len(openings) == 2
    assert all(opening.endswith("a teacher who grades essays.") for opening in openings)
