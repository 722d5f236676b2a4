"""A recorded judge's step: which replies it asks for, and what it makes of them."""

import asyncio
from pathlib import Path

import pytest
from tests.judging.recordings import PAIR, PlainLLM, both, judge_of, said, scored, twice, written

from venire.judging.ballot import Ballot
from venire.judging.judge import RecordedJudge, RecordedParser
from venire.judging.recorded import compare_recorded
from venire.llm.recorded import RecordedBackend
from venire.records import (
    BackendKind,
    Completion,
    FinishReason,
    Order,
    Preference,
    Reason,
    Request,
    Unscored,
    Winner,
)

FIRST, SECOND = Preference(Winner.FIRST), Preference(Winner.SECOND)


class SilentLLM(PlainLLM):
    """Every call fails for good after all retries."""

    async def complete(self, request: Request) -> Completion:
        return Completion("", FinishReason.ERROR, "k", request.model, (), False, BackendKind.RECORDED)


def compared(root: Path, judge: RecordedJudge, order: Order) -> tuple[Ballot, PlainLLM]:
    llm = PlainLLM(RecordedBackend(root))
    return asyncio.run(compare_recorded(judge, PAIR, order, llm)), llm


def test_a_comparison_is_one_call_whose_text_is_the_vote(tmp_path: Path) -> None:
    text = "Output (a) is better."
    judge = judge_of(written(tmp_path, both("CoT", said(text), said(text))), "CoT")
    ballot, llm = compared(tmp_path, judge, Order.SWAPPED)
    assert ballot.vote.prediction == SECOND  # (a) is the data set's second output there
    assert (ballot.vote.judge, ballot.vote.order, ballot.vote.raw) == ("GPT-4", Order.SWAPPED, text)
    (request,) = llm.asked
    assert (request.model, request.endpoint, request.role) == ("GPT-4", judge.endpoint, "GPT-4")
    assert (request.temperature, request.schema, request.stage) == (None, None, "judge")
    assert request.messages[0].content.endswith("subset=Toy index=3 strategy=CoT swap=true part=verdict")
    (call,) = ballot.calls
    assert (call.kind, call.instance_id, call.replayed) == (BackendKind.RECORDED, "Toy/3", False)
    assert (call.cost_usd, call.cost_complete, call.usage.input_tokens) == (None, False, None)


def test_the_parser_of_the_judge_reads_the_text(tmp_path: Path) -> None:
    two = said("Output (b) is better. No: Output (a) is better.")
    root = written(tmp_path, both("CoT", two, two))
    published, _ = compared(root, judge_of(root, "CoT"), Order.AS_GIVEN)
    strict, _ = compared(root, judge_of(root, "CoT", RecordedParser.STRICT), Order.AS_GIVEN)
    assert published.vote.prediction == FIRST
    assert isinstance(strict.vote.prediction, Unscored)
    assert strict.vote.prediction.reason is Reason.UNPARSED


def test_ratings_are_one_call_an_output_and_the_same_two_in_both_orders(tmp_path: Path) -> None:
    root = written(tmp_path, both("Rating", scored("6", "9"), scored("6", "9")))
    asked = []
    for order in Order:
        ballot, llm = compared(root, judge_of(root, "Rating"), order)
        assert ballot.vote.prediction == SECOND
        assert ballot.vote.raw == '["6","9"]'
        assert len(ballot.calls) == 2
        asked.append([request.messages for request in llm.asked])
    assert asked[0] == asked[1]


def test_two_stages_that_agree_at_once_are_two_calls(tmp_path: Path) -> None:
    # As given (a) is the first output, swapped (b) is: the first stage agrees on the first output.
    rows = both("Swap", said("Output (a) is better."), said("Output (b) is better."))
    root = written(tmp_path, [one | {"n_stages": 1} for one in rows])
    ballot, _ = compared(root, judge_of(root, "Swap"), Order.AS_GIVEN)
    assert ballot.vote.prediction == FIRST
    assert [call.stage for call in ballot.calls] == ["judge", "judge"]
    assert ballot.vote.rationale == ""


def test_two_stages_that_contradict_are_settled_by_a_third_call(tmp_path: Path) -> None:
    # (a) both times: first output as given, second output swapped.
    first = "Output (a) is better."
    root = written(tmp_path, both("Swap", twice(first, "Output (b)"), twice(first, "Output (a)")))
    ballot, llm = compared(root, judge_of(root, "Swap"), Order.AS_GIVEN)
    assert ballot.vote.prediction == SECOND
    assert (ballot.vote.rationale, ballot.vote.raw) == (first, "Output (b)")
    assert [call.stage for call in ballot.calls] == ["judge", "judge", "synthesis"]
    ends = ["swap=false part=verdict", "swap=true part=verdict", "swap=false part=synthesis"]
    assert [r.messages[0].content.split("strategy=Swap ")[1] for r in llm.asked] == ends


def test_strict_asks_the_second_stage_that_the_source_asked(tmp_path: Path) -> None:
    # To `strict` the first text names both, yet as published it contradicts the other order's.
    both_named = "Output (b) is better. No: Output (a) is better."
    first = twice(both_named, "Output (b) is better.")
    root = written(tmp_path, both("Swap_CoT", first, twice("Output (a) is better.", "Output (a) is better.")))
    ballot, _ = compared(root, judge_of(root, "Swap_CoT", RecordedParser.STRICT), Order.AS_GIVEN)
    assert ballot.vote.prediction == SECOND
    assert len(ballot.calls) == 3


def test_a_first_stage_without_verdict_contradicts_nothing(tmp_path: Path) -> None:
    root = written(tmp_path, both("Swap", said("Both are."), said("Output (b) is better.")))
    as_given, _ = compared(root, judge_of(root, "Swap"), Order.AS_GIVEN)
    swapped, _ = compared(root, judge_of(root, "Swap"), Order.SWAPPED)
    assert isinstance(as_given.vote.prediction, Unscored)
    assert swapped.vote.prediction == FIRST
    assert len(as_given.calls) == len(swapped.calls) == 2


@pytest.mark.parametrize("strategy", ["CoT", "Rating", "Swap"])
@pytest.mark.parametrize("parser", list(RecordedParser))
def test_a_lost_reply_is_no_answer(tmp_path: Path, strategy: str, parser: RecordedParser) -> None:
    judge = judge_of(written(tmp_path, []), strategy, parser)
    llm = SilentLLM(RecordedBackend(tmp_path))
    ballot = asyncio.run(compare_recorded(judge, PAIR, Order.AS_GIVEN, llm))
    assert isinstance(ballot.vote.prediction, Unscored)
    assert ballot.vote.prediction.reason is Reason.PROVIDER_ERROR
