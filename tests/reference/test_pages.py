"""`docs/reference/` is what the code makes, and `targets` reads signatures and docstrings as they are."""

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from venire.reference.markdown import anchor, cell
from venire.reference.options import option_of
from venire.reference.pages import ROOT, pages
from venire.reference.targets import kind_of, target_of


@pytest.fixture(scope="module")
def made() -> dict[Path, str]:
    return pages()


@pytest.mark.parametrize("name", ["config.md", "metrics.md"])
def test_the_committed_page_is_what_the_code_makes(name: str, made: dict[Path, str]) -> None:
    path = ROOT / "docs" / "reference" / name
    assert path.read_text(encoding="utf-8") == made[path], "stale: run `make docs`"


def test_every_group_and_option_is_on_the_page(made: dict[Path, str]) -> None:
    page = made[ROOT / "docs" / "reference" / "config.md"]
    for folder in [*(ROOT / "conf").iterdir(), ROOT / "conf" / "hydra" / "launcher"]:
        if folder.is_dir() and folder.name != "hydra":
            assert f"\n## {folder.relative_to(ROOT / 'conf')}\n" in page
            for path in folder.rglob("*.yaml"):
                assert f"| `{path.relative_to(folder).with_suffix('')}` |" in page


class Colour(enum.StrEnum):
    """Of a wall. There are two."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Base:
    """A base.

    Args:
        first, second: what both
            are.
        colour: see `Colour`.
    """

    first: int
    second: float | None = None


@dataclass(frozen=True)
class Painted(Base):
    """Something with a colour.

    It has a second paragraph.

    Args:
        first: see `Base`.
        colour: which; a text with a: colon.

    Raises:
        ConfigError: never.
    """

    colour: Colour = Colour.BLUE
    parts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def test_a_target_says_what_it_takes_in_words() -> None:
    target = target_of(f"{__name__}.Painted")
    assert target.summary == "Something with a colour.\n\nIt has a second paragraph."
    assert [(each.name, each.kind, each.default, each.text) for each in target.parameters] == [
        ("first", "whole number", None, "what both are."),
        ("second", "number or null", "null", "what both are."),
        ("colour", "`red` or `blue`", "blue", "which; a text with a: colon."),
        ("parts", "mapping of list of whole number", "{}", ""),
    ]


@dataclass(frozen=True)
class Room:
    """Where it hangs.

    Args:
        first: see `Painted`; or none.
        colour: see `Colour`; null leaves it.
        beside: see `Nobody`.
    """

    first: int
    colour: Colour | None = None
    wall: Painted | None = None
    beside: int = 0


def test_what_is_said_elsewhere_is_looked_up_there_or_taken_from_the_type() -> None:
    # Painted says of `first` what its base does; `Nobody` is not there
    assert [(each.name, each.text) for each in target_of(f"{__name__}.Room").parameters] == [
        ("first", "what both are. Or none."),
        ("colour", "Of a wall. Null leaves it."),
        ("wall", "Something with a colour."),
        ("beside", ""),
    ]


def test_every_key_and_option_of_the_reference_says_what_it_is(made: dict[Path, str]) -> None:
    page = made[ROOT / "docs" / "reference" / "config.md"]
    silent, place = [], 0
    for line in (each for each in page.splitlines() if each.startswith("|")):
        cells = [each.strip() for each in re.split(r"(?<!\\)\|", line)[1:-1]]
        if "is" in cells:
            place = cells.index("is")
        elif cells and not cells[place]:
            silent.append(line)
    assert silent == []


def test_a_type_that_says_nothing_is_anything() -> None:
    assert (kind_of(object), kind_of("text"), kind_of(bool)) == ("anything", "anything", "true or false")


def test_an_option_has_its_comments_by_key_and_the_groups_that_it_chooses(tmp_path: Path) -> None:
    file = tmp_path / "method" / "m.yaml"
    file.parent.mkdir()
    file.write_text(
        "# What it is.\n# More.\ndefaults:\n  - /tags: general\n_target_: a.B\n# above\nx: 1 # behind\n"
        "inner:\n  _target_: a.C\n  # of y\n  y: null\n",
        encoding="utf-8",
    )
    option = option_of(file, file.parent)
    assert (option.name, option.comment) == ("m", "What it is. More.")
    assert [(node.place, node.target, dict(node.comments)) for node in option.nodes] == [
        ("", "a.B", {"x": "above behind"}),
        ("inner", "a.C", {"y": "of y"}),
    ]
    assert option.sets == {"x": 1, "inner.y": None, "/tags": "general"}
    assert option.chosen == {"/tags"}


def test_anchors_are_githubs_and_cells_keep_their_bars() -> None:
    assert anchor("`venire.llm.budget.Budget`") == "venirellmbudgetbudget"
    assert anchor("G-Eval's scores, [a link](x.md)") == "g-evals-scores-a-link"
    assert cell("a | b\nc") == "a \\| b c"
