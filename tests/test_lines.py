"""Lines that are added durably: after a kill, on a full disk."""

import os
from pathlib import Path

import pytest

from venire.lines import add_lines


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
