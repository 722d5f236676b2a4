"""`venire personas build` inside this process: what it refuses, what it leaves, where it goes on."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.personas.making import DOCUMENTS, as_html, as_lines, as_pages, as_pdf

from venire.cli import main

TASK = "Judging a short machine-written summary of several medical trials."


@dataclass(frozen=True)
class Command:
    """The command with a home of its own."""

    home: Path
    capsys: pytest.CaptureFixture[str]

    def build(self, folder: Path, *more: str) -> tuple[int, str, str]:
        """Exit status, output and errors of a simulated build."""
        arguments = ["personas", "build", "--task", TASK, "--documents", str(folder), "backend=simulated"]
        status = main([*arguments, *more])
        said = self.capsys.readouterr()
        return status, said.out, said.err

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.home.rglob(pattern))


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(sys, "argv", ["venire"])
    return Command(tmp_path / "home", capsys)


def test_a_build_that_the_budget_stops_goes_on_where_it_was(command: Command) -> None:
    status, _, err = command.build(DOCUMENTS, "budget.calls=2")
    assert (status, "budget.calls=2" in err) == (3, True)
    assert not command.files("*.yaml")
    status, out, err = command.build(DOCUMENTS)
    assert (status, ", 2 replayed" in out) == (0, True), err
    assert out.splitlines()[-1] == str(command.home / "config" / "persona" / "documents.yaml")


def test_a_file_that_is_there_is_only_overwritten_by_force(command: Command) -> None:
    assert command.build(DOCUMENTS)[0] == 0
    status, _, err = command.build(DOCUMENTS)
    assert (status, "documents.yaml is there already" in err) == (2, True)
    assert command.build(DOCUMENTS, "--force")[0] == 0


def test_html_and_pdf_are_read_and_the_way_to_the_set_is_said(command: Command, tmp_path: Path) -> None:
    folder, out = tmp_path / "forms", tmp_path / "own" / "persona" / "forms.yaml"
    folder.mkdir()
    text = (DOCUMENTS / "workshop.txt").read_text(encoding="utf-8")
    page = (DOCUMENTS / "interviews.md").read_text(encoding="utf-8")
    (folder / "workshop.pdf").write_bytes(as_pdf(as_pages(as_lines(text))))
    (folder / "interviews.html").write_text(as_html(page), encoding="utf-8")
    status, said, err = command.build(folder, "--out", str(out))
    assert status == 0, err
    assert f"persona=forms --config-dir {tmp_path / 'own'}" in said
    assert "nobody said how these were selected: interviews.html, workshop.pdf" in err
    # The same paragraphs in the same order as in the text documents, so the same evidence.
    assert command.build(DOCUMENTS)[0] == 0
    (plain,) = command.files("documents.yaml")
    quotes = [
        [line for line in path.read_text(encoding="utf-8").splitlines() if "quote: The " in line]
        for path in (out, plain)
    ]
    assert quotes[0] == quotes[1] != []


def test_a_file_outside_of_a_folder_called_persona_says_what_to_do_with_it(
    command: Command, tmp_path: Path
) -> None:
    status, out, _ = command.build(DOCUMENTS, "--out", str(tmp_path / "mine.yaml"))
    assert (status, "put it into DIR/persona and give --config-dir DIR persona=mine" in out) == (0, True)


def test_a_dry_run_sends_and_writes_nothing(command: Command) -> None:
    status, out, _ = command.build(DOCUMENTS, "--dry-run", "backend=live")
    assert status == 0
    assert "interviews.md: markdown, 10 paragraphs" in out
    assert "left out: Related work (paragraphs 10 to 11)" in out
    assert not command.files("*.yaml")
    assert not command.files("calls.db")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "mslr.yaml"), "--out: persona=mslr is a file of venire's own"),
        (("--out", "x.txt"), "--out: expected a .yaml file"),
        (("--out", "a b.yaml"), "--out: expected a .yaml file"),
        (("--out", f"{__file__}/x.yaml"), "--out: expected a file that can be written"),
        (("--part-tokens", "9"), "--part-tokens: expected at least 128, got 9"),
        (("dataset=mslr",), "dataset: building personas does not look at it"),
        (("judge=recorded", "backend=live"), "judge: expected one that reads prompts"),
        (("judge.temprature=1",), "judge.temprature: no such key"),
        (("-m", "seed=1,2"), "venire personas: unknown arguments: backend=simulated -m"),
        (("backend=live",), "OPENAI_API_KEY is not set"),
        (("backend=none",), "backend: expected live, simulated, local"),
        (("budget.usd=-1",), "budget.usd: "),
    ],
)
def test_what_cannot_be_right_is_refused_before_any_call(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    status, _, err = command.build(DOCUMENTS, *arguments)
    assert (status, message in err) == (2, True), err
    assert not command.files("calls.db")


def test_a_scanned_pdf_and_documents_without_stakeholders_end_in_an_error(
    command: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(as_pdf([[], []]))
    status, _, err = command.build(folder)
    assert (status, "needs OCR" in err) == (2, True)
    (folder / "scan.pdf").unlink()
    (folder / "stones.md").write_text("Granite is made of quartz, feldspar and mica.", encoding="utf-8")
    status, _, err = command.build(folder)
    assert (status, "no stakeholder of the task in stones.md" in err) == (1, True)
    assert not command.files("*.yaml")


@pytest.mark.parametrize(
    "arguments", [["show", "--nope"], ["diff", "mslr", "transport", "x=1"], ["validate", "mslr", "x=1"]]
)
def test_arguments_that_an_action_does_not_take_are_refused(command: Command, arguments: list[str]) -> None:
    assert main(["personas", *arguments]) == 2
    assert "unknown arguments" in command.capsys.readouterr().err


def test_a_built_set_is_listed_shown_checked_and_compared(command: Command) -> None:
    assert (
        command.build(DOCUMENTS, "--out", str(command.home / "config" / "persona" / "medical.yaml"))[0] == 0
    )

    def said(*arguments: str) -> str:
        assert main(["personas", *arguments]) == 0
        return command.capsys.readouterr().out

    assert {line.split(":")[0] for line in said("show").splitlines()} == {
        *("mslr", "storysparkqa", "transport", "shuffled", "medical")
    }
    assert "SIMULATED: built with simulated replies" in said("show", "medical")
    assert "told at level simple" in said("show", "medical", "persona.level=simple")
    assert "medical: 0 errors" in said("validate", "medical", "--documents", str(DOCUMENTS))
    assert said("diff", "medical", "medical") == "no difference\n"
    assert "- groups.editors" in said("diff", "medical", "mslr")


def test_a_hand_written_set_has_no_errors(command: Command) -> None:
    for name in ("mslr", "storysparkqa", "transport"):
        assert main(["personas", "validate", name]) == 0
        assert command.capsys.readouterr().out == f"{name}: 0 errors, 0 warnings\n"
