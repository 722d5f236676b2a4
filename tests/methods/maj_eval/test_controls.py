"""What stands in place of a debate, groups of one, and the independence from timing."""

import asyncio
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from tests.methods.maj_eval.table import (
    DOCTOR,
    NURSE,
    OPENINGS,
    TALK,
    Play,
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

from venire.errors import BudgetExhausted
from venire.methods.maj_eval.read_only import ReadOnly
from venire.records import (
    Completion,
    Outcome,
    Persona,
    PersonaSet,
    Ratings,
    Request,
    StakeholderGroup,
)


def test_one_group_of_one_agent_is_that_agent_s_own_rating() -> None:
    alone = PersonaSet("one", "Judging.", (StakeholderGroup("patients", "", (Persona("patient", "p"),)),))
    llm = Play(OPENINGS)
    made = judged(llm, method(personas=alone))
    assert transcript(made, "patients")["ending"] == "one_agent"
    assert made.prediction == Ratings({"overall": 0.5, "fluency": 0, "strength": 3})
    assert llm.asked("debate") == llm.asked("final") == []


def test_a_dimension_that_nobody_in_a_group_rates_is_left_out_of_its_mean() -> None:
    made, _ = debated({("rate", "patients/patient"): [rates("N/A", 3)]})
    # fluency: the clinicians' 1.5 alone; strength (1.5 + 3)/2
    assert made.prediction == Ratings({"overall": 0.75, "fluency": 1.5, "strength": 2.25})
    assert "fluency" not in detail(made)["groups"]["patients"]


def test_without_a_debate_the_first_ratings_are_final() -> None:
    llm = Play(OPENINGS)
    made = judged(llm, method(debate=None))
    assert detail(made)["groups"] == detail(made)["groups_before"]
    assert transcript(made)["ending"] == "off"
    # fluency (1.5 + 0)/2, strength (1.5 + 3)/2
    assert made.prediction == Ratings({"overall": 0.5625, "fluency": 0.75, "strength": 2.25})
    assert {request.stage for request in llm.requests} == {"rate", "aggregate"}


def test_read_only_shows_the_others_first_ratings_once_and_nobody_speaks() -> None:
    llm = Play(OPENINGS, lines(nurse_final=[rates(2, 1)], doctor_final=[rates(2, 1)]))
    made = judged(llm, method(debate=ReadOnly()))
    assert transcript(made)["ending"] == "read_only"
    assert transcript(made)["turns"] == []
    assert llm.asked("debate") == llm.asked("coordinate") == []
    assert llm.asked("final") == [NURSE, DOCTOR]  # the patient has nobody to read
    shown = llm.shown("final", NURSE)
    assert "There is no\ndiscussion" in shown
    assert "For whom?" in shown
    assert "Turn 1" not in shown
    # clinicians 2, 1; patient 0, 3
    assert made.prediction == Ratings(
        {"overall": pytest.approx((0.5 + 2 / 3) / 2), "fluency": 1, "strength": 2}
    )


class Late(Play):
    """A play whose replies come after random delays."""

    def __init__(self, seed: int, *parts: Any) -> None:
        super().__init__(*parts)
        self.random = random.Random(seed)

    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(self.random.random() / 200)
        return await super().complete(request)


def plain(outcome: Outcome) -> Any:
    """All but the calls' keys, which the test's model numbers by time."""
    calls = [(call.stage, call.role) for call in outcome.calls]
    return json.dumps(outcome.detail), outcome.prediction, outcome.votes, calls


def test_results_do_not_depend_on_timing() -> None:
    two = replace(
        personas(),
        groups=(
            personas().groups[0],
            StakeholderGroup("patients", "", (Persona("patient", "p"), Persona("carer", "c"))),
        ),
    )
    more = {
        ("rate", "patients/carer"): [rates(2, 2)],
        ("coordinate", "patients/coordinator"): [names("carer"), names("patient"), names("carer")],
        ("debate", "patients/carer"): [says("Hard words."), says("NO MORE COMMENTS", 1, 1)],
        ("debate", "patients/patient"): [says("Yes."), says("NO MORE COMMENTS", 0, 2)],
    }
    made = [plain(judged(Late(seed, OPENINGS, TALK, more), method(personas=two))) for seed in range(6)]
    assert made[0] == plain(judged(Play(OPENINGS, TALK, more), method(personas=two)))
    assert all(each == made[0] for each in made)


def test_groups_debate_at_the_same_time() -> None:
    started = asyncio.Barrier(2)

    class Together(Play):
        async def complete(self, request: Request) -> Completion:
            if request.stage == "coordinate" and not any(
                r.stage == "coordinate" and r.role == request.role for r in self.requests
            ):
                await asyncio.wait_for(started.wait(), 5)  # opens once both groups have a coordinator
            return await super().complete(request)

    two = replace(
        personas(),
        groups=(
            personas().groups[0],
            StakeholderGroup("patients", "", (Persona("patient", "p"), Persona("carer", "c"))),
        ),
    )
    more = {
        ("rate", "patients/carer"): [rates(2, 2)],
        ("coordinate", "patients/coordinator"): [names("carer")],
        ("debate", "patients/carer"): [says("NO MORE COMMENTS", 1, 1)],
        ("debate", "patients/patient"): [says("NO MORE COMMENTS", 0, 2)],
    }
    made = judged(Together(OPENINGS, TALK, more), method(personas=two))
    assert isinstance(made.prediction, Ratings)


def test_an_empty_budget_stops_the_run_after_all_under_way_have_ended() -> None:
    class Poor(Play):
        async def complete(self, request: Request) -> Completion:
            if request.role == NURSE:
                raise BudgetExhausted("spent")
            return await super().complete(request)

    llm = Poor(OPENINGS)
    with pytest.raises(BudgetExhausted):
        judged(llm)
    assert llm.asked("rate") == [DOCTOR, "patients/patient"]
