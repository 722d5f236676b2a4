"""Rows and tables that are read one after another are those that are read at once."""

import gzip
import json
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venire.data.files import read_rows
from venire.data.streamed import Streamed
from venire.data.streams import stream_rows
from venire.data.table import Columns, Table
from venire.errors import ConfigError, DataError

PAIRS = Columns(response_1="a", response_2="b", label="label")


def records(count):
    return [
        {
            "id": f"i/{i}",
            "prompt": f"Frage ü {i}?",
            "a": "kurz",
            "b": "" if i == 2 else "länger",
            "label": "tie",
        }
        for i in range(count)
    ]


def jsonl(path, rows):
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", encoding="utf-8")
    return path


def written(folder, ending, rows):
    path = folder / f"t{ending}"
    if ending == ".jsonl":
        return jsonl(path, rows)
    if ending == ".jsonl.gz":
        path.write_bytes(gzip.compress(jsonl(folder / "plain.jsonl", rows).read_bytes()))
    elif ending == ".csv":
        lines = ["\ufeffid,prompt,a,b,label"] + [
            '"{id}","{prompt}\n",{a},{b},{label}'.format(**r) for r in rows
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=700)
    return path


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_rows_are_those_that_are_read_at_once(tmp_path, ending):
    path = written(tmp_path, ending, records(1500))
    streamed = stream_rows(path)
    assert isinstance(streamed, Iterator)
    assert tuple(streamed) == read_rows(path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.jsonl", b'{"id": 1}\n{"id": \n', "t.jsonl, row 2: expected JSON"),
        ("t.jsonl", b'{"id": 1}\n{"id": "\xff"}\n', "t.jsonl, row 2: expected UTF-8, got byte 0xff"),
        ("t.csv", b"id,prompt\n1,2\n3\n", "t.csv, row 2: expected 2 values"),
        ("t.csv", b"", "expected a CSV header, got an empty file"),
        ("t.csv", b"id,prompt\n1,\xff\n", "expected UTF-8"),
        ("t.jsonl.gz", b"no gzip", "expected a readable file"),
        ("t.parquet", b"no parquet", "expected a Parquet file"),
        ("t.json", b"[]", "expected a file that can be read row by row"),
    ],
)
def test_what_is_refused_says_where(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=says):
        list(stream_rows(tmp_path / name))


@pytest.mark.parametrize("limit", [None, 4])
def test_a_streamed_table_is_the_table(tmp_path, limit):
    path = str(jsonl(tmp_path / "t.jsonl", records(6)))
    at_once = Table(PAIRS, path, limit=limit).load()
    streamed = Table(PAIRS, path, limit=limit, stream=True).load()
    assert isinstance(streamed.instances, Streamed)
    assert len(streamed.instances) == (limit or 6)
    for _ in range(2):  # as often as one likes
        assert tuple(streamed.instances) == at_once.instances
    assert (streamed.fingerprint, streamed.labels) == (at_once.fingerprint, at_once.labels)
    assert streamed.warnings == at_once.warnings == ("empty responses, kept as they are: 1 (in i/2)",)


def test_a_streamed_table_holds_no_instance(tmp_path):
    loaded = Table(PAIRS, str(jsonl(tmp_path / "t.jsonl", records(6))), stream=True).load()
    assert loaded.instances[0] is not loaded.instances[0]
    assert [each.id for each in loaded.instances[1:3]] == ["i/1", "i/2"]
    assert loaded.instances[-1].id == "i/5"
    with pytest.raises(IndexError):
        loaded.instances[6]


def test_an_id_that_stands_twice_is_refused_with_both_rows(tmp_path):
    rows = [{**row, "id": f"i/{number % 5}"} for number, row in enumerate(records(8))]
    for stream in (False, True):
        with pytest.raises(DataError, match=r"row 6, field 'id': .*'i/0', which row 1 has too"):
            Table(PAIRS, str(jsonl(tmp_path / "t.jsonl", rows)), stream=stream).load()


@pytest.mark.parametrize(("count", "says"), [(0, "at least one instance"), (3, "expected 4 records")])
def test_what_is_not_there_is_refused(tmp_path, count, says):
    path = jsonl(tmp_path / "t.jsonl", records(count))
    with pytest.raises(DataError, match=says):
        Table(PAIRS, str(path), stream=True, expected_count=4 if count else None).load()


def test_single_responses_are_refused():
    with pytest.raises(ConfigError, match="stream: expected pairs"):
        Table(Columns(response="a"), "t.jsonl", stream=True)


def test_a_file_of_one_row_group_is_not_held(tmp_path):
    path, size = tmp_path / "t.parquet", 2**24
    rng = np.random.default_rng(0)
    texts = [rng.bytes(512).hex() for _ in range(size // 1024)]
    pq.write_table(pa.table({"a": texts}), path, compression="none", use_dictionary=False)
    assert pq.ParquetFile(path).num_row_groups == 1
    before = pa.total_allocated_bytes()
    rows = stream_rows(path)
    assert next(rows).value("a") == texts[0]
    assert pa.total_allocated_bytes() - before < size / 4
