"""Systematic disagreement to be read: tests, confusion tables, the items behind the worst cells."""

import math
from collections.abc import Sequence

from venire.audit.disagreement import ALL, Disagreement
from venire.records import RunRecord
from venire.reporting.footer import cautions, provenance
from venire.reporting.table import Cell, Estimate, Table, rounded
from venire.stats.symmetry import SymmetryTest

COLUMNS = (
    *("criterion", "subset", "n", "left out", "agreed", "kappa"),
    *("Bowker χ² (df)", "p", "Stuart-Maxwell χ² (df)", "p ", "worst cell", "remark"),
)


def symmetry_table(record: RunRecord, found: Sequence[Disagreement]) -> Table:
    """A row a criterion and subset: agreement, the two tests, and the cell that outweighs its mirror most."""
    footer = (
        "Bowker: is gold i, verdict j as frequent as gold j, verdict i? Stuart-Maxwell: are the labels used "
        "equally often? p not corrected for the number of rows.",
        "worst cell: gold > verdict, its items against those of the mirrored cell.",
        provenance([record]),
        *cautions([record]),
    )
    return Table(f"Systematic disagreement: {record.name}", COLUMNS, tuple(map(_row, found)), footer)


def _row(each: Disagreement) -> tuple[Cell, ...]:
    symmetry, margins = each.symmetry, each.margins
    remark = symmetry.note.removeprefix("undefined: ")
    return (
        each.criterion,
        each.subset,
        Estimate(each.n, decimals=0),
        Estimate(each.left_out, decimals=0),
        Estimate(each.agreed),
        Estimate(each.kappa),
        _statistic(symmetry),
        _p(symmetry.p),
        _statistic(margins),
        _p(margins.p),
        _worst(each),
        remark,
    )


def _statistic(test: SymmetryTest) -> str:
    return f"{rounded(test.statistic, 2)} ({test.df})" if test.is_defined else ""


def _p(p: float) -> str:
    if math.isnan(p):
        return ""
    shown = rounded(p, 3)
    return "<0.001" if shown == "0.000" else shown


def _worst(each: Disagreement) -> str:
    worst = each.worst
    if worst is None:
        return ""
    return f"{each.labels[worst.first]} > {each.labels[worst.second]}: {worst.count} against {worst.mirrored}"


def confusion_table(each: Disagreement) -> Table:
    """The counts: a row a gold label, a column a verdict."""
    rows: list[tuple[Cell, ...]] = [
        (f"gold {label}", *(Estimate(float(count), decimals=0) for count in counts.tolist()))
        for label, counts in zip(each.labels, each.table, strict=True)
    ]
    return Table(f"{each.criterion}, {each.subset}: gold by verdict", ("", *each.labels), tuple(rows))


def items_table(found: Sequence[Disagreement], most: int) -> Table:
    """The items in the worst cell of every criterion over all data, at most `most` of each."""
    rows: list[tuple[Cell, ...]] = []
    left = []
    for each in found:
        if each.subset == ALL:
            rows += [(each.criterion, _worst(each), item) for item in each.behind[:most]]
            if len(each.behind) > most:
                left.append(f"{each.criterion}: {len(each.behind) - most} more (--items).")
    return Table("Items behind the worst cells", ("criterion", "cell", "item"), tuple(rows), tuple(left))


def as_json(record: RunRecord, found: Sequence[Disagreement]) -> dict[str, object]:
    """Plain values of everything, every item of every worst cell included."""
    return {"run": record.run_id, "name": record.name, "tables": [_json(each) for each in found]}


def _json(each: Disagreement) -> dict[str, object]:
    worst = each.worst
    return {
        "criterion": each.criterion,
        "subset": each.subset,
        "labels": list(each.labels),
        "gold_by_verdict": each.table.tolist(),
        "n": each.n,
        "left_out": each.left_out,
        "agreed": _number(each.agreed),
        "kappa": _number(each.kappa),
        "bowker": _test(each.symmetry),
        "stuart_maxwell": _test(each.margins),
        "worst": None
        if worst is None
        else {
            "gold": each.labels[worst.first],
            "verdict": each.labels[worst.second],
            "count": worst.count,
            "mirrored": worst.mirrored,
            "excess": worst.excess,
            "items": list(each.behind),
        },
    }


def _test(test: SymmetryTest) -> dict[str, object]:
    return {
        "statistic": _number(test.statistic),
        "df": test.df,
        "p": _number(test.p),
        "note": test.note,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
