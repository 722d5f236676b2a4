"""The report of an audit: tables in every form, and plots."""

from collections.abc import Sequence
from pathlib import Path

from venire.audit.plots import draw_findings
from venire.audit.table import Audited, audit_table, payload_table
from venire.reporting.table import TABLE_FORMS
from venire.runs import write_atomically

STEM = "audit"


def write_report(audited: Sequence[Audited], folder: Path, notes: Sequence[str] = ()) -> list[Path]:
    """`audit.{md,csv,tex,html}`, `audit_payloads.*` where there are any, and `audit_<measure>.{svg,png}`."""
    tables = {STEM: audit_table("Bias audit", audited, notes)}
    payloads = payload_table(audited)
    if payloads is not None:
        tables[f"{STEM}_payloads"] = payloads
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, table in tables.items():
        for form in TABLE_FORMS:
            paths.append(folder / f"{name}.{form}")
            write_atomically(paths[-1], table.render(form))
    return [*paths, *draw_findings(audited, folder / STEM)]
