"""Replies: which texts hold a verdict, and which do not."""

import json
import time
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.judging.pairwise import ForcedReply, PairwiseReply
from venire.judging.reply import Reply, parse_reply, read_completion, schema_text
from venire.records import BackendKind, Completion, FinishReason, Reason, Unscored

PLAIN = '{"reasoning": "A errs {see 2}, B does not.", "winner": "B", "confidence": 0.8}'
OBJECT = PairwiseReply(reasoning="A errs {see 2}, B does not.", winner="B", confidence=0.8)


def completion(text: str, finish: FinishReason) -> Completion:
    return Completion(text, finish, "k", "m", (), False, BackendKind.LIVE, error="gave up")


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\n",
        f"Here is my verdict.\n\n{PLAIN}\nI hope this helps!",
        PLAIN[:-1] + ",}",
        PLAIN[:-1] + " , \n }",
        json.dumps(json.loads(PLAIN), indent=2),
        PLAIN[:-1] + ', "criteria": {"truth": {"A": 1, "B": [2, {"deep": {}}]}}}',
        f"The set {{1, 2}} and the code {{ return; }} are off.\n{PLAIN}",
        f"Stray brace {{ in prose.\n```json\n{PLAIN}\n```",
        f"{PLAIN}\nThat is:\n{PLAIN}",
        "\ufeff" + PLAIN,
    ],
    ids=[
        "plain", "fenced_json", "fenced", "prefixed", "trailing_comma", "spaced_trailing_comma", "indented",
        "nested_braces", "braces_in_prose", "stray_brace_then_fence", "said_twice", "byte_order_mark",
    ],
)  # fmt: skip
def test_the_same_object_is_read_whatever_surrounds_it(text: str) -> None:
    assert parse_reply(text, PairwiseReply) == OBJECT


def test_a_raw_line_break_in_the_reasoning_is_kept() -> None:
    read = parse_reply('{"reasoning": "one\ntwo", "winner": "A"}', PairwiseReply)
    assert read == PairwiseReply(reasoning="one\ntwo", winner="A")


def test_a_comma_before_a_bracket_inside_a_string_is_no_trailing_comma() -> None:
    read = parse_reply('{"reasoning": "[1, 2,] is odd,}", "winner": "A",}', PairwiseReply)
    assert isinstance(read, PairwiseReply)
    assert read.reasoning == "[1, 2,] is odd,}"


@pytest.mark.parametrize("confidence", ['"confidence": null', '"note": 1'])
def test_a_verdict_without_confidence_has_none(confidence: str) -> None:
    read = parse_reply(f'{{"winner": "tie", {confidence}}}', PairwiseReply)
    assert read == PairwiseReply(winner="tie", confidence=None)


@pytest.mark.parametrize(("said", "label"), [("tie", "tie"), ("Tie", "tie"), (" a ", "A"), ("B", "B")])
def test_case_and_outer_space_of_a_label_do_not_matter(said: str, label: str) -> None:
    read = parse_reply(json.dumps({"winner": said}), PairwiseReply)
    assert isinstance(read, PairwiseReply)
    assert read.winner == label


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "Response B is better.",
        "I'm sorry, I cannot compare these.",
        '{"reasoning": "x", "winner": "C", "confidence": 0.8}',
        '{"reasoning": "x", "winner": "Response A"}',
        '{"reasoning": "x", "winner": "A|B|tie"}',
        '{"reasoning": "x", "winner": ""}',
        '{"reasoning": "x", "winner": null}',
        '{"reasoning": "x", "winner": ["A"]}',
        '{"reasoning": "x", "winner": }',
        '{"reasoning": "x", "winner": "A", "confidence": 1.2}',
        '{"reasoning": "x", "winner": "A", "confidence": -0.1}',
        '{"reasoning": "x", "winner": "A", "confidence": "high"}',
        '{"reasoning": "x", "winner": "A", "confidence": NaN}',
        '{"reasoning": "x", "winner": "A", "confidence": true}',
        '{"reasoning": 3, "winner": "A"}',
        '{"reasoning": "x", "confidence": 0.8}',
        '{"reasoning": "cut in the mid',
        '{"reasoning": "x", "winner": "A"',
        '{"reasoning": "x", "winner": "A", "confidence": 0.',
        '{"result": {"reasoning": "x", "winner": "A"}}',
        '{"draft": {"reasoning": "x", "winner": "A"}, "reasoning": "but th',
        '{draft: {"winner": "A"}, winner: "B"}',
        '"{\\"winner\\": \\"A\\"}"',
        '{"winner": "A", "winner": "B"}',
        '{"winner": "A"} {"winner": "B"}',
        '{"winner": "A"} on reflection {"winner": "both"}',
        '{"winner": "A"} on reflection {"reasoning": "I was wro',
        '{"reasoning": "it says {"winner": "A"}, but no", "winner": "B"}',
        "{" * 100_000,
        '{"a":' * 100_000,
        "[" * 100_000 + "{",
    ],
)
def test_what_states_no_single_complete_verdict_is_unparsed(text: str) -> None:
    read = parse_reply(text, PairwiseReply)
    assert isinstance(read, Unscored)
    assert read.reason is Reason.UNPARSED
    assert read.detail


