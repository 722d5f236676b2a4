"""`venire review choices`: JuryFlow's choices as JSON lines or CSV."""

import csv
from pathlib import Path

import pytest

from venire.commands.review_choices import write_choices
from venire.errors import ConfigError, RunError
from venire.methods.juryflow.choices import Choice, append_choice, read_choices

FIRST = Choice("a/1", 0, 2, "=a claim", (2, 0), 1.5, "ann", "2026-12-01T06:00:00+00:00", "page")
LATER = Choice("a/1", 0, 0, "another", (2, 0), None, "bob", "2026-12-01T07:00:00+00:00", "page")
NONE = Choice("a/1", 1, None, "", (1,), 3.0, "ann", "", "human")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.jsonl"
    for each in (FIRST, NONE):
        append_choice(path, each)
    return path


def written(tmp_path: Path, kept: Path, name: str) -> Path:
    out = tmp_path / "out" / name
    assert write_choices(tmp_path, str(kept), out, force=False) == 0
    return out


def test_choices_come_out_as_csv_that_a_spreadsheet_runs_nothing_of(tmp_path, kept, capsys):
    with written(tmp_path, kept, "c.csv").open(newline="") as file:
        first, none = csv.DictReader(file)
    assert capsys.readouterr().out.startswith("2 choices of 1 annotators\n")
    assert first == {
        "instance_id": "a/1",
        "response_index": "0",
        "claim": "2",
        "text": "'=a claim",
        "offered": "2 0",
        "seconds": "1.5",
        "annotator": "ann",
        "chosen_at": "2026-12-01T06:00:00+00:00",
        "selector": "page",
    }
    assert (none["claim"], none["text"], none["seconds"]) == ("", "", "3")


def test_the_latest_choice_on_each_response_comes_out_as_lines_that_are_read_again(tmp_path, kept):
    append_choice(kept, LATER)
    assert read_choices(written(tmp_path, kept, "c.jsonl")) == (LATER, NONE)
    with written(tmp_path, kept, "c.csv").open(newline="") as file:
        assert [row["seconds"] for row in csv.DictReader(file)] == ["", "3"]


def test_a_run_is_named_by_its_folder_and_what_is_not_there_is_refused(tmp_path, kept):
    folder = tmp_path / "runs" / "20261201-000000-000-juryflow-x-00000000"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    (folder / "choices.jsonl").write_bytes(kept.read_bytes())
    out = tmp_path / "c.jsonl"
    assert write_choices(tmp_path, folder.name, out, force=False) == 0
    assert read_choices(out) == (FIRST, NONE)
    with pytest.raises(ConfigError, match="is there already"):
        write_choices(tmp_path, folder.name, out, force=False)
    with pytest.raises(RunError):
        write_choices(tmp_path, "nothing", tmp_path / "d.csv", force=False)
    (folder / "choices.jsonl").unlink()
    with pytest.raises(ConfigError, match="expected choices in"):
        write_choices(tmp_path, folder.name, tmp_path / "d.csv", force=False)
    with pytest.raises(ConfigError, match="ends in"):
        write_choices(tmp_path, str(kept), tmp_path / "d.xlsx", force=False)
