"""Forest plots: effects one below the other, each with its interval."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.reporting.figure import Captions, drawn

_INK, _FAINT = "#1f5fa8", "#9a9a9a"
_TITLE_WIDTH = 56


@dataclass(frozen=True, slots=True)
class Line:
    """An effect on a line of its own; faint where it is there for comparison. NaN bounds: no interval.

    `hollow` where no test found it to be more than chance.
    """

    label: str
    value: float
    low: float = math.nan
    high: float = math.nan
    faint: bool = False
    hollow: bool = False


def forest(lines: Sequence[Line], captions: Captions, stem: Path, *, zero: bool = True) -> list[Path]:
    """A point with its interval a line, from the top down; with `zero` a dashed line at no effect."""
    with drawn(captions, stem) as (figure, axes, paths):
        for place, line in enumerate(lines):
            color = _FAINT if line.faint else _INK
            if not (math.isnan(line.low) or math.isnan(line.high)):
                axes.plot([line.low, line.high], [-place, -place], color=color, lw=1.2)
            axes.plot([line.value], [-place], "o", color=color, mfc="white" if line.hollow else color, ms=4.5)
        if zero:
            axes.axvline(0, color="#222222", lw=0.8, ls="--")
        axes.set_yticks([-place for place in range(len(lines))], [line.label for line in lines])
        # Long labels leave the axes, under whose left edge a title begins, little room.
        axes.set_title(textwrap.fill(captions.title, _TITLE_WIDTH), fontsize=10, loc="left")
        axes.set_ylim(-len(lines) + 0.4, 0.6)
        figure.set_size_inches(7.2, 1.6 + 0.26 * len(lines))
    return paths
