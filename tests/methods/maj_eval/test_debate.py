"""Free debate: its limits, repetition, and how much of it is shown."""

import pytest
from tests.methods.maj_eval.table import (
    DOCTOR,
    NURSE,
    agent,
    debated,
    detail,
    lines,
    names,
    rates,
    says,
    transcript,
)

from venire.records import (
    Ratings,
)


def test_final_ratings_are_asked_for_when_the_group_s_turns_run_out() -> None:
    made, llm = debated(
        lines(
            chair=[names("nurse"), names("doctor")],
            nurse=[says("The dose is missing.")],
            doctor=[says("It is in the second study.")],
            nurse_final=[rates(2, 3)],
            doctor_final=[rates(0, 1)],
        ),
        turns=2,
    )
    assert transcript(made)["ending"] == "turn_limit"
    assert llm.asked("final") == [NURSE, DOCTOR]
    # fluency ((2+0)/2 + 0)/2, strength ((3+1)/2 + 3)/2
    assert made.prediction == Ratings(
        {"overall": pytest.approx((0.25 + 2.5 / 3) / 2), "fluency": 0.5, "strength": 2.5}
    )
    assert [part["standing"] for part in transcript(made)["agents"]] == ["open", "open"]


def test_an_agent_s_part_ends_with_its_own_turns() -> None:
    made, _ = debated(
        lines(
            chair=[names("nurse"), names("doctor")],
            nurse=[says("First.")],
            doctor=[says("Second.")],
            nurse_final=[rates(1, 1)],
            doctor_final=[rates(1, 1)],
        ),
        turns_per_agent=1,
    )
    assert transcript(made)["ending"] == "all_ended"
    # after the nurse's only turn the doctor alone may speak: no coordinator is asked
    assert [turn["choice"] for turn in transcript(made)["turns"]] == ["coordinator", "only_one"]
    assert [part["standing"] for part in transcript(made)["agents"]] == ["turn_limit", "turn_limit"]


def test_ratings_beside_words_that_end_nothing_are_kept_but_not_final() -> None:
    made, llm = debated(
        lines(
            chair=[names("nurse")],
            nurse=[says("I go down to 1.", 1, 1)],
            nurse_final=[rates(2, 0)],
            doctor_final=[rates(1, 1)],
        ),
        turns=1,
    )
    assert transcript(made)["turns"][0]["ratings"] == {"fluency": 1, "strength": 1}
    assert agent(made, "nurse")["final"]["ratings"] == {"fluency": 2, "strength": 0}
    assert llm.asked("final") == [NURSE, DOCTOR]


def test_the_rule_gives_the_floor_to_the_one_who_spoke_least() -> None:
    made, _ = debated(
        lines(
            chair=[names("nurse"), "no JSON", "no JSON", "no JSON"],
            nurse=[says("One point."), says("Another point entirely.")],
            doctor=[says("My point."), says("Yet another thing.")],
            nurse_final=[rates(1, 1)],
            doctor_final=[rates(1, 1)],
        ),
        turns=4,
    )
    assert [turn["speaker"] for turn in transcript(made)["turns"]] == ["nurse", "doctor", "nurse", "doctor"]


def test_an_agent_that_repeats_itself_for_ever_is_ended_with_its_first_repetition() -> None:
    again = says("The effect is reversed, read the second study.")
    made, llm = debated(
        lines(
            chair=[names("nurse")] * 2 + [names("doctor")] * 2,
            nurse=[again] * 99,
            doctor=[says("It is not."), says("NO MORE COMMENTS", 1, 1)],
            nurse_final=[rates(2, 2)],
        ),
        turns=50,
        turns_per_agent=40,
    )
    turns = transcript(made)["turns"]
    assert [(turn["speaker"], turn["repeats"]) for turn in turns] == [
        ("nurse", None),
        ("nurse", 1),
        ("doctor", None),
        ("doctor", None),
    ]
    assert agent(made, "nurse")["standing"] == "repeated"
    assert detail(made)["debate"]["repeated_turns"] == 1
    assert llm.asked("final") == [NURSE]


def test_what_another_has_said_may_be_said_again() -> None:
    made, _ = debated(
        lines(
            chair=[names("nurse")],
            nurse=[says("The dose is missing.")],
            doctor=[says("The dose is missing.")],
            nurse_final=[rates(1, 1)],
            doctor_final=[rates(1, 1)],
        ),
        turns_per_agent=1,
    )
    assert detail(made)["debate"]["repeated_turns"] == 0


def test_the_history_is_bounded_and_the_record_says_what_was_left_out() -> None:
    made, llm = debated(
        lines(
            chair=[names("nurse"), names("doctor"), names("nurse"), names("doctor")],
            nurse=[says("a" * 60), says("b" * 60)],
            doctor=[says("c" * 60), says("d" * 60)],
            nurse_final=[rates(1, 1)],
            doctor_final=[rates(1, 1)],
        ),
        turns=4,
        max_history=130,  # two messages of 60 characters
    )
    # turn 4 sees turns 2 and 3; the final ratings see 3 and 4
    assert [turn["cut"] for turn in transcript(made)["turns"]] == [[], [], [], [1]]
    assert agent(made, "nurse")["final"]["cut"] == [1, 2]
    assert transcript(made)["cut"] == [1, 2]
    assert detail(made)["debate"]["cut_turns"] == 2
    last = llm.shown("debate", DOCTOR, 1)
    assert "a" * 60 not in last
    assert "(The first turn is left out here, for length.)" in last
    assert "c" * 60 in last
    assert "b" * 60 in last
    final = llm.shown("final", NURSE)
    assert "(The first 2 turns are left out here, for length.)" in final
    # first ratings are shown whatever was said since
    assert "nurse: fluency 2, strength 3" in final


def test_a_message_longer_than_the_bound_is_shown_while_it_is_the_latest() -> None:
    made, llm = debated(
        lines(
            chair=[names("nurse"), names("doctor")],
            nurse=[says("a" * 500)],
            doctor=[says("short")],
            nurse_final=[rates(1, 1)],
            doctor_final=[rates(1, 1)],
        ),
        turns=2,
        max_history=100,
    )
    assert "a" * 500 in llm.shown("debate", DOCTOR)
    assert agent(made, "doctor")["final"]["cut"] == [1]
    assert "a" * 500 not in llm.shown("final", DOCTOR)
