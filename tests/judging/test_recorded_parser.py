"""How recorded texts are read: the source's rules exactly, and the strict ones beside them."""

import collections
from pathlib import Path

import pytest

from venire.judging.apart import read_score
from venire.judging.judge import RecordedJudge, RecordedParser
from venire.judging.recorded_parser import (
    Difference,
    VerdictRule,
    contradict,
    parser_difference,
    read_ratings,
    read_recording,
    read_verdict,
    verdict_rule,
)
from venire.llm.recordings import Part, RecordedReply, Recordings, read_recordings
from venire.records import FinishReason, Order, Outcome, Preference, Reason, Unscored, Vote, Winner

PUBLISHED, STRICT = RecordedParser.AS_PUBLISHED, RecordedParser.STRICT
FIRST, SECOND, TIE = Preference(Winner.FIRST), Preference(Winner.SECOND), Preference(Winner.TIE)


def reply(text: str, finish: FinishReason = FinishReason.STOP) -> RecordedReply:
    return RecordedReply(text, finish)


@pytest.fixture(scope="module")
def published(data_root: Path) -> Recordings:
    return read_recordings(data_root)


def test_every_recorded_row_reads_as_the_source_read_it(published: Recordings) -> None:
    exceptions = []
    for row in published.rows.values():
        reading = read_recording(row, PUBLISHED)
        winner = reading.winner if isinstance(reading, Preference) else None
        if winner is not row.winner:
            exceptions.append(row.key)
    assert len(published.rows) == 56_934
    assert exceptions == []


def test_a_second_stage_is_recorded_exactly_where_the_first_contradicts_itself(published: Recordings) -> None:
    two_stage = {}
    for key, row in published.rows.items():
        if key.strategy in ("Swap", "Swap_CoT"):
            rule = verdict_rule(key.model, key.strategy, Part.VERDICT)
            reading = read_verdict(row.replies[Part.VERDICT], rule, key.order, PUBLISHED)
            place = (key.model, key.strategy, key.subset, key.index)
            two_stage.setdefault(place, []).append((reading, Part.SYNTHESIS in row.replies))
    # 5,622 rows of one stage and 4,250 of two: 4,936 pairs of orders.
    assert len(two_stage) == 4_936
    for (one, one_second), (other, other_second) in two_stage.values():
        assert contradict(one, other) == one_second == other_second


def test_the_strict_parser_differs_where_both_patterns_match_and_where_ratings_do_not_decide(
    published: Recordings,
) -> None:
    both_match = collections.Counter()
    ratings = collections.Counter()
    for key, row in published.rows.items():
        as_published, strict = read_recording(row, PUBLISHED), read_recording(row, STRICT)
        if as_published == strict:
            continue
        assert isinstance(as_published, Preference)
        if Part.SCORE_1 in row.replies:
            ratings[type(strict)] += 1
        else:
            assert isinstance(strict, Unscored)
            assert strict.reason is Reason.UNPARSED
            both_match[key.model, key.strategy] += 1
    # README of llmbar_recorded, "How the source parsed a completion": 281 in all.
    assert both_match == {
        ("PaLM2", "CoT"): 118,
        ("ChatGPT", "Swap_CoT"): 61,
        ("LLaMA2", "Vanilla_2shot"): 42,
        ("LLaMA2", "Vanilla_1shot"): 28,
        ("Falcon", "Swap_CoT"): 11,
        ("LLaMA2", "Swap_CoT"): 11,
        ("Falcon", "CoT"): 6,
        ("Falcon", "Metrics"): 2,
        ("GPT-4", "Swap_CoT"): 1,
        ("ChatGPT-0301", "Swap_CoT"): 1,
    }
    # reference.json: n_rating_ties sum to 714, n_rating_unparseable to 5, over the 7 pooled rating rows
    # `LLMBar (pooled)`; each counts in both orders.
    assert ratings == {Preference: 1_428, Unscored: 10}


def test_a_row_without_winner_says_why(published: Recordings) -> None:
    reasons = collections.Counter(
        reading.reason
        for reading in (read_recording(row, PUBLISHED) for row in published.rows.values())
        if isinstance(reading, Unscored)
    )
    # README: of 149, 97 have an empty completion and 52 a text without a verdict, of which 4 were cut
    # (ChatGPT, finish_reason "length").
    assert reasons == {Reason.REFUSED: 97, Reason.UNPARSED: 48, Reason.TRUNCATED: 4}


