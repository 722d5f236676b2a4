import math

import numpy as np
import pytest
from tests.reporting.test_compare import rows

from venire.records import Order
from venire.reporting.pairing import Run
from venire.reporting.table import Format
from venire.reporting.variance_table import right_cube, variance_table
from venire.stats.variance import components


def arm(make_record, letters: list[tuple[str, ...]], name: str = "base", **changes) -> list[Run]:
    """A run a seed; each with a text an order."""
    return [
        Run(make_record(name, arm=name, seed=seed, **changes), rows(*orders))
        for seed, orders in enumerate(letters)
    ]


def row_of(table, name: str) -> dict[str, object]:
    return next(dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == name)


def test_a_row_has_the_components_of_its_verdicts(make_record) -> None:
    letters = [("RRWW", "RWWU"), ("RRWR", "RWWW")]
    runs = arm(make_record, letters)
    right = np.array([[[text[i] == "R" for text in pair] for pair in letters] for i in range(4)], dtype=float)
    cube = right_cube(runs)
    assert cube is not None
    # items, orders, seeds: the letters by item, seed, order, the last two turned
    assert np.array_equal(cube, right.transpose(0, 2, 1))
    shown = row_of(variance_table("t", runs), "base")
    found = components(cube)
    assert (shown["n"], shown["orders"], shown["seeds"]) == ("4", "2", "2")
    assert shown["accuracy"].value == pytest.approx(cube.mean())
    assert shown["sd, items"].value == pytest.approx(math.sqrt(found.items))
    assert shown["as given less swapped"].value == pytest.approx(found.order_gap)
    assert shown["sd over seeds"].value == pytest.approx(found.seeds_seen)


def test_the_spread_over_seeds_is_named_apart_from_what_is_over_items(make_record) -> None:
    table = variance_table("t", arm(make_record, [("RRWW", "RWWU"), ("RRWR", "RWWW")]))
    assert {"sd over seeds", "SE over items"} <= set(table.columns)
    assert any("which is no interval over items" in sentence for sentence in table.footer)
    assert any("share a reply (replicate=shared)" in sentence for sentence in table.footer)


def test_one_seed_has_no_noise_and_one_order_no_order(make_record) -> None:
    one = [Run(make_record("one", arm="one"), rows("RRWW", shown=(Order.AS_GIVEN,)))]
    shown = row_of(variance_table("t", one), "one")
    for name in ("sd, order", "sd, asking again", "sd over seeds", "SE, replies drawn"):
        assert shown[name].text() == "–"
    # sqrt(1/3) / sqrt(4), values 1 1 0 0
    assert shown["SE over items"].value == pytest.approx(math.sqrt(1 / 3) / 2)


def test_seeds_on_other_items_are_a_row_of_dashes(make_record) -> None:
    runs = [
        Run(make_record("base", arm="a"), rows("RW", "RW")),
        Run(make_record("base", arm="a", seed=1), rows("RW", "RW", start=5)),
    ]
    assert row_of(variance_table("t", runs), "base")["accuracy"] == "–"
    assert variance_table("t", []).render(Format.TEXT)
