"""Plots of points with intervals; each says what answered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venire.reporting.figure import COLORS, FAINT, FIRST, INK, SECOND, Captions, drawn


@dataclass(frozen=True, slots=True)
class Point:
    """One arm: where it lies, with the bounds of its vertical interval (NaN: none) and its name.

    `group` tells points of one kind (a data set) from others; `calls` is the second axis of a curve.
    """

    label: str
    x: float
    y: float
    low: float = math.nan
    high: float = math.nan
    calls: float = math.nan
    group: str = ""


def curve(points: Sequence[Point], published: Sequence[Point], captions: Captions, stem: Path) -> list[Path]:
    """Accuracy over a setting, with intervals, and re-evaluation calls on a second axis."""
    with drawn(captions, stem) as (figure, axes, paths):
        ordered = sorted(points, key=lambda point: point.x)
        x = [point.x for point in ordered]
        axes.errorbar(
            x,
            [p.y for p in ordered],
            yerr=_bars(ordered),
            color=FIRST,
            marker="o",
            capsize=3,
            label="accuracy",
        )
        if published:
            axes.plot(
                [p.x for p in published], [p.y for p in published], "D", mfc="none", color=FIRST,
                label="accuracy, published",
            )  # fmt: skip
        right = axes.twinx()
        right.spines["top"].set_visible(False)
        right.spines["right"].set_visible(True)
        right.plot(
            x, [p.calls for p in ordered], color=SECOND, marker="s", ls="--", label="re-evaluation calls"
        )
        if published:
            right.plot(
                [p.x for p in published], [p.calls for p in published], "D", mfc="none", color=SECOND,
                label="re-evaluation calls, published",
            )  # fmt: skip
        right.set_ylabel("re-evaluation calls per instance", color=SECOND)
        right.set_ylim(bottom=0)
        handles = [*axes.get_legend_handles_labels()[0], *right.get_legend_handles_labels()[0]]
        axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
        figure.set_size_inches(6.4, 4.6)
    return paths


def pareto(points: Sequence[Point], captions: Captions, stem: Path) -> list[Path]:
    """Accuracy over cost; a line through those that no other beats at no higher cost, group by group.

    Of more than `MOST_NAMED` points only those on such a line are named, the others are dots: a legend of
    all of them would leave no room for the plot.
    """
    with drawn(captions, stem) as (figure, axes, paths):
        groups = list(dict.fromkeys(point.group for point in points))
        fronts = [pareto_front([point for point in points if point.group == group]) for group in groups]
        for front in fronts:
            axes.plot([p.x for p in front], [p.y for p in front], color=FAINT, lw=1, drawstyle="steps-post")
        named = points if len(points) <= MOST_NAMED else [point for front in fronts for point in front]
        others = [point for point in points if point not in named]
        if others:
            dots, label = [(p.x, p.y) for p in others], f"{len(others)} others"
            axes.plot(*zip(*dots, strict=True), ls="none", marker=".", color=FAINT, label=label)
        for place, point in enumerate(named):
            label = f"{point.group}: {point.label}" if len(groups) > 1 else point.label
            look: dict[str, Any] = {
                "marker": _MARKERS[place % len(_MARKERS)],
                "color": COLORS[place % len(COLORS)],
                "label": label,
            }
            axes.errorbar([point.x], [point.y], yerr=_bars([point]), ls="none", capsize=3, lw=0.9, **look)
        axes.margins(x=0.08, y=0.1)
        axes.set_xlim(left=0)
        figure.legend(loc="outside right center", frameon=False, fontsize=8)
        figure.set_size_inches(8.0, 4.2)
    return paths


_MARKERS = "osD^vP*X<>"
MOST_NAMED = 20


def pareto_front(points: Sequence[Point]) -> list[Point]:
    """The points that none other beats in y at the same or a lower x, by x; of equal ones the first."""
    front: list[Point] = []
    for point in sorted(points, key=lambda point: (point.x, -point.y)):
        if not front or point.y > front[-1].y:
            front.append(point)
    return front


def bars(points: Sequence[Point], published: Sequence[Point], captions: Captions, stem: Path) -> list[Path]:
    """A bar an arm from the top down, with intervals; a diamond where a figure was published."""
    with drawn(captions, stem) as (figure, axes, paths):
        places = {point.label: -place for place, point in enumerate(points)}
        heights = [places[point.label] for point in points]
        colors = [FIRST if point.group == points[0].group else FAINT for point in points]
        axes.barh(heights, [p.y for p in points], color=colors, height=0.62, alpha=0.85)
        axes.errorbar([p.y for p in points], heights, xerr=_bars(points), fmt="none", ecolor=INK, capsize=3)
        if published:
            axes.plot(
                [p.y for p in published],
                [places[p.label] for p in published],
                "D",
                mfc="white",
                color=SECOND,
                label="published (real models)",
            )
            axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14))
        axes.set_yticks(heights, [point.label for point in points])
        low = min([p.low if not math.isnan(p.low) else p.y for p in (*points, *published)], default=0.0)
        high = max([p.high if not math.isnan(p.high) else p.y for p in (*points, *published)], default=1.0)
        # The axis starts at chance where all arms are above it: a longer bar would hide the differences.
        axes.set_xlim(0.5 if low > 0.5 else 0.0, min(1.0, high + 0.05))
        figure.set_size_inches(7.2, 1.9 + 0.36 * len(points))
    return paths


def _bars(points: Sequence[Point]) -> list[list[float]]:
    """Lengths below and above; 0 where there is no interval."""
    below = [0.0 if math.isnan(p.low) else max(0.0, p.y - p.low) for p in points]
    above = [0.0 if math.isnan(p.high) else max(0.0, p.high - p.y) for p in points]
    return [below, above]
