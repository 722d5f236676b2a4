"""From where accuracies vary, a row an arm: items, the order of the responses, asking again."""

from collections.abc import Sequence

import numpy as np

from venire.records import Order, PreferenceGold
from venire.reporting.footer import cautions, provenance
from venire.reporting.pairing import Run, clusters_of, orders_asked, right_in, shares_right
from venire.reporting.runs_table import arms_of, replicates
from venire.reporting.table import DASH, Cell, Estimate, Table
from venire.stats.estimate import FloatArray
from venire.stats.variance import components, nested_bootstrap

DRAWS = 1000
_COLUMNS = (
    *("run", "n", "orders", "seeds", "accuracy"),
    *("sd, items", "sd, order", "sd, asking again", "as given less swapped"),
    *("SE over items", "of it items", "of it order", "of it asking again"),
    *("sd over seeds", "sd over seeds, expected"),
    *("SE, items drawn", "SE, replies drawn", "SE, both drawn"),
)
_FOOTER = (
    "sd: standard deviation of one verdict (right 1, wrong or missing 0) by its source, from the analysis of "
    "variance: items, items by order, and seeds within an item and an order.",
    "SE over items: standard error of the accuracy, which any interval over items rests on; shares are of "
    "its square. It already holds order and asking again.",
    "sd over seeds: of the runs' own accuracies, which is no interval over items; expected: if noise were "
    "independent between items. Above it whole runs move together (memory, order of the instances).",
    "SE, drawn: nested bootstrap over (clusters of) items, over each item's seeds, and over both.",
)


def variance_table(title: str, runs: Sequence[Run]) -> Table:
    """A row an arm with preferences; what its seeds and orders cannot tell is a dash."""
    on_pairs = [run for run in runs if _is_of_pairs(run)]
    by_id = {run.record.run_id: run for run in on_pairs}
    records = [run.record for run in on_pairs]
    arms = arms_of(records)
    rows = [(arm.name, *_cells([by_id[record.run_id] for record in arm.runs])) for arm in arms]
    left_out = len(runs) - len(on_pairs)
    footer = (
        *_FOOTER,
        replicates(records) if records else "",
        f"{left_out} runs without preferences are left out." if left_out else "",
        provenance(records) if records else "",
        *cautions(records),
    )
    return Table(title, _COLUMNS, tuple(rows), tuple(sentence for sentence in footer if sentence))


def _is_of_pairs(run: Run) -> bool:
    return any(isinstance(row.gold, PreferenceGold) for row in run.rows.values())


def right_cube(arm: Sequence[Run]) -> FloatArray | None:
    """1 where a verdict is right, shape (items, orders, seeds); None where seeds differ in these."""
    items = sorted(arm[0].rows)
    asked = {orders_asked(run, items) if sorted(run.rows) == items else None for run in arm}
    if len(asked) > 1 or None in asked:
        return None
    (orders,) = asked
    if not orders:
        sides = [[shares_right(run, items) for run in arm]]
    else:
        sides = [[right_in(run, items, order) for run in arm] for order in Order if order in orders]
    return np.moveaxis(np.array(sides), -1, 0)


def _cells(arm: Sequence[Run]) -> tuple[Cell, ...]:
    right = right_cube(arm)
    if right is None or not len(right):
        return (DASH, DASH, str(len(arm)), *[DASH] * (len(_COLUMNS) - 4))
    n, orders, seeds = right.shape
    found = components(right)
    clusters = clusters_of(arm[0], sorted(arm[0].rows))
    drawn = nested_bootstrap(right, clusters, draws=DRAWS, rng=np.random.default_rng(0))
    parts = (found.se_items, found.se_order, found.se_noise)
    numbers = (
        float(right.mean()),
        *(float(np.sqrt(each)) for each in (found.items, found.order, found.noise)),
        found.order_gap,
        found.se,
        *((part / found.se) ** 2 if found.se > 0 else float("nan") for part in parts),
        *(found.seeds_seen, found.seeds_expected),
        *(drawn.items, drawn.seeds, drawn.both),
    )
    return (str(n), str(orders), str(seeds), *(Estimate(number) for number in numbers))
