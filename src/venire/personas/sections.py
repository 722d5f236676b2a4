"""Headings: which lines are some, and which sections are left out (related work, references).

Source: MAJ-EVAL's extraction prompt skips both; here no model is shown them in the first place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from venire.personas.blocks import Block, Kind, LeftOut, Paragraph

_NUMBER = re.compile(
    r"^(?:(?:section|chapter)\s+)?(\d+(?:\.\d+)*|[IVX]+(?=[.)]))[.):]?\s+(?=\S)", re.IGNORECASE
)
_RELATED = re.compile(
    r"(?:background and )?(?:related|previous|prior) (?:work|works|research|studies|literature)\b.*"
    r"|(?:literature review|review of (?:the )?literature)(?: and .*)?"
    r"|관련 ?연구|선행 ?연구",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    r"references?(?: and notes| cited| list)?|reference list|bibliography|works cited|literature cited"
    r"|참고 ?문헌",
    re.IGNORECASE,
)
# What comes after a list of references; there, a numbered line is an entry rather than a heading.
_AFTER_REFERENCES = re.compile(
    r"(?:appendix|appendices|supplement|acknowledge?ments?|author contributions?|about the authors?"
    r"|funding|conflicts? of interest|competing interests|data availability|ethics|부록)\b.*",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"abstract|summary|introduction|background|methods?|materials and methods|participants|procedure"
    r"|results?|findings|(?:general )?discussion|results and discussion|limitations?|implications"
    r"|(?:discussion and )?conclusions?|future work|초록|서론|방법|결과|논의|결론",
    re.IGNORECASE,
)
_LONGEST_HEADING = 12  # words


@dataclass(frozen=True, slots=True)
class Divided:
    """A document's paragraphs, and the sections that are not among them."""

    paragraphs: tuple[Paragraph, ...]
    left_out: tuple[LeftOut, ...]


def kind_of(heading: str) -> Kind | None:
    """Why the section under `heading` is left out; None where it is not."""
    words = _bare(heading)
    if _RELATED.fullmatch(words):
        return Kind.RELATED_WORK
    return Kind.REFERENCES if _REFERENCES.fullmatch(words) else None


def heading_of(line: str) -> Block | None:
    """The heading that a line of plain text is, as far as a line can tell; else None.

    One is a section's usual name (`Related Work`), a numbered title (`2.1 Interviews`) or a line in
    capitals: short, and without a full stop.
    """
    text = " ".join(line.split())
    if not text or len(text.split()) > _LONGEST_HEADING or text[-1] in ".,;?!":
        return None
    number = _NUMBER.match(text)
    title = _bare(text)
    if number and title[:1].isupper() and number.group(1)[0].isdigit():
        return Block(text, number.group(1).count(".") + 1, is_numbered=True)
    known = any(each.fullmatch(title) for each in (_RELATED, _REFERENCES, _AFTER_REFERENCES, _KNOWN))
    is_shouted = title.isupper() and len(title) >= len("METHOD")
    if (known and title[:1] == title[:1].upper()) or is_shouted:
        return Block(text, 1, is_numbered=number is not None)
    return None


def divide(blocks: Sequence[Block]) -> Divided:
    """The paragraphs of `blocks` outside of related work and references, numbered over all of them.

    A left-out section ends at the next heading of its own or a higher level. Where headings are read off
    lines, a numbered section ends at a numbered or usual heading only, and references end at what comes
    after references (an appendix): their entries are numbered themselves.
    """
    paragraphs: list[Paragraph] = []
    left_out: list[LeftOut] = []
    inside: Block | None = None
    number = 0
    for block in blocks:
        if block.level is None:
            number += 1
            if inside is None:
                paragraphs.append(Paragraph(number, block.text))
            continue
        if inside is not None and not _ends(inside, block):
            continue
        if inside is not None:
            left_out.append(_closed(left_out.pop(), number))
        inside = None
        if (kind := kind_of(block.text)) is not None:
            inside = block
            left_out.append(LeftOut(block.text, kind, number + 1, number))
    if inside is not None:
        left_out.append(_closed(left_out.pop(), number))
    return Divided(tuple(paragraphs), tuple(left_out))


def _ends(section: Block, heading: Block) -> bool:
    assert section.level is not None
    assert heading.level is not None
    if section.is_marked and heading.is_marked:
        return heading.level <= section.level
    title = _bare(heading.text)
    if kind_of(heading.text) or _AFTER_REFERENCES.fullmatch(title):
        return True
    if kind_of(section.text) is Kind.REFERENCES:
        return False
    if section.is_numbered and not heading.is_numbered:
        return _KNOWN.fullmatch(title) is not None
    return heading.level <= section.level


def _closed(section: LeftOut, last: int) -> LeftOut:
    return LeftOut(section.heading, section.kind, section.first, last)


def _bare(heading: str) -> str:
    """A heading without its number and what surrounds it: `2. Related Work:` -> `Related Work`."""
    text = " ".join(heading.split()).strip("*_# :")
    return _NUMBER.sub("", text, count=1).strip("*_ :.")
