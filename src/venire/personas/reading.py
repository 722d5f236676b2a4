"""A folder of documents, read: text, Markdown, HTML and PDF."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from venire.errors import ConfigError, DataError
from venire.personas.blocks import Block, Document
from venire.personas.html_text import decoded_html, html_blocks
from venire.personas.pdf_text import read_pdf
from venire.personas.plain_text import markdown_blocks, text_blocks
from venire.personas.sections import divide

FORMS = {
    **dict.fromkeys((".txt", ".text"), "text"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    ".pdf": "pdf",
}
# How the documents were selected, by file name; beside them.
SELECTION = "selection.yaml"
# Marks that stand for no character: soft hyphens, zero-width blanks and joiners, byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document with the very text of another one, which is read instead."""

    name: str
    same_as: str


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of a folder, in the order of their names; of equal ones the first."""

    read: tuple[Document, ...]
    duplicates: tuple[Duplicate, ...] = ()


def read_documents(folder: Path, *, selection: str = "") -> Documents:
    """Every document below `folder`; hidden files are none.

    Args:
        folder: of the documents; `selection.yaml` in it says how each was selected, by file name.
        selection: how they were selected, where that file does not say.

    Raises:
        ConfigError: no such folder, or one without documents.
        DataError: a file of another type, or one that cannot be read; `selection.yaml` is wrong.
    """
    if not folder.is_dir():
        raise ConfigError(f"--documents: expected a folder, got {folder}")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not _is_hidden(path, folder)]
    names = {path: path.relative_to(folder).as_posix() for path in files}
    files = [path for path in files if names[path] != SELECTION]
    if not files:
        raise ConfigError(f"--documents: no documents in {folder} ({_known()})")
    strangers = [names[path] for path in files if path.suffix.lower() not in FORMS]
    if strangers:
        raise DataError(
            f"{', '.join(strangers)}: unknown file type; expected {_known()}. Convert them or move them away"
        )
    said = _selections(folder, list(names.values()))
    read = [read_document(path.read_bytes(), names[path]) for path in files]
    read = [replace(each, selection=said.get(each.name, selection)) for each in read]
    return _without_duplicates(read)


def read_document(raw: bytes, name: str) -> Document:
    """The document in a file with these bytes; `name` says which type it is.

    Raises:
        DataError: it is empty, not what its name says, wrongly encoded, a PDF without text, or nothing is
            left of it but related work and references.
    """
    form = FORMS[Path(name).suffix.lower()]
    if not raw.strip():
        raise DataError(f"{name}: the file is empty")
    if (form == "pdf") != raw.lstrip()[:5].startswith(b"%PDF-"):
        other = "is no PDF" if form == "pdf" else "is a PDF"
        raise DataError(f"{name}: {other} by its content; give it the ending of its type")
    blocks, notes = _read(raw, name, form)
    divided = divide([_visible(block) for block in blocks])
    if not divided.paragraphs:
        why = (
            "nothing is left of it but related work and references" if divided.left_out else "it has no text"
        )
        raise DataError(f"{name}: {why}")
    digest = hashlib.sha256(raw).hexdigest()
    return Document(name, digest, form, divided.paragraphs, divided.left_out, notes)


def _read(raw: bytes, name: str, form: str) -> tuple[Sequence[Block], tuple[str, ...]]:
    match form:
        case "pdf":
            pdf = read_pdf(raw, name)
            return pdf.blocks, pdf.notes
        case "html":
            return html_blocks(decoded_html(raw, name)), ()
        case "markdown":
            return markdown_blocks(_decoded(raw, name)), ()
        case _:
            return text_blocks(_decoded(raw, name)), ()


def _decoded(raw: bytes, name: str) -> str:
    is_utf_16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = raw.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}: expected UTF-8 text, byte {error.start} is {raw[error.start]:#04x}; save it as UTF-8"
        ) from None
    if "\x00" in text:
        raise DataError(f"{name}: expected text, found a zero byte at character {text.index(chr(0))}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _visible(block: Block) -> Block:
    return replace(block, text=" ".join(_INVISIBLE.sub("", block.text).split()))


def _without_duplicates(read: Sequence[Document]) -> Documents:
    kept: dict[str, Document] = {}
    duplicates: list[Duplicate] = []
    for document in read:
        words = "".join(re.findall(r"\w+", " ".join(each.text for each in document.paragraphs)))
        first = kept.setdefault(words.casefold(), document)
        if first is not document:
            duplicates.append(Duplicate(document.name, first.name))
    return Documents(tuple(kept.values()), tuple(duplicates))


def _selections(folder: Path, names: Sequence[str]) -> Mapping[str, str]:
    """`selection.yaml`: file name to how it was selected; empty where there is none."""
    path = folder / SELECTION
    if not path.is_file():
        return {}
    try:
        said: object = yaml.safe_load(_decoded(path.read_bytes(), SELECTION)) or {}
    except yaml.YAMLError as error:
        raise DataError(f"{SELECTION}: no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(said, Mapping) or not all(isinstance(value, str) for value in said.values()):
        raise DataError(f"{SELECTION}: expected a mapping of file names to texts, got {said!r}")
    strangers = sorted({str(key) for key in said} - {*names})
    if strangers:
        raise DataError(f"{SELECTION}: no such document: {', '.join(strangers)}")
    return {str(key): value for key, value in said.items()}


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _known() -> str:
    return ", ".join(FORMS)
