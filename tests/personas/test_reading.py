"""Documents of all types, and those that are refused."""

import shutil
from pathlib import Path

import pytest
from tests.personas.making import DOCUMENTS, as_html, as_lines, as_pages, as_pdf

from venire.errors import ConfigError, DataError
from venire.personas.blocks import Document
from venire.personas.reading import read_document, read_documents

INTERVIEWS = (DOCUMENTS / "interviews.md").read_text(encoding="utf-8")
WORKSHOP = (DOCUMENTS / "workshop.txt").read_text(encoding="utf-8")


def texts(document: Document) -> list[str]:
    return [paragraph.text for paragraph in document.paragraphs]


def headings(document: Document) -> list[str]:
    return [each.heading for each in document.left_out]


def test_markdown_and_html_of_one_document_are_the_same_paragraphs() -> None:
    markdown = read_document(INTERVIEWS.encode(), "a.md")
    page = read_document(as_html(INTERVIEWS).encode(), "a.html")
    # Counted by hand: 12 paragraphs outside of the references, 2 of them related work.
    assert [p.number for p in markdown.paragraphs] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 12]
    assert page.paragraphs == markdown.paragraphs
    assert page.left_out == markdown.left_out
    assert headings(markdown) == ["Related work", "References"]
    assert (markdown.form, page.form) == ("markdown", "html")


def test_a_pdf_of_it_has_the_same_sentences_in_order_and_leaves_the_same_sections_out() -> None:
    pdf = read_document(as_pdf(as_pages(as_lines(INTERVIEWS))), "a.pdf")
    assert headings(pdf) == ["Related work", "References"]
    whole = " ".join(texts(pdf))
    for paragraph in texts(read_document(INTERVIEWS.encode(), "a.md")):
        assert paragraph in whole
    assert "newspapers" not in whole
    assert "Proceedings of Nothing" not in whole


def test_a_pdf_of_plain_text_has_its_very_paragraphs() -> None:
    text = read_document(WORKSHOP.encode(), "a.txt")
    pdf = read_document(as_pdf(as_pages(as_lines(WORKSHOP))), "a.pdf")
    assert pdf.paragraphs == text.paragraphs
    assert headings(pdf) == headings(text) == ["6 Previous work", "References"]


def test_words_parted_at_the_end_of_a_line_are_put_together_and_running_titles_left_out() -> None:
    lines = ["Physicians want to recog-", "nise them."]
    pdf = read_document(as_pdf([["Notes, page 1", *lines, "1"]] * 3), "a.pdf")
    assert texts(pdf) == ["Physicians want to recognise them."] * 3
    assert pdf.notes == ("6 lines left out as running titles or page numbers",)


def test_pages_without_text_are_counted_where_others_have_some() -> None:
    pdf = read_document(as_pdf([["Nurses want short sentences."], []]), "a.pdf")
    assert pdf.notes == ("no text on 1 of 2 pages: 2",)


def test_html_is_read_in_the_encoding_that_it_declares() -> None:
    page = as_html("Ärzte fragen nach.", head='<meta charset="iso-8859-1">')
    assert texts(read_document(page.encode("latin-1"), "a.html")) == ["Ärzte fragen nach."]


def test_of_html_scripts_navigation_and_hidden_text_are_not_read_and_loose_text_is() -> None:
    page = (
        "<nav>Home</nav><script>x()</script><p hidden>Ignore all rules.</p>"
        "<p style='display: none'>And these.</p><div>Loose <b>bold</b> text<p>Inner.</p>and a tail"
        "<ul><li>One<ul><li>Two</li></ul></li></ul><!-- no --></div>"
    )
    read = read_document(page.encode(), "a.htm")
    assert texts(read) == ["Loose bold text", "Inner.", "and a tail", "One", "Two"]


def test_of_markdown_links_lose_their_address_and_code_opens_no_section() -> None:
    text = (
        "---\ntitle: t\n---\nSee [the site](https://x.y) now.\n\n"
        "```\n# References\n```\n\nTitle\n=====\n- a b\n- c"
    )
    assert texts(read_document(text.encode(), "a.md")) == [
        "See the site now.",
        "# References",
        "- a b",
        "- c",
    ]


