"""Personas from documents with a scripted model: what is kept, what is dropped, what stops a build."""

from collections import Counter
from dataclasses import replace

import pytest
from tests.personas.scripted import BRIEF, FOUND, GROUPS, built, calling, documents, model, person

from venire.errors import ConfigError, RunError
from venire.generated.replies import LostReply
from venire.llm.local import LocalSettings
from venire.llm.route import Client
from venire.personas.building import part_tokens
from venire.personas.built import Brief, ConsolidateBy
from venire.personas.parts import parts_of
from venire.personas.views import Fault, all_of
from venire.records import FinishReason, Request


def test_every_persona_has_the_evidence_of_its_views_in_the_document_s_words() -> None:
    made = built(model())
    assert [(g.name, [p.dimension for p in g.personas]) for g in made.groups] == [
        ("Clinicians", ["usefulness", "direction"]),
        ("Patients", ["plain words"]),
        ("Trial centre", ["direction"]),
    ]
    assert [p.parts.role for g in made.groups for p in g.personas][1] == "Clinicians on direction"
    patients = made.groups[1].personas[0].evidence
    assert [(e.document, e.paragraph) for e in patients] == [("interviews.md", 7)] * 2
    # The model wrote `weather`; the record has what the document says.
    assert patients[1].quote == "Tell me plainly whether it helped, and do not dress it up"
    assert 0.9 < patients[1].match < 1.0
    assert patients[0].match == 1.0


def test_what_has_no_ground_or_no_content_is_dropped_and_counted() -> None:
    checked = all_of(built(model()).checked)
    assert (len(checked.views), checked.quotes) == (5, 7)
    assert [(d.document, d.stakeholder, d.fault) for d in checked.dropped] == [
        ("interviews.md", "patients", Fault.UNGROUNDED),
        ("workshop.txt", "Statisticians", Fault.INCOMPLETE),
        # It stands in the section on previous work, which was left out.
        ("workshop.txt", "Statisticians", Fault.UNGROUNDED),
    ]


def test_no_model_is_shown_related_work_or_references() -> None:
    llm = model()
    built(llm)
    shown = " ".join(message.content for request in llm.requests for message in request.messages)
    assert "Physicians on the wards" in shown
    for text in ("newspapers", "jokes", "Nobody C.", "Invented Press"):
        assert text not in shown


def test_a_long_document_is_asked_for_in_parts_then_one_call_groups_and_one_writes_each_persona() -> None:
    parts = [part for read in documents().read for part in parts_of(read, 256)]
    assert len(parts) == 5  # three of the interviews, two of the workshop
    # The model finds the same in every part: three times four grounded views, and two times one.
    llm = model(groups={"all": {"d": range(1, 14), "e": [14]}})
    made = built(llm, brief=replace(BRIEF, part_tokens=256))
    assert made.parts == {"interviews.md": 3, "workshop.txt": 2}
    stages = Counter(request.stage for request in llm.requests)
    assert stages == {"persona_extraction": 5, "persona_consolidation": 1, "persona_writing": 2}
    assert [call.stage for call in made.calls] == [request.stage for request in llm.requests]


def test_grouping_by_names_asks_nobody_and_merges_equal_names_only() -> None:
    llm = model()
    made = built(llm, brief=replace(BRIEF, consolidate_by=ConsolidateBy.NAMES))
    assert [(g.name, [p.dimension for p in g.personas]) for g in made.groups] == [
        ("clinicians", ["usefulness", "direction"]),
        ("patients", ["plain words"]),
        ("Statisticians", ["direction"]),
    ]
    assert "persona_consolidation" not in {request.stage for request in llm.requests}


def test_a_document_without_stakeholders_is_no_fault_while_another_has_some() -> None:
    llm = model({**FOUND, "workshop.txt": ()}, {"all": {"d": [1, 2], "e": [3, 4]}})
    made = built(llm)
    assert made.checked["workshop.txt"].views == ()
    assert len(made.groups) == 1


