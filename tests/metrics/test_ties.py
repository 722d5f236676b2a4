"""Ties among verdicts, and accuracy that does not count them as wrong."""

import math
from collections.abc import Callable, Sequence

from venire.metrics.measure import MetricSettings, measure
from venire.records import Instance, Outcome, Winner


def metrics(
    instances: Sequence[Instance], outcomes: Sequence[Outcome], labels: tuple[Winner, ...] = tuple(Winner)
) -> dict[str, float]:
    return dict(
        measure(instances, outcomes, labels=labels, seed=0, settings=MetricSettings(draws=50)).metrics
    )


def test_a_tie_is_half_right_and_is_left_out_of_what_is_decided(
    instances: Callable[..., list[Instance]], outcomes: Callable[..., list[Outcome]]
) -> None:
    # As given: right, wrong, tie, none. Swapped: right, right, tie, tie. Final as told.
    made = metrics(instances("1111"), outcomes("12t-", "11tt", "1tt-"))
    assert made["ties"] == 3 / 8
    assert made["ties/final"] == 2 / 4
    assert made["accuracy"] == 3 / 8
    assert made["accuracy/tie_half"] == (3 + 3 / 2) / 8
    assert made["accuracy/decided"] == 3 / 4
    assert made["accuracy/tie_half/ci_low"] < made["accuracy/tie_half"] < made["accuracy/tie_half/ci_high"]


def test_a_tie_that_the_gold_is_too_is_right(
    instances: Callable[..., list[Instance]], outcomes: Callable[..., list[Outcome]]
) -> None:
    made = metrics(instances("tt"), outcomes("t1", "t1"))
    assert made["accuracy/tie_half"] == made["accuracy"] == 0.5
    assert made["accuracy/decided"] == 0.0  # what is decided where the gold is a tie is not right


def test_nothing_but_ties_leaves_nothing_decided(
    instances: Callable[..., list[Instance]], outcomes: Callable[..., list[Outcome]]
) -> None:
    made = metrics(instances("12"), outcomes("tt", "tt"))
    assert math.isnan(made["accuracy/decided"])
    assert (made["ties"], made["accuracy/tie_half"]) == (1.0, 0.5)


def test_one_order_and_no_outcome_at_all(
    instances: Callable[..., list[Instance]], outcomes: Callable[..., list[Outcome]]
) -> None:
    made = metrics(instances("121"), outcomes("1t", ".."))
    assert made["ties"] == 1 / 3
    assert made["accuracy/tie_half"] == 1.5 / 3
    none = metrics(instances("12"), [])
    assert (none["ties"], none["accuracy/tie_half"]) == (0.0, 0.0)
    assert math.isnan(none["accuracy/decided"])
