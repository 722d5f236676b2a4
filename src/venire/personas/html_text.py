"""HTML to blocks."""

from collections.abc import Iterator

from bs4 import BeautifulSoup
from bs4.dammit import EncodingDetector
from bs4.element import NavigableString, PreformattedString, Tag

from venire.errors import DataError
from venire.personas.blocks import Block

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# Not part of the text, or not shown to a reader.
_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "nav", "svg", "iframe", "object"})
_BLOCKS = frozenset(
    {"p", "li", "dd", "dt", "td", "th", "blockquote", "pre", "figcaption", "caption", "address", "summary"}
    | {"div", "section", "article", "main", "body", "html", "header", "footer", "aside", "figure", "details"}
    | {"ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "tr", "form", "fieldset", "hr"}
)


def decoded_html(raw: bytes, name: str) -> str:
    """The text of an HTML file in the encoding that it declares, else in UTF-8.

    Raises:
        DataError: it is not in that encoding.
    """
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if raw.startswith(mark):
            declared = codec
            break
    else:
        declared = EncodingDetector.find_declared_encoding(raw, is_html=True) or "utf-8"
    try:
        return raw.decode(declared)
    except LookupError:
        raise DataError(f"{name}: declares the encoding {declared!r}, which nobody knows") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}: expected {declared} text, byte {error.start} is none; save it as UTF-8 and declare that"
        ) from None


def html_blocks(text: str) -> list[Block]:
    """Headings and paragraphs in order; text right inside a container is a paragraph, too.

    Scripts, styles, navigation and what is hidden are left out.
    """
    return list(_blocks(BeautifulSoup(text, "html.parser")))


def _blocks(root: Tag) -> Iterator[Block]:
    """A walk in document order on a stack of its own: pages may nest deeper than Python's calls."""
    inline: list[str] = []
    stack: list[object] = [root]
    while stack:
        node = stack.pop()
        if node is _END:
            yield from _paragraph(inline)
            inline.clear()
        elif isinstance(node, Tag):
            if node.name in _SKIPPED or _is_hidden(node):
                continue
            if node.name in _HEADINGS:
                yield from _paragraph(inline)
                inline.clear()
                if heading := " ".join(node.get_text(" ").split()):
                    yield Block(heading, _HEADINGS[node.name], is_marked=True)
            elif node.name in _BLOCKS:
                yield from _paragraph(inline)
                inline.clear()
                stack += [_END, *reversed(node.contents)]
            else:
                inline.extend([" "] if node.name in ("br", "wbr") else [])
                stack += reversed(node.contents)
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            inline.append(str(node))
    yield from _paragraph(inline)


_END = object()


def _is_hidden(tag: Tag) -> bool:
    style = str(tag.get("style", "")).replace(" ", "").lower()
    return tag.has_attr("hidden") or "display:none" in style or "visibility:hidden" in style


def _paragraph(inline: list[str]) -> list[Block]:
    text = " ".join("".join(inline).split())
    return [Block(text)] if text else []
