"""Plain text and Markdown to blocks."""

import re
from collections.abc import Iterator, Sequence

from venire.personas.blocks import Block
from venire.personas.sections import heading_of

_ATX = re.compile(r"^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)\s*$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"^ {0,3}(?:([-*_])\s*){3,}$")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_QUOTE = re.compile(r"^ {0,3}>\s?")


def text_blocks(text: str) -> list[Block]:
    """Paragraphs are parted by blank lines; a heading stands on a line of its own, or opens a paragraph."""
    blocks: list[Block] = []
    for chunk in re.split(r"\n\s*\n", text):
        lines = chunk.strip().split("\n")
        while lines and (heading := heading_of(lines[0])) is not None:
            blocks.append(heading)
            lines = lines[1:]
        blocks += _paragraph(lines)
    return blocks


def markdown_blocks(text: str) -> list[Block]:
    """Headings (`#` and underlined), paragraphs, list items; fenced code is one paragraph, comments none."""
    text = _COMMENT.sub("", _FRONT_MATTER.sub("", text))
    return list(_markdown(text.split("\n")))


def _markdown(lines: Sequence[str]) -> Iterator[Block]:
    open_lines: list[str] = []
    fence = ""
    for line in lines:
        marker = _FENCE.match(line)
        if marker and (not fence or marker.group(1).startswith(fence)):
            yield from _paragraph(open_lines)
            open_lines, fence = [], "" if fence else marker.group(1)
        elif fence:
            open_lines.append(line)
        elif heading := _ATX.match(line):
            yield from _paragraph(open_lines)
            open_lines = []
            yield _heading(heading.group(2), len(heading.group(1)))
        elif (underline := _SETEXT.match(line)) and len(open_lines) == 1:
            yield _heading(open_lines[0], 1 if underline.group(1)[0] == "=" else 2)
            open_lines = []
        elif not line.strip() or _RULE.match(line):
            yield from _paragraph(open_lines)
            open_lines = []
        else:
            if _ITEM.match(line):
                yield from _paragraph(open_lines)
                open_lines = []
            open_lines.append(_LINK.sub(r"\1", _QUOTE.sub("", line)))
    yield from _paragraph(open_lines)


def _heading(text: str, level: int) -> Block:
    return Block(" ".join(text.split()), level, is_marked=True)


def _paragraph(lines: Sequence[str]) -> list[Block]:
    text = " ".join(" ".join(lines).split())
    return [Block(text)] if text else []
