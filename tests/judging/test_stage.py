"""A stage of a cascade."""

import asyncio
import math

import pytest
from tests.judging.scripted import Script, ScriptedLLM, Told
from tests.methods.panels import PANEL, says

from venire.errors import ConfigError
from venire.judging.confidence import Source
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.orders import Orders
from venire.judging.panel import recorded_panel
from venire.judging.stage import Answer, Stage, answer
from venire.records import Instance, Order, Request, Response, Winner

JUDGE = PromptedJudge("j", "m", "f", max_reasks=0, top_logprobs=5)
PAIR = Instance("set/1", "Name a prime.", (Response("Seven"), Response("Nine or so")))


def asked(stage: Stage, script: Script) -> tuple[Answer, ScriptedLLM]:
    llm = ScriptedLLM(script)
    return asyncio.run(answer(stage, "cheap", PAIR, llm, seed=0)), llm


def first_wins(request: Request) -> str:
    """The first response in both orders, surer as given."""
    assert request.subject is not None
    given = request.subject.order is Order.AS_GIVEN
    return says("A", 0.9) if given else says("B", 0.7)


def test_a_consistent_judge_has_a_verdict_and_full_consistency() -> None:
    made, llm = asked(Stage(JUDGE), first_wins)
    assert (made.winner, made.confidence) == (Winner.FIRST, 1.0)
    assert [vote.judge for vote in made.votes] == ["cheap: j", "cheap: j"]
    assert {call.stage for call in made.calls} == {"cheap"}
    assert len(llm.requests) == 2


def test_a_judge_that_turns_with_the_order_has_no_verdict() -> None:
    made, _ = asked(Stage(JUDGE), lambda request: says("A"))
    assert (made.winner, made.confidence) == (None, None)
    assert len(made.votes) == 2


def test_what_a_judge_says_of_itself_is_averaged() -> None:
    made, _ = asked(Stage(JUDGE, confidence=Source.VERBALISED), first_wins)
    assert made.confidence == pytest.approx(0.8)


def test_samples_are_replicates_at_their_temperature() -> None:
    stage = Stage(JUDGE, orders=Orders.AS_GIVEN, samples=3, sampling_temperature=0.7)
    made, llm = asked(stage, lambda request: says("B" if request.replicate == 2 else "A"))
    assert (made.winner, made.confidence) == (Winner.FIRST, pytest.approx(2 / 3))
    assert [(request.replicate, request.temperature) for request in llm.requests] == [
        (0, 0.7),
        (1, 0.7),
        (2, 0.7),
    ]
    assert [vote.judge for vote in made.votes] == [
        "cheap: j",
        "cheap: j, replicate 1",
        "cheap: j, replicate 2",
    ]


def test_a_panel_s_confidence_is_the_share_of_its_votes() -> None:
    stage = Stage(PANEL, confidence=Source.PANEL_SHARE, orders=Orders.AS_GIVEN)
    made, _ = asked(stage, lambda request: says("B" if request.role == "j0" else "A"))
    assert (made.winner, made.confidence) == (Winner.FIRST, 0.8)
    assert stage.thresholds == (1.0, 0.8, 0.6)


def test_log_probabilities_are_the_confidence_where_they_are_asked_for() -> None:
    stage = Stage(JUDGE, confidence=Source.LOGPROB, orders=Orders.AS_GIVEN)
    made, llm = asked(stage, lambda request: Told("B", ({"B": math.log(0.9), "A": math.log(0.1)},)))
    assert (made.winner, made.confidence) == (Winner.SECOND, pytest.approx(0.9))
    assert llm.requests[0].logprobs == 5
    assert stage.prompts == ("verdict_token",)


def test_quotes_that_stand_in_a_response_are_evidence() -> None:
    stage = Stage(JUDGE, confidence=Source.EVIDENCE, orders=Orders.AS_GIVEN)
    made, _ = asked(stage, lambda request: '{"reasoning": "\\"Nine or so\\" is vague", "winner": "A"}')
    assert made.confidence == 1.0


def test_the_levels_of_shares_are_those_above_one_half() -> None:
    assert Stage(JUDGE).thresholds == (1.0,)
    four = Stage(JUDGE, samples=2, sampling_temperature=1.0)
    assert four.thresholds == (1.0, 0.75)
    assert Stage(PANEL, confidence=Source.PANEL_SHARE).thresholds == (1.0, 0.9, 0.8, 0.7, 0.6)
    assert Stage(JUDGE, confidence=Source.VERBALISED).thresholds == (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
    assert Stage(JUDGE, levels=(0.9, 0.7)).thresholds == (0.9, 0.7)


RECORDED = RecordedJudge("GPT-4", "Vanilla")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"asks": JUDGE, "samples": 0}, "samples: expected 1 to 100"),
        ({"asks": JUDGE, "samples": 2}, "sampling_temperature: samples at temperature 0 say the same again"),
        ({"asks": JUDGE, "sampling_temperature": 3.0}, "sampling_temperature: expected more than 0"),
        ({"asks": JUDGE, "cost_usd": -1.0}, "cost_usd: expected at least 0"),
        ({"asks": JUDGE, "levels": (0.5, 0.9)}, "levels: expected some numbers above 0"),
        ({"asks": JUDGE, "prompt": "no_such"}, "prompt"),
        ({"asks": JUDGE, "orders": Orders.AS_GIVEN}, "confidence: consistency needs two votes"),
        ({"asks": JUDGE, "confidence": Source.FINAL}, "confidence: expected where"),
        ({"asks": JUDGE, "confidence": Source.MARGIN}, "a stage compares"),
        ({"asks": JUDGE, "confidence": Source.PANEL_SHARE}, "confidence: panel_share needs a panel"),
        ({"asks": PANEL}, "confidence: consistency is one judge's"),
        ({"asks": PANEL, "confidence": Source.LOGPROB}, "j0 tells none (top_logprobs)"),
        ({"asks": RECORDED, "confidence": Source.VERBALISED}, "recorded judges tell none, so no verbalised"),
        ({"asks": RECORDED, "confidence": Source.LOGPROB}, "recorded judges tell none, so no logprob"),
        ({"asks": RECORDED, "samples": 2, "sampling_temperature": 1.0}, "recorded judges were asked once"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("(", r"\(").replace(")", r"\)")):
        Stage(**settings)


def test_a_recorded_panel_votes_like_any_other() -> None:
    panel = recorded_panel(("GPT-4", "Falcon"), "Vanilla")
    assert Stage(panel, confidence=Source.PANEL_SHARE).votes_an_instance == 4
