"""Where a confidence comes from."""

import json

import pytest

from venire.judging.confidence import (
    ELICITED,
    Source,
    confidence_of,
    evidence,
    leading,
    quotes_of,
    share,
    stated,
)
from venire.records import (
    Instance,
    Order,
    Outcome,
    Preference,
    Reason,
    Response,
    Unscored,
    Vote,
    Winner,
)

PAIR = Instance(
    "a/1", "Why do seasons change?", (Response("The axis is tilted."), Response("It is the distance."))
)
FIRST, SECOND, TIE = Winner


def vote(
    winner: Winner | None,
    confidence: float | None = None,
    judge: str = "j",
    rationale: str = "",
    raw: str = "",
) -> Vote:
    prediction = Unscored(Reason.UNPARSED) if winner is None else Preference(winner, confidence)
    return Vote(judge, Order.AS_GIVEN, prediction, rationale, raw)


def outcome(*votes: Vote, prediction: Preference | Unscored, **detail: object) -> Outcome:
    return Outcome("a/1", prediction, votes=votes, detail=detail)


def test_a_judge_that_keeps_its_verdict_is_consistent_and_one_that_turns_is_half() -> None:
    assert share([vote(FIRST), vote(FIRST)]) == 1.0
    assert share([vote(FIRST), vote(SECOND)]) == 0.5


