"""Votes: a panel's to one prediction, two orders' to one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.judging.votes import MajorityRule, TieRule, both_orders, count_votes, final, position_consistent
from venire.records import Order, Prediction, Preference, Ratings, Reason, Unscored, Vote, Winner

FIRST, SECOND, TIE = Winner.FIRST, Winner.SECOND, Winner.TIE
SAID = {
    "1": Preference(FIRST, 0.9),
    "2": Preference(SECOND),
    "t": Preference(TIE),
    "-": Unscored(Reason.UNPARSED),
}


def votes(said: str) -> list[Vote]:
    """`12t-`: judge j0 votes for the first, j1 for the second, j2 for a tie, j3's reply was unusable."""
    return [Vote(f"j{i}", Order.AS_GIVEN, SAID[each]) for i, each in enumerate(said)]


def verdict(
    said: str,
    *,
    strongest: str = "j0",
    rule: MajorityRule = MajorityRule.PLURALITY,
    tie_rule: TieRule = TieRule.UNSCORED,
) -> Prediction:
    return count_votes(votes(said), strongest=strongest, rule=rule, tie_rule=tie_rule).prediction


def reason(prediction: Prediction) -> Reason:
    assert isinstance(prediction, Unscored)
    return prediction.reason


@pytest.mark.parametrize(
    ("said", "winner", "share"),
    [
        ("1", FIRST, 1.0),  # n = 1
        ("11111", FIRST, 1.0),
        ("11222", SECOND, 3 / 5),
        ("12t22", SECOND, 3 / 5),
        ("1tt", TIE, 2 / 3),
        ("1-", FIRST, 1.0),  # an unusable reply is no vote
        ("112-t", FIRST, 2 / 4),  # 2 of 4 usable votes, 1 each for the others
        ("1---", FIRST, 1.0),
    ],
)
def test_the_winner_with_most_usable_votes_wins_with_its_share_as_confidence(
    said: str, winner: Winner, share: float
) -> None:
    assert verdict(said) == Preference(winner, pytest.approx(share))


@pytest.mark.parametrize("said", ["12", "1-2", "1122", "12t", "1122-"])
def test_equal_counts_are_no_majority(said: str) -> None:
    for rule in MajorityRule:
        assert reason(verdict(said, rule=rule)) is Reason.NO_MAJORITY


def test_correct_unparsed_incorrect_has_no_majority_under_any_rule_but_the_tie_rules() -> None:
    assert reason(verdict("1-2")) is Reason.NO_MAJORITY
    assert verdict("1-2", tie_rule=TieRule.TIE) == Preference(TIE, 0.5)
    assert verdict("1-2", tie_rule=TieRule.STRONGEST) == Preference(FIRST, 0.5)
    # The strongest judge is the one without a vote: it breaks nothing.
    assert reason(verdict("1-2", tie_rule=TieRule.STRONGEST, strongest="j1")) is Reason.NO_MAJORITY


def test_the_strongest_judge_breaks_a_tie_only_among_the_leading() -> None:
    assert verdict("t1122", strongest="j1", tie_rule=TieRule.STRONGEST) == Preference(FIRST, 2 / 5)
    assert verdict("t1122", strongest="j3", tie_rule=TieRule.STRONGEST) == Preference(SECOND, 2 / 5)
    # j0 voted for a tie, which has 1 vote where the leading have 2.
    assert reason(verdict("t1122", strongest="j0", tie_rule=TieRule.STRONGEST)) is Reason.NO_MAJORITY


@pytest.mark.parametrize("tie_rule", TieRule)
def test_a_majority_is_never_overruled_by_the_strongest_judge(tie_rule: TieRule) -> None:
    assert verdict("122", strongest="j0", tie_rule=tie_rule) == Preference(SECOND, pytest.approx(2 / 3))


def test_an_absolute_majority_needs_more_than_half_of_all_judges() -> None:
    absolute = MajorityRule.ABSOLUTE
    assert verdict("111-2", rule=absolute) == Preference(FIRST, 3 / 4)
    # 2 of 5 judges lead, but are not more than 2.5; 2 of 4 are not more than 2.
    assert reason(verdict("11-2t", rule=absolute)) is Reason.NO_MAJORITY
    assert reason(verdict("11--", rule=absolute)) is Reason.NO_MAJORITY
    assert verdict("11-2t", rule=absolute, tie_rule=TieRule.STRONGEST) == Preference(FIRST, 2 / 4)
    led_by_another = verdict("11-2t", rule=absolute, tie_rule=TieRule.STRONGEST, strongest="j3")
    assert reason(led_by_another) is Reason.NO_MAJORITY


