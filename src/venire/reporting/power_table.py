"""What a comparison of two runs on preferences could find with the items at hand, and how many it takes."""

import math
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.reporting.table import DASH, Cell, Estimate, Table
from venire.stats.multiple import ALPHA
from venire.stats.power import items_needed, smallest_difference

DISCORDANCES = (0.05, 0.1, 0.2, 0.3)
DIFFERENCE = 0.03


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `venire plan` is asked to find.

    Args:
        discordance: shares of items on which only one of two runs is right; several are tried.
        difference: of accuracies.
        power: chance to find it.
    """

    discordance: tuple[float, ...] = DISCORDANCES
    difference: float = DIFFERENCE
    power: float = 0.8

    def __post_init__(self) -> None:
        for name, value in (
            *(("--discordance", each) for each in self.discordance),
            ("--difference", self.difference),
            ("--power", self.power),
        ):
            if not 0 < value < 1:
                raise ConfigError(f"plan {name}: expected between 0 and 1, got {value:g}")


@dataclass(frozen=True, slots=True)
class Power:
    """One assumed discordance: the smallest difference that is found, the items for the wanted one.

    `corrected_*` are at the level of the first step of Holm's correction over `tests`. NaN and 0 where none.
    """

    discordance: float
    smallest: float
    needed: int
    smallest_corrected: float
    needed_corrected: int


def powers(n: int, wanted: Wanted, tests: int) -> list[Power]:
    """For each assumed discordance; `n` items, `tests` comparisons in one table."""
    found = []
    for each in wanted.discordance:
        plain, strict = (
            (
                smallest_difference(n, each, power=wanted.power, alpha=alpha),
                items_needed(each, wanted.difference, power=wanted.power, alpha=alpha),
            )
            for alpha in (ALPHA, ALPHA / max(tests, 1))
        )
        found.append(Power(each, *plain, *strict))
    return found


def power_table(n: int, wanted: Wanted, tests: int) -> Table:
    """A row an assumed discordance; of several tests also what is left after correcting for them."""
    corrected = tests > 1
    share = f"{wanted.power:.0%}"
    goal = f"items for a difference of {wanted.difference:g}"
    columns = ["discordant items", f"smallest difference found at {share}", goal]
    columns += [f"smallest, Holm of {tests}", f"items, Holm of {tests}"] if corrected else []
    rows: list[tuple[Cell, ...]] = []
    for each in powers(n, wanted, tests):
        strict = (Estimate(each.smallest_corrected), _items(each.needed_corrected)) if corrected else ()
        rows.append(
            (Estimate(each.discordance, decimals=2), Estimate(each.smallest), _items(each.needed), *strict)
        )
    footer = [
        "Two runs on the same items, one verdict an item, McNemar's exact test at 5%, two-sided. Discordant: "
        "only one of the two is right; the difference is at most that. What it will be only a pilot tells.",
        f"{DASH}: not even if all discordant items speak for one run, or more than a million items.",
    ]
    if corrected:
        footer.append("Holm: at the first step of the correction for that many rows against one base.")
    return Table(f"power: what {n:,} items can find", tuple(columns), tuple(rows), tuple(footer))


def power_json(n: int, wanted: Wanted, tests: int) -> list[dict[str, object]]:
    """The same as plain values; null where there is none."""
    return [
        {
            "n": n,
            "discordance": each.discordance,
            "power": wanted.power,
            "smallest_difference": None if math.isnan(each.smallest) else each.smallest,
            "difference": wanted.difference,
            "items_needed": each.needed or None,
            "tests": tests,
            "smallest_difference_corrected": (
                None if math.isnan(each.smallest_corrected) else each.smallest_corrected
            ),
            "items_needed_corrected": each.needed_corrected or None,
        }
        for each in powers(n, wanted, tests)
    ]


def _items(needed: int) -> Cell:
    return Estimate(float(needed), decimals=0) if needed else DASH