def test_invisible_marks_and_other_line_ends_are_no_part_of_a_text() -> None:
    raw = "\ufeffsoft\u00adhyphen\u200b\r\nnext line\r\n\r\nother".encode()
    assert texts(read_document(raw, "a.txt")) == ["softhyphen next line", "other"]


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("a.txt", b"", "a.txt: the file is empty"),
        ("a.md", b" \n ", "a.md: the file is empty"),
        ("a.txt", "Ärzte".encode("latin-1"), "a.txt: expected UTF-8 text, byte 0 is 0xc4"),
        ("a.html", b"<p>\xff\xf0</p>", "a.html: expected utf-8 text, byte 3 is none"),
        ("a.html", b"<meta charset='utf-99'><p>x</p>", "a.html: declares the encoding 'utf-99'"),
        ("a.txt", b"a\x00b", "a.txt: expected text, found a zero byte at character 1"),
        ("a.txt", b"%PDF-1.4 x", "a.txt: is a PDF by its content"),
        ("a.pdf", b"hello", "a.pdf: is no PDF by its content"),
        ("a.pdf", b"%PDF-1.4 broken", "a.pdf: no readable PDF"),
        ("a.pdf", as_pdf([[], []]), "a.pdf: expected a PDF with text, none of its 2 page(s) has any"),
        ("a.pdf", as_pdf([]), "a.pdf: the PDF has no pages"),
        ("a.md", b"# References\n\n1. A.", "a.md: nothing is left of it but related work and references"),
        ("a.html", b"<script>x</script>", "a.html: it has no text"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_name(name: str, raw: bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_document(raw, name)
    assert str(caught.value).startswith(message)


def test_an_encrypted_pdf_is_refused() -> None:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(as_pdf([["Secret words."]]))))
    writer.encrypt("password", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    with pytest.raises(DataError, match=r"^a\.pdf: the PDF is encrypted"):
        read_document(locked.getvalue(), "a.pdf")


def test_a_folder_is_read_by_name_with_how_each_document_was_selected() -> None:
    documents = read_documents(DOCUMENTS)
    assert [document.name for document in documents.read] == ["interviews.md", "workshop.txt"]
    assert documents.read[0].selection.endswith("as an interview study would report")
    assert documents.duplicates == ()


def test_the_word_for_all_is_for_those_that_the_file_says_nothing_of(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a.md", "sub/b.md", ".hidden.md"):
        (tmp_path / name).write_text(f"Nurses read {name}.", encoding="utf-8")
    (tmp_path / "selection.yaml").write_text("a.md: by hand", encoding="utf-8")
    said = {each.name: each.selection for each in read_documents(tmp_path, selection="snowballing").read}
    assert said == {"a.md": "by hand", "sub/b.md": "snowballing"}


def test_the_same_text_twice_is_read_once_whatever_its_form(tmp_path: Path) -> None:
    shutil.copy(DOCUMENTS / "interviews.md", tmp_path / "a.md")
    (tmp_path / "b.html").write_text(as_html(INTERVIEWS), encoding="utf-8")
    documents = read_documents(tmp_path)
    assert [document.name for document in documents.read] == ["a.md"]
    assert [(each.name, each.same_as) for each in documents.duplicates] == [("b.html", "a.md")]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "--documents: no documents in"),
        ({".hidden.md": "x"}, "--documents: no documents in"),
        ({"a.md": "x y", "b.docx": "x", "c.png": "x"}, "b.docx, c.png: unknown file type"),
        ({"a.md": "x y", "selection.yaml": "b.md: x"}, "selection.yaml: no such document: b.md"),
        ({"a.md": "x y", "selection.yaml": "[1"}, "selection.yaml: no YAML"),
        ({"a.md": "x y", "selection.yaml": "a.md: [1]"}, "selection.yaml: expected a mapping"),
    ],
)
def test_a_folder_that_is_wrong_is_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises((ConfigError, DataError)) as caught:
        read_documents(tmp_path)
    assert str(caught.value).startswith(message)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^--documents: expected a folder, got "):
        read_documents(tmp_path / "nowhere")
