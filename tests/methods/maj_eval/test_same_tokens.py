"""The control that spends MAJ-EVAL's tokens on independent ratings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.methods.maj_eval.table import JUDGE, OPENINGS, REFUSED, TALK, Play, judged, personas, rates

from venire.errors import ConfigError
from venire.methods.maj_eval.same_tokens import SameTokens, Sampled, tokens_of
from venire.records import Completion, Outcome, Ratings, Reason, Request, Unscored, Usage

# Every call of the scripted model takes 100 tokens in and 20 out. MAJ-EVAL makes 10 calls in the play: 1,200.


def control(llm: Play, **settings: Any) -> Outcome:
    base: dict[str, Any] = {"judged_by": JUDGE, "personas": personas(), "own": None}
    return judged(llm, SameTokens(**{**base, **settings}))


def samples(*replies: Any) -> dict[tuple[str, str], Sequence[Any]]:
    return {("rate", "gpt"): replies}


def test_as_many_ratings_are_sampled_as_the_tokens_pay_for_and_averaged() -> None:
    llm = Play(OPENINGS, TALK, samples(*[rates(2, 3)] * 6, *[rates(1, 0)] * 4))
    made = control(llm)
    # 1,200 / 120 = 10 samples; fluency (6*2 + 4*1)/10, strength 6*3/10; overall (1.6/2 + 1.8/3)/2
    assert made.prediction == Ratings({"overall": pytest.approx(0.7), "fluency": 1.6, "strength": 1.8})
    assert made.detail["budget"] == {"tokens": 1200, "spent": 1200, "samples": 10, "usable": 10}
    asked = [request for request in llm.requests if request.role == "gpt"]
    assert [request.replicate for request in asked] == list(range(1, 11))
    assert {request.temperature for request in asked} == {0.7}
    assert len({request.messages for request in asked}) == 1  # without a persona


def test_calls_are_told_apart_by_stage() -> None:
    made = control(Play(OPENINGS, TALK, samples(*[rates(1, 1)] * 10)))
    stages = [call.stage for call in made.calls]
    assert (stages.count("replicate"), stages.count("budget"), len(stages)) == (10, 10, 20)


def test_a_sample_that_cannot_be_used_takes_tokens_and_counts_for_nothing() -> None:
    made = control(Play(OPENINGS, TALK, samples(rates(2, 3), *[REFUSED] * 9)))
    assert made.prediction == Ratings({"overall": 1, "fluency": 2, "strength": 3})
    assert made.detail["budget"] == {"tokens": 1200, "spent": 1200, "samples": 10, "usable": 1}


def test_no_usable_sample_is_no_judgment() -> None:
    made = control(Play(OPENINGS, TALK, samples(*[REFUSED] * 10)))
    assert made.prediction == Unscored(Reason.NO_VOTES, "refused")


def test_agents_take_turns_and_their_samples_are_averaged_by_group() -> None:
    more = {
        ("rate", "clinicians/nurse"): [rates(2, 3), *[rates(2, 2)] * 4],
        ("rate", "clinicians/doctor"): [rates(1, 0), *[rates(0, 2)] * 3],
        ("rate", "patients/patient"): [rates(0, 3), *[rates(1, 0)] * 3],
    }
    llm = Play({**OPENINGS, **more}, TALK)
    made = control(llm, sampled=Sampled.AGENTS)
    # 10 samples: the nurse 4, doctor and patient 3. clinicians fluency (4*2 + 3*0)/7, patients 1
    assert isinstance(made.prediction, Ratings)
    assert made.prediction.by_dimension["fluency"] == pytest.approx((8 / 7 + 1) / 2)
    assert made.prediction.by_dimension["strength"] == pytest.approx((2 + 0) / 2)
    assert [vote.judge for vote in made.votes[:4]] == [
        "clinicians/nurse",
        "clinicians/doctor",
        "patients/patient",
        "clinicians/nurse",
    ]


def test_samples_are_bounded() -> None:
    made = control(Play(OPENINGS, TALK, samples(*[rates(1, 1)] * 3)), most=3)
    assert made.detail["budget"] == {"tokens": 1200, "spent": 360, "samples": 3, "usable": 3}


def test_at_least_one_is_sampled_whatever_it_takes() -> None:
    class Dear(Play):
        async def complete(self, request: Request) -> Completion:
            made = await super().complete(request)
            taken = replace(made.attempts[0], usage=Usage(5000, 1))
            return replace(made, attempts=(taken,)) if request.role == "gpt" else made

    made = control(Dear(OPENINGS, TALK, samples(rates(1, 1))))
    assert made.detail["budget"] == {"tokens": 1200, "spent": 5001, "samples": 1, "usable": 1}


def test_unknown_tokens_are_no_budget() -> None:
    class Silent(Play):
        async def complete(self, request: Request) -> Completion:
            made = await super().complete(request)
            return replace(made, attempts=(replace(made.attempts[0], usage=Usage()),))

    made = control(Silent(OPENINGS, TALK))
    assert isinstance(made.prediction, Unscored)
    assert made.prediction.reason is Reason.UNDEFINED
    assert {call.stage for call in made.calls} == {"budget"}


def test_tokens_are_input_and_output_together() -> None:
    calls = judged(Play(OPENINGS, TALK)).calls
    assert tokens_of(calls) == 1200
    assert tokens_of([]) == 0


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"^replicate_temperature: expected 0 to 2, got 3"):
        SameTokens(judged_by=JUDGE, personas=personas(), replicate_temperature=3.0)
    with pytest.raises(ConfigError, match=r"^most: expected at least 1 sample, got 0"):
        SameTokens(judged_by=JUDGE, personas=personas(), most=0)
