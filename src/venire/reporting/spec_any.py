"""The table of a spec, whichever of the three kinds its file lays out."""

from collections.abc import Sequence

from venire.reporting.column_table import column_table
from venire.reporting.pairing import Run
from venire.reporting.spec_table import source_told, spec_table
from venire.reporting.specs import Spec
from venire.reporting.sweep_table import sweep_table
from venire.reporting.table import Table


def table_of(spec: Spec, runs: Sequence[Run]) -> Table:
    """Its rows by columns, its rows, or (without rows) an arm a row as in any sweep's table."""
    if spec.rows and spec.columns:
        return column_table(spec, runs)
    if spec.rows:
        return spec_table(spec, runs)
    base = sweep_table(spec.title, runs, spec.columns, spec.correction)
    footer = (*base.footer, *spec.notes, source_told(spec))
    return Table(base.title, base.columns, base.rows, tuple(sentence for sentence in footer if sentence))
