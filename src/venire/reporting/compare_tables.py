"""A comparison as tables, for the forms that a manuscript or a script takes."""

import math
from collections.abc import Sequence
from dataclasses import replace

from venire.reporting.compare import Comparison
from venire.reporting.preference_pairing import KappaGap, Missing, Paired
from venire.reporting.rated_pairing import Gap, RatedPair
from venire.reporting.table import Cell, Estimate, PValue, Table
from venire.stats.equivalence import Equivalence
from venire.stats.multiple import ALPHA

_PAIRED = (
    "Δ accuracy: the run's mean share of right verdicts less the first run's, on the items of both; a "
    "verdict that is missing, or a tie where the gold is none, is not right.",
    "p: sign-flip test over items (clusters of one prompt flip together); right in only ...: items by order, "
    "with McNemar's exact p; Δ kappa: a missing verdict counts as a wrong one, p by exchanging the two runs' "
    "verdicts.",
)
_EQUIVALENT = (
    "TOST: two one-sided tests that the accuracies differ by less than the margin; no worse: the one that "
    "this run does not fall below the first by the margin. Missing verdicts speak against either.",
)
_RATED = (
    "difference: with its 95% bootstrap interval over documents; p: of Spearman by exchanging the two runs' "
    "ratings, as standardised ranks, document by document, of Pearson by Steiger. Steiger's test and Zou's "
    "interval take items for independent, and are approximations for Spearman.",
)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Side by side with every warning, the settings that differ, and each pair's differences."""
    side = comparison.side_by_side
    warned = tuple(f"WARNING: {warning}." for warning in comparison.warnings)
    tables = [Table(side.title, side.columns, side.rows, (*side.footer, *warned))]
    if comparison.settings.rows:
        tables.append(comparison.settings)
    families = f"{comparison.families}; bold: at most {ALPHA}."
    if comparison.paired:
        tables.append(_paired_table(comparison.paired, families))
    return [*tables, *(_rated_table(pair, families) for pair in comparison.rated)]


def _paired_table(pairs: Sequence[Paired], families: str) -> Table:
    """A row a run that is held against the first."""
    orders = list(dict.fromkeys(order for pair in pairs for order in pair.discordant))
    lacks = any(pair.missing for pair in pairs)
    margin = next((pair.equivalence.margin for pair in pairs if pair.equivalence), None)
    columns = ["run", "n", "left out", "coverage", "Δ accuracy", "p", "p, corrected"]
    for order in orders:
        spoken = order.replace("_", " ")
        columns += [f"right in only the first, {spoken}", f"right in only this, {spoken}", f"p, {spoken}"]
        columns += [f"p, {spoken}, corrected"]
    columns += ["Δ kappa", "p, Δ kappa", "p, Δ kappa, corrected"]
    columns += ["lacking a verdict", "Δ without them", "Δ, worst", "Δ, best"] if lacks else []
    columns += [f"p, TOST ({margin:g})", f"p, no worse ({margin:g})"] if margin is not None else []
    rows = [
        (
            *(pair.second, _count(pair.common), _count(pair.left_out), Estimate(pair.coverage[1])),
            *(_bold(pair.accuracy, pair.p_adjusted), PValue(pair.p), PValue(pair.p_adjusted)),
            *(cell for order in orders for cell in _by_order(pair, order)),
            *_kappa(pair.kappa),
            *(_missing(pair.missing) if lacks else ()),
            *(_equivalence(pair.equivalence) if margin is not None else ()),
        )
        for pair in pairs
    ]
    notes = tuple(dict.fromkeys(f"{pair.note}." for pair in pairs))
    title = f"paired differences to {pairs[0].first}"
    equivalent = _EQUIVALENT if margin is not None else ()
    first = f"coverage of the first run: {pairs[0].coverage[0]:.3f}."
    footer = (*_PAIRED, families, first, *equivalent, *notes)
    return Table(title, tuple(columns), tuple(rows), footer)


def _bold(number: Estimate, p: float) -> Estimate:
    return replace(number, significant=p <= ALPHA)


def _kappa(gap: KappaGap | None) -> tuple[Cell, ...]:
    if gap is None:
        return ("", "", "")
    return (_bold(gap.found, gap.p_adjusted), PValue(gap.p), PValue(gap.p_adjusted))


def _equivalence(found: Equivalence | None) -> tuple[Cell, ...]:
    return ("", "") if found is None else (PValue(found.p), PValue(found.p_no_worse))


def _by_order(pair: Paired, order: str) -> tuple[Cell, ...]:
    if order not in pair.discordant:
        return ("", "", "", "")
    first, second = pair.discordant[order]
    adjusted = pair.p_exact_adjusted[order]
    return (_count(first), _count(second), PValue(pair.p_exact[order]), PValue(adjusted))


def _missing(missing: Missing | None) -> tuple[Cell, ...]:
    if missing is None:
        return (_count(0), "", "", "")
    return (_count(missing.items), missing.scored, Estimate(missing.worst), Estimate(missing.best))


def _rated_table(pair: RatedPair, families: str) -> Table:
    """A row a coefficient and dimension."""
    columns = (
        "coefficient",
        "dimension",
        "first",
        "second",
        "difference",
        "p",
        "p, corrected",
        "worst",
        "best",
        "Steiger z",
        "p, Steiger",
        "Zou's interval",
    )
    lacking = tuple(
        f"{name}: {count} items lack a rating in a run and are left out."
        for name, count in pair.lacking.items()
    )
    footer = (
        f"first: {pair.first}; second: {pair.second}; n: {pair.common} items, {pair.left_out} in only one.",
        *_RATED,
        families,
        "worst, best: if the ratings that are missing were as bad, or good, for the second as could be; what "
        "may lead only by what it left out is never bold.",
        *lacking,
    )
    return Table(f"{pair.second} minus {pair.first}", columns, tuple(map(_gap, pair.gaps)), footer)


def _gap(gap: Gap) -> tuple[Cell, ...]:
    start = (str(gap.coefficient), gap.dimension, Estimate(gap.first), Estimate(gap.second))
    found = replace(Estimate.of(gap.difference), significant=gap.significant)
    ends: tuple[Cell, ...] = ("", "") if math.isnan(gap.worst) else (Estimate(gap.worst), Estimate(gap.best))
    shown = (*start, found, PValue(gap.p), PValue(gap.p_adjusted), *ends)
    test = gap.test
    if test is None:
        return (*shown, "", "", "")
    interval = f"[{test.low:.3f}, {test.high:.3f}]"
    return (*shown, Estimate(test.z, decimals=2), PValue(test.p), interval)


def _count(n: int) -> Estimate:
    return Estimate(float(n), decimals=0)
