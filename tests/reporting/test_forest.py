"""Forest plots: effects one below the other."""

import math
from pathlib import Path

from venire.reporting.figure import Captions
from venire.reporting.forest import Line, forest


def test_a_forest_names_every_line_and_is_the_same_every_time(tmp_path: Path) -> None:
    lines = [Line("GPT-4", 0.1, 0.0, 0.2), Line("Falcon, swap", 0.0, math.nan, math.nan, faint=True)]
    paths = forest(lines, Captions("position", "effect", "", "note"), tmp_path / "a")
    assert [path.name for path in paths] == ["a.svg", "a.pdf", "a.png"]
    svg = paths[0].read_text(encoding="utf-8")
    for text in ("GPT-4", "Falcon, swap", "effect", "note", "position"):
        assert f">{text}</text>" in svg
    again = forest(lines, Captions("position", "effect", "", "note"), tmp_path / "b")
    assert again[0].read_bytes() == paths[0].read_bytes()
