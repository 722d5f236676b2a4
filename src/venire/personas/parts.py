"""A document in parts that fit a model's context."""

import re
from collections.abc import Iterator, Sequence

from venire.personas.blocks import Document, Paragraph

_CHARACTERS_A_TOKEN = 4
_TOKENS_A_PARAGRAPH = 4  # its number, brackets and line break
_SENTENCE = re.compile(r"(?<=[.!?…。])\s+")

Part = tuple[Paragraph, ...]


def estimated_tokens(text: str) -> int:
    """A token for every four characters of ASCII, one for every other character: rather too many."""
    plain = sum(character < "\x80" for character in text)
    return -(-plain // _CHARACTERS_A_TOKEN) + len(text) - plain


def parts_of(document: Document, most_tokens: int) -> list[Part]:
    """Consecutive paragraphs with at most `most_tokens` estimated tokens each.

    A paragraph is cut only where it is longer than a part on its own: at ends of sentences, where these
    are too long at blanks, and at last anywhere. The pieces keep its number.
    """
    parts: list[list[Paragraph]] = [[]]
    taken = 0
    for piece in _pieces(document.paragraphs, most_tokens - _TOKENS_A_PARAGRAPH):
        tokens = estimated_tokens(piece.text) + _TOKENS_A_PARAGRAPH
        if parts[-1] and taken + tokens > most_tokens:
            parts.append([])
            taken = 0
        parts[-1].append(piece)
        taken += tokens
    return [tuple(part) for part in parts]


def _pieces(paragraphs: Sequence[Paragraph], most: int) -> Iterator[Paragraph]:
    for paragraph in paragraphs:
        for text in _cut(paragraph.text, most):
            yield Paragraph(paragraph.number, text)


def _cut(text: str, most: int) -> Iterator[str]:
    if estimated_tokens(text) <= most:
        yield text
        return
    for splitter in (_SENTENCE.split, str.split):
        units = splitter(text)
        if all(estimated_tokens(unit) <= most for unit in units):
            yield from _joined(units, most)
            return
    for start in range(0, len(text), most):  # no character is more than a token
        yield text[start : start + most]


def _joined(units: Sequence[str], most: int) -> Iterator[str]:
    """`units` with blanks between them, as many in one as fit."""
    open_text = ""
    for unit in units:
        longer = f"{open_text} {unit}" if open_text else unit
        if estimated_tokens(longer) > most:
            yield open_text
            open_text = unit
        else:
            open_text = longer
    yield open_text
