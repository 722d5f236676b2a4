"""How arms of a table differ from a base arm on the same items: interval, test, and the family of tests."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from venire.reporting.pairing import (
    Run,
    clusters_of,
    orders_asked,
    right_in,
    share_missing,
    shares_right,
    ties_half,
)
from venire.reporting.rated_pairing import completed_means, mean_difference, mean_swap_test
from venire.reporting.table import Cell, Estimate, PValue
from venire.stats import estimate
from venire.stats.estimate import NAN, FloatArray
from venire.stats.intervals import FEW_CLUSTERS, NARROW
from venire.stats.multiple import ALPHA, Correction, adjusted, family_size
from venire.stats.paired import paired_difference
from venire.stats.permutation import sign_flip

DRAWS = 5000  # of the bootstrap of a difference
SIGN_FLIP = "sign-flip test over items (clusters of one prompt flip together; exact)"
SWAP = "swap test: the two rows' ratings, as standardised ranks, are exchanged document by document"


@dataclass(frozen=True, slots=True)
class Difference:
    """A row's figure less the base row's, on the same items; means over seeds where there are several.

    Args:
        found: with its bootstrap interval.
        p: two-sided, that it is 0; NaN where there is no test.
        worst, best: if all missing verdicts or ratings spoke against, or for, the row; NaN where none is
            missing.
        by_missing: what it gains may come from what it left out: no test counts then.
    """

    found: estimate.Estimate
    p: float
    worst: float = NAN
    best: float = NAN
    by_missing: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """The differences of one table, their p values corrected together.

    Args:
        columns: the titles of the cells.
        rows: the cells of each difference; empty texts where a row has none.
        size: how many were tested.
        sentence: for the footer.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    size: int
    sentence: str


def family_of(
    title: str, differences: Sequence[Difference | None], correction: Correction, *, base: str, test: str
) -> Family:
    """The columns of differences: with interval, p, the corrected p, and bounds where something is missing.

    Args:
        title: of the first column.
        differences: by row; None of the base row and of rows that cannot be compared.
        correction: over all of them.
        base: the row that they are to, as the sentence names it.
        test: how p was found.
    """
    ps = [NAN if each is None else each.p for each in differences]
    bounded = any(each is not None and not math.isnan(each.worst) for each in differences)
    corrected = correction is not Correction.NONE
    columns = (
        title,
        "p",
        *((f"p, {correction.label}",) if corrected else ()),
        *((f"{title}, worst", f"{title}, best") if bounded else ()),
    )
    rows: list[tuple[Cell, ...]] = []
    for each, p in zip(differences, adjusted(ps, correction), strict=True):
        if each is None:
            rows.append(("",) * len(columns))
            continue
        significant = corrected and p <= ALPHA and not each.by_missing
        cell = replace(Estimate.of(each.found), significant=significant)
        shown = (PValue(each.p), *((PValue(p),) if corrected else ()))
        ends = (Estimate(each.worst), Estimate(each.best)) if bounded else ()
        rows.append((cell, *shown, *ends))
    size = family_size(ps)
    sentence = _sentence(title, correction, size, base, test, bounded=bounded)
    return Family(columns, tuple(rows), size, sentence + _caution(differences))


def _caution(differences: Sequence[Difference | None]) -> str:
    """That intervals over few items (clusters) are too narrow, as their notes say."""
    few = any(each is not None and NARROW in each.found.note for each in differences)
    return f" Fewer than {FEW_CLUSTERS} items (clusters): intervals are {NARROW}." if few else ""


def _sentence(title: str, correction: Correction, size: int, base: str, test: str, *, bounded: bool) -> str:
    tests = "1 difference" if size == 1 else f"{size} differences"
    if correction is Correction.NONE:
        family = f"not corrected for the {tests} of this table, so nothing is bold"
    else:
        family = f"p, {correction.label}: corrected for the {tests} of this table; bold: at most {ALPHA}"
    bounds = (
        "; worst, best: if all that is missing spoke against, or for, the row; what may lead only by what it "
        "left out is never bold"
    )
    return (
        f"{title}: paired difference to {base} over the same items (means over seeds where there are "
        "several), with its 95% paired bootstrap interval (BCa, clusters of one prompt drawn together). "
        f"p: {test}; "
        f"{family}{bounds if bounded else ''}."
    )


def accuracy_difference(first: Sequence[Run], second: Sequence[Run]) -> Difference:
    """The second arm's accuracy minus the first's, paired over items; what is missing is not right."""
    return _difference(accuracies, first, second)


def tie_half_difference(first: Sequence[Run], second: Sequence[Run]) -> Difference:
    """As `accuracy_difference`, with a tie half right: of judges of which one calls ties and one does not."""
    return _difference(ties_half, first, second)


def _difference(
    part_of: Callable[[Run, Sequence[str]], FloatArray], first: Sequence[Run], second: Sequence[Run]
) -> Difference:
    """Of the means over items of `part_of`, each item's part in what is compared."""
    items = sorted(first[0].rows)
    before, after = (_mean(part_of, arm, items) for arm in (first, second))
    lacking = [_mean(_missing, arm, items) for arm in (first, second)]
    clusters = clusters_of(first[0], items)
    rng = np.random.default_rng(0)
    found = paired_difference(before, after, clusters, draws=DRAWS, rng=rng)
    made = Difference(found, sign_flip(after - before, clusters, rng=rng).p)
    if not any(each.any() for each in lacking):
        return made
    worst, best = (after - before - lacking[0]).mean(), (after + lacking[1] - before).mean()
    return replace(made, worst=float(worst), best=float(best))


def _mean(
    part_of: Callable[[Run, Sequence[str]], FloatArray], arm: Sequence[Run], items: Sequence[str]
) -> FloatArray:
    return np.asarray(np.mean([part_of(run, items) for run in arm], axis=0))


def _missing(run: Run, items: Sequence[str]) -> FloatArray:
    return share_missing(run, items, sorted(orders_asked(run, items)))


def rho_difference(first: Sequence[Run], second: Sequence[Run]) -> Difference:
    """The second arm's mean Spearman minus the first's; see `rated_pairing.mean_difference`.

    Each run is correlated over what it rated itself. So where ratings are missing, a lead that does not hold
    with the leader's missing ones at their worst counts as gained by leaving out.
    """
    made = Difference(mean_difference(first, second), mean_swap_test(first, second).p)
    lows, points, highs = (
        [completed_means(arm, end) for arm in (first, second)] for end in ("/worst", "", "/best")
    )
    if any(map(math.isnan, points)) or lows == points == highs:
        return made
    gap = points[1] - points[0]
    held = lows[1] - points[0] if gap > 0 else lows[0] - points[1]
    return replace(made, worst=lows[1] - highs[0], best=highs[1] - lows[0], by_missing=not held > 0)


def accuracies(run: Run, items: Sequence[str]) -> FloatArray:
    """Each item's part in the run's `accuracy`, the mean over the orders that it was asked in; shape (n,)."""
    orders = orders_asked(run, items)
    if not orders:
        return shares_right(run, items)
    mean: FloatArray = np.mean([right_in(run, items, order) for order in orders], axis=0)
    return mean
