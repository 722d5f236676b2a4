"""`method=cascade`."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.judging.scripted import Script, ScriptedLLM
from tests.methods.panels import says

from venire.errors import ConfigError, DataError
from venire.judging.cascade import all_said
from venire.judging.confidence import Source
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.stage import Stage
from venire.judging.thresholds import Cheapest, Given, Guaranteed
from venire.methods.cascade import Cascade
from venire.methods.protocol import Fits
from venire.records import (
    FinishReason,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Price,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)
from venire.stats.recalibration import Recalibration

PRICE = Price(1.0, 1.0)
CHEAP = PromptedJudge("cheap_judge", "m1", "f1", max_reasks=0, price=PRICE)
STRONG = PromptedJudge("strong_judge", "m2", "f2", max_reasks=0, price=PRICE)
STAGES = {"cheap": Stage(CHEAP), "strong": Stage(STRONG)}
GIVEN = Cascade(STAGES, Given({"cheap": 1.0, "strong": 1.0}))


def pair(name: str = "set/1", gold: Winner = Winner.FIRST) -> Instance:
    return Instance(name, f"Prompt {name}", (Response("Seven"), Response("Nine")), PreferenceGold(gold))


def verdicts(**by_judge: str) -> Script:
    """`1`: the first response in both orders, `2`: the second, `A`: whatever is shown first."""

    def script(request: Request) -> str | tuple[str, FinishReason]:
        assert request.subject is not None
        said = by_judge[request.role.removesuffix("_judge")]
        if said == "-":
            return "", FinishReason.ERROR
        given = request.subject.order is Order.AS_GIVEN
        return says({"1": "A" if given else "B", "2": "B" if given else "A"}.get(said, said))

    return script


def judged(method: Cascade, script: Script, instance: Instance | None = None) -> tuple[Outcome, list[str]]:
    """The outcome, and who was asked."""
    llm = ScriptedLLM(script)
    outcome = asyncio.run(method.judge(instance or pair(), None, llm))
    return outcome, [request.role for request in llm.requests]


def test_a_judge_that_is_sure_decides_and_nobody_else_is_asked() -> None:
    outcome, asked = judged(GIVEN, verdicts(cheap="2"))
    assert outcome.prediction == Preference(Winner.SECOND, 1.0)
    assert asked == ["cheap_judge"] * 2
    assert outcome.detail["cascade"] == {
        "decided_by": "cheap",
        "stages": [
            {"stage": "cheap", "asked": True, "winner": "response_2", "confidence": 1.0, "threshold": 1.0},
            {"stage": "strong", "asked": False, "winner": None, "confidence": None, "threshold": 1.0},
        ],
    }
    assert "escalated" not in outcome.detail
    assert {call.stage for call in outcome.calls} == {"cheap"}


def test_what_a_judge_is_not_sure_of_goes_to_the_next() -> None:
    outcome, asked = judged(GIVEN, verdicts(cheap="A", strong="1"))
    assert outcome.prediction == Preference(Winner.FIRST, 1.0)
    assert asked == ["cheap_judge"] * 2 + ["strong_judge"] * 2
    assert [vote.judge for vote in outcome.votes] == ["cheap: cheap_judge"] * 2 + ["strong: strong_judge"] * 2
    assert outcome.by_order == {}


def test_what_nobody_is_sure_of_is_left_to_people_with_what_was_said() -> None:
    outcome, _ = judged(GIVEN, verdicts(cheap="A", strong="A"))
    assert outcome.prediction == Unscored(Reason.ESCALATED, "cheap has no verdict; strong has no verdict")
    escalated = outcome.detail["escalated"]
    assert isinstance(escalated, dict)
    assert [each["stage"] for each in escalated["stages"]] == ["cheap", "strong"]


def test_a_closed_stage_is_not_asked() -> None:
    method = Cascade(STAGES, Given({"cheap": None, "strong": 1.0}))
    outcome, asked = judged(method, verdicts(strong="1"))
    assert asked == ["strong_judge"] * 2
    assert [said.asked for said in all_said(outcome)] == [False, True]
    every = Cascade(STAGES, Given({"cheap": None, "strong": None}))
    left, nobody = judged(every, verdicts())
    assert nobody == []
    assert left.prediction == Unscored(Reason.ESCALATED, "cheap is closed; strong is closed")


def test_confidence_below_the_threshold_does_not_decide() -> None:
    sure = {"cheap": Stage(CHEAP, confidence=Source.VERBALISED)}
    outcome, _ = judged(Cascade(sure, Given({"cheap": 0.9})), verdicts(cheap="1"))
    assert outcome.prediction == Unscored(Reason.ESCALATED, "cheap: response_1 with 0.80 below 0.90")
    decided, _ = judged(Cascade(sure, Given({"cheap": 0.8})), verdicts(cheap="1"))
    assert decided.prediction == Preference(Winner.FIRST, pytest.approx(0.8))


def test_a_lost_reply_is_no_verdict_and_stays_to_be_seen() -> None:
    outcome, _ = judged(GIVEN, verdicts(cheap="-", strong="1"))
    assert outcome.prediction == Preference(Winner.FIRST, 1.0)
    assert [isinstance(vote.prediction, Unscored) for vote in outcome.votes] == [True, True, False, False]


def test_a_stage_that_is_null_is_no_stage() -> None:
    method = Cascade({**STAGES, "strong": None}, Given({"cheap": 1.0}))
    assert method.judges == (CHEAP,)
    assert judged(method, verdicts(cheap="A"))[1] == ["cheap_judge"] * 2


def audition(method: Cascade, said: Sequence[tuple[str, str, Winner]]) -> list[tuple[Instance, Outcome]]:
    """What all stages say of instances, `(cheap, strong, gold)` each."""
    instances = [pair(f"set/{k}", gold) for k, (_, _, gold) in enumerate(said)]
    return [
        (instance, judged(method, verdicts(cheap=cheap, strong=strong), instance)[0])
        for instance, (cheap, strong, _) in zip(instances, said, strict=True)
    ]


GUARANTEED = Cascade(STAGES, Guaranteed(target=0.8, delta=0.2))
# cheap is wrong on 20 of 40 that it is sure of, strong is right on all but 4, of which it is not sure
WORLD = [("2", "1", Winner.FIRST)] * 20 + [("1", "1", Winner.FIRST)] * 16 + [("A", "A", Winner.FIRST)] * 4


def test_before_thresholds_are_chosen_every_stage_is_asked() -> None:
    outcome, asked = judged(GUARANTEED, verdicts(cheap="1", strong="2"))
    assert sorted(asked) == ["cheap_judge"] * 2 + ["strong_judge"] * 2
    assert [(said.winner, said.confidence) for said in all_said(outcome)] == [
        (Winner.FIRST, 1.0),
        (Winner.SECOND, 1.0),
    ]
    assert outcome.prediction == Preference(Winner.SECOND, 1.0)


def test_thresholds_are_chosen_on_the_development_split() -> None:
    development = audition(GUARANTEED, WORLD)
    fitted = GUARANTEED.fitted(development)
    assert isinstance(fitted, Fits)
    assert fitted.in_force is not None
    assert fitted.in_force.thresholds == {"cheap": None, "strong": 1.0}
    found = fitted.in_force.development
    assert found is not None
    assert (found.reached, found.decided, found.errors, found.n) == ((0, 40), (0, 36), (0, 0), 40)
    # each of two calls in both orders: 100 tokens in, 20 out for .001 dollars by the script: .002 an instance
    assert fitted.in_force.cost_usd == (pytest.approx(0.002), pytest.approx(0.002))
    # Platt on 36 that are all right: 37/38
    decided, asked = judged(fitted, verdicts(strong="1"))
    assert decided.prediction == Preference(Winner.FIRST, pytest.approx(37 / 38))
    assert asked == ["strong_judge"] * 2


def test_the_development_split_is_replayed_under_the_thresholds() -> None:
    development = audition(GUARANTEED, WORLD)
    fitted = GUARANTEED.fitted(development)
    first, last = (fitted.replayed(development[k][1]) for k in (0, -1))
    assert first.prediction == Preference(Winner.FIRST, pytest.approx(37 / 38))
    assert first.votes == development[0][1].votes
    assert [said.asked for said in all_said(first)] == [False, True]
    assert last.prediction == Unscored(Reason.ESCALATED, "cheap is closed; strong has no verdict")
    assert GUARANTEED.replayed(development[0][1]) is development[0][1]


def test_without_a_curve_the_confidence_is_the_stage_s_own() -> None:
    plain = Cascade(STAGES, Guaranteed(target=0.8, delta=0.2), recalibration=None)
    assert judged(plain.fitted(audition(plain, WORLD)), verdicts(strong="1"))[0].prediction == Preference(
        Winner.FIRST, 1.0
    )
    isotonic = Cascade(STAGES, Guaranteed(target=0.8, delta=0.2), recalibration=Recalibration.ISOTONIC)
    assert judged(isotonic.fitted(audition(isotonic, WORLD)), verdicts(strong="1"))[
        0
    ].prediction == Preference(Winner.FIRST, 1.0)


def test_the_cheapest_thresholds_need_what_the_stages_cost() -> None:
    # cheap: .002 and 20 errors of 40; strong: .002 and none of 36
    by_cost = Cascade(STAGES, Cheapest(people_cost_usd=1.0, error_cost_usd=1.0))
    fitted = by_cost.fitted(audition(by_cost, WORLD))
    assert fitted.in_force is not None
    assert fitted.in_force.thresholds == {"cheap": None, "strong": 1.0}
    unpriced = {"cheap": Stage(PromptedJudge("free", "m", "f"))}
    with pytest.raises(ConfigError, match=r"^stages.cheap.cost_usd: .* free has no price"):
        Cascade(unpriced, Cheapest(people_cost_usd=1.0, error_cost_usd=1.0))
    Cascade({"cheap": Stage(PromptedJudge("free", "m", "f"), cost_usd=0.1)}, Cheapest(1.0, 1.0))


def test_a_development_split_is_asked_for_and_must_be_large_enough() -> None:
    with pytest.raises(
        ConfigError, match=r"^development: thresholds are chosen on a development split, got none"
    ):
        GUARANTEED.check_development(())
    with pytest.raises(ConfigError, match="development: 3 instances are too few"):
        GUARANTEED.check_development([pair(f"set/{k}") for k in range(3)])
    GUARANTEED.check_development([pair(f"set/{k}") for k in range(14)])
    GIVEN.check_development(())


def test_gold_that_is_no_preference_cannot_choose_thresholds() -> None:
    instance, outcome = audition(GUARANTEED, WORLD[:1])[0]
    bare = Instance(instance.id, instance.prompt, instance.responses)
    with pytest.raises(DataError, match="'set/0' has no human preference"):
        GUARANTEED.fitted([(bare, outcome)])


def test_the_prompts_are_those_of_the_stages() -> None:
    assert GIVEN.prompts == ("pairwise", "reask")
    token = PromptedJudge("t", "m", "f", top_logprobs=5)
    mixed = {
        "token": Stage(token, confidence=Source.LOGPROB),
        "recorded": Stage(RecordedJudge("GPT-4", "CoT")),
    }
    assert Cascade(mixed, Given({"token": 0.9, "recorded": 1.0})).prompts == ("verdict_token", "reask")


def test_two_strategies_of_a_recorded_model_may_be_two_stages() -> None:
    stages = {name: Stage(RecordedJudge("GPT-4", name)) for name in ("Vanilla", "CoT")}
    assert len(Cascade(stages, Given({"Vanilla": 1.0, "CoT": 1.0})).judges) == 2


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ({}, "stages: expected at least one, got none"),
        ({"cheap": None}, "stages: expected at least one, got none"),
        ({"total": Stage(CHEAP)}, "stages.total: expected a name"),
        ({"a b": Stage(CHEAP)}, "stages.a b: expected a name"),
        (
            {"cheap": Stage(CHEAP), "strong": Stage(PromptedJudge("cheap_judge", "other", "f"))},
            "stages: two judges called 'cheap_judge' differ",
        ),
    ],
)
def test_stages_that_cannot_be_are_refused(stages: dict[str, Stage | None], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}"):
        Cascade(stages, Guaranteed())


def test_thresholds_of_other_stages_are_refused() -> None:
    with pytest.raises(
        ConfigError, match="by_stage: expected a threshold for each of cheap, strong, got cheap"
    ):
        Cascade(STAGES, Given({"cheap": 1.0}))


def test_a_single_response_cannot_be_judged() -> None:
    with pytest.raises(DataError, match="expected two responses"):
        GIVEN.check([Instance("x", "p", (Response("one"),))])
