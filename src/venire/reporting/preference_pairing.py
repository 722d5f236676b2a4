"""Two runs on the same preferences: how far they differ, whether by chance, what missing verdicts may do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from venire.metrics.estimators import N_WINNERS, mean_over
from venire.metrics.join import CODE
from venire.records import Order, Prediction, Preference, PreferenceGold, Winner
from venire.reporting.pairing import (
    Run,
    clusters_of,
    orders_asked,
    right_in,
    share_missing,
    shares_right,
)
from venire.reporting.table import Estimate
from venire.stats.agreement import cell_features, kappa_from_sums
from venire.stats.equivalence import Equivalence, tost
from venire.stats.estimate import NAN, FloatArray, IntArray
from venire.stats.intervals import Resampler, replicates
from venire.stats.multiple import Correction, adjusted
from venire.stats.paired import mcnemar_exact, paired_difference
from venire.stats.permutation import sign_flip, swap_test

DRAWS = 5000  # of the bootstrap of a difference

# The one verdict of an item, where it has no order or one of its own (`method.orders=seeded`).
VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class KappaGap:
    """Cohen's kappa of the second run less the first's, with its bootstrap interval and swap test.

    Verdicts that are missing count as wrong ones here, or a run could gain by keeping silent.
    """

    found: Estimate
    p: float
    note: str
    p_adjusted: float = NAN


@dataclass(frozen=True, slots=True)
class Paired:
    """`second` minus `first` on the items of both runs. What is unscored, or a tie, is not right.

    Args:
        first, second: the runs' labels.
        accuracy: difference of the mean share of verdicts that are right, with interval.
        note: over which verdicts, and how the interval was made.
        p: of the sign-flip test that the accuracies are the same; the note of the test.
        discordant: by order (or `verdict`), items that only the first and only the second gets right.
        p_exact: likewise, McNemar's exact p.
        kappa: None where no order (or verdict) is common to all items.
        common, left_out: items in both runs; items in only one.
        coverage: each run's share of verdicts on the common items that are not missing.
        missing: of the common items, those that lack a verdict in one of the runs; None where none does.
        equivalence: None where no margin was given. Missing verdicts count for a difference in it.
        p_adjusted, p_exact_adjusted: corrected for all such tests of the comparison.
    """

    first: str
    second: str
    accuracy: Estimate
    note: str
    p: float
    p_note: str
    discordant: Mapping[str, tuple[int, int]]
    p_exact: Mapping[str, float]
    kappa: KappaGap | None
    common: int
    left_out: int
    coverage: tuple[float, float]
    missing: "Missing | None"
    equivalence: Equivalence | None = None
    p_adjusted: float = NAN
    p_exact_adjusted: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Missing:
    """What missing verdicts may do to a difference: a run can neither win nor lose by them unseen.

    Args:
        items: common items that lack a verdict in one of the runs.
        scored: the difference over the other items, which both runs scored in full.
        worst, best: the difference if all missing verdicts spoke against, or for, the second run.
    """

    items: int
    scored: Estimate
    worst: float
    best: float


def paired_runs(
    first: tuple[str, Run], second: tuple[str, Run], items: Sequence[str], *, margin: float | None = None
) -> Paired:
    """The difference on `items`, the common ones; with `margin` also whether the two are as good."""
    (first_label, one), (second_label, two) = first, second
    verdicts, over = _verdicts(one, two, items)
    shares = [np.mean(side, axis=0) for side in zip(*verdicts.values(), strict=True)]
    before, after = shares or [shares_right(run, items) for run in (one, two)]
    orders = [order for order in Order if order in verdicts]
    lacking = (share_missing(one, items, orders), share_missing(two, items, orders))
    clusters = clusters_of(one, items)
    rng = np.random.default_rng(0)
    found = paired_difference(before, after, clusters, draws=DRAWS, rng=rng)
    tested = sign_flip(after - before, clusters, rng=rng)
    discordant = {name: _discordant(*sides) for name, sides in verdicts.items()}
    return Paired(
        first=first_label,
        second=second_label,
        accuracy=Estimate.of(found),
        note=f"{over}; {found.note}",
        p=tested.p,
        p_note=tested.note,
        discordant=discordant,
        p_exact={name: mcnemar_exact(*counts) for name, counts in discordant.items()},
        kappa=_kappa_gap((one, two), items, list(verdicts), clusters),
        common=len(items),
        left_out=len(one.rows.keys() ^ two.rows.keys()),
        coverage=(1 - float(lacking[0].mean()), 1 - float(lacking[1].mean())),
        missing=_missing((before, after), lacking, clusters),
        equivalence=None if margin is None else _equivalence(after - before, lacking, clusters, margin),
    )


def corrected(pairs: Sequence[Paired], correction: Correction) -> tuple[Paired, ...]:
    """The pairs with adjusted p: a family each are the accuracies, McNemar's tests, the kappas."""
    ps = adjusted([pair.p for pair in pairs], correction)
    kappas = adjusted([NAN if pair.kappa is None else pair.kappa.p for pair in pairs], correction)
    exact = iter(adjusted([p for pair in pairs for p in pair.p_exact.values()], correction))
    return tuple(
        replace(
            pair,
            p_adjusted=p,
            kappa=None if pair.kappa is None else replace(pair.kappa, p_adjusted=kappa),
            p_exact_adjusted={name: next(exact) for name in pair.p_exact},
        )
        for pair, p, kappa in zip(pairs, ps, kappas, strict=True)
    )


