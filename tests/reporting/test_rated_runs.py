"""Runs on human ratings in comparisons, tables and sheets."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from scipy import stats

from venire.errors import RunError
from venire.records import (
    OVERALL,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    RunStatus,
    Unscored,
    Winner,
)
from venire.reporting.compare import compare
from venire.reporting.pairing import Run
from venire.reporting.rated_pairing import Gap, gap_line, mean_difference
from venire.reporting.run_sheet import run_sheet
from venire.reporting.runs_table import runs_table
from venire.reporting.sweep_table import sweep_table
from venire.runs import OutcomeRow
from venire.stats.correlation import Coefficient
from venire.stats.dependent import compare_dependent
from venire.stats.estimate import Estimate

GOLD = {"fluency": (0, 1, 2, 2, 1, 0), "pio": (1, 2, 3, 4, 5, 6)}
UP, DOWN = GOLD["pio"], (6, 5, 4, 3, 2, 1)
Column = Sequence[float | None]


def rows(
    said: Mapping[str, Column], gold: Mapping[str, Column] = GOLD, cluster: str = ""
) -> dict[str, OutcomeRow]:
    """A row an item; an item without any rating is unscored."""
    made = {}
    for i in range(len(next(iter(gold.values())))):
        own = {name: value for name, column in said.items() if (value := column[i]) is not None}
        human = {name: value for name, column in gold.items() if (value := column[i]) is not None}
        prediction: Prediction = Ratings(own) if own else Unscored(Reason.UNPARSED)
        made[f"i{i:03d}"] = OutcomeRow(f"i{i:03d}", "", cluster[i : i + 1], RatingsGold(human), prediction)
    return made


@pytest.fixture
def make_run(make_record) -> Callable[..., Run]:
    def make(made: dict[str, OutcomeRow], arm: str = "base", **changes) -> Run:
        metrics = {"accuracy": math.nan, "n/fluency": 6.0, "n/pio": 6.0, **changes.pop("metrics", {})}
        tags = {"dimensions": "fluency, pio", **changes.pop("tags", {})}
        return Run(make_record(arm, arm=arm, metrics=metrics, tags=tags, **changes), made)

    return make


def gap_of(gaps: Sequence[Gap], coefficient: Coefficient, dimension: str) -> Gap:
    return next(gap for gap in gaps if (gap.coefficient, gap.dimension) == (coefficient, dimension))


def test_correlations_with_the_same_humans_are_compared_on_the_items_that_both_rated(make_run) -> None:
    rng = np.random.default_rng(3)
    human = rng.integers(0, 7, 60).astype(float)
    first, second = (np.clip(human + rng.normal(scale=scale, size=60).round(), 0, 6) for scale in (3, 1))
    lacking = [None if i == 0 else value for i, value in enumerate(first)]
    gold = {"pio": tuple(human)}
    (pair,) = compare(
        [make_run(rows({"pio": lacking}, gold)), make_run(rows({"pio": second}, gold), "b")]
    ).rated
    assert (pair.common, pair.left_out, pair.lacking) == (60, 0, {"pio": 1})
    gap = gap_of(pair.gaps, Coefficient.PEARSON, "pio")
    one, two, between = (
        stats.pearsonr(*sides).statistic
        for sides in ((first[1:], human[1:]), (second[1:], human[1:]), (first[1:], second[1:]))
    )
    assert (gap.first, gap.second) == pytest.approx((one, two))
    assert gap.difference.value == pytest.approx(two - one)
    assert gap.difference.low < two - one < gap.difference.high
    expected = compare_dependent(one, two, between, 59)
    assert gap.test is not None
    assert (gap.test.z, gap.test.low, gap.test.n) == pytest.approx((expected.z, expected.low, 59))
    assert gap_of(pair.gaps, Coefficient.KENDALL, "pio").test is None


def test_the_mean_is_over_what_judges_rate(make_run) -> None:
    gold = {**GOLD, "average": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}
    up = {"fluency": GOLD["fluency"], "pio": UP, OVERALL: UP}
    down = {**up, "pio": DOWN, OVERALL: DOWN}
    (pair,) = compare([make_run(rows(up, gold)), make_run(rows(down, gold), "b")]).rated
    mean = gap_of(pair.gaps, Coefficient.SPEARMAN, "mean")
    assert (mean.first, mean.second) == pytest.approx((1.0, 0.0))
    # `average`, which nobody is asked for, is measured by the score of the whole and in no mean.
    average = gap_of(pair.gaps, Coefficient.SPEARMAN, "average")
    assert (average.first, average.second) == pytest.approx((1.0, -1.0))
    assert [gap.dimension for gap in pair.gaps][:4] == ["fluency", "pio", "average", "mean"]


def test_whole_documents_are_resampled(make_run) -> None:
    rng = np.random.default_rng(1)
    human = np.repeat(rng.integers(0, 7, 15), 4).astype(float)
    first, second = (np.repeat(rng.integers(0, 7, 15), 4).astype(float) for _ in range(2))
    gold = {"pio": tuple(human)}
    documents = "".join(chr(65 + i) * 4 for i in range(15))
    widths = []
    for cluster in ("", documents):
        pair = compare(
            [make_run(rows({"pio": side}, gold, cluster), arm) for arm, side in (("a", first), ("b", second))]
        ).rated[0]
        found = gap_of(pair.gaps, Coefficient.SPEARMAN, "pio").difference
        widths.append(found.high - found.low)
    assert widths[1] > 1.5 * widths[0]


def test_a_constant_method_has_no_difference_and_the_reason(make_run) -> None:
    flat = make_run(rows({"fluency": GOLD["fluency"], "pio": (3,) * 6}), "flat")
    (pair,) = compare([make_run(rows({"fluency": GOLD["fluency"], "pio": UP})), flat]).rated
    line = gap_line(gap_of(pair.gaps, Coefficient.SPEARMAN, "pio"))
    assert line == ("spearman pio: no difference: ratings are all 3, so nothing can go along with them")
    assert "no difference: pio: ratings are all 3" in gap_line(gap_of(pair.gaps, Coefficient.KENDALL, "mean"))


def test_a_line_says_both_values_the_interval_and_the_tests() -> None:
    found = Estimate(0.2, 0.05, 0.35, 50)
    test = compare_dependent(0.1, 0.3, 0.5, 50)
    line = gap_line(Gap("pio", Coefficient.PEARSON, 0.1, 0.3, found, test))
    assert line.startswith("pearson pio: 0.100 and 0.300, difference 0.200 [0.050, 0.350]; Steiger z 1.4")
    assert ", Zou [" in line
    untested = gap_line(Gap("pio", Coefficient.KENDALL, 0.1, 0.3, found))
    assert untested == "kendall pio: 0.100 and 0.300, difference 0.200 [0.050, 0.350]"
    perfect = gap_line(Gap("pio", Coefficient.PEARSON, 1.0, 0.3, found, compare_dependent(1.0, 0.3, 0.3, 50)))
    assert perfect.endswith("no Steiger test: a correlation of 1 has no Fisher z")


def test_a_run_on_ratings_and_one_on_preferences_are_not_compared(make_run) -> None:
    row = OutcomeRow("i000", "", "", PreferenceGold(Winner.FIRST), Preference(Winner.FIRST))
    with pytest.raises(RunError, match=r"expected runs on preferences only, or on ratings only, got both"):
        compare([make_run(rows({"pio": UP})), make_run({"i000": row}, "b")])


def test_other_gold_is_refused(make_run) -> None:
    other = {**GOLD, "pio": (2, 2, 3, 4, 5, 6)}
    with pytest.raises(RunError, match=r"different gold for 1 of 6 common items, first 'i000'"):
        compare([make_run(rows({"pio": UP})), make_run(rows({"pio": UP}, other), "b")])


def test_missing_ratings_and_stopped_runs_are_said(make_run) -> None:
    whole = make_run(rows({"pio": UP}))
    bounds = {"spearman/pio/worst": 0.1, "spearman/pio/best": 0.9}
    part = make_run(
        rows({"pio": (None, *UP[1:])}),
        "b",
        metrics={"coverage": 5 / 6, **bounds},
        status=RunStatus.INCOMPLETE,
        error="no money",
    )
    warnings = " ".join(compare([whole, part]).warnings)
    assert "what it did not judge is left out" in warnings
    assert "ratings are missing: B rated 83.3% of the items" in warnings
    assert "pio in [0.100, 0.900]" in warnings


RATED = {
    "spearman/fluency": 0.1,
    "spearman/pio": -0.2,
    "spearman/pio/ci_low": -0.4,
    "spearman/pio/ci_high": 0.1,
    "spearman/mean": -0.05,
    "abs_spearman/mean": 0.15,
    "ceiling/spearman/pio": 0.6,
    "ceiling/n/pio": 39.0,
    "ceiling/spearman/fluency": math.nan,
    "ceiling/n/fluency": 1.0,
}


def test_a_table_has_a_column_for_each_dimension_the_means_and_the_ceiling_below(make_run) -> None:
    table = runs_table("t", [make_run(rows({"pio": UP}), metrics=RATED).record])
    assert table.columns[3:7] == ("rho fluency", "rho pio", "rho, mean", "|rho|, mean")
    shown = dict(
        zip(table.columns, (c if isinstance(c, str) else c.text() for c in table.rows[0]), strict=True)
    )
    assert (shown["rho pio"], shown["rho, mean"]) == ("-0.200 [-0.400, 0.100]", "-0.050")
    assert "accuracy" not in shown
    assert "Ceiling, one human against another (Spearman): pio 0.600 (n 39)." in table.footer


def test_a_sweep_on_ratings_is_compared_by_the_mean_of_the_correlations(make_run) -> None:
    up = {"fluency": GOLD["fluency"], "pio": UP}
    arms = [make_run(rows({**up, "pio": pio}), arm, metrics=RATED) for arm, pio in (("a", UP), ("b", DOWN))]
    table = sweep_table("t", arms)
    place = table.columns.index("Δ rho, mean")
    assert table.columns[place - 1] == "rho, mean"
    assert table.rows[0][place] == ""
    cell = table.rows[1][place]
    assert not isinstance(cell, str)
    assert cell.text().startswith("-1.000")
    assert mean_difference(arms[:1], arms[1:]).value == pytest.approx(-1.0)


def test_correlations_that_are_not_pooled_are_not_compared_in_a_sweep(make_run) -> None:
    params = {"metrics.correlation.grouping": "per_document"}
    arms = [make_run(rows({"pio": UP}), arm, metrics=RATED, params=params) for arm in ("a", "b")]
    assert "Δ rho, mean" not in sweep_table("t", arms).columns


def test_a_sheet_tells_each_correlation_with_its_ceiling_and_why_one_is_undefined(make_run) -> None:
    metrics = {**RATED, "spearman/fluency": math.nan, "kendall/fluency": 0.1, "kendall/pio": 0.1}
    metrics |= {"pearson/fluency": 0.1, "pearson/pio": 0.1}
    notes = {"spearman/fluency": "undefined: ratings are all 2", "abs_spearman/mean": "biased upward near 0"}
    sheet = run_sheet(make_run(rows({"pio": UP}), metrics=metrics, notes=notes).record)
    shown = {str(name): (value, note) for name, value, note in sheet.rows}
    assert shown["Spearman's rho, fluency (n 6)"] == ("–", "undefined: ratings are all 2")
    assert shown["Spearman's rho, pio (n 6)"] == ("-0.200 [-0.400, 0.100]", "human against human 0.600")
    assert shown["Spearman's rho, absolute mean"] == ("0.150", "biased upward near 0")
