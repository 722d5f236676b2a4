"""Input files as rows, one after another: the rows of `files.read_rows`, without holding them all."""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from venire.data.files import FETCH_AGAIN, csv_row, header_of, parsed, require
from venire.data.rows import Row, complaint
from venire.errors import DataError

_BATCH = 1024  # records of a Parquet file that are there at once
_BUFFER = 2**18  # bytes of a column that are read at once: a row group may be the whole file


def stream_rows(path: Path) -> Iterator[Row]:
    """The records of a file, by its ending: .jsonl, .csv (each also .gz) or .parquet.

    Raises:
        DataError: no such file, an ending that cannot be read row by row, or whatever the format's
            reader refuses; as late as its row is asked for.
    """
    name = path.name.lower().removesuffix(".gz")
    for ending, reader in _READERS.items():
        if name.endswith(ending):
            require(path)
            return reader(path)
    raise complaint(
        str(path),
        expected=f"a file that can be read row by row: {', '.join(_READERS)} (or .gz of the first two)",
        got=path.suffix or "no ending",
        todo="convert it, or set dataset.stream=false",
    )


def _jsonl(path: Path) -> Iterator[Row]:
    with _opened(path) as file:
        for number, line in enumerate(_lines(path, file), start=1):
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise _no_text(path, number, error) from error
            text = (text.removeprefix("\ufeff") if number == 1 else text).removesuffix("\n")
            if text.strip():
                yield parsed(path, number, text)


def _lines(path: Path, file: BinaryIO) -> Iterator[bytes]:
    try:
        yield from file
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error


def _csv(path: Path) -> Iterator[Row]:
    with _opened(path) as file:
        # "utf-8-sig" leaves a byte order mark out
        reader = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), strict=True)
        header: tuple[str, ...] | None = None
        number = 0
        try:
            for record in filter(None, reader):
                if header is None:
                    header = header_of(path, record)
                    continue
                number += 1
                yield csv_row(path, number, header, record)
        except csv.Error as error:
            got = f"{error} (line {reader.line_num})"
            todo = f"{FETCH_AGAIN}, or use JSON lines or Parquet"
            raise complaint(str(path), row=number + 1, expected="CSV", got=got, todo=todo) from error
        except UnicodeDecodeError as error:
            raise _no_text(path, number + 1, error) from error
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(path, error) from error
        if header is None:
            raise complaint(str(path), expected="a CSV header", got="an empty file", todo=FETCH_AGAIN)


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path, memory_map=False, pre_buffer=False, buffer_size=_BUFFER) as file:
            for batch in file.iter_batches(batch_size=_BATCH):
                for record in batch.to_pylist():
                    number += 1
                    yield Row(str(path), number, record)
    except (pa.ArrowException, OSError) as error:
        got = str(error).splitlines()[0]
        raise complaint(str(path), expected="a Parquet file", got=got, todo=FETCH_AGAIN) from error


_READERS: dict[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def _unreadable(path: Path, error: Exception) -> DataError:
    return complaint(str(path), expected="a readable file", got=str(error), todo=FETCH_AGAIN)


def _no_text(path: Path, row: int, error: UnicodeDecodeError) -> DataError:
    got = f"byte 0x{error.object[error.start]:02x}"
    return complaint(str(path), row=row, expected="UTF-8", got=got, todo="save the file as UTF-8")
