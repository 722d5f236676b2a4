"""Plots: what is drawn, that it is the same each time, and that simulated judges are named."""

import math
from pathlib import Path

import pytest

from venire.reporting.figure import SIMULATED, Captions
from venire.reporting.plots import Point, bars, curve, pareto, pareto_front

POINTS = [
    Point("a", 0.0, 0.7, 0.65, 0.75, 8.0, "own"),
    Point("b <i>", 0.5, 0.8, 0.74, 0.85, 3.5, "own"),
    Point("c", 0.9, 0.75, calls=1.4, group="controls"),
]
CAPTIONS = Captions("A title", "x", "accuracy", "n = 3", SIMULATED)


def test_the_front_has_the_points_that_none_beats_at_no_higher_cost() -> None:
    # b at (1, .6) beats a (dearer and worse), c (dearer, equal) and d (as dear, worse); e is the best
    points = [
        Point(n, x, y)
        for n, x, y in [("a", 2, 0.5), ("b", 1, 0.6), ("c", 3, 0.6), ("d", 1, 0.4), ("e", 4, 0.9)]
    ]
    assert [point.label for point in pareto_front(points)] == ["b", "e"]
    assert pareto_front([]) == []


@pytest.mark.parametrize("kind", ["curve", "pareto", "bars"])
@pytest.mark.parametrize("n", [1, 3])
def test_a_plot_is_written_in_both_forms_and_says_that_judges_were_simulated(
    tmp_path: Path, kind: str, n: int
) -> None:
    def draw(folder: str) -> list[Path]:
        stem, points = tmp_path / folder / "plot", POINTS[:n]
        match kind:
            case "curve":
                return curve(points, points[:1], CAPTIONS, stem)
            case "pareto":
                return pareto(points, CAPTIONS, stem)
        return bars(points, points[:1], CAPTIONS, stem)

    svg, pdf, png = draw("one")
    assert (svg.name, pdf.name, png.name) == ("plot.svg", "plot.pdf", "plot.png")
    assert pdf.read_bytes()[:5] == b"%PDF-"
    assert png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    text = svg.read_text(encoding="utf-8")
    assert SIMULATED in text
    assert "<i>" not in text
    assert [path.read_bytes() for path in draw("two")] == [path.read_bytes() for path in (svg, pdf, png)]


def test_of_many_points_those_on_the_front_are_named(tmp_path: Path) -> None:
    # Ninety names of this length left no room for the axes, of which matplotlib warned.
    many = [Point(f"an arm of a large grid of settings, {n}", 1.0 + n, 0.5 - n / 1000) for n in range(90)]
    svg = pareto(many, CAPTIONS, tmp_path / "plot")[0].read_text(encoding="utf-8")
    assert "settings, 0" in svg
    assert "settings, 1" not in svg
    assert "89 others" in svg


def test_a_point_without_an_interval_has_none(tmp_path: Path) -> None:
    assert math.isnan(POINTS[2].low)
    bars([POINTS[2]], [], CAPTIONS, tmp_path / "plot")