@pytest.mark.parametrize("tie_rule", TieRule)
@pytest.mark.parametrize("said", ["", "-", "---"])
def test_no_usable_vote_is_no_answer_whatever_the_tie_rule(said: str, tie_rule: TieRule) -> None:
    assert reason(verdict(said, tie_rule=tie_rule)) is Reason.NO_VOTES


def test_the_count_says_whether_the_votes_alone_decided() -> None:
    counted = count_votes(
        votes("112-"), strongest="j0", rule=MajorityRule.PLURALITY, tie_rule=TieRule.STRONGEST
    )
    assert counted.majority
    assert counted.by_winner == {FIRST: 2, SECOND: 1}
    broken = count_votes(votes("12"), strongest="j0", rule=MajorityRule.PLURALITY, tie_rule=TieRule.STRONGEST)
    assert not broken.majority
    assert broken.prediction == Preference(FIRST, 0.5)


@given(
    st.text("12t-", max_size=7).flatmap(
        lambda said: st.tuples(st.just(votes(said)), st.permutations(votes(said)))
    ),
    st.sampled_from(MajorityRule),
    st.sampled_from(TieRule),
)
def test_the_order_of_the_judges_changes_nothing(
    both: tuple[list[Vote], list[Vote]], rule: MajorityRule, tie_rule: TieRule
) -> None:
    one, other = (count_votes(each, strongest="j1", rule=rule, tie_rule=tie_rule) for each in both)
    assert one == other


@given(st.text("12t-", max_size=7), st.sampled_from(MajorityRule), st.sampled_from(TieRule))
def test_swapping_the_responses_swaps_the_verdict(said: str, rule: MajorityRule, tie_rule: TieRule) -> None:
    mirrored = said.translate(str.maketrans("12", "21"))
    one = verdict(said, rule=rule, tie_rule=tie_rule)
    other = verdict(mirrored, rule=rule, tie_rule=tie_rule)
    if isinstance(one, Preference) and isinstance(other, Preference):
        assert Order.SWAPPED.winner(Order.AS_GIVEN.slot(one.winner)) is other.winner
        assert one.confidence == other.confidence
    else:
        assert reason(one) is reason(other)


def test_the_guide_s_example_agreeing_passes_give_the_winner_with_mean_confidence() -> None:
    # papers/advanced-evaluation, example 2: B .8 with A first; "A" .6 with B first, which is B .6.
    first = Preference(Order.AS_GIVEN.winner(Order.AS_GIVEN.slot(SECOND)), 0.8)
    mapped = Preference(Order.SWAPPED.winner(Order.SWAPPED.slot(SECOND)), 0.6)
    assert Order.SWAPPED.slot(SECOND) == "A"
    assert both_orders(first, mapped) == Preference(SECOND, pytest.approx(0.7))
    assert position_consistent({Order.AS_GIVEN: first, Order.SWAPPED: mapped}) is True


@pytest.mark.parametrize(("one", "other"), [(FIRST, SECOND), (SECOND, FIRST), (FIRST, TIE), (TIE, SECOND)])
def test_disagreeing_passes_are_a_tie_with_confidence_one_half(one: Winner, other: Winner) -> None:
    passes = {Order.AS_GIVEN: Preference(one, 0.9), Order.SWAPPED: Preference(other, 0.9)}
    assert final(passes) == Preference(TIE, 0.5)
    assert position_consistent(passes) is False


def test_two_ties_agree() -> None:
    assert both_orders(Preference(TIE, 0.4), Preference(TIE, 0.8)) == Preference(TIE, pytest.approx(0.6))


def test_a_mean_confidence_needs_both() -> None:
    assert both_orders(Preference(FIRST, 0.9), Preference(FIRST)) == Preference(FIRST, None)


def test_half_a_comparison_is_no_answer() -> None:
    missing = Unscored(Reason.TRUNCATED, "cut after 9 characters")
    passes = {Order.AS_GIVEN: Preference(FIRST, 0.9), Order.SWAPPED: missing}
    assert final(passes) == Unscored(Reason.TRUNCATED, "swapped: cut after 9 characters")
    assert position_consistent(passes) is None
    assert both_orders(missing, Unscored(Reason.REFUSED)) == Unscored(
        Reason.TRUNCATED, "as_given: cut after 9 characters"
    )


def test_one_order_alone_is_final_and_its_consistency_unknown() -> None:
    only = {Order.SWAPPED: Preference(FIRST, 0.9)}
    assert final(only) == Preference(FIRST, 0.9)
    assert position_consistent(only) is None


def test_ratings_are_no_pass_of_a_comparison() -> None:
    with pytest.raises(TypeError, match="Ratings"):
        both_orders(Ratings({"fluency": 2.0}), Preference(FIRST))
