"""What the processes of a launched sweep tell each other."""

from pathlib import Path

import pytest

from venire.launched import Signs, Started, launch_passed_on, stop_of_launch_asked


def test_a_launch_that_nobody_stopped_says_nothing(tmp_path: Path) -> None:
    signs = Signs.of(tmp_path, "launch-1")
    assert (signs.stop_asked, signs.break_off_asked) == (False, False)
    assert list(signs.started()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_stop_is_seen_by_every_process_of_the_launch_and_by_no_other(tmp_path: Path) -> None:
    Signs.of(tmp_path, "launch-1").ask_to_stop()
    again = Signs.of(tmp_path, "launch-1")
    assert (again.stop_asked, again.break_off_asked) == (True, False)
    assert not Signs.of(tmp_path, "launch-2").stop_asked


def test_to_break_off_is_also_to_stop(tmp_path: Path) -> None:
    signs = Signs.of(tmp_path, "launch-1")
    signs.ask_to_break_off()
    assert (signs.stop_asked, signs.break_off_asked) == (True, True)


def test_a_job_counts_how_often_a_process_began_it(tmp_path: Path) -> None:
    signs = Signs.of(tmp_path, "launch-1")
    assert [signs.start(3, ["seed=1"]), signs.start(3, ["seed=1"]), signs.start(0, [])] == [1, 2, 1]
    assert list(signs.started()) == [Started(0, 1, ()), Started(3, 2, ("seed=1",))]


def test_a_launcher_sees_a_stop_of_the_launch_that_was_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENIRE_LAUNCH", "")
    monkeypatch.delenv("VENIRE_LAUNCH")
    assert not stop_of_launch_asked()
    first, second = Signs.of(tmp_path, "launch-1"), Signs.of(tmp_path, "launch-2")
    first.pass_on()
    second.pass_on()
    first.ask_to_stop()
    assert not stop_of_launch_asked()
    second.ask_to_stop()
    assert stop_of_launch_asked()


def test_names_of_keys_are_passed_on_with_a_launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENIRE_LAUNCH", "")
    Signs.of(tmp_path, "launch-1").pass_on([("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("OPENAI_API_KEY",)])
    passed = launch_passed_on()
    assert passed is not None
    assert passed.keys() == [("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("OPENAI_API_KEY",)]
