"""A comparison as tables, for the forms that a manuscript or a script takes."""

from collections.abc import Sequence

from venire.reporting.compare import Comparison, Missing, Paired
from venire.reporting.rated_pairing import Gap, RatedPair
from venire.reporting.table import Cell, Estimate, PValue, Table

_PAIRED = (
    "Δ accuracy: the run's mean share of right verdicts less the first run's, on the items of both; a "
    "verdict that is missing, or a tie where the gold is none, is not right.",
    "right in only ...: items by order; p: McNemar's exact test.",
)
_RATED = (
    "difference: with its 95% bootstrap interval over documents; Steiger's test and Zou's interval take "
    "items for independent, and are approximations for Spearman.",
)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Side by side with every warning, the settings that differ, and each pair's differences."""
    side = comparison.side_by_side
    warned = tuple(f"WARNING: {warning}." for warning in comparison.warnings)
    tables = [Table(side.title, side.columns, side.rows, (*side.footer, *warned))]
    if comparison.settings.rows:
        tables.append(comparison.settings)
    if comparison.paired:
        tables.append(_paired_table(comparison.paired))
    return [*tables, *map(_rated_table, comparison.rated)]


def _paired_table(pairs: Sequence[Paired]) -> Table:
    """A row a run that is held against the first."""
    orders = list(dict.fromkeys(order for pair in pairs for order in pair.discordant))
    lacks = any(pair.missing for pair in pairs)
    columns = ["run", "n", "left out", "Δ accuracy"]
    for order in orders:
        spoken = order.replace("_", " ")
        columns += [f"right in only the first, {spoken}", f"right in only this, {spoken}", f"p, {spoken}"]
    columns += ["lacking a verdict", "Δ without them", "Δ, worst", "Δ, best"] if lacks else []
    rows = [
        (
            *(pair.second, _count(pair.common), _count(pair.left_out), pair.accuracy),
            *(cell for order in orders for cell in _by_order(pair, order)),
            *(_missing(pair.missing) if lacks else ()),
        )
        for pair in pairs
    ]
    notes = tuple(dict.fromkeys(f"{pair.note}." for pair in pairs))
    title = f"paired differences to {pairs[0].first}"
    return Table(title, tuple(columns), tuple(rows), (*_PAIRED, *notes))


def _by_order(pair: Paired, order: str) -> tuple[Cell, ...]:
    if order not in pair.discordant:
        return ("", "", "")
    first, second = pair.discordant[order]
    return (_count(first), _count(second), PValue(pair.p_exact[order]))


def _missing(missing: Missing | None) -> tuple[Cell, ...]:
    if missing is None:
        return (_count(0), "", "", "")
    return (_count(missing.items), missing.scored, Estimate(missing.worst), Estimate(missing.best))


def _rated_table(pair: RatedPair) -> Table:
    """A row a coefficient and dimension."""
    columns = (
        "coefficient",
        "dimension",
        "first",
        "second",
        "difference",
        "Steiger z",
        "p",
        "Zou's interval",
    )
    lacking = tuple(
        f"{name}: {count} items lack a rating in a run and are left out."
        for name, count in pair.lacking.items()
    )
    footer = (
        f"first: {pair.first}; second: {pair.second}; n: {pair.common} items, {pair.left_out} in only one.",
        *_RATED,
        *lacking,
    )
    return Table(f"{pair.second} minus {pair.first}", columns, tuple(map(_gap, pair.gaps)), footer)


def _gap(gap: Gap) -> tuple[Cell, ...]:
    start = (str(gap.coefficient), gap.dimension, Estimate(gap.first), Estimate(gap.second))
    test = gap.test
    if test is None:
        return (*start, Estimate.of(gap.difference), "", "", "")
    interval = f"[{test.low:.3f}, {test.high:.3f}]"
    return (*start, Estimate.of(gap.difference), Estimate(test.z, decimals=2), PValue(test.p), interval)


def _count(n: int) -> Estimate:
    return Estimate(float(n), decimals=0)
