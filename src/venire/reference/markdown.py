"""Text that is safe in a Markdown table, and the anchors that a reader's browser knows headings by."""

import re


def cell(text: str) -> str:
    """In one line, without a bar that would end the cell."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def code(text: str) -> str:
    """As code."""
    return f"`{cell(text)}`"


def anchor(heading: str) -> str:
    """What a link to the heading ends with: lower case, hyphens for spaces, other signs gone.

    Source: GitHub's rule.
    """
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
