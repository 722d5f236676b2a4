import pytest

from venire.errors import ConfigError
from venire.reporting.power_table import Wanted, power_json, power_table
from venire.reporting.table import Estimate, Format
from venire.stats.power import items_needed, smallest_difference


def test_a_row_tells_what_the_items_find_and_how_many_it_takes() -> None:
    table = power_table(419, Wanted((0.1,), 0.05, 0.8), tests=1)
    assert table.title == "power: what 419 items can find"
    ((discordance, smallest, needed),) = table.rows
    assert discordance == Estimate(0.1, decimals=2)
    assert smallest.value == pytest.approx(0.0445, abs=5e-5)
    assert smallest.value == smallest_difference(419, 0.1)
    assert needed.value == items_needed(0.1, 0.05)
    assert "smallest difference found at 80%" in table.columns


def test_a_sweep_pays_for_its_rows() -> None:
    table = power_table(419, Wanted((0.1,)), tests=4)
    ((_, smallest, needed, strict, more),) = table.rows
    assert strict.value == smallest_difference(419, 0.1, alpha=0.0125)
    assert strict.value > smallest.value
    assert more.value > needed.value
    assert table.columns[-1] == "items, Holm of 4"


def test_what_cannot_be_found_is_a_dash_and_null() -> None:
    # The difference is at most the discordance; five items are never significant.
    assert power_table(5, Wanted((0.01,)), tests=1).render(Format.TEXT).count("–") >= 2
    (row,) = power_json(5, Wanted((0.01,)), 1)
    assert (row["smallest_difference"], row["items_needed"]) == (None, None)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ({"discordance": (1.5,)}, "discordance"),
        ({"difference": 0.0}, "difference"),
        ({"power": 1.0}, "power"),
    ],
)
def test_shares_that_mean_nothing_are_refused(wanted: dict, name: str) -> None:
    with pytest.raises(ConfigError, match=f"^plan --{name}: expected between 0 and 1, got"):
        Wanted(**wanted)
