"""Ways of asking that are meant to keep a judge from being swayed."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.judging.recordings import PAIR as RECORDED
from tests.judging.recordings import PlainLLM, both, written
from tests.judging.scripted import ScriptedLLM

from venire.errors import ConfigError
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.mitigating.evidence import Evidence
from venire.judging.mitigating.scores import SCORES, LengthNormalised
from venire.judging.mitigating.stage import Answer, Prompted, Question, Stage
from venire.judging.probe import Bias
from venire.llm.recorded import RecordedBackend
from venire.prompts.render import render
from venire.records import (
    FinishReason,
    Instance,
    Order,
    Preference,
    Reason,
    Request,
    Response,
    Unscored,
    Winner,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=0)
# 16 and 64 characters: two doublings.
PAIR = Instance("set/1", "Name a prime.", (Response("Seven is a prime"), Response("Nine is a prime " * 4)))


def ask(
    stage: Stage,
    script: Callable[[Request], object],
    order: Order = Order.AS_GIVEN,
    *,
    allow_tie: bool = True,
) -> tuple[Answer, ScriptedLLM]:
    llm = ScriptedLLM(script)
    question = Question(PAIR, order, "arm", allow_tie)
    return asyncio.run(stage.ask(JUDGE, question, llm, name="arm")), llm


def scores(a: object, b: object) -> Callable[[Request], str]:
    return lambda request: json.dumps({"reasoning": "r", "score_a": a, "score_b": b})


def test_the_higher_score_wins_and_length_takes_points_off() -> None:
    # As given B is response 2, two doublings longer: 7 against 8 is 7 against 8 - 2 * .6.
    answer, llm = ask(LengthNormalised(0.6), scores(7, 8))
    assert answer.verdicts[SCORES].prediction == Preference(Winner.SECOND)
    assert answer.verdicts["arm"].prediction == Preference(Winner.FIRST)
    assert answer.verdicts["arm"].facts == {"score_1": 7.0, "score_2": 8.0}
    assert [request.stage for request in llm.requests] == ["arm"]


def test_scores_are_mapped_back_from_the_order_shown() -> None:
    answer, _ = ask(LengthNormalised(0), scores(7, 8), Order.SWAPPED)
    assert answer.verdicts["arm"].prediction == Preference(Winner.FIRST)
    assert answer.verdicts["arm"].facts == {"score_1": 8.0, "score_2": 7.0}


def test_equal_scores_are_a_tie_and_what_length_takes_off_makes_them_equal() -> None:
    assert ask(LengthNormalised(0.5), scores(7, 7))[0].verdicts[SCORES].prediction == Preference(Winner.TIE)
    assert ask(LengthNormalised(0.5), scores(7, 8))[0].verdicts["arm"].prediction == Preference(Winner.TIE)


@pytest.mark.parametrize("score", [0, 11, "7", None, True, float("nan")])
def test_a_score_off_the_scale_is_no_verdict_of_either_arm(score: object) -> None:
    answer, _ = ask(LengthNormalised(), scores(score, 5))
    for name in (SCORES, "arm"):
        prediction = answer.verdicts[name].prediction
        assert isinstance(prediction, Unscored)
        assert prediction.reason is Reason.UNPARSED


def test_an_empty_response_has_a_length_of_one() -> None:
    empty = Instance("set/2", "p", (Response(""), Response("ab")))
    llm = ScriptedLLM(scores(5, 6))
    asked = LengthNormalised(1.0).ask(JUDGE, Question(empty, Order.AS_GIVEN, "arm"), llm, name="arm")
    assert asyncio.run(asked).verdicts["arm"].prediction == Preference(Winner.TIE)  # 5 against 6 - 1


def test_recorded_ratings_are_scores_and_recorded_verdicts_are_none(tmp_path: Path) -> None:
    # "Red." and "Seven.": log2(6 / 4) = .585 doublings for the second, at 2 points each.
    rated = {
        "score_1_raw": "6",
        "score_2_raw": "7",
        "score_1_finish_reason": "stop",
        "score_2_finish_reason": "stop",
    }
    root = written(tmp_path, both("Rating", rated, rated))
    judge = RecordedJudge("GPT-4", "Rating", root=str(root))
    stage = LengthNormalised(2.0)
    asked = stage.ask(
        judge, Question(RECORDED, Order.SWAPPED, "arm"), PlainLLM(RecordedBackend(root)), name="arm"
    )
    answer = asyncio.run(asked)
    assert answer.verdicts[SCORES].prediction == Preference(Winner.SECOND)
    assert answer.verdicts["arm"].prediction == Preference(Winner.FIRST)
    assert stage.can_ask(judge)
    assert not stage.can_ask(RecordedJudge("GPT-4", "Vanilla"))
    assert not Evidence().can_ask(judge)
    assert not Prompted("pairwise_ignore_length", (Bias.LENGTH,)).can_ask(judge)
    assert Prompted("pairwise_vanilla").can_ask(judge)


def court(
    verdict: dict[str, object], checks: object = (), failing: str = ""
) -> Callable[[Request], "str | tuple[str, FinishReason]"]:
    """A judge that checks as told and then gives this verdict; the stage `failing` gets no reply."""

    def script(request: Request) -> "str | tuple[str, FinishReason]":
        if request.stage == failing:
            return "", FinishReason.ERROR
        return json.dumps({"checks": list(checks)} if request.stage == "fact_check" else verdict)

    return script


def verdict(*quotes: tuple[str, str], winner: str = "A") -> dict[str, object]:
    evidence = [{"response": response, "quote": quote} for response, quote in quotes]
    return {"evidence": evidence, "reasoning": "r", "winner": winner, "confidence": 0.9}


def test_a_verdict_stands_on_a_quote_that_stands_in_the_response() -> None:
    answer, llm = ask(Evidence(), court(verdict(("A", "seven is a PRIME"), ("B", "ten"))))
    assert answer.verdicts["arm"].prediction == Preference(Winner.FIRST, 0.9)
    assert answer.verdicts["arm"].facts["quotes"] == 2
    assert answer.verdicts["arm"].facts["quotes_standing"] == 1
    assert [request.stage for request in llm.requests] == ["fact_check", "fact_check", "arm"]
    assert len(answer.calls) == 3


def test_a_quote_is_looked_up_in_the_response_that_it_names_as_it_was_shown() -> None:
    quoted = verdict(("B", "Seven is a prime"), winner="B")
    assert ask(Evidence(), court(quoted), Order.SWAPPED)[0].verdicts["arm"].prediction == Preference(
        Winner.FIRST, 0.9
    )
    unfounded = ask(Evidence(), court(quoted))[0].verdicts["arm"].prediction
    assert unfounded == Unscored(Reason.UNGROUNDED, "none of its 1 quotes stands in the responses")


def test_no_quote_at_all_is_no_verdict() -> None:
    prediction = ask(Evidence(), court(verdict()))[0].verdicts["arm"].prediction
    assert prediction == Unscored(Reason.UNGROUNDED, "none of its 0 quotes stands in the responses")


def test_a_plain_verdict_is_not_the_form_that_is_asked_for() -> None:
    plain = {"reasoning": "r", "winner": "A", "confidence": 0.9}
    prediction = ask(Evidence(fact_check=False), court(plain))[0].verdicts["arm"].prediction
    assert isinstance(prediction, Unscored)
    assert prediction.reason is Reason.UNPARSED


def test_what_was_checked_is_shown_and_what_stands_in_no_response_is_not() -> None:
    checks = [
        {"statement": "Seven is a prime", "finding": "Known.", "verdict": "Supported"},
        {"statement": "Never said", "finding": "Unknown.", "verdict": "contradicted"},
    ]
    answer, llm = ask(Evidence(), court(verdict(("A", "Seven is a prime")), checks), Order.AS_GIVEN)
    shown = llm.requests[-1].messages[1].content
    findings_a, findings_b = shown.split("Findings on response A:")[1].split("Findings on response B:")
    assert "1. supported:" in findings_a
    assert "Seven is a prime" in findings_a
    assert "It names nothing to check." in findings_b
    assert "Never said" not in shown
    facts = answer.verdicts["arm"].facts
    assert [facts[f"checks_{name}"] for name in ("supported", "contradicted", "unverifiable")] == [1, 0, 0]


def test_findings_go_with_their_response_when_the_order_is_swapped() -> None:
    checks = [{"statement": "Seven is a prime", "finding": "Known.", "verdict": "supported"}]
    _, llm = ask(Evidence(), court(verdict(("B", "Seven is a prime")), checks), Order.SWAPPED)
    shown = llm.requests[-1].messages[1].content
    findings_a, findings_b = shown.split("Findings on response A:")[1].split("Findings on response B:")
    assert "It names nothing to check." in findings_a
    assert "1. supported:" in findings_b


def test_a_failed_fact_check_leaves_the_pair_unjudged() -> None:
    answer, llm = ask(Evidence(), court(verdict(("A", "Seven is a prime")), failing="fact_check"))
    prediction = answer.verdicts["arm"].prediction
    assert isinstance(prediction, Unscored)
    assert prediction.reason is Reason.PROVIDER_ERROR
    assert prediction.detail.startswith("fact check: ")
    assert [request.stage for request in llm.requests] == ["fact_check"] * 2


def test_without_the_fact_check_only_quotes_are_asked_for() -> None:
    answer, llm = ask(Evidence(fact_check=False), court(verdict(("A", "Seven is a prime"))))
    assert [request.stage for request in llm.requests] == ["arm"]
    assert "Findings on" not in llm.requests[0].messages[1].content
    assert "checked beforehand" not in llm.requests[0].messages[0].content
    assert set(answer.verdicts["arm"].facts) == {"quotes", "quotes_standing"}
    assert Evidence(fact_check=False).prompts == ("pairwise_evidence",)


def test_without_ties_a_tie_is_no_reply() -> None:
    tie = court(verdict(("A", "Seven is a prime"), winner="tie"))
    assert ask(Evidence(), tie)[0].verdicts["arm"].prediction == Preference(Winner.TIE, 0.9)
    assert isinstance(ask(Evidence(), tie, allow_tie=False)[0].verdicts["arm"].prediction, Unscored)


@pytest.mark.parametrize("name", ["pairwise_ignore_length", "pairwise_penalise_padding"])
def test_an_instruction_is_the_plain_prompt_and_one_paragraph_more(name: str) -> None:
    values = {"prompt": "p", "response_a": "x", "response_b": "y", "context": None, "reference": None}
    plain = render("pairwise_vanilla", allow_tie=True, **values)
    more = render(name, allow_tie=True, **values)
    assert more[1] == plain[1]
    first, *rest = plain[0].content.split("\n\n")
    told_first, added, *told_rest = more[0].content.split("\n\n")
    assert (told_first, told_rest) == (first, rest)
    assert len(added) > 100


def test_settings_without_a_meaning_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"^points_per_doubling: "):
        LengthNormalised(-0.1)
    with pytest.raises(ConfigError, match=r"^least_quote: "):
        Evidence(least_quote=0)
    with pytest.raises(ConfigError, match=r"^prompt: "):
        Prompted("pairwise_rudely")
