import json
from pathlib import Path

import pytest

from venire.cli import main

FILE = """
title: Two figures
source: nowhere in particular
figures: {a: 134, b: 92, c: %s}
checks: [{check: relation, title: a and b make c, holds: a + b == c}]
"""


def run(tmp_path: Path, total: str, *flags: str) -> int:
    path = tmp_path / "claims.yaml"
    path.write_text(FILE % total, encoding="utf-8")
    return main(["check-claims", str(path), *flags])


def test_what_is_impossible_is_status_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "227") == 1
    out = capsys.readouterr().out
    assert "1 impossible, 0 possible only if, 0 unsourced, 0 consistent" in out
    assert "[impossible] a and b make c\n  134 + 92 = 226, against 227: cannot hold.\n" in out


def test_what_fits_is_status_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "226") == 0
    assert "[consistent]" in capsys.readouterr().out


def test_json_holds_plain_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "227", "--format", "json")
    content = json.loads(capsys.readouterr().out)
    assert content["counts"] == {"impossible": 1, "possible only if": 0, "unsourced": 0, "consistent": 0}
    assert content["findings"][0]["figures"] == ["a", "b", "c"]
    assert content["findings"][0]["arithmetic"] == ["134 + 92 = 226, against 227: cannot hold."]


def test_a_broken_file_is_status_two_and_no_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "many") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("ConfigError: claims.yaml: figures.c: expected a number")


def test_markdown_shows_marks_as_they_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(FILE.replace("Two figures", "a_b | *c*") % "226", encoding="utf-8")
    main(["check-claims", str(path), "--format", "md"])
    assert capsys.readouterr().out.startswith("# a\\_b \\| \\*c\\*\n")


def test_without_a_file_the_bundled_ones_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-claims"]) == 0
    assert "juryflow: JuryFlow: which of its published figures hold together\n" in capsys.readouterr().out


def test_a_bundled_file_is_found_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-claims", "juryflow"]) == 1
    assert main(["check-claims", "judging_guide"]) == 0
    capsys.readouterr()
