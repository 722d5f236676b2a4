"""The table of a sweep: that of its runs, with the paired differences to its first row."""

from collections.abc import Callable, Sequence

import numpy as np

from venire.metrics.headline import HEADLINE, RATED_MEAN, Headline
from venire.reporting.pairing import (
    Run,
    clusters_of,
    orders_asked,
    other_gold,
    right_in,
    shares_right,
    ties_half,
)
from venire.reporting.rated_pairing import mean_difference
from venire.reporting.runs_table import arms_of, runs_table
from venire.reporting.table import Cell, Estimate, Table
from venire.stats.estimate import FloatArray
from venire.stats.paired import paired_difference

DRAWS = 5000  # of the bootstrap of a difference
RATED = next(headline.title for headline in HEADLINE if headline.metric == RATED_MEAN)
GROUPING = "metrics.correlation.grouping"
_FOOTER = (
    "paired difference to the first row over the same items (means over seeds where there are "
    "several), with its 95% bootstrap interval; not corrected for the number of rows."
)


def sweep_table(title: str, runs: Sequence[Run], more: Sequence[Headline] = ()) -> Table:
    """`runs_table`, with a column of differences to the first arm after what leads: accuracy, or mean rho.

    Without the column where there is one arm only, or the runs differ in items or gold; of runs on ratings
    also where correlations are not pooled.
    """
    table = runs_table(title, [run.record for run in runs], more)
    by_id = {run.record.run_id: run for run in runs}
    arms = [[by_id[record.run_id] for record in arm.runs] for arm in arms_of([run.record for run in runs])]
    leading = "accuracy" if "accuracy" in table.columns else RATED
    if len(arms) < 2 or leading not in table.columns or not _are_on_the_same_items(runs):
        return table
    if leading == RATED and any(run.record.params.get(GROUPING, "pooled") != "pooled" for run in runs):
        return table
    first, *others = arms
    compared = accuracy_difference if leading == "accuracy" else rho_difference
    cells: list[Cell] = ["", *(compared(first, other) for other in others)]
    place = table.columns.index(leading) + 1
    column = f"Δ {leading}"
    return Table(
        title,
        (*table.columns[:place], column, *table.columns[place:]),
        tuple((*row[:place], cell, *row[place:]) for row, cell in zip(table.rows, cells, strict=True)),
        (table.footer[0], f"{column}: {_FOOTER}", *table.footer[1:]),
    )


def _are_on_the_same_items(runs: Sequence[Run]) -> bool:
    first = runs[0]
    items = sorted(first.rows)
    return bool(items) and all(
        sorted(run.rows) == items and not other_gold(first, run, items) for run in runs[1:]
    )


def accuracy_difference(first: Sequence[Run], second: Sequence[Run]) -> Estimate:
    """The second arm's accuracy minus the first's, paired over items; means over each arm's seeds."""
    return _difference(accuracies, first, second)


def tie_half_difference(first: Sequence[Run], second: Sequence[Run]) -> Estimate:
    """As `accuracy_difference`, with a tie half right: of judges of which one calls ties and one does not."""
    return _difference(ties_half, first, second)


def _difference(
    part_of: Callable[[Run, Sequence[str]], FloatArray], first: Sequence[Run], second: Sequence[Run]
) -> Estimate:
    """Of the means over items of `part_of`, each item's part in what is compared."""
    items = sorted(first[0].rows)
    before, after = (np.mean([part_of(run, items) for run in arm], axis=0) for arm in (first, second))
    clusters = clusters_of(first[0], items)
    return Estimate.of(paired_difference(before, after, clusters, draws=DRAWS, rng=np.random.default_rng(0)))


def rho_difference(first: Sequence[Run], second: Sequence[Run]) -> Estimate:
    """The second arm's mean Spearman minus the first's; see `rated_pairing.mean_difference`."""
    return Estimate.of(mean_difference(first, second))


def accuracies(run: Run, items: Sequence[str]) -> FloatArray:
    """Each item's part in the run's `accuracy`, the mean over the orders that it was asked in; shape (n,)."""
    orders = orders_asked(run, items)
    if not orders:
        return shares_right(run, items)
    mean: FloatArray = np.mean([right_in(run, items, order) for order in orders], axis=0)
    return mean
