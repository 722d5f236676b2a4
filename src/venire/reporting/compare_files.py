"""A comparison as files: its tables in every form, plain values, and a forest of the differences."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from venire.records import BackendKind, RunRecord
from venire.reporting.compare import Comparison
from venire.reporting.compare_json import as_json
from venire.reporting.compare_tables import comparison_tables
from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.forest import Line, forest
from venire.reporting.table import TABLE_FORMS, Estimate, render_tables
from venire.runs import write_atomically
from venire.stats.multiple import ALPHA

STEM = "comparison"


def write_comparison(comparison: Comparison, records: Sequence[RunRecord], folder: Path) -> list[Path]:
    """`comparison.{md,csv,tex,html,json}` and `comparison_forest.{svg,pdf,png}` in `folder`; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = comparison_tables(comparison)
    texts = {str(form): render_tables(tables, form) for form in TABLE_FORMS}
    texts["json"] = json.dumps(as_json(comparison), indent=1) + "\n"
    paths = []
    for form, text in texts.items():
        paths.append(folder / f"{STEM}.{form}")
        write_atomically(paths[-1], text)
    lines = list(_lines(comparison))
    return [*paths, *forest(lines, _captions(comparison, records), folder / f"{STEM}_forest")]


def _lines(comparison: Comparison) -> Iterator[Line]:
    for pair in comparison.paired:
        yield _line(pair.second, pair.accuracy, significant=pair.p_adjusted <= ALPHA)
    for rated in comparison.rated:
        for gap in rated.gaps:
            label = f"{rated.second}, {gap.coefficient} {gap.dimension}"
            yield _line(label, Estimate.of(gap.difference), significant=gap.significant)


def _line(label: str, found: Estimate, *, significant: bool) -> Line:
    return Line(label, found.value, found.low, found.high, hollow=not significant)


def _captions(comparison: Comparison, records: Sequence[RunRecord]) -> Captions:
    n = {pair.common for pair in comparison.paired} | {pair.common for pair in comparison.rated}
    sizes = "/".join(map(str, sorted(n)))
    (first, *_) = [pair.first for pair in comparison.paired] or [pair.first for pair in comparison.rated]
    kinds = sorted({str(record.kind) for record in records})
    what = "accuracy" if comparison.paired else "correlation"
    note = (
        f"n = {sizes} common items, backend {', '.join(kinds)}. Lines: 95% bootstrap intervals. "
        f"Filled: p at most {ALPHA}; {comparison.families}."
    )
    stamp = SIMULATED if any(record.kind is BackendKind.SIMULATED for record in records) else ""
    return Captions("Paired differences on the same items", f"{what} less that of {first}", "", note, stamp)
