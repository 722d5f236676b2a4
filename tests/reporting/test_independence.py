import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest

from venire.metrics.estimators import Estimator
from venire.metrics.independence import Independence, independence_of
from venire.metrics.join import CODE
from venire.metrics.panel import bench_of
from venire.records import BackendKind, Order, Outcome, Preference, Vote, Winner
from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.heat_map import heat_map
from venire.reporting.independence import (
    as_json,
    draw,
    errors_table,
    long_table,
    summary_table,
    without_table,
)
from venire.reporting.table import Format
from venire.stats.intervals import Resampler

PATTERN = {"a": "1112", "b": "1122", "c": "1212"}  # gold is 1 throughout


def views() -> list[Independence]:
    """Three judges on four items in both orders, the same verdicts in each."""
    outcomes = []
    for item in range(4):
        votes = tuple(
            Vote(judge, order, Preference(Winner.FIRST if said[item] == "1" else Winner.SECOND, None))
            for judge, said in PATTERN.items()
            for order in Order
        )
        outcomes.append(Outcome(f"i{item}", votes[0].prediction, {}, votes))
    drawn = Resampler.draw(np.arange(4), 50, np.random.default_rng(0))
    gold = np.full(4, CODE[Winner.FIRST])
    return independence_of(bench_of(outcomes), Estimator(gold, drawn, 0.95))


def test_the_summary_has_a_column_an_order_and_says_how_the_expectation_is_made(make_record) -> None:
    table = summary_table(make_record(metrics={"accuracy/as_given": 0.7, "accuracy/swapped": 0.8}), views())
    assert table.columns == ("", "as given", "swapped", "mean of the orders")
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["majority of the judges"][0].value == 0.75
    assert rows["majority, if independent"][0].value == pytest.approx(10 / 16)  # shares 3/4, 1/2, 1/2
    assert [cell.value for cell in rows["the run's own verdict, accuracy"]] == [0.7, 0.8, 0.75]
    assert "best single judge (a)" in rows
    assert any("Poisson binomial" in sentence for sentence in table.footer)
    assert "Within subsets: undefined: the items have fewer than two subsets." in table.footer


def test_simulated_judges_are_named_as_such(make_record) -> None:
    assert any(
        "SIMULATED" in each for each in summary_table(make_record(kind=BackendKind.SIMULATED), views()).footer
    )


def test_the_matrix_is_symmetric_with_an_empty_diagonal() -> None:
    rows = errors_table(views()[0]).rows
    assert [rows[i][i + 1] for i in range(3)] == ["", "", ""]
    assert rows[0][2] == rows[1][1]
    assert rows[0][2].text() == "0.577"


def test_a_row_a_judge_left_out() -> None:
    rows = without_table(views()[0]).rows
    assert [row[0] for row in rows] == ["a", "b", "c"]
    assert [cell.value for cell in rows[0][1:5]] == [0.75, 0.25, 0.5, -0.25]


def test_csv_has_a_row_a_number_with_all_digits(make_record) -> None:
    text = long_table(make_record(), views()).render(Format.CSV)
    rows = list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))
    (gap,) = [r for r in rows if r["view"] == "as_given" and r["statistic"] == "independence_gap"]
    assert float(gap["value"]) == 0.125
    pairs = [r for r in rows if r["view"] == "as_given" and r["other judge"]]
    assert [(r["judge"], r["other judge"]) for r in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_json_has_null_where_a_number_is_undefined(make_record) -> None:
    numbers = as_json(make_record(), views())["numbers"]
    assert isinstance(numbers, list)
    (within,) = [
        n for n in numbers
        if n["view"] == "as_given" and n["statistic"] == "independent_accuracy_within_subsets"
    ]  # fmt: skip
    assert within["value"] is None
    assert within["note"] == "undefined: the items have fewer than two subsets"


def test_heat_maps_are_drawn_for_each_order_and_say_what_answered(make_record, tmp_path: Path) -> None:
    paths = draw(make_record(kind=BackendKind.SIMULATED), views(), tmp_path / "x")
    assert [path.name for path in paths] == [
        f"x_{view}.{ending}"
        for view in ("as_given", "swapped", "mean_of_the_orders")
        for ending in ("svg", "pdf", "png")
    ]
    text = paths[0].read_text(encoding="utf-8")
    assert SIMULATED in text
    assert "a (0.750)" in text
    assert text.count(">0.58<") == 4  # a with b and with c, on either side of the diagonal


def test_the_same_matrix_gives_the_same_file_and_an_undefined_cell_is_a_dash(tmp_path: Path) -> None:
    matrix = np.array([[1.0, math.nan], [math.nan, 1.0]])
    one, two = (
        heat_map(matrix, ["a", "b"], Captions("t", "", ""), tmp_path / name)[0] for name in ("p", "q")
    )
    assert one.read_bytes() == two.read_bytes()
    assert one.read_text(encoding="utf-8").count(">–<") == 2