def _missing(
    right: tuple[FloatArray, FloatArray], lacking: tuple[FloatArray, FloatArray], clusters: IntArray
) -> Missing | None:
    """`right` and `lacking` hold each run's share of right and of missing verdicts by item."""
    in_full = (lacking[0] == 0) & (lacking[1] == 0)
    if in_full.all():
        return None
    codes = np.unique(clusters[in_full], return_inverse=True)[1]
    before, after = right
    found = paired_difference(
        before[in_full], after[in_full], codes, draws=DRAWS, rng=np.random.default_rng(0)
    )
    return Missing(
        items=int((~in_full).sum()),
        scored=Estimate.of(found),
        worst=float((after - before - lacking[0]).mean()),
        best=float((after + lacking[1] - before).mean()),
    )


def _equivalence(
    gaps: FloatArray, lacking: tuple[FloatArray, FloatArray], clusters: IntArray, margin: float
) -> Equivalence:
    """Each of the two one-sided tests with the missing verdicts at their worst for it."""
    worst, best = tost(gaps - lacking[0], clusters, margin), tost(gaps + lacking[1], clusters, margin)
    return replace(worst, value=float(gaps.mean()), high=best.high, p=float(np.maximum(worst.p, best.p)))


def _verdicts(
    one: Run, two: Run, items: Sequence[str]
) -> tuple[dict[str, tuple[FloatArray, FloatArray]], str]:
    """Right (1) or not (0) by kind of verdict, of both runs; and over which verdicts that is.

    By the orders that both runs were asked in; where both have one verdict an item, by that; empty
    where only one of them has.
    """
    asked = [orders_asked(run, items) for run in (one, two)]
    shared = [order for order in Order if all(order in orders for orders in asked)]
    if shared:
        verdicts = {
            str(order): (right_in(one, items, order), right_in(two, items, order)) for order in shared
        }
        only = "" if asked[0] == asked[1] else " (the orders that both were asked in)"
        return verdicts, f"over {' and '.join(verdicts)}{only}"
    if not asked[0] and not asked[1]:
        return {VERDICT: (shares_right(one, items), shares_right(two, items))}, "over one verdict an item"
    return {}, "over each run's own verdicts (no order is common to all items: no exact test)"


def _discordant(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    return int(((first > 0) & (second == 0)).sum()), int(((second > 0) & (first == 0)).sum())


def _kappa_gap(
    runs: tuple[Run, Run], items: Sequence[str], verdicts: Sequence[str], clusters: IntArray
) -> KappaGap | None:
    """The difference of the mean kappas over `verdicts`, orders or the one verdict an item."""
    if not verdicts:
        return None
    gold = np.array([_gold(runs[0], item) for item in items], dtype=np.int64)
    statistic = mean_over(len(verdicts), kappa_from_sums)
    sides = [_cells(gold, [_column(run, items, gold, name) for name in verdicts]) for run in runs]
    rng = np.random.default_rng(0)
    resampler = Resampler.draw(clusters, DRAWS, rng)
    first, second = (replicates(side, statistic, resampler) for side in sides)
    gap = second.minus(first)
    found = gap.interval().around(gap.value, len(items))
    tested = swap_test(sides[0], sides[1], statistic, clusters, rng=rng)
    return KappaGap(Estimate.of(found), tested.p, f"{found.note}; {tested.note}")


def _cells(gold: IntArray, columns: Sequence[IntArray]) -> FloatArray:
    return np.hstack([cell_features(gold, column, N_WINNERS) for column in columns])


def _gold(run: Run, item: str) -> int:
    gold = run.rows[item].gold
    return CODE[gold.winner] if isinstance(gold, PreferenceGold) else -1


def _column(run: Run, items: Sequence[str], gold: IntArray, name: str) -> IntArray:
    """Codes of verdicts, shape (n,); of a missing one that of a wrong answer."""
    said = [_said(run, item, name) for item in items]
    wrong = np.where(gold == CODE[Winner.FIRST], CODE[Winner.SECOND], CODE[Winner.FIRST])
    return np.array(
        [
            CODE[each.winner] if isinstance(each, Preference) else code
            for each, code in zip(said, wrong, strict=True)
        ],
        dtype=np.int64,
    )


def _said(run: Run, item: str, name: str) -> Prediction | None:
    row = run.rows[item]
    if name == VERDICT:
        return next(iter(row.by_order.values()), row.prediction)
    return row.by_order.get(Order(name))
