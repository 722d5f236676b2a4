"""Matrices as heat maps: error correlations, one with its scale or several side by side; confusion."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from venire.reporting.figure import INK, Captions, drawn, drawn_beside
from venire.stats.estimate import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

_DARK = 0.6  # from here on the colour is so dark that white is read better on it
_TITLE_WIDTH = 30  # characters above one of several


@dataclass(frozen=True, slots=True)
class Correlations:
    """Correlations between the judges of one panel: `matrix` of shape (n, n), a label each."""

    title: str
    labels: tuple[str, ...]
    matrix: FloatArray


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of one run's verdicts: `counts` of shape (labels of the gold, labels of the verdict)."""

    title: str
    gold: tuple[str, ...]
    verdict: tuple[str, ...]
    counts: IntArray


def heat_map(matrix: FloatArray, labels: Sequence[str], captions: Captions, stem: Path) -> list[Path]:
    """Cells from -1 (blue) to 1 (red), each with its number; the diagonal is left empty, NaN is a dash.

    Args:
        matrix: shape (n, n).
        labels: of rows and columns.
        captions: around it.
        stem: path of the files, without ending.
    """
    size = len(labels)
    with drawn(captions, stem) as (figure, axes, paths):
        image = _correlations(axes, matrix, labels)
        figure.colorbar(image, ax=axes, shrink=0.8)
        figure.set_size_inches(3.6 + 0.55 * size, 2.8 + 0.5 * size)
    return paths


def heat_maps(panels: Sequence[Correlations], captions: Captions, stem: Path) -> list[Path]:
    """As `heat_map`, of several panels on one scale."""
    size = max(len(each.labels) for each in panels)
    across = 3
    with drawn_beside(len(panels), captions, stem, across=across) as (figure, every, paths):
        for axes, each in zip(every, panels, strict=True):
            image = _correlations(axes, each.matrix, each.labels)
            axes.set_title(textwrap.fill(each.title, _TITLE_WIDTH), fontsize=8.5)
        figure.colorbar(image, ax=list(every), shrink=0.8)
        columns, rows = min(across, len(panels)), math.ceil(len(panels) / across)
        figure.set_size_inches(1.4 + (1.8 + 0.42 * size) * columns, 1.2 + (1.5 + 0.42 * size) * rows)
    return paths


def _correlations(axes: "Axes", matrix: FloatArray, labels: Sequence[str]) -> "AxesImage":
    shown = matrix.copy()
    np.fill_diagonal(shown, math.nan)
    image = axes.imshow(shown, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    for (row, column), value in np.ndenumerate(matrix):
        if row != column:
            text = "–" if math.isnan(value) else f"{value:.2f}"
            _write(axes, (row, column), text, dark=bool(abs(value) > _DARK))
    axes.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(labels)), labels)
    axes.grid(visible=False)
    return image


def confusions(runs: Sequence[Confusion], captions: Captions, stem: Path) -> list[Path]:
    """Gold by verdict, a matrix a run; cells: the count, and its share of the row as grey and percent."""
    with drawn_beside(len(runs), captions, stem) as (figure, every, paths):
        for axes, each in zip(every, runs, strict=True):
            totals = each.counts.sum(axis=1, keepdims=True)
            shares = each.counts / np.where(totals > 0, totals, 1)
            axes.imshow(shares, cmap="Greys", vmin=0.0, vmax=1.0, aspect="auto")
            for (row, column), share in np.ndenumerate(shares):
                count = each.counts[row, column]
                _write(axes, (row, column), f"{count:,}\n{share:.0%}", dark=bool(share > _DARK))
            axes.set_xticks(
                range(len(each.verdict)), each.verdict, rotation=35, ha="right", rotation_mode="anchor"
            )
            axes.set_yticks(range(len(each.gold)), each.gold)
            axes.set_title(textwrap.fill(each.title, _TITLE_WIDTH), fontsize=8.5)
        columns, rows = min(4, len(runs)), math.ceil(len(runs) / 4)
        cells = max(len(each.verdict) for each in runs), max(len(each.gold) for each in runs)
        figure.set_size_inches(
            max(4.6, (1.0 + 0.55 * cells[0]) * columns), 1.4 + (0.9 + 0.5 * cells[1]) * rows
        )
    return paths


def _write(axes: "Axes", place: tuple[int, ...], text: str, *, dark: bool) -> None:
    row, column = place
    axes.text(
        column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else INK
    )  # fmt: skip
