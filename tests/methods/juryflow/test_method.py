"""The five stages on whole instances, each worked by hand."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.methods.juryflow.court import JUDGES, PANEL, Court, judged, juryflow, material, pair, unit

from venire.errors import ConfigError, DataError
from venire.judging.convene import Decomposing
from venire.judging.judge import RecordedJudge
from venire.judging.panel import Panel
from venire.judging.tie_break import TieBreak
from venire.judging.unit import Unit
from venire.judging.verdicts import Reduction
from venire.methods.juryflow.graph import Edges, GraphSettings
from venire.methods.juryflow.memory import Memory
from venire.methods.juryflow.propagate import CrossInstance, Propagation, When
from venire.methods.juryflow.select import Focal, Random
from venire.records import (
    FinishReason,
    Instance,
    Outcome,
    Persona,
    Preference,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)

# The worked example. First response, four claims:
#   A 3 reject : 2 accept        d = .613, plurality reject
#   B 2 : 2 : 1 (j2 uncertain)   d = .960, plurality uncertain (accept and reject tie, j2 is not among them)
#   C unanimous accept           d = 0
#   D 4 accept : 1 reject        d = .455, plurality accept
# tau .5, m 2: B (c*) and A are re-evaluated. All claims carry the one tag "clear", so w = .5 cos + .5.
# cos(B, C) = .8 -> w = .9; cos(B, D) = -1 -> w = .5, which is not above beta = .5; so only C follows.
A, B, C, D = "claim A", "claim B", "claim C", "claim D"
VECTORS = {
    A: unit(0.0, 1.0),
    B: unit(1.0, 0.0),
    C: unit(0.8, 0.6),
    D: unit(-1.0, 0.0),
    "fine": unit(0.0, -1.0),
}
FIRST = pair("first", "second")


def court(**given: Any) -> Court:
    rules: dict[str, Any] = {
        "claims": {"first": [A, B, C, D], "second": ["fine"]},
        "votes": {A: "rrraa", B: "aaurr", C: "aaaaa", D: "raaaa"},
        "revised": {A: "r", B: "r", C: "u"},
        "vectors": VECTORS,
    }
    return Court(**{**rules, **given})


def responses(outcome: Outcome) -> list[dict[str, Any]]:
    found = outcome.detail["responses"]
    assert isinstance(found, list)
    return found


def reviews(outcome: Outcome) -> list[tuple[str, int, str | None, str | None]]:
    return [
        (each["kind"], each["claim"], each["before"], each["after"])
        for response in responses(outcome)
        for each in response["reevaluations"]
    ]


def test_the_worked_example_from_votes_to_the_winner() -> None:
    llm = court()
    outcome = judged(juryflow(), llm, FIRST)
    first, second = responses(outcome)
    assert first["disagreement"] == [0.6126, 0.9602, 0.0, 0.4555]
    assert first["panel"] == ["reject", "uncertain", "accept", "accept"]
    assert first["focal"] == {"selector": "auto", "claims": [1, 0], "anchor": 1, "seconds": None}
    assert reviews(outcome) == [
        ("focal", 1, "uncertain", "reject"),
        ("focal", 0, "reject", "reject"),
        ("propagation", 2, "accept", "uncertain"),
    ]
    assert first["verdicts"] == ["reject", "reject", "uncertain", "accept"]
    # 1 - (2 + .5) / 4 = .375 against 1.
    assert outcome.detail["scores"] == [0.375, 1.0]
    assert outcome.prediction == Preference(Winner.SECOND)
    assert outcome.detail["tie_break"] is None
    assert (second["focal"]["claims"], second["score"]) == ([], 1.0)
    # One decomposition and five judgments a response; two focal, one propagation; one entry, for the
    # correction that changed the plurality verdict.
    assert Counter(call.stage for call in outcome.calls if not call.is_embedding) == {
        "decompose": 2,
        "judge": 10,
        "focal": 2,
        "propagation": 1,
        "rubric": 1,
    }
    assert [entry["id"] for entry in first["rubric_added"]] == ["set/1/0/1"]


def test_the_detail_is_json_with_every_judge_s_votes_and_the_edges() -> None:
    outcome = judged(juryflow(), court(), FIRST)
    first = json.loads(json.dumps(outcome.detail))["responses"][0]
    assert first["claims"] == [A, B, C, D]
    assert [each["verdict"] for each in first["judgments"]["j2"]] == [
        "reject",
        "uncertain",
        "accept",
        "accept",
    ]
    assert first["judgments"]["j0"][3] == {"verdict": "reject", "tags": ["clear"], "rationale": "on claim D"}
    # cos: AB 0, AC .6, AD 0, BC .8, BD -1, CD -.8.
    assert first["edges"] == [
        [0, 1, 0.5],
        [0, 2, 0.8],
        [0, 3, 0.5],
        [1, 2, 0.9],
        [1, 3, 0.5],
        [2, 3, 0.5],
    ]
    assert first["tags"] == [["clear"]] * 4
    assert first["reevaluations"][2]["weight"] == 0.9


def test_there_are_no_orders_and_each_judge_votes_by_its_own_verdicts() -> None:
    outcome = judged(juryflow(), court(), FIRST)
    assert outcome.by_order == {}
    assert [(vote.judge, vote.order) for vote in outcome.votes] == [(judge.name, None) for judge in JUDGES]
    # Scores of the first response: j0 1-2/4, j1 1-1/4, j2 1-1.5/4, j3 1-1/4, j4 1-1/4; of the second all 1.
    assert all(vote.prediction == Preference(Winner.SECOND) for vote in outcome.votes)


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


def test_a_tie_of_scores_is_the_strongest_judge_s_holistic_verdict() -> None:
    llm = Court(pairwise="A")
    outcome = judged(juryflow(seed=1), llm, FIRST)
    assert [request.role for request in llm.of_stage("tie_break")] == ["j2", "j2"]
    # "A" in both orders: they disagree, and (seed, instance id) decides.
    assert outcome.detail["tie_break"] == "inconsistent"
    assert isinstance(outcome.prediction, Preference)
    assert outcome.by_order == {}


def test_a_tie_stands_without_a_tie_break() -> None:
    outcome = judged(juryflow(tie_break=None), Court(), FIRST)
    assert (outcome.prediction, outcome.detail["tie_break"]) == (Preference(Winner.TIE), "off")


def test_strict_reduction_is_the_worst_claim() -> None:
    outcome = judged(juryflow(reduction=Reduction.STRICT), court(), FIRST)
    assert outcome.detail["scores"] == [0.0, 1.0]


def test_a_response_without_claims_has_no_score_and_the_pair_is_a_tie() -> None:
    llm = court(claims={"first": [A], "second": []}, pairwise="A")
    outcome = judged(juryflow(), llm, FIRST)
    assert outcome.detail["scores"] == [0.0, None]
    assert len(llm.of_stage("tie_break")) == 2
    assert all(vote.prediction == Preference(Winner.TIE) for vote in outcome.votes)


def test_a_failed_decomposition_is_unscored_whatever_the_other_response_says() -> None:
    def script(request: Request) -> str | tuple[str, FinishReason]:
        lost = material(request)["response"] == "second"
        return ("nonsense", FinishReason.STOP) if lost else court().answer(request)

    outcome = judged(juryflow(), court(scripts={"decompose": script}), FIRST)
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is Reason.UNPARSED
    assert outcome.prediction.detail.startswith("response 2: decomposition by j2")
    assert all(isinstance(vote.prediction, Unscored) for vote in outcome.votes)
    # What the first response taught is kept.
    assert [entry["id"] for entry in responses(outcome)[0]["rubric_added"]] == ["set/1/0/1"]


def test_a_judge_that_never_parses_abstains_and_the_others_decide() -> None:
    def script(request: Request) -> str:
        said = court().answer(request)
        assert isinstance(said, str)
        return "I like it." if request.role == "j4" else said

    outcome = judged(juryflow(), court(scripts={"judge": script}), FIRST)
    first = responses(outcome)[0]
    # Without j4: A 3:1, B 2:1:1 (j4 rejected it), D 3:1.
    # H(3:1)/log 3 = .5119; H(2:1:1)/log 3 = (.5 * .693147 + .5 * 1.386294) / 1.098612 = .9464
    assert first["disagreement"] == [0.5119, 0.9464, 0.0, 0.5119]
    assert first["judgments"]["j4"] == [{"verdict": None, "reason": "unparsed"}] * 4
    assert outcome.votes[4].prediction == Unscored(
        Reason.UNPARSED, "it holds no JSON object with the field(s) judgments"
    )
    assert isinstance(outcome.prediction, Preference)


def test_all_judges_down_for_one_instance_is_unscored_with_the_reason_in_every_vote() -> None:
    outcome = judged(juryflow(), court(votes=dict.fromkeys((A, "fine"), "-----")), FIRST)
    assert outcome.prediction == Unscored(Reason.NO_VOTES, "response 1: provider_error")
    reasons = {vote.prediction.reason for vote in outcome.votes if isinstance(vote.prediction, Unscored)}
    assert reasons == {Reason.PROVIDER_ERROR}


def test_two_hundred_claims_go_through_all_stages() -> None:
    claims = [f"claim number {index}" for index in range(200)]
    llm = Court(claims={"first": claims}, votes={claims[150]: "aarru"})
    outcome = judged(juryflow(propagation=Propagation(beta=1.0)), llm, FIRST)
    first = responses(outcome)[0]
    assert len(first["verdicts"]) == 200
    assert first["focal"]["claims"] == [150]
    assert Counter(request.role for request in llm.of_stage("judge"))["j0"] == 5 + 1


def test_claims_in_another_language_go_through_all_stages() -> None:
    claims = ["서울은 대한민국의 수도이다.", "부산은 섬이다."]
    llm = Court(claims={"first": claims}, votes={claims[1]: "aarru"}, revised={claims[1]: "r"})
    outcome = judged(juryflow(), llm, FIRST)
    assert reviews(outcome)[0] == ("focal", 1, "reject", "reject")
    assert responses(outcome)[0]["claims"] == claims
    assert material(llm.of_stage("focal")[0])["claim"] == claims[1]


def test_equal_responses_are_judged_by_equal_requests() -> None:
    llm = court()
    outcome = judged(juryflow(), llm, pair("first", "first"))
    stage_1 = [call.key for call in outcome.calls if call.stage in ("decompose", "judge")]
    assert len(set(stage_1)) == len(stage_1) / 2
    assert outcome.detail["scores"] == [0.375, 0.375]


def test_own_decompositions_are_reviewed_by_the_aligned_list() -> None:
    own = {"j2": [B, A], "j0": [A, B]}

    def script(request: Request) -> str:
        given = {"first": own.get(request.role, [A, B, C]), "second": ["fine"]}
        return json.dumps({"claims": given[material(request)["response"]]})

    llm = court(scripts={"decompose": script})
    outcome = judged(juryflow(decomposition=Decomposing.PER_JUDGE), llm, FIRST)
    first = responses(outcome)[0]
    assert first["claims"] == [B, A, C]
    # C was found by j1, j3 and j4 only.
    assert [each[2]["verdict"] for each in first["judgments"].values()] == [
        None,
        "accept",
        None,
        "accept",
        "accept",
    ]
    assert reviews(outcome)[:2] == [("focal", 0, "uncertain", "reject"), ("focal", 1, "reject", "reject")]


def test_drawn_selections_and_shuffled_edges_hang_on_seed_and_instance_alone() -> None:
    claims = [f"c{index}" for index in range(9)]
    votes = {claims[0]: "aarru", claims[1]: "aarru"}

    def made(seed: int, name: str) -> tuple[object, object]:
        method = juryflow(
            seed=seed,
            focal=Focal(selector=Random()),
            graph=GraphSettings(edges=Edges.SHUFFLED),
            propagation=None,
            rubric=None,
        )
        outcome = judged(method, Court(claims={"first": claims}, votes=votes), pair("first", "b", name))
        return responses(outcome)[0]["focal"]["claims"], responses(outcome)[0]["edges"]

    assert made(0, "set/1") == made(0, "set/1")
    assert len({str(made(seed, "set/1")) for seed in range(5)}) > 1
    assert len({str(made(0, f"set/{index}")[0]) for index in range(5)}) > 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unit": Unit.HOLISTIC}, "unit: JuryFlow judges claims"),
        ({"reviewer": "nobody"}, "reviewer: 'nobody' is not on the panel (j0, j1, j2, j3, j4)"),
        ({"focal": None}, "propagation: rests on focal re-evaluation"),
        ({"focal": None, "propagation": None}, "rubric: rests on focal re-evaluation"),
        ({"panel": Panel((RecordedJudge("A", "CoT"),), "A")}, "panel: expected judges that can be asked"),
        ({"claims_per_call": 0}, "claims_per_call: expected at least 1"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        juryflow(**settings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("beta", 1.1), ("beta", -0.1), ("precedent_threshold", 2.0), ("precedents", -1)],
)
def test_bad_settings_of_propagation_are_refused(setting: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"^{setting}: expected"):
        Propagation(**{setting: value})  # type: ignore[arg-type]


def test_a_single_response_is_refused_before_any_call() -> None:
    with pytest.raises(DataError, match="set/9"):
        juryflow().check([Instance("set/9", "p", (Response("x"),))])


@pytest.mark.parametrize(
    ("settings", "dependent"),
    [
        ({}, True),
        ({"rubric": None}, True),
        ({"propagation": None}, True),
        ({"rubric": None, "propagation": Propagation(cross_instance=CrossInstance.OFF)}, False),
        ({"rubric": None, "propagation": None}, False),
    ],
)
def test_the_order_matters_where_a_rubric_or_precedents_are_shown(
    settings: dict[str, Any], dependent: bool
) -> None:
    method = juryflow(**settings)
    outcome = judged(method, court(), FIRST)
    assert method.order_dependent is dependent
    assert (outcome.additions is not None) is dependent
    assert (method.fold(Memory(), outcome) != Memory()) is dependent


def test_the_prompts_are_those_of_the_stages_that_are_on() -> None:
    whole = ("decompose", "judge_claims", "reevaluate", "propagate", "induce", "pairwise", "reask")
    assert juryflow().prompts == whole
    bare = juryflow(focal=None, propagation=None, rubric=None, tie_break=None)
    assert bare.prompts == ("decompose", "judge_claims", "reask")
    vanilla = juryflow(rubric=None, propagation=None, tie_break=TieBreak("pairwise_vanilla"))
    assert vanilla.prompts == ("decompose", "judge_claims", "reevaluate", "pairwise_vanilla", "reask")
    panel = Panel((replace(JUDGES[0], persona=Persona("p", "a person")),), "j0")
    assert juryflow(panel=panel).prompts[-2:] == ("persona", "reask")
    assert juryflow().judges == PANEL.judges
