"""What a document is read into: blocks, then paragraphs with those left out set apart."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a heading, in the order of the document.

    Args:
        text: on one line, white space as single blanks.
        level: None for a paragraph; of a heading, 1 for the highest.
        is_marked: whether the format itself says that it is a heading; in plain text and PDF it is read
            off the line.
        is_numbered: whether a heading begins with a number (`2.1 Method`).
    """

    text: str
    level: int | None = None
    is_marked: bool = False
    is_numbered: bool = False


class Kind(StrEnum):
    """Why a section is left out."""

    RELATED_WORK = "related_work"
    REFERENCES = "references"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph and its place among all of the document's, from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A section that no model is shown: its heading and its paragraphs' numbers, both ends included.

    `first` is greater than `last` where it has none.
    """

    heading: str
    kind: Kind
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was read.

    Args:
        name: its path below the folder of documents.
        sha256: of the file's bytes, hex.
        form: `text`, `markdown`, `html` or `pdf`.
        paragraphs: those that are kept, in order.
        left_out: sections that are not.
        notes: what else of the file was not read (empty pages, running titles), a sentence each.
        selection: how it came to be among the documents; empty where nobody said.
    """

    name: str
    sha256: str
    form: str
    paragraphs: tuple[Paragraph, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    selection: str = ""
