"""What is reported beside the metrics of recorded judges."""

import math

import pytest

from venire.judging.judge import Judge, PromptedJudge, RecordedJudge, RecordedParser
from venire.metrics.recorded import recorded_metrics
from venire.records import (
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Response,
    Unscored,
    Vote,
    Winner,
)

ONE, TWO = Winner.FIRST, Winner.SECOND
JUDGE = RecordedJudge("GPT-4", "CoT")


def pair(name: str, label: Winner, subset: str = "Natural") -> Instance:
    return Instance(name, "?", (Response("a"), Response("b")), PreferenceGold(label), subset)


def verdict(name: str, as_given: Winner | None, swapped: Winner | None, raw: str = "") -> Outcome:
    by_order = {
        order: Unscored(Reason.UNPARSED) if winner is None else Preference(winner)
        for order, winner in zip(Order, (as_given, swapped), strict=True)
    }
    votes = tuple(Vote("GPT-4", order, by_order[order], raw=raw) for order in Order)
    return Outcome(name, by_order[Order.AS_GIVEN], by_order, votes)


FOUR = [pair("n1", ONE), pair("n2", ONE), pair("n3", TWO), pair("n4", TWO)]


def test_the_published_kappa_is_reported_by_subset_and_order_with_the_reason() -> None:
    # As given all right: po 2/4, pe 1/4, (1/4)/(3/4) = 1/3. Swapped all "2": nothing agrees, pe 0: 0.
    outcomes = [verdict(i.id, i.gold.winner, TWO) for i in FOUR if isinstance(i.gold, PreferenceGold)]
    measured = recorded_metrics([JUDGE], FOUR, outcomes)
    assert measured.metrics["published_kappa/Natural/as_given"] == pytest.approx(1 / 3)
    assert measured.metrics["published_kappa/Natural/swapped"] == 0
    assert "NOT Cohen's kappa" in measured.notes["published_kappa/Natural/as_given"]


def test_no_verdict_counts_like_a_2_as_in_the_source() -> None:
    instances = [*FOUR[:2], pair("m1", TWO, "Adversarial/Manual")]
    outcomes = [verdict("n1", ONE, ONE), verdict("n2", TWO, None), verdict("m1", TWO, TWO)]
    metrics = recorded_metrics([JUDGE], instances, outcomes).metrics
    # Natural: po 1/2, pe 1/2 * 1 = 1/2, so 0 in either order.
    assert {name: value for name, value in metrics.items() if name.startswith("published_kappa")} == {
        "published_kappa/Natural/as_given": 0,
        "published_kappa/Natural/swapped": 0,
        "published_kappa/Adversarial/Manual/as_given": 0,
        "published_kappa/Adversarial/Manual/swapped": 0,
    }


@pytest.mark.parametrize("outcomes", [[], [verdict("n1", ONE, ONE)]])
def test_an_undefined_published_kappa_is_nan(outcomes: list[Outcome]) -> None:
    metrics = recorded_metrics([JUDGE], FOUR[:1], outcomes).metrics
    assert math.isnan(metrics["published_kappa/Natural/as_given"])


@pytest.mark.parametrize(
    "judges",
    [
        [RecordedJudge("GPT-4", "CoT", RecordedParser.STRICT)],
        [JUDGE, RecordedJudge("ChatGPT", "CoT")],
    ],
)
def test_panels_and_strict_readings_have_no_published_kappa(judges: list[Judge]) -> None:
    metrics = recorded_metrics(judges, FOUR[:1], [verdict("n1", ONE, ONE)]).metrics
    assert set(metrics) == {
        "parser/votes",
        "parser/differs",
        "parser/instances_differing",
        "parser/both_patterns",
        "parser/rating_ties",
        "parser/unparsable_ratings",
    }


def test_votes_that_the_other_parser_reads_otherwise_are_counted() -> None:
    both = "Output (b) is better. No: Output (a) is better."
    metrics = recorded_metrics([JUDGE], FOUR[:1], [verdict("n1", ONE, TWO, both)]).metrics
    assert (metrics["parser/votes"], metrics["parser/differs"]) == (2, 2)


def test_nothing_is_reported_of_prompted_judges() -> None:
    prompted = PromptedJudge("gpt", "gpt", "openai")
    assert recorded_metrics([prompted], FOUR[:1], [verdict("n1", ONE, ONE)]).metrics == {}
