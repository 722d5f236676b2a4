"""README and docs: every link leads somewhere, every command that they show is one."""

import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from venire.cli import _parser, _takes_overrides
from venire.reference.markdown import anchor

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
]
GROUPS = {path.name for path in (ROOT / "conf").iterdir() if path.is_dir()}
OWN = {"persona", "rubric", "selected", "dataset"}  # options of these groups may also be the user's own files


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(path: Path) -> str:
    """The Markdown of a page, or of a notebook's cells with its commands as code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors_of(path: Path) -> set[str]:
    """What a browser can jump to; headings that occur twice get `-1`, `-2`, ..."""
    body = re.sub(r"^```.*?^```", "", text_of(path), flags=re.MULTILINE | re.DOTALL)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", body, flags=re.MULTILINE):
        plain, count = anchor(heading), 0
        while (name := f"{plain}-{count}" if count else plain) in found:
            count += 1
        found.add(name)
    return found


def broken_links(path: Path) -> list[str]:
    wrong = []
    for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", without_code(text_of(path))):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, fragment = link.partition("#")
        found = (path.parent / target).resolve() if target else path
        if not found.exists() or (fragment and fragment not in anchors_of(found)):
            wrong.append(link)
    return wrong


def commands_of(text: str) -> Iterator[str]:
    """Every `venire ...` in a block of shell, with its continued lines; and those in running text."""
    for block in re.findall(r"^```(?:sh|bash)?\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"&&|;|\|(?= )", re.sub(r"\s#.*$", "", line)):
                plain = re.sub(r"^(\$ +)?((\w+=\S*|export|/\S+) +)*", "", part.strip())
                if re.match(r"(\.venv/bin/)?venire ", plain):
                    yield plain.removeprefix(".venv/bin/")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`(venire [^`]+)`", " ".join(prose.split()))


def fault_of(command: str) -> str:
    """What the command line would say against it; empty where it would be taken."""
    words = shlex.split(re.sub(r"(--\S+) (\.\.\.|…)", r"\1 X", command))[1:]
    words = [word for word in words if word not in ("...", "…", "<", ">")]
    if not words or words[0].isupper() or "|" in words[0]:
        return ""  # speaks of the command at large
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            arguments, rest = _parser().parse_known_args(words)
    except SystemExit as stop:
        missing = "the following arguments are required" in said.getvalue()
        return "" if stop.code == 0 or (missing and len(words) <= 2) else said.getvalue().splitlines()[-1]
    flags = [word for word in rest if word.startswith("-")]
    if rest and arguments.command != "reproduce" and not _takes_overrides(arguments, rest):
        return f"unknown: {' '.join(rest)}"
    known = {"-m", "--multirun", "--config-dir", "--cfg", "-c", "-p", "--package", "--info"}
    if strange := [flag for flag in flags if flag.split("=")[0] not in known]:
        return f"unknown flags: {' '.join(strange)}"
    return next((fault for word in words if (fault := option_fault(word))), "")


def option_fault(word: str) -> str:
    """Of `GROUP=NAME,NAME`: a name that the group does not have; upper case stands for any."""
    group, sign, names = word.lstrip("+").partition("=")
    group = group.split("@")[0]
    if not sign or group not in GROUPS - OWN or names.startswith("${"):
        return ""
    for name in names.split(","):
        is_one = (
            name in ("null", "...", "")
            or name.isupper()
            or (ROOT / "conf" / group / f"{name}.yaml").is_file()
        )
        if not is_one:
            return f"{group} has no option {name}"
    return ""


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    assert broken_links(path) == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_command_that_is_shown_would_be_taken(path: Path) -> None:
    wrong = {command: fault for command in commands_of(text_of(path)) if (fault := fault_of(command))}
    assert wrong == {}


def test_every_page_of_docs_is_in_the_index() -> None:
    index = text_of(ROOT / "docs" / "README.md")
    linked = {(ROOT / "docs" / link.split("#")[0]).resolve() for link in re.findall(r"\]\(([^)]+)\)", index)}
    pages = {path for path in PAGES if path.suffix == ".md" and path.parent != ROOT} - {
        ROOT / "docs" / "README.md"
    }
    assert sorted(map(name_of, pages - linked)) == []


def test_commands_are_found_in_blocks_and_in_text() -> None:
    text = (
        "Try `venire ui`.\n```sh\nexport A=b\nA=b venire run x=1 \\\n  -m   # why\nls && venire sync\n```\n"
    )
    assert [shlex.split(each) for each in commands_of(text)] == [
        ["venire", "run", "x=1", "-m"],
        ["venire", "sync"],
        ["venire", "ui"],
    ]


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("venire run -m method=majority,single seed=0,1", ""),
        ("venire run method=mayority", "method has no option mayority"),
        ("venire rum x=1", "invalid choice"),
        ("venire table sample --from md", "unknown"),
        ("venire run --dry-run", "expected one argument"),
        ("venire compare RUN RUN", ""),
        ("venire COMMAND", ""),
    ],
)
def test_a_command_is_taken_or_its_fault_is_said(command: str, fault: str) -> None:
    assert fault in fault_of(command)
    assert bool(fault) is bool(fault_of(command))


def test_a_broken_link_and_a_broken_anchor_are_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(
        "# One thing\n[x](#one-thing) [y](#two) [z](b.md) `[code](c.md)` [w](https://e.org)\n", "utf-8"
    )
    assert broken_links(page) == ["#two", "b.md"]
