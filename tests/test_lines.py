"""Lines that are added durably: after a kill, on a full disk."""

import os
from pathlib import Path

import pytest

from venire.lines import GrowingFile, add_lines


@pytest.mark.parametrize(
    ("there", "then"),
    [
        (b"", b'{"b": 2}\n'),
        (b'{"a": 1}\n', b'{"a": 1}\n{"b": 2}\n'),
        (b'{"a": 1}', b'{"a": 1}\n{"b": 2}\n'),  # only its end was lacking
        (b'{"a": 1}\n{"a"', b'{"a": 1}\n{"b": 2}\n'),  # cut short while it was written
    ],
)
def test_a_line_is_added_after_the_last_whole_one(there: bytes, then: bytes, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_bytes(there)
    add_lines(path, '{"b": 2}\n')
    assert path.read_bytes() == then


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.jsonl"
    add_lines(path, '{"a": 1}\n')
    write = os.write

    def half(file: int, data: bytes) -> int:
        if len(data) < 8:
            raise OSError(28, "No space left on device")
        return write(file, data[:5])

    monkeypatch.setattr("venire.lines.os.write", half)
    with pytest.raises(OSError, match="No space left"):
        add_lines(path, '{"b": 2}\n')
    assert path.read_bytes() == b'{"a": 1}\n'


def test_a_file_is_read_as_it_grows_and_what_was_cut_short_is_not_read_yet(tmp_path):
    path = tmp_path / "lines.jsonl"
    file = GrowingFile(path)
    assert (list(file.new_lines()), file.is_another) == ([], False)
    path.write_bytes(b'{"a": 1}\n\n{"b": ')
    assert list(file.new_lines()) == [(b'{"a": 1}\n', f"{path}:1")]
    assert list(file.new_lines()) == []
    add_lines(path, '{"c": 3}\n')
    assert list(file.new_lines()) == [(b'{"c": 3}\n', f"{path}:3")]
    assert not file.is_another


def test_a_line_that_its_reader_refuses_is_read_again(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"1\n2\n3\n")
    file = GrowingFile(path)
    for line in file.new_lines():
        if line.text == b"2\n":
            break
    assert [line.text for line in file.new_lines()] == [b"2\n", b"3\n"]


def test_a_file_that_was_replaced_or_cut_or_is_gone_is_another(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"1\n2\n")
    file = GrowingFile(path)
    assert len(list(file.new_lines())) == 2
    path.write_bytes(b"1\n")
    assert file.is_another
    file.restart()
    assert [line.where for line in file.new_lines()] == [f"{path}:1"]
    path.unlink()
    assert file.is_another
