import pytest

from venire.runs import write_atomically


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "x.json"
    write_atomically(path, "old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "taken"
    (path / "inside").mkdir(parents=True)  # a folder with content cannot be replaced by a file
    with pytest.raises(OSError, match="taken"):
        write_atomically(path, "text")
    assert [file.name for file in tmp_path.iterdir()] == ["taken"]
