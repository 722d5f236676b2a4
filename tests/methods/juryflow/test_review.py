"""Stages 3 and 4: what is reviewed, by whom, and how far a review spreads."""

from dataclasses import replace

import pytest
from tests.methods.juryflow.court import JUDGES, judged, juryflow, material
from tests.methods.juryflow.worked import FIRST, B, C, court, responses, reviews

from venire.judging.panel import Panel
from venire.methods.juryflow.propagate import Propagation, When
from venire.records import FinishReason, Persona, Request


@pytest.mark.parametrize(
    ("beta", "followed"),
    [(0.0, [2, 3]), (0.5, [2]), (0.9, []), (1.0, [])],  # w(B, C) = .9, w(B, D) = .5
)
def test_the_propagation_set_at_several_betas(beta: float, followed: list[int]) -> None:
    outcome = judged(juryflow(propagation=Propagation(beta=beta)), court(), FIRST)
    assert [claim for kind, claim, _, _ in reviews(outcome) if kind == "propagation"] == followed


def test_stage_1_focal_and_rubric_requests_do_not_depend_on_beta() -> None:
    def keys(beta: float) -> set[str]:
        outcome = judged(juryflow(propagation=Propagation(beta=beta)), court(), FIRST)
        return {call.key for call in outcome.calls if call.stage != "propagation"}

    assert keys(0.0) == keys(0.5) == keys(1.0)


def test_only_the_anchor_propagates_and_focal_claims_are_not_reviewed_twice() -> None:
    # w(B, A) = .5 > beta, but A is focal itself; w(A, D) = .5, but A is no anchor.
    outcome = judged(juryflow(propagation=Propagation(beta=0.4)), court(), FIRST)
    assert [(kind, claim) for kind, claim, _, _ in reviews(outcome)] == [
        ("focal", 1),
        ("focal", 0),
        ("propagation", 2),
        ("propagation", 3),
    ]


@pytest.mark.parametrize(
    ("revised", "when", "spreads"),
    [
        ("u", When.CHANGED, False),  # B was uncertain
        ("a", When.CHANGED, True),
        ("u", When.ALWAYS, True),
    ],
)
def test_a_confirmed_verdict_spreads_only_when_always(revised: str, when: When, spreads: bool) -> None:
    method = juryflow(propagation=Propagation(when=when))
    outcome = judged(method, court(revised={B: revised}), FIRST)
    assert any(kind == "propagation" for kind, *_ in reviews(outcome)) is spreads


def test_an_anchor_without_a_verdict_leaves_the_panel_s_and_spreads_nothing() -> None:
    def script(request: Request) -> str | tuple[str, FinishReason]:
        return ("", FinishReason.REFUSED) if material(request)["claim"] == B else court().answer(request)

    outcome = judged(juryflow(), court(scripts={"focal": script}), FIRST)
    first = responses(outcome)[0]
    assert reviews(outcome) == [("focal", 1, "uncertain", None), ("focal", 0, "reject", "reject")]
    assert first["reevaluations"][0]["reason"] == "refused"
    assert first["verdicts"] == ["reject", "uncertain", "accept", "accept"]
    assert first["rubric_added"] == []


def test_the_reviewer_sees_the_conflict_and_no_names() -> None:
    llm = court()
    judged(juryflow(), llm, FIRST)
    request = next(each for each in llm.of_stage("focal") if material(each)["claim"] == B)
    text = request.messages[1].content
    said = [line for line in text.splitlines() if line.startswith("Assessment ")]
    assert said == [
        "Assessment 1: accept",
        "Assessment 2: accept",
        "Assessment 3: reject",
        "Assessment 4: reject",
        "Assessment 5: uncertain",
    ]
    assert material(request)["assessment 1"] == "on claim B"
    assert not any(judge.name in message.content for message in request.messages for judge in JUDGES)
    assert request.subject is not None
    assert (request.subject.response_index, request.subject.claim_index) == (0, 1)


def test_a_propagated_claim_is_shown_the_review_of_the_anchor() -> None:
    llm = court()
    judged(juryflow(), llm, FIRST)
    (request,) = llm.of_stage("propagation")
    shown = material(request)
    assert (shown["claim"], shown["evidence claim"], shown["evidence rationale"]) == (C, B, "looked again")
    assert "first uncertain, after review reject" in request.messages[1].content


def test_the_reviewer_is_the_strongest_judge_s_model_without_its_persona_or_who_is_named() -> None:
    panel = Panel(tuple(replace(judge, persona=Persona("p", "a person")) for judge in JUDGES), "j2")
    for reviewer, model in ((None, "m2"), ("j4", "m4")):
        llm = court()
        judged(juryflow(panel=panel, reviewer=reviewer), llm, FIRST)
        asked = [request for stage in ("focal", "propagation", "rubric") for request in llm.of_stage(stage)]
        assert {request.model for request in asked} == {model}
        assert not any("a person" in request.messages[0].content for request in asked)
        assert all("a person" in request.messages[0].content for request in llm.of_stage("judge"))