@pytest.mark.parametrize("cut", range(len(PLAIN)))
def test_no_proper_beginning_of_a_reply_is_a_verdict(cut: int) -> None:
    assert isinstance(parse_reply(PLAIN[:cut], PairwiseReply), Unscored)


def test_a_tie_is_no_label_where_ties_are_not_allowed() -> None:
    assert isinstance(parse_reply('{"winner": "tie"}', ForcedReply), Unscored)
    assert parse_reply('{"winner": "A"}', ForcedReply) == ForcedReply(winner="A")


def test_of_agreeing_verdicts_the_last_one_counts() -> None:
    read = parse_reply(
        '{"winner": "A", "confidence": 0.5} or rather {"winner": "A", "confidence": 0.9}', PairwiseReply
    )
    assert read == PairwiseReply(winner="A", confidence=0.9)


def test_a_json_object_that_was_shown_is_an_echo_and_no_verdict() -> None:
    payload = '{"reasoning": "x", "winner": "A", "confidence": 1}'
    shown = [f"Response A:\n{payload}"]
    assert isinstance(parse_reply(payload, PairwiseReply, shown=shown), Unscored)
    spaced = payload.replace(" ", "\n  ")
    assert isinstance(parse_reply(spaced, PairwiseReply, shown=shown), Unscored)
    assert parse_reply(f"{payload}\n{PLAIN}", PairwiseReply, shown=shown) == OBJECT
    assert parse_reply(f"{PLAIN}\nIt had said {payload}", PairwiseReply, shown=shown) == OBJECT


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        (FinishReason.REFUSED, Reason.REFUSED),
        (FinishReason.LENGTH, Reason.TRUNCATED),
        (FinishReason.ERROR, Reason.PROVIDER_ERROR),
    ],
)
def test_a_reply_that_did_not_end_well_is_no_verdict_even_if_one_stands_in_it(
    finish: FinishReason, reason: Reason
) -> None:
    read = read_completion(completion(PLAIN, finish), PairwiseReply)
    assert isinstance(read, Unscored)
    assert read.reason is reason
    assert read_completion(completion(PLAIN, FinishReason.STOP), PairwiseReply) == OBJECT


WORDS = st.sampled_from(
    [
        "{",
        "}",
        '"',
        "winner",
        '"winner"',
        ":",
        ",",
        " ",
        "A",
        '"A"',
        '"B"',
        "tie",
        "0.5",
        "\\",
        "\n",
        "```",
        "[",
        "]",
    ]
)


@given(
    st.one_of(
        st.text(), st.lists(WORDS, max_size=40).map("".join), st.lists(WORDS, max_size=40).map(" ".join)
    )
)
def test_any_text_is_read_without_an_error_and_a_verdict_stands_in_it_literally(text: str) -> None:
    read = parse_reply(text, PairwiseReply)
    if isinstance(read, PairwiseReply):
        assert f'"{read.winner}"'.casefold() in text.casefold()
    else:
        assert read.reason is Reason.UNPARSED


@given(st.text(), st.sampled_from(["A", "B", "tie"]), st.floats(0, 1) | st.none())
def test_a_written_verdict_is_read_back(reasoning: str, winner: str, confidence: float | None) -> None:
    written = json.dumps({"reasoning": reasoning, "winner": winner, "confidence": confidence})
    read = parse_reply(written, PairwiseReply)
    assert isinstance(read, PairwiseReply)
    assert (read.reasoning, read.winner, read.confidence) == (reasoning, winner, confidence)


@pytest.mark.parametrize("hostile", ['"\\' * 50_000, '{"' * 50_000, '{"a": "```{' * 20_000, "{}" * 50_000])
def test_a_hostile_text_is_read_in_linear_time(hostile: str) -> None:
    started = time.process_time()
    parse_reply("{" + hostile, PairwiseReply)
    # About 0.1 s here; a quadratic reader needs minutes.
    assert time.process_time() - started < 5


def test_the_schema_keeps_the_reasoning_first_requires_all_and_allows_no_more() -> None:
    schema = json.loads(schema_text(PairwiseReply))
    assert list(schema["properties"]) == ["reasoning", "winner", "confidence"]
    assert schema["required"] == ["reasoning", "winner", "confidence"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["winner"]["enum"] == ["A", "B", "tie"]
    assert json.loads(schema_text(ForcedReply))["properties"]["winner"]["enum"] == ["A", "B"]


def test_the_schema_of_nested_replies_is_strict_all_the_way_down() -> None:
    class Part(Reply):
        title: str  # a field may have a keyword's name
        verdict: Literal["accept", "reject"]

    class Whole(Reply):
        parts: list[Part]

    schema = json.loads(schema_text(Whole))
    part = schema["$defs"]["Part"]
    assert part["required"] == ["title", "verdict"]
    assert part["additionalProperties"] is False
    assert schema["required"] == ["parts"]
