"""The three model steps that make personas: extraction, consolidation, writing."""

import asyncio
import json

import pytest
from tests.judging.scripted import ScriptedLLM, replies

from venire.judging.consolidate import Consolidated, View, consolidate
from venire.judging.judge import PromptedJudge
from venire.judging.stakeholders import extract_stakeholders
from venire.judging.write_persona import Seat, write_persona
from venire.records import FinishReason, Reason, Unscored

JUDGE = PromptedJudge("j0", "m0", "f0", max_reasks=1)
VIEWS = [View("nurses", "who nurse", f"dimension {i}", "short sentences") for i in range(1, 4)]
PARTS = ("role", "demographics", "perspective", "expertise", "traits", "relations")


def extract(llm: ScriptedLLM) -> object:
    shown = [(1, "Nurses read\nthe texts."), (4, "[9] They skim.")]
    return asyncio.run(extract_stakeholders(JUDGE, "soups", shown, llm, document="a.md")).stakeholders


def test_a_part_is_shown_one_line_a_paragraph_under_its_number_and_booked_on_its_document() -> None:
    llm = replies('{"stakeholders": []}')
    assert extract(llm) == ()  # nobody is a valid answer
    (request,) = llm.requests
    assert "\n[1] Nurses read the texts.\n[4] [9] They skim.\n" in request.messages[1].content
    assert request.subject is not None
    assert (request.stage, request.subject.instance_id) == ("persona_extraction", "a.md")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (("none", '{"stakeholders": [{"name": "nurses"}]}'), Reason.UNPARSED),
        ((("", FinishReason.REFUSED),), Reason.REFUSED),
        ((("", FinishReason.ERROR),), Reason.PROVIDER_ERROR),
    ],
)
def test_an_unusable_account_is_no_empty_one(
    said: tuple[str | tuple[str, FinishReason], ...], reason: Reason
) -> None:
    made = extract(replies(*said))
    assert isinstance(made, Unscored)
    assert made.reason is reason


def grouped(*dimensions: list[int], name: str = "staff") -> str:
    listed = [{"dimension": f"d{i}", "views": views} for i, views in enumerate(dimensions)]
    return json.dumps({"groups": [{"name": name, "description": "d", "dimensions": listed}]})


def made_of(*said: str) -> tuple[Consolidated, ScriptedLLM]:
    llm = replies(*said)
    return asyncio.run(consolidate(JUDGE, "soups", VIEWS, llm, subject="set")), llm


def test_a_consolidation_places_every_view_once() -> None:
    made, llm = made_of(grouped([1, 3], [2]))
    assert not isinstance(made.groups, Unscored)
    assert [merged.views for merged in made.groups[0].dimensions] == [[1, 3], [2]]
    shown = llm.requests[0].messages[1].content
    assert "[2] nurses (who nurse) | dimension: dimension 2 | wants: short sentences\n" in shown


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (grouped([1, 2]), "left out: 3"),
        (grouped([1, 2], [2, 3]), "named more than once: 2"),
        (grouped([1, 2, 3, 7]), "not there: 7"),
        (grouped([1, 2, 3], []), "a dimension without a view"),
        ('{"groups": []}', "left out: 1, 2, 3"),
    ],
)
def test_one_that_does_not_is_asked_again_with_what_is_wrong_and_then_none(
    wrong: str, complaint: str
) -> None:
    mended, llm = made_of(wrong, grouped([1, 2, 3]))
    assert not isinstance(mended.groups, Unscored)
    assert complaint in llm.requests[1].messages[-1].content
    failed, _ = made_of(wrong, wrong)
    assert isinstance(failed.groups, Unscored)
    assert (failed.groups.reason, len(failed.calls)) == (Reason.UNPARSED, 2)


SEAT = Seat("staff", "who work there", "short sentences", ["they are tired"], ["We are tired."], ["salt"])


def person(**changes: str) -> str:
    return json.dumps({part: f"a {part}" for part in PARTS} | changes)


def test_a_persona_is_written_from_its_views_its_passages_and_the_group_s_other_dimensions() -> None:
    llm = replies(person(role=" a nurse\n who reads "))
    written = asyncio.run(write_persona(JUDGE, "soups", SEAT, llm, subject="set"))
    assert not isinstance(written.parts, Unscored)
    assert written.parts.role == "a nurse who reads"
    shown = llm.requests[0].messages[1].content
    for text in ("staff: who work there", "short sentences", "they are tired", "We are tired.", "salt"):
        assert f">\n{text}\n</" in shown


def test_a_persona_with_an_empty_part_is_asked_again_and_then_none() -> None:
    written = asyncio.run(
        write_persona(JUDGE, "soups", SEAT, replies(person(traits=" - "), person(traits="")), subject="set")
    )
    assert isinstance(written.parts, Unscored)
    assert "traits" in written.parts.detail


def test_a_group_of_one_shows_no_others() -> None:
    llm = replies(person())
    alone = Seat("staff", "d", "short sentences", ["p"], ["q"])
    asyncio.run(write_persona(JUDGE, "soups", alone, llm, subject="set"))
    assert "other members" not in llm.requests[0].messages[1].content