@pytest.mark.parametrize(
    ("model", "strategy", "part", "rule"),
    [
        ("GPT-4", "Vanilla", Part.VERDICT, VerdictRule.LINE_START),
        ("GPT-4", "Metrics_Reference", Part.VERDICT, VerdictRule.LINE_START),
        ("GPT-4", "CoT", Part.VERDICT, VerdictRule.IS_BETTER),
        ("PaLM2", "CoT", Part.VERDICT, VerdictRule.LINE_START),
        ("PaLM2", "Swap", Part.VERDICT, VerdictRule.IS_BETTER),
        ("GPT-4", "Swap", Part.SYNTHESIS, VerdictRule.LINE_START),
        ("GPT-4", "Swap_CoT", Part.VERDICT, VerdictRule.IS_BETTER),
        ("PaLM2", "Swap_CoT", Part.SYNTHESIS, VerdictRule.IS_BETTER),
    ],
)
def test_each_strategy_has_the_sources_rule(model: str, strategy: str, part: Part, rule: VerdictRule) -> None:
    assert verdict_rule(model, strategy, part) is rule


@pytest.mark.parametrize(
    ("text", "rule", "found"),
    [
        ("Output (a)", VerdictRule.LINE_START, (True, False)),
        ("I think\n Output (b) is good", VerdictRule.LINE_START, (False, True)),
        ("I think Output (b)", VerdictRule.LINE_START, (False, False)),
        ("  Output (a)", VerdictRule.LINE_START, (False, False)),  # one space at most
        ("So Output (b) is better.", VerdictRule.IS_BETTER, (False, True)),
        ("Output (b) is better, as", VerdictRule.IS_BETTER, (False, True)),  # the dot matches any character
        ("Output (b) is better", VerdictRule.IS_BETTER, (False, False)),  # ... but one there must be
        ("Output (b) is better. No: Output (a) is better.", VerdictRule.IS_BETTER, (True, True)),
        ("", VerdictRule.LINE_START, (False, False)),
    ],
)
def test_patterns_match_as_in_the_source(text: str, rule: VerdictRule, found: tuple[bool, bool]) -> None:
    assert rule.matches(text) == found


@pytest.mark.parametrize("parser", [PUBLISHED, STRICT])
def test_a_verdict_is_mapped_back_to_the_data_sets_order(parser: RecordedParser) -> None:
    said_a = reply("Output (a)")
    assert read_verdict(said_a, VerdictRule.LINE_START, Order.AS_GIVEN, parser) == FIRST
    assert read_verdict(said_a, VerdictRule.LINE_START, Order.SWAPPED, parser) == SECOND


def test_two_verdicts_in_one_text_are_the_first_shown_as_published_and_none_to_the_strict() -> None:
    text = reply("Output (b) is better. Not so: Output (a) is better. Finally Output (b) is better.")
    assert read_verdict(text, VerdictRule.IS_BETTER, Order.AS_GIVEN, PUBLISHED) == FIRST
    assert read_verdict(text, VerdictRule.IS_BETTER, Order.SWAPPED, PUBLISHED) == SECOND
    strict = read_verdict(text, VerdictRule.IS_BETTER, Order.AS_GIVEN, STRICT)
    assert strict == Unscored(Reason.UNPARSED, "the text names both outputs as the better one")


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("Both outputs are bad.", FinishReason.STOP, Reason.UNPARSED),
        ("Both outputs are", FinishReason.LENGTH, Reason.TRUNCATED),
        ("", FinishReason.REFUSED, Reason.REFUSED),
        (" \n", FinishReason.STOP, Reason.REFUSED),
        ("", FinishReason.ERROR, Reason.PROVIDER_ERROR),
    ],
)
@pytest.mark.parametrize("parser", [PUBLISHED, STRICT])
def test_no_verdict_is_no_preference(
    text: str, finish: FinishReason, reason: Reason, parser: RecordedParser
) -> None:
    reading = read_verdict(reply(text, finish), VerdictRule.LINE_START, Order.AS_GIVEN, parser)
    assert isinstance(reading, Unscored)
    assert reading.reason is reason


def test_a_verdict_in_a_cut_text_counts() -> None:
    cut = reply("Output (a)\n\nBecause it", FinishReason.LENGTH)
    assert read_verdict(cut, VerdictRule.LINE_START, Order.AS_GIVEN, STRICT) == FIRST


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("parser", [PUBLISHED, STRICT])
def test_the_higher_score_wins_in_either_order(order: Order, parser: RecordedParser) -> None:
    assert read_ratings(reply("9"), reply("8"), order, parser) == FIRST
    assert read_ratings(reply("8"), reply("10"), order, parser) == SECOND


