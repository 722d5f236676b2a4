"""The five stages on whole instances, each worked by hand."""

import json
from collections import Counter

from tests.methods.juryflow.court import JUDGES, Court, judged, juryflow, material, pair
from tests.methods.juryflow.worked import FIRST, A, B, C, D, court, responses, reviews

from venire.judging.convene import Decomposing
from venire.judging.verdicts import Reduction
from venire.methods.juryflow.graph import Edges, GraphSettings
from venire.methods.juryflow.propagate import Propagation
from venire.methods.juryflow.select import Focal, Random
from venire.records import Preference, Request, Winner


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
