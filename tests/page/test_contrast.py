"""The colours of the page: every pair that meets is read easily (WCAG 2.2, AA), by day and by night."""

import re
from itertools import chain
from pathlib import Path

import pytest

import venire.page

FOLDER = Path(venire.page.__file__).parent
SHEETS = {path: path.read_text() for path in FOLDER.rglob("static/*.css")}
OWN = FOLDER / "static" / "page.css"

# Text on what it stands on: 4.5; edges of controls and the ring of the focus on what is around: 3.
TEXT = [
    *(("ink", ground) for ground in ("paper", "card", "chosen")),
    *(("faint", ground) for ground in ("paper", "card")),
    *(("accent", ground) for ground in ("paper", "card")),
    ("on-accent", "accent"),
    ("good", "good-paper"),
    ("bad", "bad-paper"),
]
EDGES = [
    *((edge, ground) for edge in ("edge", "focus", "accent") for ground in ("paper", "card")),
    ("good", "card"),
    ("bad", "card"),
]


def palettes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r":root \{(.*?)\}", SHEETS[OWN], flags=re.DOTALL)
    light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": {**light, **dark}}


def luminance(colour: str) -> float:
    """Relative luminance. Source: WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_black_and_white_and_of_a_known_pair():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # just fails, as is well known


@pytest.mark.parametrize("palette", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (EDGES, 3.0)], ids=["text", "edges"])
def test_what_meets_is_told_apart(palette, pairs, least):
    colours = palettes()[palette]
    weak = {pair: round(contrast(*(colours[name] for name in pair)), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < least} == {}


def test_both_palettes_have_every_colour_and_own_sheets_name_no_other():
    light, dark = palettes().values()
    named = set(re.findall(r"--([\w-]+): #", re.findall(r":root \{(.*?)\}", SHEETS[OWN], flags=re.DOTALL)[1]))
    assert named == set(light) == set(dark)
    own = [SHEETS[OWN], SHEETS[FOLDER / "annotating" / "static" / "annotating.css"]]
    assert set(chain(*(re.findall(r"var\(--([\w-]+)\)", text) for text in own))) - {"margin"} == set(light)
    assert [re.sub(r":root \{.*?\}", "", text, flags=re.DOTALL).count("#") for text in own] == [0, 0]


def test_the_colours_of_texts_are_among_the_pairs():
    own = [SHEETS[OWN], SHEETS[FOLDER / "annotating" / "static" / "annotating.css"]]
    used = set(chain(*(re.findall(r"(?<![\w-])color: var\(--([\w-]+)\)", text) for text in own)))
    assert used <= {text for text, _ in TEXT}
