"""MAJ-EVAL worked by hand: one item, two groups, from first ratings to the score."""

import pytest
from tests.methods.maj_eval.table import OPENINGS, TALK, Play, agent, detail, judged, method, transcript

from venire.methods.maj_eval.aggregate import Variant
from venire.records import Ratings

# Phase 1 (fluency of 0..2, strength of 0..3): nurse 2, 3; doctor 1, 0; patient 0, 3.
# Debate of the clinicians: the nurse speaks; the doctor ends with 1, 1; the nurse, alone now, ends without
# ratings and is asked: 2, 2. The patient has nobody to debate with: 0, 3 stand.
# After: clinicians (2+1)/2 = 1.5, (2+1)/2 = 1.5; patients 0, 3.


def test_the_score_is_the_mean_of_the_groups_means() -> None:
    made = judged(Play(OPENINGS, TALK))
    # fluency (1.5 + 0)/2, strength (1.5 + 3)/2; overall (.75/2 + 2.25/3)/2
    assert made.prediction == Ratings({"overall": 0.5625, "fluency": 0.75, "strength": 2.25})


def test_the_mean_of_all_agents_is_in_the_record_too_and_can_be_the_score() -> None:
    made = judged(Play(OPENINGS, TALK))
    # fluency (2+1+0)/3 = 1, strength (2+1+3)/3 = 2; overall (1/2 + 2/3)/2 = 7/12
    agents = {"overall": pytest.approx(7 / 12), "fluency": 1, "strength": 2}
    assert detail(made)["variants"]["mean_of_agents"] == agents
    assert detail(made)["variants"]["mean_of_groups"]["fluency"] == 0.75
    other = judged(Play(OPENINGS, TALK), method(score=Variant.MEAN_OF_AGENTS))
    assert isinstance(other.prediction, Ratings)
    assert other.prediction.by_dimension == agents


def test_each_group_s_ratings_are_recorded_before_and_after() -> None:
    made = detail(judged(Play(OPENINGS, TALK)))
    # before: clinicians (2+1)/2, (3+0)/2, overall (1.5/2 + 1.5/3)/2 = .625; the patient overall (0 + 1)/2
    assert made["groups_before"] == {
        "clinicians": {"overall": 0.625, "fluency": 1.5, "strength": 1.5},
        "patients": {"overall": 0.5, "fluency": 0, "strength": 3},
    }
    assert made["groups"] == {
        "clinicians": {"overall": 0.625, "fluency": 1.5, "strength": 1.5},
        "patients": {"overall": 0.5, "fluency": 0, "strength": 3},
    }


def test_every_call_is_of_its_stage_and_names_group_and_agent() -> None:
    llm = Play(OPENINGS, TALK)
    made = judged(llm)
    assert llm.asked("rate") == ["clinicians/nurse", "clinicians/doctor", "patients/patient"]
    # the third turn has no coordinator: only the nurse may still speak
    assert llm.asked("coordinate") == ["clinicians/coordinator"] * 2
    assert llm.asked("debate") == ["clinicians/nurse", "clinicians/doctor", "clinicians/nurse"]
    assert llm.asked("final") == ["clinicians/nurse"]
    assert llm.asked("aggregate") == ["aggregator"]
    assert len(made.calls) == len(llm.requests) == 10
    assert {request.subject for request in llm.requests} == {llm.requests[0].subject}


def test_the_transcript_says_who_spoke_why_and_how_each_part_ended() -> None:
    made = transcript(judged(Play(OPENINGS, TALK)))
    assert made["ending"] == "all_ended"
    spoken = [(turn["speaker"], turn["choice"], turn["closing"], turn["ratings"]) for turn in made["turns"]]
    assert spoken == [
        ("nurse", "coordinator", False, None),
        ("doctor", "coordinator", True, {"fluency": 1, "strength": 1}),
        ("nurse", "only_one", True, None),
    ]
    assert made["turns"][0]["reason"] == "an open conflict"
    assert [part["standing"] for part in made["agents"]] == ["closed", "closed"]
    assert [part["asked_again"] for part in made["agents"]] == [True, False]
    assert made["agents"][0]["final"]["feedback"] == "Less sure now."


def test_the_aggregator_s_words_are_kept_and_move_no_score() -> None:
    with_words = judged(Play(OPENINGS, TALK))
    without = judged(Play(OPENINGS, TALK), method(synthesis=None))
    assert detail(with_words)["synthesis"] == {
        "agreements": ["It reads well."],
        "disputes": ["How sure it may be."],
        "reading": "Mixed.",
        "unscored": None,
    }
    assert detail(without)["synthesis"] is None
    assert with_words.prediction == without.prediction


def test_votes_are_the_agents_final_ratings() -> None:
    votes = judged(Play(OPENINGS, TALK)).votes
    assert [vote.judge for vote in votes] == ["clinicians/nurse", "clinicians/doctor", "patients/patient"]
    # doctor: (1/2 + 1/3)/2
    assert votes[1].prediction == Ratings({"overall": pytest.approx(5 / 12), "fluency": 1, "strength": 1})


def test_a_speaker_is_shown_the_first_ratings_and_what_was_said_since() -> None:
    llm = Play(OPENINGS, TALK)
    judged(llm)
    doctor = llm.shown("debate", "clinicians/doctor")
    assert "nurse: fluency 2, strength 3" in doctor
    assert "Turn 1, nurse:\n" in doctor
    assert "The second study bears it out." in doctor
    assert "Study one. Study two." in doctor
    # groups do not hear each other
    assert "Hard to read." not in doctor
    nurse = llm.shown("final", "clinicians/nurse")
    assert "Turn 2, doctor (ratings: fluency 1, strength 1):\n" in nurse
    assert "Hard to read." in llm.shown("aggregate", "aggregator")
    # the coordinator reads what was said, not the material
    assert "Study one." not in llm.shown("coordinate", "clinicians/coordinator")


def test_no_prompt_holds_gold() -> None:
    llm = Play(OPENINGS, TALK)
    judged(llm)
    for request in llm.requests:
        text = "\n".join(message.content for message in request.messages)
        assert "1.73" not in text
        assert "0.41" not in text


def test_agents_speak_in_person_and_coordinator_and_aggregator_do_not() -> None:
    llm = Play(OPENINGS, TALK)
    judged(llm)
    for stage in ("rate", "debate", "final"):
        assert "a nurse at a clinic" in llm.shown(stage, "clinicians/nurse")
    for stage, role in (("coordinate", "clinicians/coordinator"), ("aggregate", "aggregator")):
        assert "You judge as a particular person" not in llm.shown(stage, role)


def test_an_agent_s_part_names_its_first_and_final_ratings() -> None:
    part = agent(judged(Play(OPENINGS, TALK)), "nurse")
    assert part["opening"]["ratings"] == {"fluency": 2, "strength": 3}
    assert part["final"]["ratings"] == {"fluency": 2, "strength": 2}
    assert part["dimension"] is None
