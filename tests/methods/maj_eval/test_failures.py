"""Agents, coordinators and aggregators that fail: nothing is invented, and the record says what happened."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.methods.maj_eval.table import (
    CHAIR,
    DOCTOR,
    JUDGE,
    NURSE,
    OPENINGS,
    REFUSED,
    SYNTHESIS,
    Play,
    agent,
    debated,
    detail,
    judged,
    lines,
    method,
    names,
    personas,
    rates,
    says,
    transcript,
)

from venire.errors import ConfigError
from venire.methods.maj_eval.debate import FreeDebate
from venire.methods.maj_eval.method import MajEval
from venire.records import (
    Persona,
    PersonaSet,
    Ratings,
    Reason,
    StakeholderGroup,
    Unscored,
)


def test_an_agent_that_fails_its_turn_has_said_nothing_and_its_part_ends() -> None:
    made, llm = debated(
        lines(
            chair=[names("nurse")],
            nurse=[REFUSED],
            doctor=[says("NO MORE COMMENTS", 1, 1)],
            nurse_final=[rates(2, 2)],
        )
    )
    failed, said = transcript(made)["turns"]
    assert failed["failed"] == {"reason": "refused", "detail": ""}
    assert failed["message"] is None
    assert (said["speaker"], said["choice"]) == ("doctor", "only_one")
    assert agent(made, "nurse")["standing"] == "failed"
    assert detail(made)["debate"]["failed_turns"] == 1
    # nobody is shown a turn in which nothing was said
    assert "Turn 1" not in llm.shown("debate", DOCTOR)


@pytest.mark.parametrize("nothing", [says("  "), "I have nothing.", '{"message": '])
def test_an_empty_or_unreadable_turn_is_a_failed_one(nothing: str) -> None:
    made, _ = debated(
        lines(
            chair=[names("nurse")],
            nurse=[nothing],
            doctor=[says("NO MORE COMMENTS", 1, 1)],
            nurse_final=[rates(2, 2)],
        )
    )
    assert transcript(made)["turns"][0]["failed"]["reason"] == "unparsed"


def test_last_words_with_a_rating_off_the_scale_are_asked_again_and_then_failed() -> None:
    patient = replace(JUDGE, max_reasks=1)
    llm = Play(
        OPENINGS,
        lines(
            chair=[names("nurse")],
            nurse=[says("NO MORE COMMENTS", 7, 1), says("NO MORE COMMENTS", 7, 1)],
            doctor=[says("NO MORE COMMENTS", 1, 1)],
            nurse_final=[rates(2, 2)],
        ),
    )
    made = judged(llm, method(judged_by=patient))
    assert llm.asked("debate") == [NURSE, NURSE, DOCTOR]
    assert "expected a number from 0 to 2" in llm.shown("debate", NURSE, 1)
    assert transcript(made)["turns"][0]["failed"]["reason"] == "unparsed"
    assert agent(made, "nurse")["final"]["ratings"] == {"fluency": 2, "strength": 2}


def test_an_agent_without_usable_final_ratings_counts_nowhere() -> None:
    made, _ = debated({("final", NURSE): [REFUSED]})
    assert agent(made, "nurse")["final"] == {
        "ratings": None,
        "unscored": {"reason": "refused", "detail": ""},
        "feedback": "",
        "cut": [],
    }
    # the first ratings of the nurse are no substitute: the doctor's 1, 1 are the group's
    assert detail(made)["groups"]["clinicians"] == {
        "overall": pytest.approx(5 / 12),
        "fluency": 1,
        "strength": 1,
    }
    assert detail(made)["debate"]["failed_finals"] == 1
    assert isinstance(made.votes[0].prediction, Unscored)


def test_an_agent_without_a_usable_first_rating_takes_part_all_the_same() -> None:
    made, llm = debated({("rate", NURSE): [rates(9, 9)]})
    assert detail(made)["groups_before"]["clinicians"]["fluency"] == 1  # the doctor's
    assert agent(made, "nurse")["opening"]["unscored"]["reason"] == "unparsed"
    assert agent(made, "nurse")["final"]["ratings"] == {"fluency": 2, "strength": 2}
    assert "nurse: no usable rating" in llm.shown("debate", DOCTOR)
    assert detail(made)["debate"]["failed_openings"] == 1


def test_a_group_without_any_usable_first_rating_does_not_debate_and_is_left_out() -> None:
    llm = Play(OPENINGS, {("rate", NURSE): [REFUSED], ("rate", DOCTOR): [REFUSED]})
    made = judged(llm)
    assert transcript(made)["ending"] == "no_ratings"
    assert llm.asked("debate") == llm.asked("coordinate") == llm.asked("final") == []
    assert set(detail(made)["groups"]) == {"patients"}
    assert made.prediction == Ratings({"overall": 0.5, "fluency": 0, "strength": 3})


def test_no_usable_rating_of_anybody_is_no_judgment_and_nothing_is_synthesised() -> None:
    llm = Play({("rate", role): [REFUSED] for role in (NURSE, DOCTOR, "patients/patient")})
    made = judged(llm)
    assert made.prediction == Unscored(Reason.NO_VOTES, "refused")
    assert detail(made)["variants"] == {"mean_of_groups": None, "mean_of_agents": None}
    assert detail(made)["groups"] == detail(made)["groups_before"] == {}
    assert detail(made)["synthesis"] is None
    assert len(made.calls) == 3


def test_an_aggregator_that_fails_leaves_the_scores_alone() -> None:
    made, _ = debated({("aggregate", "aggregator"): ["no JSON"]})
    assert isinstance(made.prediction, Ratings)
    assert detail(made)["synthesis"]["unscored"]["reason"] == "unparsed"
    assert detail(made)["synthesis"]["reading"] == ""


@pytest.mark.parametrize(
    ("reply", "choice", "named"),
    [
        (names("janitor"), "unknown", "janitor"),
        (names("patient"), "unknown", "patient"),  # of another group
        (names("doctor"), "closed", "doctor"),  # has ended its part
        ("nobody", "failed", ""),
        (REFUSED, "failed", ""),
        (names("  NURSE "), "coordinator", "NURSE"),  # case and white space do not matter
    ],
)
def test_a_choice_that_cannot_be_is_replaced_by_a_rule_and_recorded(
    reply: Any, choice: str, named: str
) -> None:
    three = PersonaSet(
        "one",
        "Judging.",
        (StakeholderGroup("clinicians", "", tuple(Persona(n, n) for n in ("doctor", "nurse", "surgeon"))),),
    )
    llm = Play(
        {
            ("rate", DOCTOR): [rates(1, 1)],
            ("rate", NURSE): [rates(1, 1)],
            ("rate", "clinicians/surgeon"): [rates(1, 1)],
            ("coordinate", CHAIR): [names("doctor"), reply],
            ("debate", DOCTOR): [says("NO MORE COMMENTS", 1, 1)],
            ("debate", NURSE): [says("Something.")],
            ("final", NURSE): [rates(1, 1)],
            ("final", "clinicians/surgeon"): [rates(1, 1)],
        }
    )
    made = judged(llm, method(personas=three, debate=FreeDebate(turns=2), synthesis=None))
    second = transcript(made)["turns"][1]
    # fewest turns so far: nurse and surgeon; the first of them in the group's order
    assert (second["speaker"], second["choice"], second["named"]) == ("nurse", choice, named)
    assert detail(made)["debate"]["chosen_by_rule"] == (choice != "coordinator")


def test_an_aggregator_s_empty_lists_are_valid() -> None:
    silent = json.dumps({"agreements": [], "disputes": [" "], "reading": "Nothing stands out."})
    made, _ = debated({("aggregate", "aggregator"): [silent]})
    assert detail(made)["synthesis"]["disputes"] == []
    assert detail(made)["synthesis"]["unscored"] is None
    assert json.loads(SYNTHESIS)["disputes"]  # the default has one


def test_one_group_alone_is_refused_before_any_call_unless_it_is_asked_for() -> None:
    whole = personas()
    single = replace(whole, groups=whole.groups[:1])
    with pytest.raises(ConfigError, match="at least 2 stakeholder groups, got 1 in persona two_groups"):
        MajEval(JUDGE, single).check([])
    MajEval(JUDGE, single, minimum_groups=1).check([])
    MajEval(JUDGE, whole).check([])
