"""The tables of a comparison; what they hold is tested in test_compare.py and test_rated_runs.py."""

import itertools
from collections.abc import Callable

import pytest
from tests.reporting.test_compare import rows

from venire.reporting.compare import compare
from venire.reporting.compare_tables import comparison_tables
from venire.reporting.pairing import Run
from venire.reporting.table import Estimate, PValue


@pytest.fixture
def make_run(make_record) -> Callable[..., Run]:
    numbers = itertools.count(1)
    return lambda made, **changes: Run(make_record(**{"run_id": f"run-{next(numbers)}", **changes}), made)


def test_a_row_tells_counts_and_p_of_each_order(make_run) -> None:
    first, second = make_run(rows("RRWWR", "RWWWR")), make_run(rows("RWRRR", "RWRWR"))
    paired = comparison_tables(compare([first, second]))[-1]
    assert paired.title.startswith("paired differences to A: ")
    (row,) = paired.rows
    shown = dict(zip(paired.columns, row, strict=True))
    assert shown["n"] == Estimate(5.0, decimals=0)
    assert shown["right in only the first, as given"] == Estimate(1.0, decimals=0)
    assert shown["right in only this, as given"] == Estimate(2.0, decimals=0)
    assert shown["p, swapped"] == PValue(1.0)
    assert "lacking a verdict" not in shown


def test_what_missing_verdicts_may_do_has_columns_where_some_are_missing(make_run) -> None:
    # of four items the second run lacks one that the first gets right: worst -1/4, with it right 0
    first, second = make_run(rows("RRWW", "RRWW")), make_run(rows("URWW", "URWW"))
    paired = comparison_tables(compare([first, second]))[-1]
    shown = dict(zip(paired.columns, paired.rows[0], strict=True))
    assert shown["lacking a verdict"] == Estimate(1.0, decimals=0)
    assert (shown["Δ, worst"], shown["Δ, best"]) == (Estimate(-0.25), Estimate(0.0))


def test_every_warning_stands_under_the_first_table(make_run) -> None:
    run = make_run(rows("RRWW", "RRWW"))
    comparison = compare([run, run])
    (side, *_) = comparison_tables(comparison)
    assert comparison.warnings
    assert [line for line in side.footer if line.startswith("WARNING: ")] == [
        f"WARNING: {warning}." for warning in comparison.warnings
    ]
