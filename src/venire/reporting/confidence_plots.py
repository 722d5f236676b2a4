"""Reliability diagrams and risk-coverage curves, as SVG and PNG."""

from collections.abc import Mapping
from pathlib import Path

from venire.reporting.figure import Captions, drawn
from venire.stats.calibration import Bins, Graded, aurc, reliability, risk_coverage
from venire.stats.recalibration import Curve

_INK, _FAINT = "#1f5fa8", "#9a9a9a"
_STYLES = ("-", "--", ":", "-.")


def reliability_plot(
    items: Graded, bins: Bins, curves: Mapping[str, Curve], captions: Captions, stem: Path
) -> list[Path]:
    """Accuracy over mean confidence, bin by bin, with Wilson's 95% intervals; number of items below.

    `curves` fitted on other items are drawn as lines.
    """
    found = reliability(items, bins)
    with drawn(captions, stem) as (figure, axes, paths):
        axes.plot([0, 1], [0, 1], color=_FAINT, lw=1, ls="--", label="calibrated")
        axes.errorbar(
            [each.confidence for each in found],
            [each.accuracy for each in found],
            yerr=[
                [max(0.0, each.accuracy - each.low) for each in found],
                [max(0.0, each.high - each.accuracy) for each in found],
            ],
            fmt="o",
            color=_INK,
            capsize=3,
            label="evaluated items",
        )
        for each in found:
            axes.annotate(
                f"{each.n}", (each.confidence, 0.0), xytext=(0, 3), textcoords="offset points", ha="center",
                fontsize=7, color="#555555",
            )  # fmt: skip
        grid = [k / 100 for k in range(101)]
        for style, (name, curve) in zip(_STYLES[1:], curves.items(), strict=False):
            axes.plot(grid, _at(curve, grid), color="#b3541e", ls=style, lw=1.2, label=f"{name}, development")
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(0, 1.02)
        axes.legend(loc="upper left", edgecolor="none", framealpha=0.9, fontsize=7.5)
        figure.set_size_inches(4.8, 4.4)
    return paths


def _at(curve: Curve, grid: list[float]) -> list[float]:
    import numpy as np

    return [float(value) for value in curve(np.array(grid))]


def risk_coverage_plot(sources: Mapping[str, Graded], captions: Captions, stem: Path) -> list[Path]:
    """The share of errors among the most confident items over the share that is kept, a line a source."""
    with drawn(captions, stem) as (figure, axes, paths):
        for style, (name, items) in zip(_STYLES * len(sources), sources.items(), strict=False):
            curve = risk_coverage(items)
            axes.plot(
                curve.coverage, curve.risk, marker="o", ms=3, ls=style, lw=1.2,
                label=f"{name} (AURC {aurc(items).value:.3f})",
            )  # fmt: skip
        axes.set_xlim(0, 1.02)
        axes.set_ylim(bottom=0)
        axes.legend(loc="best", frameon=False, fontsize=7.5)
        figure.set_size_inches(5.6, 3.8)
    return paths
