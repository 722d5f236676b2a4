"""The colours of JuryFlow's pages are read easily, and marks are told apart (WCAG 2.2, AA), day and night."""

import re
from pathlib import Path

import pytest
from tests.page.test_contrast import SHEETS, contrast, palettes

import venire.page.jury
from venire.page.jury.drawing import fill_of

SHEET = SHEETS[Path(venire.page.jury.__file__).parent / "static" / "jury.css"]

# Texts on what they stand on: 4.5; parts of bars, rings and outlines on what is around them: 3.
TEXT = [
    *(
        (colour, ground)
        for colour in ("accept", "reject", "uncertain", "star")
        for ground in ("card", "paper")
    ),
    *((colour, "chosen") for colour in ("star", "faint", "accent", "ink")),
    ("bad", "bad-paper"),
]
MARKS = [
    *((colour, "card") for colour in ("accept", "reject", "uncertain")),
    *((colour, "chosen") for colour in ("accept", "reject", "uncertain", "edge")),
    *((colour, "graph") for colour in ("star", "ink", "graph-line", "accent")),
]


def own_palettes() -> dict[str, dict[str, str]]:
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", SHEET, flags=re.DOTALL)
    )
    of_all = palettes()
    return {"light": {**of_all["light"], **light}, "dark": {**of_all["dark"], **light, **dark}}


@pytest.mark.parametrize("palette", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (MARKS, 3.0)], ids=["text", "marks"])
def test_what_meets_is_told_apart(palette: str, pairs: list[tuple[str, str]], least: float) -> None:
    colours = own_palettes()[palette]
    ratios = {pair: round(contrast(*(colours[name] for name in pair)), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < least} == {}


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_every_claim_is_seen_by_its_fill_or_by_its_outline(palette: str) -> None:
    colours = own_palettes()[palette]
    for d in (0.0, 0.455, 0.613, 0.865, 0.960, 1.0):
        seen = max(contrast(fill_of(d), colours["graph"]), contrast(colours["ink"], colours["graph"]))
        assert seen >= 3


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_the_dashes_of_settled_claims_are_seen_on_their_fill(palette: str) -> None:
    dash = own_palettes()[palette]["dash"]
    assert min(contrast(dash, fill_of(d)) for d in (0.0, 0.25, 0.455, 0.5)) >= 3


def test_no_number_of_a_claim_is_faded() -> None:
    faded = re.findall(r"([^{}]*)\{[^{}]*(?<!-)opacity", re.sub(r"/\*.*?\*/", "", SHEET, flags=re.DOTALL))
    assert faded == []


def test_colours_are_named_and_every_name_is_known_and_used() -> None:
    rules = re.sub(r":root \{.*?\}|/\*.*?\*/", "", SHEET, flags=re.DOTALL)
    used = set(re.findall(r"var\(--([\w-]+)\)", rules))
    light, dark = own_palettes().values()
    own = set(re.findall(r"--([\w-]+): #", SHEET))
    assert used <= set(light) & set(dark)
    assert own <= used
    assert re.findall(r"#[0-9a-f]{3,6}", rules) == []
    coloured = set(re.findall(r"(?<![\w-])color: var\(--([\w-]+)\)", rules))
    assert coloured <= {text for text, _ in TEXT} | {"on-accent"}
