import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from venire.records import Order, Preference, PreferenceGold, Reason, RunStatus, Unscored, Winner
from venire.reporting.pairing import Run
from venire.reporting.runs_table import runs_table
from venire.reporting.sweep_table import sweep_table
from venire.reporting.table import Estimate, Format
from venire.runs import OutcomeRow

BOTH = (Order.AS_GIVEN, Order.SWAPPED)
SAYS = {"R": Preference(Winner.FIRST), "W": Preference(Winner.SECOND), "U": Unscored(Reason.UNPARSED)}

COLUMN = "Δ accuracy"


def rows(*orders: str, shown: Sequence[Order] = BOTH) -> dict[str, OutcomeRow]:
    """One text an order, a letter an item: right, wrong, unscored, or `-` for not judged."""
    made = {}
    for i, letters in enumerate(zip(*orders, strict=True)):
        said = {order: SAYS[one] for order, one in zip(shown, letters, strict=True) if one != "-"}
        prediction = next(iter(said.values()), Unscored(Reason.NOT_RUN))
        made[f"set/{i}"] = OutcomeRow(f"set/{i}", "", "", PreferenceGold(Winner.FIRST), prediction, said)
    return made


@pytest.fixture
def make_run(make_record) -> Callable[..., Run]:
    def make(made: dict[str, OutcomeRow], arm: str = "base", **changes) -> Run:
        return Run(make_record(arm, arm=arm, **changes), made)

    return make


def differences(table) -> list:
    return [row[table.columns.index(COLUMN)] for row in table.rows]


def test_every_row_is_held_against_the_first_item_by_item(make_run) -> None:
    runs = [
        make_run(rows("RRWW", "RWWW")),
        make_run(rows("RRRW", "RRWW"), "better"),
        make_run(rows("UUUU", "UUUU"), "silent"),
    ]
    table = sweep_table("a sweep", runs)
    assert table.columns[:5] == ("run", "backend", "n", "accuracy", COLUMN)
    first, better, silent = differences(table)
    assert first == ""
    # Shares right: 1 .5 0 0 against 1 1 .5 0 and 0 0 0 0
    assert better.value == pytest.approx(0.25)
    assert silent.value == pytest.approx(-0.375)
    assert better.low < 0.25 < better.high
    assert any(
        sentence.startswith(f"{COLUMN}: paired difference to the first row") for sentence in table.footer
    )


def test_rows_in_one_order_are_held_against_the_accuracy_that_is_shown(make_run) -> None:
    runs = [make_run(rows("RRWW", "RWWW")), make_run(rows("RRRR", shown=BOTH[:1]), "as_given")]
    # 1 1 1 1 against 1 .5 0 0: the difference of the two accuracies, 1 and .375
    assert differences(sweep_table("t", runs))[1].value == pytest.approx(0.625)


def test_items_that_were_not_judged_are_not_right(make_run) -> None:
    stopped = make_run(rows("RR--", "RR--"), "stopped", status=RunStatus.INCOMPLETE)
    assert differences(sweep_table("t", [make_run(rows("RRRR", "RRRR")), stopped]))[1].value == pytest.approx(
        -0.5
    )


def test_seeds_are_averaged_item_by_item(make_run) -> None:
    runs = [
        make_run(rows("RW", "RW")),
        make_run(rows("WW", "WW"), seed=1),
        make_run(rows("RR", "RR"), "other"),
        make_run(rows("RW", "RW"), "other", seed=1),
    ]
    table = sweep_table("t", runs)
    # Means over seeds: .5 0 against 1 .5
    assert differences(table)[1].value == pytest.approx(0.5)
    assert len(table.rows) == 2


def test_equal_rows_differ_by_nothing_without_an_interval(make_run) -> None:
    (_, same) = differences(
        sweep_table("t", [make_run(rows("RW", "RR")), make_run(rows("RW", "RR"), "same")])
    )
    assert same.value == 0.0
    assert math.isnan(same.low)
    assert same.text() == "0.000"


def test_one_row_has_nothing_to_be_held_against(make_run) -> None:
    runs = [make_run(rows("RW", "RW")), make_run(rows("RR", "RR"), seed=1)]
    table = sweep_table("t", runs)
    assert table.columns == runs_table("t", [run.record for run in runs]).columns
    # The two items' means over seeds: 1 and .5
    interval = table.rows[0][table.columns.index("accuracy, 95% over items")]
    assert interval.value == pytest.approx(0.75)


def test_runs_of_other_items_or_gold_have_no_differences(make_run) -> None:
    base = make_run(rows("RW", "RW"))
    longer = make_run(rows("RWR", "RWR"), "longer")
    changed = rows("RW", "RW")
    changed["set/0"] = replace(changed["set/0"], gold=PreferenceGold(Winner.SECOND))
    for other in (longer, make_run(changed, "other gold")):
        assert COLUMN not in sweep_table("t", [base, other]).columns


def test_no_runs_are_a_table_without_rows() -> None:
    assert sweep_table("t", []).rows == ()


def test_differences_render_with_their_bounds(make_run) -> None:
    runs = [make_run(rows("RRWW", "RWWW")), make_run(rows("RRRW", "RRWW"), "better")]
    table = sweep_table("t", runs)
    cell = differences(table)[1]
    assert isinstance(cell, Estimate)
    assert cell.text() in table.render(Format.TEXT)
    assert f"{COLUMN} low" in table.render(Format.CSV)
