"""PDF to blocks, by its text layer; nothing is recognised from pictures."""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from venire.errors import DataError
from venire.personas.blocks import Block
from venire.personas.sections import heading_of, kind_of

_SENTENCE_END = re.compile(r"[.!?:…][\"'”’)\]]*$")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-$")
_PAGE_NUMBER = re.compile(r"^(?:page\s+)?\d{1,4}(?:\s*(?:/|of)\s*\d{1,4})?$", re.IGNORECASE)
# A line shorter than this share of a full one, after the end of a sentence, ends its paragraph.
_SHORT = 0.8
_LEAST_PAGES = 3  # from so many on, a line that opens or closes most pages is a running title


@dataclass(frozen=True, slots=True)
class PdfText:
    """The blocks of a PDF, and what of it was not read."""

    blocks: tuple[Block, ...]
    notes: tuple[str, ...]


def read_pdf(raw: bytes, name: str) -> PdfText:
    """The paragraphs and headings of a PDF's text layer.

    Lines become paragraphs by their length and their last mark, words that were parted at a line's end are
    put together, page numbers and running titles are left out (and counted).

    Raises:
        DataError: it is no PDF, is encrypted, or has no text layer.
    """
    pages = _pages(raw, name)
    empty = [number for number, lines in enumerate(pages, 1) if not lines]
    if len(empty) == len(pages):
        raise DataError(
            f"{name}: expected a PDF with text, none of its {len(pages)} page(s) has any; a scanned document "
            "needs OCR first (for example ocrmypdf)"
        )
    kept, running = _without_running_titles(pages)
    notes = []
    if empty:
        notes.append(f"no text on {len(empty)} of {len(pages)} pages: {', '.join(map(str, empty))}")
    if running:
        notes.append(f"{running} lines left out as running titles or page numbers")
    return PdfText(tuple(_blocks([line for page in kept for line in page])), tuple(notes))


def _pages(raw: bytes, name: str) -> list[list[str]]:
    """The lines of each page; blank ones are kept inside a page, where they part paragraphs."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every oddity that it copes with
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DataError(f"{name}: the PDF is encrypted; save it without a password")
        texts = [page.extract_text() for page in reader.pages]
    except DataError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        # A damaged file shows itself by whatever its reader trips over.
        raise DataError(f"{name}: no readable PDF ({type(error).__name__}: {error})") from None
    if not texts:
        raise DataError(f"{name}: the PDF has no pages")
    return [text.strip().splitlines() if text.strip() else [] for text in texts]


def _without_running_titles(pages: Sequence[Sequence[str]]) -> tuple[list[list[str]], int]:
    """The pages without page numbers and without first and last lines that most share; how many went."""
    full = [page for page in pages if page]
    edges = Counter(shape for page in full for shape in {_shape(page[0]), _shape(page[-1])})
    shared = {shape for shape, times in edges.items() if len(full) >= _LEAST_PAGES and times > len(full) / 2}

    def is_running(line: str) -> bool:
        return _PAGE_NUMBER.match(line.strip()) is not None or _shape(line) in shared

    kept, dropped = [], 0
    for page in pages:
        lines = list(page)
        while lines and is_running(lines[0]):
            lines, dropped = lines[1:], dropped + 1
        while lines and is_running(lines[-1]):
            lines, dropped = lines[:-1], dropped + 1
        kept.append(lines)
    return kept, dropped


def _shape(line: str) -> str:
    """A line with its numbers made alike: `Trials, page 7` on every page."""
    return re.sub(r"\d+", "#", " ".join(line.split()))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    lengths = sorted(len(line.strip()) for line in lines if line.strip())
    full = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
    open_lines: list[str] = []
    for line in (each.strip() for each in lines):
        may_open = not open_lines or _SENTENCE_END.search(open_lines[-1]) or kind_of(line)
        heading = heading_of(line) if may_open else None
        if not line or heading is not None:
            yield from _paragraph(open_lines)
            open_lines = []
            if heading is not None:
                yield heading
            continue
        open_lines.append(line)
        if _SENTENCE_END.search(line) and len(line) < _SHORT * full:
            yield from _paragraph(open_lines)
            open_lines = []
    yield from _paragraph(open_lines)


def _paragraph(lines: Sequence[str]) -> list[Block]:
    text = ""
    for line in lines:
        goes_on = _HYPHENATED.search(text) and line[:1].islower()
        text = text[:-1] + line if goes_on else f"{text} {line}"
    text = " ".join(text.split())
    return [Block(text)] if text else []
