"""What every figure has: its look, what is written around it, and its files. Same points, same bytes."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIMULATED = "SIMULATED judges: no findings about models"

# Told apart by the colour-blind, and in grey by their lightness; of points also by their markers.
# Source: Okabe and Ito (2008), Color universal design; its yellow is too light for a line on white.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#000000")
INK, FIRST, SECOND, FAINT = "#222222", "#1f5fa8", "#b3541e", "#9a9a9a"

_STAMP = "#b00020"
_STYLE: Any = {  # matplotlib's own words, of many types
    "svg.hashsalt": "venire",  # ids in the file would be random
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # fonts that journals take
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "figure.dpi": 150,
}
# Without the time and the version of what wrote the file.
_FILES: dict[str, Any] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
# Characters that have room in an inch of the figure; a title begins at the axes, right of the labels.
_NOTE_PER_INCH, _STAMP_PER_INCH, _TITLE_PER_INCH = 15.0, 11.5, 9.5


@dataclass(frozen=True, slots=True)
class Captions:
    """What is written around a plot: `note` below it (n, seeds, ...), `stamp` above (what answered)."""

    title: str
    x: str
    y: str
    note: str = ""
    stamp: str = ""


@contextmanager
def drawn(captions: Captions, stem: Path) -> Iterator[tuple["Figure", "Axes", list[Path]]]:
    """A figure with one pair of axes, written at the end; and the list that then holds the files' paths."""
    with _figure(captions, stem, stamp=captions.stamp) as (figure, paths):
        axes = figure.subplots()
        axes.set_title(captions.title, fontsize=10, loc="left")
        axes.set_xlabel(captions.x)
        axes.set_ylabel(captions.y)
        axes.grid(axis="y" if captions.y else "x", color="#e4e4e4", lw=0.6)
        axes.set_axisbelow(True)
        yield figure, axes, paths
        if axes.get_title(loc="left") == captions.title:  # not wrapped already
            axes.set_title(_filled(captions.title, figure, _TITLE_PER_INCH), fontsize=10, loc="left")


@contextmanager
def drawn_beside(
    count: int, captions: Captions, stem: Path, *, across: int = 4
) -> Iterator[tuple["Figure", Sequence["Axes"], list[Path]]]:
    """As `drawn`, with `count` pairs of axes of one kind, at most `across` in a row."""
    head = "\n".join(text for text in (captions.stamp, captions.title) if text)
    columns = min(count, across)
    rows = math.ceil(count / columns)
    with _figure(captions, stem, stamp=head) as (figure, paths):
        every = list(figure.subplots(rows, columns, squeeze=False).flat)
        for unused in every[count:]:
            unused.set_axis_off()
        for place, axes in enumerate(every[:count]):
            axes.set_xlabel(captions.x if place + columns >= count else "")
            axes.set_ylabel(captions.y if place % columns == 0 else "")
        yield figure, every[:count], paths


@contextmanager
def _figure(captions: Captions, stem: Path, *, stamp: str) -> Iterator[tuple["Figure", list[Path]]]:
    import matplotlib
    from matplotlib.figure import Figure

    paths: list[Path] = []
    with matplotlib.rc_context(_STYLE):
        # No pyplot: it keeps figures and a backend of its own.
        figure = Figure(layout="constrained")
        yield figure, paths
        if stamp:
            color, weight = (_STAMP, "bold") if captions.stamp else (INK, "normal")
            text = _filled(stamp, figure, _STAMP_PER_INCH)
            figure.suptitle(text, fontsize=9, color=color, weight=weight)
        if captions.note:
            text = _filled(captions.note, figure, _NOTE_PER_INCH)
            figure.supxlabel(text, fontsize=7.5, color="#555555")
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, not once a file
        stem.parent.mkdir(parents=True, exist_ok=True)
        for ending, metadata in _FILES.items():
            paths.append(stem.with_name(f"{stem.name}.{ending}"))
            figure.savefig(paths[-1], metadata=metadata)


def _filled(text: str, figure: "Figure", per_inch: float) -> str:
    """`text` in lines that have room, its own lines apart."""
    width = int(per_inch * figure.get_figwidth())
    return "\n".join(textwrap.fill(line, width) for line in text.splitlines())
