"""The table of a sweep: that of its runs, with the paired differences to its first row."""

from collections.abc import Sequence

import numpy as np

from venire.metrics.headline import HEADLINE, RATED_MEAN, Headline
from venire.reporting.differences import (
    DRAWS,
    SIGN_FLIP,
    SWAP,
    accuracies,
    accuracy_difference,
    family_of,
    rho_difference,
)
from venire.reporting.pairing import Run, clusters_of, other_gold
from venire.reporting.rated_pairing import mean_of_runs
from venire.reporting.runs_table import arms_of, over_items, runs_table
from venire.reporting.table import Cell, Estimate, Table
from venire.stats.intervals import Resampler, bounded, ratio
from venire.stats.multiple import Correction

ACCURACY, RATED = (
    next(headline for headline in HEADLINE if headline.metric == metric)
    for metric in ("accuracy", RATED_MEAN)
)
GROUPING = "metrics.correlation.grouping"


def sweep_table(
    title: str,
    runs: Sequence[Run],
    more: Sequence[Headline] = (),
    correction: Correction = Correction.HOLM,
) -> Table:
    """`runs_table`, with columns of differences to the first arm after what leads: accuracy, or mean rho.

    The differences with their tests are one family, corrected together. None of this where there is one arm
    only, or the runs differ in items or gold; of runs on ratings also where correlations are not pooled.
    """
    table = runs_table(title, [run.record for run in runs], more)
    by_id = {run.record.run_id: run for run in runs}
    arms = [[by_id[record.run_id] for record in arm.runs] for arm in arms_of([run.record for run in runs])]
    leading = ACCURACY if ACCURACY.title in table.columns else RATED
    if leading.title not in table.columns:
        return table
    if leading is RATED and any(run.record.params.get(GROUPING, "pooled") != "pooled" for run in runs):
        return table
    table = _with_intervals(table, leading, arms)
    if len(arms) < 2 or not are_on_the_same_items(runs):
        return table
    compared, test = (accuracy_difference, SIGN_FLIP) if leading is ACCURACY else (rho_difference, SWAP)
    differences = [None, *(compared(arms[0], other) for other in arms[1:])]
    family = family_of(f"Δ {leading.title}", differences, correction, base="the first row", test=test)
    last = over_items(leading) if over_items(leading) in table.columns else leading.title
    place = table.columns.index(last) + 1
    return Table(
        title,
        (*table.columns[:place], *family.columns, *table.columns[place:]),
        tuple(
            (*row[:place], *cells, *row[place:]) for row, cells in zip(table.rows, family.rows, strict=True)
        ),
        (table.footer[0], family.sentence, *table.footer[1:]),
    )


def _with_intervals(table: Table, leading: Headline, arms: Sequence[Sequence[Run]]) -> Table:
    """The table with the interval over items of arms with several seeds, where it has a column for it."""
    if over_items(leading) not in table.columns:
        return table
    place = table.columns.index(over_items(leading))
    rows: list[tuple[Cell, ...]] = []
    for row, arm in zip(table.rows, arms, strict=True):
        cell = row[place] if len(arm) == 1 else mean_over_items(arm, leading)
        rows.append((*row[:place], cell, *row[place + 1 :]))
    return Table(table.title, table.columns, tuple(rows), table.footer)


def mean_over_items(arm: Sequence[Run], leading: Headline = ACCURACY) -> Estimate:
    """The mean over the arm's seeds with its 95% bootstrap interval over (clusters of) items.

    Undefined where the seeds are not on the same items.
    """
    items = sorted(arm[0].rows)
    if not items or any(sorted(run.rows) != items for run in arm):
        return Estimate(float("nan"))
    resampler = Resampler.draw(clusters_of(arm[0], items), DRAWS, np.random.default_rng(0))
    if leading is RATED:
        return Estimate.of(mean_of_runs(arm).estimate(resampler))
    right = np.mean([accuracies(run, items) for run in arm], axis=0)
    features = np.column_stack([right, np.ones(len(items))])
    return Estimate.of(bounded(features, ratio, np.full(len(items), True), resampler))


def are_on_the_same_items(runs: Sequence[Run]) -> bool:
    """Whether all have the items and the gold of the first, and there are some."""
    first = runs[0]
    items = sorted(first.rows)
    return bool(items) and all(
        sorted(run.rows) == items and not other_gold(first, run, items) for run in runs[1:]
    )