def test_without_any_stakeholder_nothing_is_built() -> None:
    llm = model({"interviews.md": (), "workshop.txt": ()})
    with pytest.raises(RunError, match=r"^no stakeholder of the task in interviews.md, workshop.txt"):
        built(llm)
    assert {request.stage for request in llm.requests} == {"persona_extraction"}


def test_without_any_ground_nothing_is_built() -> None:
    invented = (("nurses", "sleep", "Nurses asked for nine hours of sleep every single night."),)
    llm = model({"interviews.md": invented, "workshop.txt": ()})
    with pytest.raises(RunError, match=r"^none of 1 views is grounded in interviews.md, workshop.txt"):
        built(llm)


def test_a_consolidation_that_leaves_a_view_out_is_none() -> None:
    llm = model(groups={"all": {"d": [1, 2, 3, 4]}})
    with pytest.raises(RunError, match=r"^the model put 5 views into no usable groups in 2 .*left out: 5"):
        built(llm)
    assert sum(request.stage == "persona_consolidation" for request in llm.requests) == 2


def no_direction(request: Request) -> str:
    return "no" if "Clinicians on direction" in person(request) else person(request)


def test_a_persona_that_was_not_written_is_left_out_and_said_within_the_bound_alone() -> None:
    made = built(model(write=no_direction), max_unscored=0.25)  # one of four
    assert [p.dimension for p in made.groups[0].personas] == ["usefulness"]
    (unwritten,) = made.unwritten
    assert (unwritten.group, unwritten.dimension) == ("Clinicians", "direction")
    with pytest.raises(RunError, match=r"^personas: 1 of 4 without a usable reply"):
        built(model(write=no_direction), max_unscored=0.2)


def test_a_group_of_which_nobody_was_written_is_no_group() -> None:
    def write(request: Request) -> str:
        return "no" if "Patients on" in person(request) else person(request)

    made = built(model(write=write), max_unscored=0.25)
    assert [group.name for group in made.groups] == ["Clinicians", "Trial centre"]


def test_a_part_that_was_not_read_is_said_within_the_bound_alone() -> None:
    llm = model(groups={"all": {"d": [1, 2, 3, 4]}})
    script = llm.script
    llm.script = lambda request: (
        "no" if request.subject and request.subject.instance_id == "workshop.txt" else script(request)
    )
    made = built(llm, max_unscored=0.5)
    (unread,) = made.unread
    assert (unread.document, unread.first, unread.last) == ("workshop.txt", 1, 11)
    with pytest.raises(RunError, match=r"^parts: 1 of 2 without a usable reply"):
        built(llm)


def test_a_lost_call_is_neither_no_stakeholder_nor_a_bad_reply() -> None:
    llm = model()
    llm.script = lambda request: ("", FinishReason.ERROR)
    with pytest.raises(LostReply, match=r"^parts: no reply on 2 of 2"):
        built(llm, max_unscored=1.0)


@pytest.mark.parametrize("task", ["", " ", "..."])
def test_a_task_that_says_nothing_is_refused(task: str) -> None:
    with pytest.raises(ConfigError, match=r"^--task: "):
        Brief("x", task)


def test_a_part_is_as_long_as_asked_for_unless_the_model_s_context_is_smaller() -> None:
    assert part_tokens(BRIEF, calling()) == 6000
    judge = replace(calling().judge, client=Client.LOCAL, max_tokens=512)
    small = part_tokens(BRIEF, calling(judge=judge, local=LocalSettings(n_ctx=2048)))
    # 2048 less the prompt (some 500 estimated tokens) and 512 for the reply, of that 9 in 10.
    assert 800 < small < 1000
    with pytest.raises(ConfigError, match=r"^local\.n_ctx: 512 tokens leave 0 for a part"):
        part_tokens(BRIEF, calling(judge=judge, local=LocalSettings(n_ctx=512)))


def test_equal_replies_make_equal_personas_whatever_came_first() -> None:
    first, second = built(model()), built(model())
    assert first.groups == second.groups
    assert first.checked == second.checked
    assert [group.name for group in first.groups] == list(GROUPS)
