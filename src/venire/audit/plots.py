"""A forest plot a measure: every judge and way of asking with its effect and interval."""

from collections.abc import Sequence
from pathlib import Path

from venire.audit.table import Audited
from venire.audit.told import unit_of
from venire.judging.probe import PLAIN
from venire.metrics.audit.finding import ACCURACY, Finding
from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.footer import interval_level
from venire.reporting.forest import Line, forest


def draw_findings(audited: Sequence[Audited], stem: Path) -> list[Path]:
    """`<stem>_<measure>.svg` and `.png` for every measure that has an effect."""
    names = dict.fromkeys(finding.name for each in audited for finding in each.findings)
    paths: list[Path] = []
    for name in names:
        found = [
            (each.judge, finding) for each in audited for finding in each.findings if finding.name == name
        ]
        lines = [_line(judge, finding) for judge, finding in found if finding.effect.is_defined]
        if not lines:
            continue
        kinds = sorted({str(each.record.kind) for each in audited})
        note = (
            f"Lines: {interval_level([each.record for each in audited])} intervals over items. "
            f"Backend: {', '.join(kinds)}. How it is measured: docs/bias.md."
        )
        captions = Captions(
            name.replace("_", " "), unit_of(found[0][1]), "", note, SIMULATED if "simulated" in kinds else ""
        )
        paths += forest(lines, captions, stem.with_name(f"{stem.name}_{name}"), zero=name != ACCURACY)
    return paths


def _line(judge: str, finding: Finding) -> Line:
    effect = finding.effect
    label = judge if finding.arm == PLAIN else f"{judge}, {finding.arm}"
    return Line(label, effect.value, effect.low, effect.high, finding.arm != PLAIN)
