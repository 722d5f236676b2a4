"""What was generated as text for a terminal."""

import textwrap
from collections.abc import Mapping

_WIDTH = 110


def filled(text: str, indent: str) -> str:
    """`text` in lines that begin with `indent`, those after the first a little further in."""
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")


def changed(path: str, old: object, new: object) -> str:
    """A changed value below its path, `-` old and `+` new."""
    return "\n".join((f"~ {path}", _marked("-", old), _marked("+", new)))


def price(cost: Mapping[str, object]) -> str:
    """The dollars of a provenance's `cost`."""
    return "dollars unknown" if cost.get("cost_usd") is None else f"${cost['cost_usd']}"


def _marked(mark: str, text: object) -> str:
    shown = str(text) or "(empty)"
    return textwrap.fill(shown, _WIDTH, initial_indent=f"    {mark} ", subsequent_indent="      ")
