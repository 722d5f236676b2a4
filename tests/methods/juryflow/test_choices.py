"""The file of choices: what is appended stays, whatever ends the process; what is cut short is nothing."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from venire.errors import DataError
from venire.methods.juryflow.choices import Choice, append_choice, latest_choices, read_choices

CHOICE = Choice("set/1", 0, 3, "coal is black", (1, 3), 4.5, "ana", "2026-12-01T12:00:00+00:00", "page")
KEEPS_AND_TELLS = """
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from venire.methods.juryflow.choices import append_choice
from tests.methods.juryflow.test_choices import CHOICE
for number in count():
    append_choice(Path(sys.argv[1]), replace(CHOICE, response_index=number))
    print(number, flush=True)
"""


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")


def test_a_choice_is_a_line_and_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "made" / "choices.jsonl"
    none = replace(CHOICE, claim=None, text="", annotator="ürs", selector="human")
    append_choice(path, CHOICE)
    append_choice(path, none)
    assert read_choices(path) == (CHOICE, none)
    assert lines(path)[2:] == [""]
    assert '"annotator": "ürs"' in lines(path)[1]


def test_lines_of_before_there_were_annotators_are_read(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    old = {name: asdict(CHOICE)[name] for name in ("instance_id", "response_index", "claim", "text")}
    path.write_text(json.dumps({**old, "offered": [1, 3], "seconds": 4.5}) + "\n")
    assert read_choices(path) == (replace(CHOICE, annotator="", chosen_at="", selector="human"),)


def test_of_several_choices_on_a_response_the_last_one_counts() -> None:
    later = replace(CHOICE, claim=1)
    assert latest_choices([CHOICE, replace(CHOICE, response_index=1), later]) == {
        ("set/1", 0): later,
        ("set/1", 1): replace(CHOICE, response_index=1),
    }


@pytest.mark.parametrize("cut", [1, 20, -2])
def test_a_line_that_was_cut_short_counts_for_nothing_and_the_next_one_takes_its_place(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / "choices.jsonl"
    append_choice(path, CHOICE)
    whole = path.read_text()
    path.write_text(whole + whole[:cut])
    assert read_choices(path) == (CHOICE,)
    append_choice(path, replace(CHOICE, claim=1))
    assert read_choices(path) == (CHOICE, replace(CHOICE, claim=1))
    assert len(lines(path)) == 3


def test_a_line_that_only_lacks_its_end_is_given_it(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    append_choice(path, CHOICE)
    path.write_text(path.read_text().rstrip("\n"))
    assert read_choices(path) == (CHOICE,)
    append_choice(path, CHOICE)
    assert read_choices(path) == (CHOICE, CHOICE)


def test_any_other_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    append_choice(path, CHOICE)
    path.write_text('{"instance_id": "se\n' + path.read_text())
    with pytest.raises(DataError, match=r"choices\.jsonl:1: expected a recorded choice, got '{\"instance_id"):
        read_choices(path)


def test_writers_at_once_lose_none_and_break_no_line(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    made = [replace(CHOICE, response_index=index, text="x" * 5000) for index in range(24)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda choice: append_choice(path, choice), made))
    assert sorted(read_choices(path), key=lambda choice: choice.response_index) == made


def test_a_kill_loses_no_choice_that_was_told_to_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", KEEPS_AND_TELLS, str(path)], stdout=subprocess.PIPE, text=True, cwd=root
    ) as keeper:
        assert keeper.stdout is not None
        told = [int(keeper.stdout.readline()) for _ in range(20)]
        keeper.kill()
        told += [int(line) for line in keeper.stdout.read().split("\n")[:-1]]
    assert len(told) >= 20
    assert [choice.response_index for choice in read_choices(path)][: len(told)] == told
