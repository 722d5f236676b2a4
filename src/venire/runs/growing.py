"""A run's outcomes and calls as files that grow while it judges, in the order of the instances."""

import gzip
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, cast

from venire.errors import RunError
from venire.metrics.compact import Pair
from venire.records import Call, Instance, Outcome, Reason, Unscored
from venire.runs.calls import CALLS_FILE, call_line, iterate_calls
from venire.runs.outcomes import OUTCOMES_FILE, iterate_judged, outcome_row, outcome_schema

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP = 5000  # instances that are held until they are written


class GrowingFiles:
    """`outcomes.parquet` and `calls.jsonl.gz`, written row group by row group under temporary names.

    They bear their own names from `close` on; as a context manager that is left before, nothing stays.
    """

    def __init__(self, folder: Path, secrets: Sequence[str] = ()) -> None:
        import pyarrow.parquet as pq

        self._folder = folder
        self._secrets = secrets
        self.held: list[object] = []  # rows that are not written yet
        self._lines: list[str] = []
        self._schema: pa.Schema = outcome_schema()
        self._parts = {name: folder / f".{name}.part" for name in (OUTCOMES_FILE, CALLS_FILE)}
        self._open = ExitStack()
        self._table = self._open.enter_context(
            pq.ParquetWriter(self._parts[OUTCOMES_FILE], self._schema, compression="zstd")
        )
        raw = self._open.enter_context(self._parts[CALLS_FILE].open("wb"))
        # neither time nor file name in the header
        zipped = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
        self._calls = cast(BinaryIO, self._open.enter_context(zipped))

    def __enter__(self) -> "GrowingFiles":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        for part in self._parts.values():
            part.unlink(missing_ok=True)

    def add(self, instance: Instance, outcome: Outcome | None) -> None:
        """The next instance with what became of it; None: it was not judged."""
        self.held.append(outcome_row(instance, outcome, self._secrets))
        for call in outcome.calls if outcome else ():
            own = replace(call, instance_id=instance.id)
            self._lines.append(call_line(own, {"unfinished": False}, self._secrets))
        if len(self.held) >= ROW_GROUP:
            self._flush()

    def close(self, unfinished: Sequence[Call] = ()) -> None:
        """Write what is left, then the calls of instances that were not finished, and name the files."""
        self._lines += [call_line(call, {"unfinished": True}, self._secrets) for call in unfinished]
        self._flush()
        self._open.close()
        for name, part in self._parts.items():
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(self._folder / name)

    def _flush(self) -> None:
        import pyarrow as pa

        if self.held:
            self._table.write_table(pa.Table.from_pylist(self.held, schema=self._schema))
        if self._lines:
            self._calls.write("".join(line + "\n" for line in self._lines).encode())
        self.held, self._lines = [], []


class PairReader:
    """The outcomes in a folder's files, one after another; a context manager, which closes them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = iterate_judged(folder)
        self._lines = (call for part, call in iterate_calls(folder) if part == "finished")
        self._call: Call | None = next(self._lines, None)

    def __enter__(self) -> "PairReader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rows.close()
        self._lines.close()

    def outcome_of(self, instance: Instance) -> Outcome | None:
        """The outcome of the next instance, calls included; None where it was not judged.

        Raises:
            RunError: the next row is of another instance.
        """
        outcome = next(self._rows, None)
        if outcome is None or outcome.instance_id != instance.id:
            found = "no more rows" if outcome is None else f"the row of {outcome.instance_id!r}"
            raise RunError(f"{self._folder}: expected the outcome of {instance.id!r}, found {found}")
        calls = []
        while self._call is not None and self._call.instance_id == instance.id:
            calls.append(self._call)
            self._call = next(self._lines, None)
        is_judged = outcome.prediction != Unscored(Reason.NOT_RUN)
        return replace(outcome, calls=tuple(calls)) if is_judged else None

    def check_end(self) -> None:
        """Nothing, where everything was read.

        Raises:
            RunError: there is a row of a further instance, or a call of one.
        """
        left = next(self._rows, None)
        stray = self._call.instance_id if left is None and self._call else left and left.instance_id
        if stray is not None:
            raise RunError(f"{self._folder}: expected no further instance, found something of {stray!r}")


def iterate_pairs(folder: Path, instances: Iterable[Instance]) -> Iterator[Pair]:
    """`instances` one after another, each with its outcome as the folder's files have it, calls included.

    Raises:
        RunError: the files are of other instances, or in another order.
    """
    with PairReader(folder) as reader:
        for instance in instances:
            yield instance, reader.outcome_of(instance)
        reader.check_end()
