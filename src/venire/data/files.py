"""Input files as rows: JSON, JSON lines, CSV (each also gzipped) and Parquet, read strictly."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from venire.data.rows import Row, complaint, shown
from venire.errors import DataError

FETCH_AGAIN = "the file looks cut or damaged: write or fetch it again"


def read_rows(path: Path) -> tuple[Row, ...]:
    """The records of a file, by its ending: .jsonl, .json, .csv (each also .gz) or .parquet.

    Raises:
        DataError: no such file, an unknown ending, or whatever the format's reader refuses.
    """
    name = path.name.lower().removesuffix(".gz")
    for ending, reader in _READERS.items():
        if name.endswith(ending):
            return reader(path)
    raise complaint(
        str(path),
        expected=f"a file that ends in {', '.join(_READERS)} (or .gz of the first three)",
        got=path.suffix or "no ending",
        todo="convert or rename it",
    )


def read_jsonl(path: Path) -> tuple[Row, ...]:
    """One row a line; blank lines are skipped but counted in the row number."""
    # Only "\n" ends a line: U+2028 and the like may stand inside a JSON text.
    lines = enumerate(_read_text(path).split("\n"), start=1)
    return tuple(parsed(path, number, line) for number, line in lines if line.strip())


def read_json_array(path: Path) -> tuple[Row, ...]:
    """One row an element of the file's only value, an array of objects."""
    return tuple(_record(path, number, value) for number, value in enumerate(_elements(path), start=1))


def read_csv(path: Path) -> tuple[Row, ...]:
    """One row a record below the header; every value is text. Texts may hold newlines inside quotes."""
    reader = csv.reader(io.StringIO(_read_text(path), newline=""), strict=True)
    records: list[Sequence[str]] = []
    try:
        records.extend(record for record in reader if record)
    except csv.Error as error:
        # Row numbers leave the header out; the record that failed is the one after those read.
        got = f"{error} (line {reader.line_num})"
        todo = f"{FETCH_AGAIN}, or use JSON lines or Parquet"
        raise complaint(str(path), row=max(1, len(records)), expected="CSV", got=got, todo=todo) from error
    if not records:
        raise complaint(str(path), expected="a CSV header", got="an empty file", todo=FETCH_AGAIN)
    header = header_of(path, records[0])
    return tuple(csv_row(path, number, header, record) for number, record in enumerate(records[1:], start=1))


def read_parquet(path: Path) -> tuple[Row, ...]:
    """One row a record, with Python values (lists, dicts, None) as Arrow makes them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    require(path)
    try:
        records = pq.read_table(path, memory_map=False).to_pylist()
    except (pa.ArrowException, OSError) as error:
        got = str(error).splitlines()[0]
        raise complaint(str(path), expected="a Parquet file", got=got, todo=FETCH_AGAIN) from error
    return tuple(Row(str(path), number, record) for number, record in enumerate(records, start=1))


_READERS: dict[str, Callable[[Path], tuple[Row, ...]]] = {
    ".jsonl": read_jsonl,
    ".json": read_json_array,
    ".csv": read_csv,
    ".parquet": read_parquet,
}


def require(path: Path) -> None:
    """Nothing, where there is a file.

    Raises:
        DataError: there is none.
    """
    if not path.is_file():
        got = "a folder" if path.is_dir() else "nothing there"
        todo = "check the path, or set VENIRE_DATA to the folder that holds the data"
        raise complaint(str(path), expected="a file", got=got, todo=todo)


def _read_text(path: Path) -> str:
    """The file as text, decoded as strict UTF-8, without a byte order mark."""
    require(path)
    try:
        raw = path.read_bytes()
        content = gzip.decompress(raw) if path.suffix.lower() == ".gz" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise complaint(str(path), expected="a readable file", got=str(error), todo=FETCH_AGAIN) from error
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        raise complaint(
            str(path),
            row=line,
            expected="UTF-8",
            got=f"byte 0x{content[error.start]:02x} at byte {column} of line {line}",
            todo="save the file as UTF-8",
        ) from error


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def parsed(path: Path, number: int, line: str) -> Row:
    """The record of one line of JSON.

    Raises:
        DataError: it is no JSON object.
    """
    try:
        value: object = _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        raise _not_json(path, number, error) from error
    return _record(path, number, value)


def _record(path: Path, number: int, value: object) -> Row:
    if not isinstance(value, dict):
        raise complaint(
            str(path), row=number, expected="an object", got=shown(value), todo="correct the record"
        )
    return Row(str(path), number, value)


def _elements(path: Path) -> Iterator[object]:
    """The elements one by one, so that a broken one is known by its number."""
    text = _read_text(path)
    position = _skip(text, 0)
    if text[position : position + 1] != "[":
        got = shown(text[position : position + 20]) if text.strip() else "an empty file"
        raise complaint(str(path), expected="a JSON array of records", got=got, todo=FETCH_AGAIN)
    position = _skip(text, position + 1)
    number = 0
    more = text[position : position + 1] != "]"
    while more:
        number += 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise _not_json(path, number, error) from error
        yield value
        position = _skip(text, position)
        more = _goes_on(path, text, position, number)
        position = _skip(text, position + 1) if more else position
    if text[position + 1 :].strip():
        got = shown(text[position + 1 :].strip())
        raise complaint(str(path), expected="nothing after the array", got=got, todo=FETCH_AGAIN)


def _goes_on(path: Path, text: str, position: int, number: int) -> bool:
    """Whether a comma, not the closing bracket, follows element `number`."""
    following = text[position : position + 1]
    if following not in ("]", ","):
        got = f"{following!r} after the record" if following else "the end of the file"
        raise complaint(str(path), row=number, expected="',' or ']'", got=got, todo=FETCH_AGAIN)
    return following == ","


def _skip(text: str, position: int) -> int:
    """The next position that is no JSON white space."""
    while text[position : position + 1] in (" ", "\t", "\n", "\r"):
        position += 1
    return position


def _not_json(path: Path, number: int, error: Exception) -> DataError:
    got = "too deep a nesting"
    if isinstance(error, json.JSONDecodeError):
        got = f"{error.msg} at line {error.lineno}, column {error.colno}"
    elif isinstance(error, ValueError):
        got = str(error)
    return complaint(str(path), row=number, expected="JSON", got=got, todo=FETCH_AGAIN)


def header_of(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that a CSV file's first record names.

    Raises:
        DataError: two have one name.
    """
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise complaint(
            str(path),
            field=twice[0],
            expected="column names that differ",
            got="this one twice",
            todo="rename one of the columns",
        )
    return tuple(names)


def csv_row(path: Path, number: int, header: Sequence[str], record: Sequence[str]) -> Row:
    """The record below `header`.

    Raises:
        DataError: it has more values than the header, or fewer.
    """
    if len(record) != len(header):
        raise complaint(
            str(path),
            row=number,
            expected=f"{len(header)} values ({', '.join(header)})",
            got=str(len(record)),
            todo="correct the record: a comma or newline inside a text needs quotes around the text",
        )
    return Row(str(path), number, dict(zip(header, record, strict=True)))
