import math

import pytest

from venire.metrics.headline import (
    HEADLINE,
    decimals_of,
    dimensions_of,
    format_metric,
    higher_is_better,
    rated_columns,
)
from venire.records import BackendKind, RunRecord, RunStatus


def test_counts_of_a_cascade_are_whole_numbers():
    assert format_metric("cascade/escalated", 19.0) == "19"
    assert format_metric("cascade/stage/cheap/decided", 190.0) == "190"
    assert decimals_of("cascade/stage/cheap/reached") == 0
    assert format_metric("cascade/agreement", 0.75) == "0.750"


@pytest.mark.parametrize(
    ("metric", "better"),
    [
        ("accuracy/subset/Natural", True),
        ("kappa", True),
        ("judge/GPT-4/accuracy", True),
        ("coverage", True),
        ("spearman/fluency", True),
        ("abs_pearson/mean", True),
        ("group/clinicians/spearman/pio", True),
        ("mean_of_agents/kendall/mean", True),
        ("ceiling/spearman/pio", None),
        ("calls/paid", False),
        ("cost_usd/per_1000", False),
        ("unscored/total", False),
        ("latency_s/p95", False),
        ("calls/replayed", None),
        ("first_place_rate", None),
        ("panel/effective_votes", None),
        ("n", None),
    ],
)
def test_which_way_is_better(metric, better):
    assert higher_is_better(metric) is better


@pytest.mark.parametrize(
    ("metric", "value", "shown"),
    [
        ("accuracy", 0.81146, "0.811"),
        ("calls/paid", 12345.0, "12,345"),
        ("calls/per_instance", 3.6, "3.600"),
        ("cost_usd/per_1000", 1.239, "1.24"),
        ("cost_usd/billed", 0.00012, "0.0001"),
        ("unscored/refused", 4.0, "4"),
        ("panel/no_majority", 1.0, "1"),
        ("n/fluency", 598.0, "598"),
        ("not_applicable/pio", 2.0, "2"),
        ("spearman/fluency", -0.0661, "-0.066"),
        ("kappa", math.nan, "–"),
    ],
)
def test_how_numbers_are_shown(metric, value, shown):
    assert format_metric(metric, value) == shown


def test_the_headline_is_short_and_names_no_metric_twice():
    names = [headline.metric for headline in HEADLINE]
    assert len(set(names)) == len(names) == 10


@pytest.mark.parametrize(
    ("metric", "decimals"),
    [
        ("spearman/fluency", 3),
        ("accuracy/decided", 3),
        ("tokens/per_group_instance", 0),
        ("personas/tokens_per_document", 0),
        ("personas/cost_usd", 4),
        ("cost_usd/per_1000", 2),  # as the headline says
        ("cost_usd/input", 4),
        ("calls/per_instance", 1),
        ("calls/fixed", 0),
        ("latency_s/per_instance", 2),
    ],
)
def test_a_table_s_decimals_go_by_what_a_metric_counts(metric, decimals):
    assert decimals_of(metric) == decimals


def record(*names, dimensions=""):
    tags = {"dimensions": dimensions} if dimensions else {}
    return RunRecord(
        "r", "r", RunStatus.FINISHED, BackendKind.NONE, 0.0, 1.0, dict.fromkeys(names, 0.5), tags=tags
    )


def test_rated_runs_have_a_column_for_each_dimension_as_far_as_a_table_goes():
    run = record(
        "n", "n/average", "n/pio", "n/fluency", "spearman/pio", "accuracy", dimensions="pio, fluency"
    )
    assert dimensions_of(run) == ["pio", "fluency", "average"]
    assert [column.metric for column in rated_columns([run, record("n/pio")])] == [
        "spearman/pio",
        "spearman/fluency",
        "spearman/average",
    ]
    assert rated_columns([record("n", "accuracy")]) == ()
    assert rated_columns([record(*(f"n/d{i}" for i in range(7)))]) == ()
