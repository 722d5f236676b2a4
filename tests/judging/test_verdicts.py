"""Pure reduction: claims to verdicts, scores and winners."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.judging.verdicts import Reduction, higher, plurality, score
from venire.records import ClaimJudgment, Verdict, Winner

A, R, U = Verdict.ACCEPT, Verdict.REJECT, Verdict.UNCERTAIN
LETTER = {"a": A, "r": R, "u": U, "-": None}


def judgments(letters: str) -> list[ClaimJudgment]:
    return [ClaimJudgment(f"j{seat}", 0, LETTER[letter]) for seat, letter in enumerate(letters)]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("aaaar", A),
        ("rruaa", A),  # 2:2:1, the strongest (j3) said accept, one of the tied
        ("rrura", R),
        ("aarru", R),
        ("a----", A),
        ("ar---", U),  # the strongest judge gave none
        ("aru--", U),
        ("-----", None),
        ("", None),
    ],
)
def test_plurality_with_ties_by_the_strongest_judge(letters: str, expected: Verdict | None) -> None:
    assert plurality(judgments(letters), "j3") is expected


def test_a_tie_without_the_strongest_judge_s_verdict_among_the_tied_is_uncertain() -> None:
    # accept and reject tie 2:2; j4, the strongest, said uncertain.
    assert plurality(judgments("aarru"), "j4") is U


@given(st.text("aru-", max_size=7))
def test_the_order_of_the_judgments_changes_nothing(letters: str) -> None:
    given_ = judgments(letters)
    assert plurality(given_, "j1") is plurality(list(reversed(given_)), "j1")


@pytest.mark.parametrize(
    ("verdicts", "weakest_link", "strict"),
    [
        ([A, A, A], 1.0, 1.0),
        ([A, A, A, R], 0.75, 0.0),  # 1 - 1/4
        ([A, A, U, R], 0.625, 0.0),  # 1 - 1.5/4
        ([A, U], 0.75, 0.5),
        ([R], 0.0, 0.0),
        ([U], 0.5, 0.5),
        ([A, None, R], 0.5, 0.0),  # nobody ruled on the second: 1 - 1/2
        ([], None, None),
        ([None], None, None),
    ],
)
def test_scores(verdicts: list[Verdict | None], weakest_link: float | None, strict: float | None) -> None:
    assert score(verdicts, Reduction.WEAKEST_LINK) == weakest_link
    assert score(verdicts, Reduction.STRICT) == strict


@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 7))
def test_equal_shares_give_equal_scores(accepted: int, rejected: int, factor: int) -> None:
    few = [A] * accepted + [R] * rejected
    assert score(few, Reduction.WEAKEST_LINK) == score(few * factor, Reduction.WEAKEST_LINK)


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        (0.5, 0.4, Winner.FIRST),
        (0.0, 0.1, Winner.SECOND),
        (0.5, 0.5, Winner.TIE),
        (None, 0.9, Winner.TIE),
        (0.9, None, Winner.TIE),
        (None, None, Winner.TIE),
    ],
)
def test_the_higher_score_wins_and_an_undefined_one_is_a_tie(
    first: float | None, second: float | None, winner: Winner
) -> None:
    assert higher(first, second) is winner
