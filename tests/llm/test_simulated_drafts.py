"""How simulated models draft personas from documents: stakeholders with quotes, groups, people."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.llm.ratings_asked import BASE, FAMILIES, asked, judge, read

from venire.errors import BackendError
from venire.judging.consolidate import Consolidation, View, consolidate
from venire.judging.reply import parse_reply
from venire.judging.stakeholders import Extraction, extract_stakeholders
from venire.judging.write_persona import PersonaReply, Seat, write_persona
from venire.llm.simulated import PersonaDrafts, SimulatedBackend, Simulation
from venire.records import Request, Unscored

TASK = "Judging a short summary of several studies."
PARAGRAPHS = (
    (1, "Nurses read the texts for what they would have to do. Rain fell."),
    (
        4,
        "A nurse said that pain and sleep are the outcomes to report. Patients want words to repeat at home.",
    ),
    (5, "Parents asked who had been studied, and teachers did so too."),
)


def drafting(**changes: object) -> Simulation:
    return replace(BASE, personas=PersonaDrafts(**{"ungrounded": 0.0, **changes}))  # type: ignore[arg-type]


def models(simulation: Simulation) -> SimulatedBackend:
    return SimulatedBackend(simulation, (), FAMILIES)


def extracting(paragraphs: Sequence[tuple[int, str]] = PARAGRAPHS) -> Request:
    return asked(lambda llm: extract_stakeholders(judge(), TASK, paragraphs, llm, document="a.md"))


def extracted(simulation: Simulation, paragraphs: Sequence[tuple[int, str]] = PARAGRAPHS) -> Extraction:
    reply = parse_reply(
        models(simulation).reply(replace(extracting(paragraphs), max_tokens=None)).text, Extraction
    )
    assert not isinstance(reply, Unscored)
    return reply


def test_the_stakeholders_of_the_list_are_found_with_whole_sentences() -> None:
    found = {each.name: each.dimensions for each in extracted(drafting()).stakeholders}
    assert list(found) == ["nurses", "patients", "parents", "teachers"]
    assert [each.evidence for each in found["nurses"]] == [
        "Nurses read the texts for what they would have to do.",
        "A nurse said that pain and sleep are the outcomes to report.",
    ]
    assert [each.dimension for each in found["nurses"]] == ["texts", "outcomes report"]
    assert all(each.description.startswith("[simulated] ") for each in extracted(drafting()).stakeholders)


def test_a_document_without_stakeholders_has_none() -> None:
    nobody = ((1, "Rain fell on the hills all through the autumn."), (2, "Patients."), (3, ""))
    assert extracted(drafting(), nobody).stakeholders == []
    assert extracted(drafting(stakeholders={"weather": ("hills",)}), nobody).stakeholders != []


def test_a_share_of_the_quotes_stands_nowhere_in_the_document() -> None:
    """All of five, none of five; by half of it some of forty."""
    whole = " ".join(text for _, text in PARAGRAPHS)

    def strangers(share: float, paragraphs: Sequence[tuple[int, str]]) -> list[bool]:
        text = whole + " ".join(each for _, each in paragraphs)
        found = extracted(drafting(ungrounded=share, dimensions=100), paragraphs)
        return [view.evidence not in text for each in found.stakeholders for view in each.dimensions]

    assert strangers(0.0, PARAGRAPHS) == [False] * 5
    assert strangers(1.0, PARAGRAPHS) == [True] * 5
    names = [letter * count for letter in "abcdefghij" for count in (5, 6, 7, 8)]
    words = [(n, f"Nurses asked about {name} first of all that day.") for n, name in enumerate(names)]
    some = strangers(0.5, words)
    assert len(some) == 40
    assert 10 < sum(some) < 30


def test_a_stakeholder_has_at_most_as_many_dimensions_as_set() -> None:
    found = {each.name: each.dimensions for each in extracted(drafting(dimensions=1)).stakeholders}
    assert len(found["nurses"]) == 1


def consolidating(views: Sequence[View]) -> Request:
    return asked(lambda llm: consolidate(judge(), TASK, views, llm, subject="a.md"))


def test_views_are_grouped_by_the_list_and_equal_dimensions_are_one() -> None:
    """Nurses and physicians are clinicians; beekeepers are not on the list and a group of their own."""
    views = [
        View("nurses", "who nurse", "pain (and sleep)", "They want it."),
        View("patients", "who are ill", "plain words", "They want it."),
        View("Physicians", "who treat", "pain (and sleep)", "They want | it."),
        View("nurses", "who nurse", "what to do", "They want it."),
        View("beekeepers", "who keep bees", "honey", "They want it."),
    ]
    request = consolidating(views)
    reply = parse_reply(models(drafting()).reply(request).text, Consolidation)
    assert not isinstance(reply, Unscored)
    assert [(group.name, [(d.dimension, d.views) for d in group.dimensions]) for group in reply.groups] == [
        ("clinicians", [("pain (and sleep)", [1, 3]), ("what to do", [4])]),
        ("patients", [("plain words", [2])]),
        ("beekeepers", [("honey", [5])]),
    ]
    assert reply.groups[0].description == "[simulated] nurses, Physicians."


def writing(dimension: str = "pain and sleep") -> Request:
    seat = Seat(
        "clinicians",
        "nurses, physicians.",
        dimension,
        ("[simulated] They want pain to be right.",),
        ("A nurse said that pain and sleep are the outcomes to report.",),
        ("what to do",),
    )
    return asked(lambda llm: write_persona(judge(), TASK, seat, llm, subject="clinicians/pain"))


def test_a_persona_has_all_parts_marked_in_the_words_of_its_evidence() -> None:
    reply = parse_reply(models(drafting()).reply(writing()).text, PersonaReply)
    assert not isinstance(reply, Unscored)
    assert reply.role == "one of the clinicians who looks first at pain and sleep [simulated]"
    assert all("[simulated]" in text for text in reply.model_dump().values())
    assert "They want pain to be right." in reply.perspective
    assert "A nurse said that pain and sleep" in reply.perspective
    other = read(models(drafting()), writing("what to do"))
    assert other["role"] != reply.role


def test_drafts_are_equal_for_equal_requests() -> None:
    for request in (extracting(), consolidating([View("nurses", "n", "pain", "p")]), writing()):
        assert models(drafting()).reply(request) == models(drafting()).reply(request)


@pytest.mark.parametrize(
    ("make", "label"),
    [
        (extracting, "document"),
        (lambda: consolidating([View("nurses", "n", "pain", "p")]), "views"),
        (writing, "group"),
    ],
)
def test_a_prompt_that_does_not_show_what_to_read_is_refused(make: object, label: str) -> None:
    assert callable(make)
    request = make()
    system, user = request.messages
    bare = replace(request, messages=(system, replace(user, content="Read.")))
    with pytest.raises(BackendError, match=f"shows no material with the label '{label}'"):
        models(drafting()).reply(bare)