@pytest.mark.parametrize(
    ("scores", "order", "as_published", "strict"),
    [
        (("7", "7"), Order.AS_GIVEN, SECOND, TIE),
        (("7", "7"), Order.SWAPPED, FIRST, TIE),
        (("", "7"), Order.AS_GIVEN, FIRST, Unscored(Reason.REFUSED, "filtered or empty")),
        (("", "7"), Order.SWAPPED, SECOND, Unscored(Reason.REFUSED, "filtered or empty")),
        (("7", "7/10"), Order.AS_GIVEN, FIRST, Unscored(Reason.UNPARSED, "the text holds no verdict")),
    ],
)
def test_ties_and_unreadable_scores_follow_the_source_or_say_so(
    scores: tuple[str, str], order: Order, as_published: Preference, strict: Preference | Unscored
) -> None:
    first, second = (reply(text) for text in scores)
    assert read_ratings(first, second, order, PUBLISHED) == as_published
    assert read_ratings(first, second, order, STRICT) == strict


@pytest.mark.parametrize("parser", [PUBLISHED, STRICT])
def test_a_lost_score_is_no_answer_to_either_parser(parser: RecordedParser) -> None:
    lost = reply("", FinishReason.ERROR)
    expected = Unscored(Reason.PROVIDER_ERROR, "no reply")
    assert read_ratings(lost, reply("7"), Order.AS_GIVEN, parser) == expected
    assert read_ratings(reply(""), lost, Order.AS_GIVEN, parser) == expected


@pytest.mark.parametrize(
    ("text", "score"),
    [("0", 0), ("10", 10), (" 7\n", 7), ("11", None), ("7.5", None), ("-1", None), ("", None), ("²", None)],
)
def test_a_score_is_an_integer_from_0_to_10_and_nothing_else(text: str, score: int | None) -> None:
    assert read_score(text) == score


def outcome(name: str, *votes: Vote) -> Outcome:
    return Outcome(name, FIRST, votes=votes)


def test_the_difference_is_counted_by_reason_from_the_votes_own_texts() -> None:
    cot = RecordedJudge("GPT-4", "CoT")
    rating = RecordedJudge("ChatGPT", "Rating")
    both = "Output (b) is better. No: Output (a) is better."
    difference = parser_difference(
        [cot, rating],
        [
            outcome(
                "Natural/0",
                Vote("GPT-4", Order.AS_GIVEN, FIRST, raw=both),
                Vote("GPT-4", Order.SWAPPED, FIRST, raw=both),
                Vote("ChatGPT", Order.AS_GIVEN, FIRST, raw='["7","7"]'),
            ),
            outcome("Natural/1", Vote("ChatGPT", Order.AS_GIVEN, FIRST, raw='["","7"]')),
            outcome("Natural/2", Vote("GPT-4", Order.AS_GIVEN, FIRST, raw="Output (a) is better.")),
            outcome("Natural/3", Vote("somebody", Order.AS_GIVEN, FIRST, raw=both)),
            outcome(
                "Natural/4",
                Vote("ChatGPT", Order.AS_GIVEN, Unscored(Reason.PROVIDER_ERROR), raw='["",""]'),
            ),
        ],
    )
    assert difference is not None
    assert difference.by_kind == {
        Difference.BOTH_PATTERNS: 2,
        Difference.RATING_TIE: 1,
        Difference.UNPARSABLE_RATING: 1,
    }
    assert difference.as_metrics() == {
        "parser/votes": 6,
        "parser/differs": 4,
        "parser/instances_differing": 2,
        "parser/both_patterns": 2,
        "parser/rating_ties": 1,
        "parser/unparsable_ratings": 1,
    }


def test_a_second_stage_is_compared_by_its_own_rule() -> None:
    swap = RecordedJudge("GPT-4", "Swap")
    text = "Output (a)\nOutput (b)"  # both at line starts, neither "is better."
    first_stage = parser_difference(
        [swap], [outcome("Natural/0", Vote("GPT-4", Order.AS_GIVEN, FIRST, "", text))]
    )
    second = Vote("GPT-4", Order.AS_GIVEN, FIRST, "Output (a) is better.", text)
    second_stage = parser_difference([swap], [outcome("Natural/0", second)])
    assert first_stage is not None
    assert second_stage is not None
    assert (first_stage.differing, second_stage.differing) == (0, 1)


def test_no_recorded_judge_no_difference() -> None:
    assert parser_difference([], [outcome("Natural/0")]) is None


def test_no_outcome_is_no_vote() -> None:
    difference = parser_difference([RecordedJudge("GPT-4", "CoT")], [])
    assert difference is not None
    assert (difference.votes, difference.differing, difference.instances) == (0, 0, 0)
