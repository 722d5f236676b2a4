"""Asking a judge: the request that is sent, and when it is sent again."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.judging.scripted import ScriptedLLM, replies

from venire.judging.ask import Asked, ask
from venire.judging.judge import PromptedJudge, ReplyFormat
from venire.judging.pairwise import PairwiseReply
from venire.judging.reply import schema_text
from venire.llm.key import request_key
from venire.records import FinishReason, Message, Order, Reason, Subject, Unscored

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_tokens=100, max_reasks=2, max_tokens_growth=2.0)
MESSAGES = (Message("system", "Judge."), Message("user", "A or B?"))
GOOD = '{"reasoning": "r", "winner": "A", "confidence": 0.9}'
CUT = ('{"reasoning": "so', FinishReason.LENGTH)


def asked(
    llm: ScriptedLLM, judge: PromptedJudge = JUDGE, messages: tuple[Message, ...] = MESSAGES
) -> Asked[PairwiseReply]:
    subject = Subject("set/1", Order.SWAPPED)
    return asyncio.run(ask(judge, messages, PairwiseReply, llm, stage="judge", subject=subject, replicate=3))


def reason_of(made: Asked[PairwiseReply]) -> Reason:
    assert isinstance(made.reply, Unscored)
    return made.reply.reason


def test_a_good_reply_is_one_call_with_the_judge_s_settings() -> None:
    llm = replies(GOOD)
    judge = replace(JUDGE, top_p=0.5, sampling_seed=7, api_base="http://127.0.0.1:9/v1")
    made = asked(llm, judge)
    assert made.reply == PairwiseReply(reasoning="r", winner="A", confidence=0.9)
    assert made.text == GOOD
    (request,) = llm.requests
    assert (request.model, request.endpoint) == ("openai/gpt", "http://127.0.0.1:9/v1")
    assert (request.temperature, request.top_p, request.max_tokens, request.sampling_seed) == (
        0.0,
        0.5,
        100,
        7,
    )
    assert (request.stage, request.role, request.replicate) == ("judge", "gpt", 3)
    assert request.subject == Subject("set/1", Order.SWAPPED)
    (call,) = made.calls
    assert (call.role, call.instance_id, call.usage.input_tokens, call.cost_usd) == (
        "gpt",
        "set/1",
        100,
        0.001,
    )


@pytest.mark.parametrize(
    ("reply_format", "schema"),
    [
        (ReplyFormat.JSON_SCHEMA, schema_text(PairwiseReply)),
        (ReplyFormat.JSON_OBJECT, '{"type":"object"}'),
        (ReplyFormat.TEXT, None),
    ],
)
def test_the_reply_format_decides_what_schema_is_sent(reply_format: ReplyFormat, schema: str | None) -> None:
    llm = replies(GOOD)
    asked(llm, replace(JUDGE, reply_format=reply_format))
    assert llm.requests[0].schema == schema


def test_an_unusable_reply_is_asked_again_with_the_reply_and_what_is_wrong() -> None:
    bad = '{"reasoning": "r", "winner": "C"}'
    llm = replies(bad, GOOD)
    made = asked(llm)
    assert isinstance(made.reply, PairwiseReply)
    assert len(made.calls) == 2
    first, second = llm.requests
    assert second.messages[:2] == first.messages
    assert second.messages[2] == Message("assistant", bad)
    assert second.messages[3].role == "user"
    assert "winner: Input should be 'A', 'B' or 'tie'" in second.messages[3].content
    assert schema_text(PairwiseReply) in second.messages[3].content
    assert (second.stage, second.max_tokens, second.schema) == ("judge", 100, first.schema)


def test_calls_say_why_their_reply_cannot_be_used_and_the_last_one_that_the_question_is_lost() -> None:
    mended = asked(replies("prose", GOOD))
    assert [(call.unusable, call.lost) for call in mended.calls] == [("unparsed", False), ("", False)]
    never = asked(replies("prose", CUT, "prose"), replace(JUDGE, max_reasks=2))
    assert isinstance(never.reply, Unscored)
    assert [call.unusable for call in never.calls] == ["unparsed", "truncated", "unparsed"]
    assert [call.lost for call in never.calls] == [False, False, True]


def test_the_conversation_does_not_grow_with_each_re_ask() -> None:
    llm = replies("one", "two", GOOD)
    asked(llm)
    assert [m.content for m in llm.requests[2].messages if m.role == "assistant"] == ["two"]


def test_the_same_unusable_reply_again_is_a_request_of_its_own() -> None:
    # Else the store would answer the second re-ask with the reply to the first.
    llm = replies("", "", "", GOOD)
    made = asked(llm, replace(JUDGE, max_reasks=3))
    assert isinstance(made.reply, PairwiseReply)
    assert len({request_key(request) for request in llm.requests}) == 4


def test_an_empty_reply_is_never_quoted_as_an_empty_message() -> None:
    llm = replies(" ", GOOD)
    made = asked(llm)
    assert isinstance(made.reply, PairwiseReply)
    again = llm.requests[1].messages
    assert [m.role for m in again] == ["system", "user"]
    assert again[1].content.startswith("A or B?\n\nYour reply could not be used: it is empty.")


def test_a_cut_reply_is_asked_again_with_a_larger_limit_and_the_same_words() -> None:
    llm = replies(CUT, CUT, GOOD)
    made = asked(llm)
    assert isinstance(made.reply, PairwiseReply)
    # 100, then times max_tokens_growth = 2 each time.
    assert [request.max_tokens for request in llm.requests] == [100, 200, 400]
    assert {request.messages for request in llm.requests} == {MESSAGES}


def test_a_reply_that_is_cut_after_a_re_ask_keeps_the_question_of_the_re_ask() -> None:
    llm = replies("prose", CUT, GOOD)
    asked(llm)
    assert llm.requests[2].messages == llm.requests[1].messages
    assert [request.max_tokens for request in llm.requests] == [100, 100, 200]


@pytest.mark.parametrize(("said", "reason"), [("prose", Reason.UNPARSED), (CUT, Reason.TRUNCATED)])
def test_re_asks_are_bounded_and_all_of_them_are_calls(said: str, reason: Reason) -> None:
    llm = replies(said, said, said)
    made = asked(llm)
    assert reason_of(made) is reason
    # 1 + max_reasks = 3; a fourth reply would not be there.
    assert len(made.calls) == len(llm.requests) == 3
    assert len({call.key for call in made.calls}) == 3


def test_without_re_asks_the_first_reply_is_final() -> None:
    made = asked(replies("prose"), replace(JUDGE, max_reasks=0))
    assert reason_of(made) is Reason.UNPARSED
    assert made.text == "prose"


def test_a_limit_that_does_not_grow_is_not_asked_twice() -> None:
    made = asked(replies(CUT), replace(JUDGE, max_tokens_growth=1.0))
    assert reason_of(made) is Reason.TRUNCATED
    assert len(made.calls) == 1


@pytest.mark.parametrize(
    ("finish", "reason"),
    [(FinishReason.REFUSED, Reason.REFUSED), (FinishReason.ERROR, Reason.PROVIDER_ERROR)],
)
def test_refusals_and_provider_errors_are_final(finish: FinishReason, reason: Reason) -> None:
    made = asked(replies(("", finish)))
    assert reason_of(made) is reason
    assert len(made.calls) == 1


def test_a_verdict_that_the_judge_gave_before_may_be_repeated_on_a_re_ask() -> None:
    """Its own earlier reply is in the conversation then, but it is no material."""
    other = json.dumps({"winner": "B"})
    made = asked(replies(f"{GOOD} {other}", GOOD))
    assert isinstance(made.reply, PairwiseReply)
    assert made.reply.winner == "A"
