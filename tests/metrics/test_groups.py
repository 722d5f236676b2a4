"""Stakeholder groups before and after their debate, and variants of the sum."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.metrics.rating_worlds import Column, given, rated, rates, run

from venire.records import Outcome, Reason, Unscored

GOLD = {"fluency": (0, 1, 1, 2, 2), "pio": (1, 2, 3, 4, 5)}
UP, DOWN = {"pio": (1, 2, 3, 4, 5)}, {"pio": (5, 4, 3, 2, 1)}
FLAT = {"fluency": (1, 1, 1, 1, 1), "pio": (1, 2, 3, 4, 6)}


def debated(**details: Mapping[str, Mapping[str, Column]]) -> list[Outcome]:
    """Outcomes whose `detail[key][group]` are the rows of columns."""
    return [
        replace(
            outcome,
            detail={
                key: {name: given(index, columns) for name, columns in groups.items()}
                for key, groups in details.items()
            },
        )
        for index, outcome in enumerate(rates(GOLD))
    ]


def test_each_group_is_measured_before_and_after_its_debate():
    made = run(
        rated(GOLD),
        debated(
            groups={"clinicians": {**UP, "fluency": GOLD["fluency"]}, "patients": UP},
            groups_before={"clinicians": {**DOWN, "fluency": GOLD["fluency"]}, "patients": UP},
        ),
    )
    metrics = made.metrics
    assert metrics["group/clinicians/spearman/pio"] == pytest.approx(1.0)
    assert metrics["group_before/clinicians/spearman/pio"] == pytest.approx(-1.0)
    assert metrics["group_change/clinicians/spearman/pio"] == pytest.approx(2.0)
    assert metrics["group/clinicians/spearman/mean"] == pytest.approx(1.0)
    assert metrics["group_change/clinicians/spearman/mean"] == pytest.approx(1.0)
    # |1| and |-1| have one mean: the absolute figure does not see that the debate turned the group round.
    assert metrics["group_change/clinicians/abs_spearman/mean"] == pytest.approx(0.0)
    assert metrics["group/patients/kendall/pio"] == pytest.approx(1.0)
    assert metrics["group/patients/coverage"] == 1.0


def test_a_dimension_that_a_group_does_not_rate_is_not_measured_nor_is_a_mean_without_it():
    metrics = run(rated(GOLD), debated(groups={"patients": UP})).metrics
    assert "group/patients/spearman/fluency" not in metrics
    assert "group/patients/spearman/mean" not in metrics
    assert not [name for name in metrics if name.startswith(("group_before/", "group_change/"))]


def test_a_constant_group_is_nan_with_its_reason():
    made = run(rated(GOLD), debated(groups={"lawyers": FLAT}, groups_before={"lawyers": FLAT}))
    assert math.isnan(made.metrics["group/lawyers/spearman/fluency"])
    assert made.notes["group/lawyers/spearman/fluency"].startswith("undefined: ratings are all 1")
    assert math.isnan(made.metrics["group_change/lawyers/spearman/mean"])
    assert made.notes["group_change/lawyers/spearman/mean"].startswith(
        "undefined: fluency: ratings are all 1"
    )


def test_a_group_that_failed_on_an_item_has_no_rating_there():
    outcomes = debated(groups={"patients": UP})
    outcomes[0] = replace(outcomes[0], detail={"groups": {"patients": None}})
    outcomes[1] = Outcome("i001", Unscored(Reason.UNPARSED))
    outcomes[2] = replace(outcomes[2], detail={"groups": {"patients": {"pio": None}}})
    metrics = run(rated(GOLD), outcomes).metrics
    assert metrics["group/patients/coverage"] == pytest.approx(0.4)
    assert metrics["group/patients/spearman/pio"] == pytest.approx(1.0)


def test_variants_of_the_sum_stand_under_their_own_name():
    made = run(rated(GOLD), debated(variants={"mean_of_groups": GOLD, "mean_of_agents": {**GOLD, **DOWN}}))
    assert made.metrics["mean_of_groups/spearman/pio"] == pytest.approx(1.0)
    assert made.metrics["mean_of_agents/spearman/pio"] == pytest.approx(-1.0)
    assert made.metrics["mean_of_agents/abs_spearman/mean"] == pytest.approx(1.0)
    assert "mean_of_agents/spearman/pio/ci_low" not in made.metrics


def test_an_agents_own_dimension_is_not_measured():
    metrics = run(rated(GOLD), debated(groups={"patients": {**UP, "plain_words": (1, 2, 3, 4, 5)}})).metrics
    assert not [name for name in metrics if "plain_words" in name]


def test_names_that_metrics_cannot_have_are_replaced_and_kept_apart():
    metrics = run(rated(GOLD), debated(groups={"a&b": UP, "a+b": DOWN})).metrics
    assert metrics["group/a_b/spearman/pio"] == pytest.approx(1.0)
    assert metrics["group/a_b_2/spearman/pio"] == pytest.approx(-1.0)


def test_a_method_without_groups_has_none():
    metrics = run(rated(GOLD), rates(GOLD)).metrics
    assert not [name for name in metrics if name.startswith(("group", "mean_of"))]
