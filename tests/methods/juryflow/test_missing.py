"""What is missing (claims, replies, judges) stays missing: a score is never made of it."""

from tests.methods.juryflow.court import judged, juryflow, material
from tests.methods.juryflow.worked import FIRST, A, court, responses

from venire.records import FinishReason, Preference, Reason, Request, Unscored, Winner


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
