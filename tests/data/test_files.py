import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.files import read_csv, read_json_array, read_jsonl, read_parquet, read_rows
from venire.errors import DataError

JSON_VALUES = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=3),
    st.one_of(st.none(), st.integers(), st.text(st.characters(codec="utf-8"), max_size=8)),
    max_size=3,
)


def written(tmp_path: Path, name: str, content: bytes | str) -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_rows(path)
    return str(caught.value)


def test_json_lines_are_numbered_by_line_and_blank_lines_count(tmp_path: Path) -> None:
    path = written(tmp_path, "x.jsonl", '{"a": 1}\n\n{"a": "\u2028"}\r\n')
    assert [(row.number, dict(row.fields)) for row in read_rows(path)] == [
        (1, {"a": 1}),
        (3, {"a": "\u2028"}),
    ]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert read_rows(written(tmp_path, "x.jsonl", '\ufeff{"a": 1}'))[0].fields == {"a": 1}
    assert read_rows(written(tmp_path, "x.csv", "\ufeffa\n1\n"))[0].fields == {"a": "1"}


def test_gzipped_files_read_like_plain_ones(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv.gz", gzip.compress(b"a,b\n1,2\n"))
    assert read_rows(path)[0].fields == {"a": "1", "b": "2"}


def test_a_text_in_a_csv_may_hold_newlines_commas_and_quotes(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", 'id,text\r\n1,"a\nb, ""c"""\r\n2,\r\n')
    assert [dict(row.fields) for row in read_csv(path)] == [
        {"id": "1", "text": 'a\nb, "c"'},
        {"id": "2", "text": ""},
    ]


def test_an_empty_array_and_an_empty_jsonl_have_no_rows(tmp_path: Path) -> None:
    assert read_rows(written(tmp_path, "x.json", " [ ] ")) == ()
    assert read_rows(written(tmp_path, "x.jsonl", "")) == ()


def test_parquet_values_come_as_python_values(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x", None], "n": [1.5, float("nan")]}), tmp_path / "x.parquet")
    rows = read_parquet(tmp_path / "x.parquet")
    assert [row.number for row in rows] == [1, 2]
    assert rows[0].fields == {"a": "x", "n": 1.5}
    assert rows[1].fields["a"] is None


@given(st.lists(JSON_VALUES, max_size=5), st.sampled_from([None, 1]))
def test_an_array_reads_as_json_does(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("arrays") / "x.json"
    path.write_text(json.dumps(records, indent=indent))
    rows = read_json_array(path)
    assert [dict(row.fields) for row in rows] == records
    assert [row.number for row in rows] == list(range(1, len(records) + 1))


@given(st.data())
def test_an_array_that_is_cut_anywhere_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = '[{"a": "x", "n": 1.5}, {"a": "]"}]'
    path = tmp_path_factory.mktemp("cut") / "x.json"
    path.write_text(text[: data.draw(st.integers(0, len(text) - 1))])
    with pytest.raises(DataError, match=r"x\.json.*write or fetch it again"):
        read_json_array(path)


# Each: file name, content, and everything the message must say.
REFUSED = [
    ("x.json", b'[{"a": 1}, {"a": ', ["x.json, row 2: expected JSON", "line 1, column 18"]),
    ("x.json", b'[{"a": 1}', ["x.json, row 1: expected ',' or ']', got the end of the file"]),
    ("x.json", b'[{"a": 1} {"a": 2}]', ["row 1: expected ',' or ']', got '{' after the record"]),
    ("x.json", b'[{"a": 1}, 7]', ["row 2: expected an object, got 7", "correct the record"]),
    ("x.json", b'[{"a": 1},]', ["row 2: expected JSON"]),
    ("x.json", b"[] []", ["expected nothing after the array, got '[]'"]),
    ("x.json", b'{"a": 1}', ["expected a JSON array of records, got '{\"a\": 1}'"]),
    ("x.json", b"", ["expected a JSON array of records, got an empty file"]),
    ("x.json", b'[{"a": NaN}]', ["row 1: expected JSON, got NaN is no JSON"]),
    ("x.jsonl", b'{"a": 1}\n{"a": "b', ["x.jsonl, row 2: expected JSON, got Unterminated string"]),
    ("x.jsonl", b'{"a": 1}\n[]\n', ["row 2: expected an object, got []"]),
    ("x.jsonl", b'{"a": 1}{"a": 2}\n', ["row 1: expected JSON, got Extra data"]),
    ("x.jsonl", b'{"a": 1}\n{"a": "caf\xe9"}', ["row 2: expected UTF-8, got byte 0xe9 at byte 11 of line 2"]),
    ("x.jsonl", "[" * 20_000, ["row 1: expected JSON, got "]),
    ("x.csv", b"a,b\n1,2\n3\n", ["x.csv, row 2: expected 2 values (a, b), got 1", "needs quotes"]),
    ("x.csv", b"a,b\n1,2,3\n", ["row 1: expected 2 values (a, b), got 3"]),
    ("x.csv", b'a,b\n1,2\n3,"4', ["row 2: expected CSV, got unexpected end of data (line 3)"]),
    ("x.csv", b"a,a\n1,2\n", ["field 'a': expected column names that differ, got this one twice"]),
    ("x.csv", b"", ["expected a CSV header, got an empty file"]),
    ("x.csv", "a\n" + "b" * 140_000, ["row 1: expected CSV, got field larger than field limit", "Parquet"]),
    (
        "x.jsonl.gz",
        gzip.compress(b'{"a": 1}\n', mtime=0)[:-9],
        ["x.jsonl.gz: expected a readable file, got "],
    ),
    ("x.jsonl.gz", b'{"a": 1}', ["expected a readable file, got Not a gzipped file"]),
    ("x.parquet", b"PAR1", ["x.parquet: expected a Parquet file, got "]),
    ("x.txt", b"", ["expected a file that ends in .jsonl, .json, .csv, .parquet", "got .txt"]),
]


@pytest.mark.parametrize(("name", "content", "parts"), REFUSED)
def test_a_broken_file_is_refused_with_file_row_and_reason(
    tmp_path: Path, name: str, content: bytes | str, parts: list[str]
) -> None:
    message = refusal(written(tmp_path, name, content))
    assert str(tmp_path / name) in message
    for part in parts:
        assert part in message
    assert "; " in message  # what to do


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.csv", "x.parquet"])
def test_a_missing_file_is_refused_with_where_to_look(tmp_path: Path, name: str) -> None:
    message = refusal(tmp_path / name)
    assert message == (
        f"{tmp_path / name}: expected a file, got nothing there; "
        "check the path, or set VENIRE_DATA to the folder that holds the data"
    )


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(DataError, match="expected a file, got a folder"):
        read_jsonl(tmp_path / "x.jsonl")