def test_a_vote_without_a_verdict_does_not_agree() -> None:
    assert share([vote(FIRST), vote(FIRST), vote(None)]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("votes", [[], [vote(FIRST)], [vote(None), vote(None)]])
def test_fewer_than_two_votes_or_no_verdict_tell_nothing(votes: list[Vote]) -> None:
    assert share(votes) is None


def test_the_leading_winner_needs_more_votes_than_any_other() -> None:
    assert leading([vote(FIRST), vote(FIRST), vote(SECOND)]) is FIRST
    assert leading([vote(TIE), vote(TIE), vote(None)]) is TIE
    assert leading([vote(FIRST), vote(SECOND)]) is None
    assert leading([vote(None)]) is None


def test_votes_that_agree_have_the_mean_of_their_confidences() -> None:
    # papers/advanced-evaluation, example 2: .8 and .6 for B, .7
    assert stated([vote(SECOND, 0.8), vote(SECOND, 0.6)], SECOND) == pytest.approx(0.7)


def test_a_vote_for_another_winner_speaks_against_it() -> None:
    # (.8 + (1 - .6)) / 2
    assert stated([vote(SECOND, 0.8), vote(FIRST, 0.6)], SECOND) == pytest.approx(0.6)
    assert stated([vote(SECOND, 0.8), vote(FIRST, 0.8)], SECOND) == pytest.approx(0.5)


def test_votes_that_tell_no_confidence_are_left_out() -> None:
    assert stated([vote(FIRST, 0.9), vote(FIRST), vote(None)], FIRST) == 0.9
    assert stated([vote(FIRST), vote(None)], FIRST) is None


def test_evidence_is_the_share_of_quotes_that_stand_in_a_response() -> None:
    said = vote(
        FIRST, rationale='A says "the axis is tilted", B claims "the sun is hotter" and "it is the distance".'
    )
    assert quotes_of(said) == ["the axis is tilted", "the sun is hotter", "it is the distance"]
    assert evidence([said], PAIR) == pytest.approx(2 / 3)


def test_a_list_of_evidence_goes_before_quotation_marks() -> None:
    listed = [{"response": "A", "quote": "axis is tilted"}, "no such words here", {"other": 1}, ""]
    raw = "```json\n" + json.dumps({"evidence": listed, "winner": "A"}) + "\n```"
    said = vote(FIRST, rationale='"It is the distance."', raw=raw)
    assert quotes_of(said) == ["axis is tilted", "no such words here"]
    assert evidence([said], PAIR) == 0.5


def test_words_in_quotation_marks_are_no_evidence() -> None:
    assert quotes_of(vote(FIRST, rationale='A is "better" and "more apt".')) == []
    assert evidence([vote(FIRST)], PAIR) is None
    assert quotes_of(vote(FIRST, raw='{"evidence": [cut')) == []


def test_each_source_reads_what_is_its_own() -> None:
    votes = (vote(FIRST, 0.9), vote(FIRST, 0.7))
    one = outcome(*votes, prediction=Preference(FIRST, 0.6))
    found = {source: confidence_of(source, PAIR, one) for source in Source}
    assert found == {
        Source.FINAL: 0.6,
        Source.VERBALISED: pytest.approx(0.8),
        Source.LOGPROB: None,
        Source.CONSISTENCY: 1.0,
        Source.PANEL_SHARE: None,
        Source.MARGIN: None,
        Source.EVIDENCE: None,
    }


def test_confidence_by_log_probabilities_is_not_what_a_judge_says() -> None:
    told = outcome(vote(FIRST, 0.9), prediction=Preference(FIRST), **{ELICITED: "logprob"})
    assert confidence_of(Source.LOGPROB, PAIR, told) == 0.9
    assert confidence_of(Source.VERBALISED, PAIR, told) is None
    assert confidence_of(Source.FINAL, PAIR, told) is None


def test_a_panel_s_votes_are_counted_over_judges_and_samples_are_one_judge_s() -> None:
    panel = outcome(
        vote(FIRST, judge="a"), vote(SECOND, judge="b"), vote(FIRST, judge="c"), prediction=Preference(FIRST)
    )
    assert confidence_of(Source.PANEL_SHARE, PAIR, panel) == pytest.approx(2 / 3)
    assert confidence_of(Source.CONSISTENCY, PAIR, panel) is None
    samples = outcome(
        vote(FIRST, judge="a"), vote(FIRST, judge="a, replicate 1"), prediction=Preference(FIRST)
    )
    assert confidence_of(Source.CONSISTENCY, PAIR, samples) == 1.0


def test_of_a_cascade_the_votes_of_the_stage_that_decided_count() -> None:
    made = outcome(
        vote(SECOND, judge="cheap: a"),
        vote(FIRST, judge="strong: b"),
        vote(FIRST, judge="strong: b"),
        prediction=Preference(FIRST),
        cascade={"decided_by": "strong", "stages": []},
    )
    assert confidence_of(Source.CONSISTENCY, PAIR, made) == 1.0


def test_no_prediction_has_no_confidence() -> None:
    none = outcome(vote(FIRST, 0.9), vote(FIRST, 0.9), prediction=Unscored(Reason.ESCALATED))
    assert {confidence_of(source, PAIR, none) for source in Source} == {None}


def scored(total: float | None, *quotes: str) -> dict[str, object]:
    """A response of `method=direct`, as `detail.direct` has it."""
    return {"total": total, "criteria": [{"criterion": "Truth", "evidence": list(quotes)}]}


def test_the_margin_is_half_plus_half_of_the_winner_s_lead() -> None:
    # totals .8 and .5: (1 + .3) / 2; a winner that is behind (a tie that was broken otherwise) loses as much
    apart = [scored(0.8), scored(0.5)]
    for winner, expected in ((FIRST, 0.65), (SECOND, 0.35), (TIE, 0.5)):
        made = outcome(vote(winner), prediction=Preference(winner), direct=apart)
        assert confidence_of(Source.MARGIN, PAIR, made) == pytest.approx(expected)


def test_methods_on_claims_and_recorded_ratings_have_a_margin_too() -> None:
    claims = outcome(vote(SECOND), prediction=Preference(SECOND), scores=[0.25, 1.0])
    assert confidence_of(Source.MARGIN, PAIR, claims) == pytest.approx(0.875)
    # 6 and 1 of 10, in both orders: (1 + .5) / 2
    votes = (vote(FIRST, raw='["6","1"]'), vote(FIRST, raw='["6","1"]'))
    assert confidence_of(Source.MARGIN, PAIR, outcome(*votes, prediction=Preference(FIRST))) == 0.75


@pytest.mark.parametrize("raw", ['["6","none"]', '["6"', '["6","1","2"]', '["11","1"]', "Output (a)", ""])
def test_what_is_no_pair_of_scores_has_no_margin(raw: str) -> None:
    assert (
        confidence_of(Source.MARGIN, PAIR, outcome(vote(FIRST, raw=raw), prediction=Preference(FIRST)))
        is None
    )
    failed = outcome(vote(FIRST), prediction=Preference(FIRST), scores=[None, 1.0])
    assert confidence_of(Source.MARGIN, PAIR, failed) is None


def test_evidence_of_direct_scoring_has_to_stand_in_the_response_that_it_is_of() -> None:
    # "it is the distance" stands in the other response: 2 of 4
    apart = [
        scored(1.0, "the axis is tilted", "it is the distance"),
        scored(0.0, "It is the distance.", "The sun is hot.", " "),
    ]
    made = outcome(vote(FIRST, rationale='"the axis is tilted"'), prediction=Preference(FIRST), direct=apart)
    assert confidence_of(Source.EVIDENCE, PAIR, made) == 0.5


def test_evidence_of_which_nothing_stands_is_zero_and_none_is_read_from_the_reasons() -> None:
    wrong = [scored(1.0, "no such words"), scored(0.0)]
    said = vote(FIRST, rationale='"the axis is tilted"')
    made = outcome(said, prediction=Preference(FIRST), direct=wrong)
    assert confidence_of(Source.EVIDENCE, PAIR, made) == 0.0
    nothing = outcome(said, prediction=Preference(FIRST), direct=[scored(1.0), scored(0.0)])
    assert confidence_of(Source.EVIDENCE, PAIR, nothing) == 1.0
