"""The test documents in other forms, HTML and PDF, written by hand: no test needs a writer of these."""

import html
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

DOCUMENTS = Path(__file__).parent / "documents"
_LINES_A_PAGE = 40
_WIDTH = 90


def as_html(markdown: str, *, head: str = '<meta charset="utf-8">') -> str:
    """The Markdown of a test document as a page: headings, paragraphs, a numbered list."""
    body = []
    for chunk in re.split(r"\n\s*\n", markdown.strip()):
        text = " ".join(chunk.split())
        if found := re.match(r"(#+) (.*)", text):
            level = len(found.group(1))
            body.append(f"<h{level}>{html.escape(found.group(2))}</h{level}>")
        elif text.startswith("1. "):
            items = re.split(r"\s*\b\d\. (?=[A-Z])", text)[1:]
            body.append("<ol>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ol>")
        else:
            body.append(f"<p>{html.escape(text)}</p>")
    joined = "\n".join(body)
    return (
        f"<!doctype html><html><head>{head}<title>t</title><style>p {{ color: red }}</style></head><body>"
        f"<nav><a href='#'>Home</a></nav><div>{joined}</div><script>var hidden = 1;</script></body></html>"
    )


def as_lines(markdown: str) -> list[str]:
    """The Markdown of a test document as a typesetter breaks it: full lines, headings on their own."""
    lines: list[str] = []
    for chunk in re.split(r"\n\s*\n", markdown.strip()):
        for paragraph in re.split(r"\n(?=\d+\. )", chunk):
            lines += textwrap.wrap(" ".join(paragraph.lstrip("# ").split()), _WIDTH)
    return lines


def as_pages(lines: Sequence[str], *, running: str = "") -> list[list[str]]:
    """Lines by page, with a running title and a page number where `running` is one."""
    pages = [list(lines[at : at + _LINES_A_PAGE]) for at in range(0, len(lines), _LINES_A_PAGE)]
    if not running:
        return pages
    return [[f"{running} {number}", *page, str(number)] for number, page in enumerate(pages, 1)]


def as_pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF with these lines of text on its pages; a page without lines has an empty drawing."""
    objects: list[bytes] = []

    def add(content: bytes) -> int:
        objects.append(content)
        return len(objects)

    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    parent = len(pages) * 2 + 2
    kids = []
    for lines in pages:
        stream = _drawing(lines)
        contents = add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R >> >> >>" % (parent, contents, font)
            )
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    assert add(b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), listed)) == parent
    root = add(b"<< /Type /Catalog /Pages %d 0 R >>" % parent)
    return _assembled(objects, root)


def _drawing(lines: Sequence[str]) -> bytes:
    if not lines:
        return b"0 0 10 10 re f"
    shown = [
        line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        for line in lines
    ]
    return b"BT /F1 10 Tf 50 800 Td 14 TL " + b" ".join(b"(%s) Tj T*" % line for line in shown) + b" ET"


def _assembled(objects: Sequence[bytes], root: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, table)
    return bytes(out)
