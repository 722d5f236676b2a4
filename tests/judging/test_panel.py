"""Panels: seats that are one voice."""

from dataclasses import replace

from venire.judging.judge import PromptedJudge
from venire.judging.panel import Panel, twins
from venire.records import Persona, PersonaLevel

SEAT = PromptedJudge("one", "m", "openai")
TEACHER = Persona("teacher", "a teacher", expertise="pupils")


def seats(*judges: PromptedJudge) -> Panel:
    return Panel(judges, judges[0].name)


def test_seats_that_are_asked_the_very_same_are_named() -> None:
    silent = replace(SEAT, name="three", persona=replace(TEACHER, level=PersonaLevel.NONE))
    panel = seats(SEAT, replace(SEAT, name="two", family="other"), silent)
    assert list(twins(panel)) == [("one", "two"), ("one", "three")]


def test_another_persona_model_temperature_or_seed_is_another_voice() -> None:
    others = (
        replace(SEAT, name="persona", persona=TEACHER),
        replace(SEAT, name="role", persona=replace(TEACHER, level=PersonaLevel.SIMPLE)),
        replace(SEAT, name="model", model="n"),
        replace(SEAT, name="temperature", temperature=0.7),
        replace(SEAT, name="seed", sampling_seed=1),
    )
    assert list(twins(seats(SEAT, *others))) == []
