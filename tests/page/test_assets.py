"""What the package serves: nothing from elsewhere, no script or style in a page, no text as markup."""

import re
from pathlib import Path

import pytest

import venire.page

FOLDER = Path(venire.page.__file__).parent
FILES = [path for path in sorted(FOLDER.rglob("*")) if path.suffix in (".css", ".js", ".html")]
ADDRESS = re.compile(r"(?:https?:|[\"'(])//[\w.-]+\.\w")
FORBIDDEN = {
    ".html": re.compile(r"<style|\sstyle=|\son\w+=|javascript:|\|\s*safe|autoescape|<script(?![^>]*\ssrc=)"),
    ".js": re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|\.style\b"
    ),
    ".css": re.compile(r"@import|url\(|expression\("),
}


def test_there_are_files_to_look_at():
    assert {"page.css", "page.js", "base.html", "item.html", "annotating.js"} <= {path.name for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_file_has_nothing_of_others_and_nothing_inline(path):
    text = path.read_text()
    assert ADDRESS.findall(text.replace("http://www.w3.org/2000/svg", "")) == []
    assert FORBIDDEN[path.suffix].findall(text) == []


def test_the_patterns_find_what_they_forbid():
    assert ADDRESS.search('<script src="//cdn.example/x.js">')
    assert ADDRESS.search("@import 'https://fonts.example/a.css'")
    for bad in (
        '<p style="color: red">',
        '<a onclick="x()">',
        "{{ text | safe }}",
        "<script>alert(1)</script>",
    ):
        assert FORBIDDEN[".html"].search(bad)
