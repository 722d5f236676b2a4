"""A forest plot a measure: every judge and way of asking with its effect and interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.audit.table import Audited
from venire.audit.told import unit_of
from venire.judging.probe import PLAIN
from venire.metrics.audit.finding import ACCURACY, Finding
from venire.reporting.plots import SIMULATED, Captions, drawn

_PLAIN_INK, _ARM_INK = "#1f5fa8", "#9a9a9a"


@dataclass(frozen=True, slots=True)
class Line:
    """An effect on a line of its own; `plain` without a mitigation."""

    label: str
    value: float
    low: float
    high: float
    plain: bool


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
            f"Lines: 95% intervals over items. Backend: {', '.join(kinds)}. How it is measured: docs/bias.md."
        )
        captions = Captions(
            name.replace("_", " "), unit_of(found[0][1]), "", note, SIMULATED if "simulated" in kinds else ""
        )
        paths += forest(lines, captions, stem.with_name(f"{stem.name}_{name}"), zero=name != ACCURACY)
    return paths


def _line(judge: str, finding: Finding) -> Line:
    effect = finding.effect
    label = judge if finding.arm == PLAIN else f"{judge}, {finding.arm}"
    return Line(label, effect.value, effect.low, effect.high, finding.arm == PLAIN)


def forest(lines: Sequence[Line], captions: Captions, stem: Path, *, zero: bool = True) -> list[Path]:
    """A point with its interval a line, from the top down; a vertical line where there is no bias."""
    with drawn(captions, stem) as (figure, axes, paths):
        for place, line in enumerate(lines):
            color = _PLAIN_INK if line.plain else _ARM_INK
            if not (math.isnan(line.low) or math.isnan(line.high)):
                axes.plot([line.low, line.high], [-place, -place], color=color, lw=1.2)
            axes.plot([line.value], [-place], "o", color=color, ms=4)
        if zero:
            axes.axvline(0, color="#222222", lw=0.8, ls="--")
        axes.set_yticks([-place for place in range(len(lines))], [line.label for line in lines])
        axes.set_ylim(-len(lines) + 0.4, 0.6)
        figure.set_size_inches(7.2, 1.6 + 0.26 * len(lines))
    return paths
