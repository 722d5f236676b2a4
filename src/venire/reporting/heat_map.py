"""A square matrix of correlations as a heat map, SVG and PNG."""

import math
from collections.abc import Sequence
from pathlib import Path

from venire.reporting.plots import Captions, drawn
from venire.stats.estimate import FloatArray

_DARK = 0.6  # from here on the colour is so dark that white is read better on it


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
        shown = matrix.copy()
        for place in range(size):
            shown[place, place] = math.nan
        image = axes.imshow(shown, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
        for row in range(size):
            for column in range(size):
                if row != column:
                    value = float(matrix[row, column])
                    axes.text(
                        column, row, "–" if math.isnan(value) else f"{value:.2f}", ha="center", va="center",
                        color="white" if abs(value) > _DARK else "#222222",
                    )  # fmt: skip
        axes.set_xticks(range(size), labels, rotation=35, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(size), labels)
        axes.grid(visible=False)
        figure.colorbar(image, ax=axes, shrink=0.8)
        figure.set_size_inches(3.6 + 0.55 * size, 2.8 + 0.5 * size)
    return paths
