"""Recorded replies of real models on LLMBar: the file, checked, and how a request names one of them.

The file is `<root>/llmbar_recorded/recorded.jsonl.gz`, one row a (subset, index, model, strategy,
order). Source: the evaluators' results in https://github.com/princeton-nlp/LLMBar, whose prompts the
recordings do not hold; so a request names a reply by a `Locator` instead of repeating a prompt.
"""

import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from pathlib import Path
from typing import TypeVar

import orjson

from venire.errors import DataError
from venire.records import FinishReason, Order, Winner

T = TypeVar("T")

FILE = Path("llmbar_recorded") / "recorded.jsonl.gz"
"""Where the recordings lie below the data root."""

Run = tuple[str, str]
"""A recorded judge: (model, strategy), spelled as in the source."""

Coverage = Mapping[Run, Mapping[str, frozenset[int]]]
"""The indices recorded (in both orders), by (model, strategy) and subset."""


class Part(StrEnum):
    """Which of a recorded judge's replies on one instance."""

    VERDICT = "verdict"  # the only stage, or the first of two
    SYNTHESIS = "synthesis"  # Swap, Swap_CoT: the second stage, where the first contradicted itself
    SCORE_1 = "score_1"  # Rating: the reply on the data set's first output, in no order
    SCORE_2 = "score_2"


@dataclass(frozen=True, slots=True)
class RecordingKey:
    """What names one row."""

    model: str
    strategy: str
    subset: str
    index: int
    order: Order


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """What the model replied, and how the reply ended."""

    text: str
    finish: FinishReason


@dataclass(frozen=True, slots=True)
class Recording:
    """One row: the replies by part, and the winner that the source read from them (None: none)."""

    key: RecordingKey
    replies: Mapping[Part, RecordedReply]
    winner: Winner | None


@dataclass(frozen=True, slots=True)
class Recordings:
    """The rows of the runs that were asked for, and what the whole file covers.

    Args:
        path: the file.
        digest: SHA-256 (hex) of the file.
        rows: by key.
        coverage: see `Coverage`; of every run in the file.
    """

    path: Path
    digest: str
    rows: Mapping[RecordingKey, Recording]
    coverage: Coverage


def read_recordings(root: str | Path, runs: Collection[Run] | None = None) -> Recordings:
    """The recordings below the data root `root`, of `runs` only where given.

    Raises:
        DataError: the file is missing, cut or no gzip, or a row breaks the format.
    """
    path = Path(root) / FILE
    packed = _read_bytes(path)
    rows: dict[RecordingKey, Recording] = {}
    orders: Counter[tuple[str, str, str, int]] = Counter()
    for number, line in enumerate(_unpack(path, packed), start=1):
        reader = _Row(path, number, line)
        key = reader.key()
        orders[key.model, key.strategy, key.subset, key.index] += 1
        if runs is None or (key.model, key.strategy) in runs:
            if key in rows:
                raise reader.error("index", f"a second row of {key.subset} {key.index}, {key.order}")
            rows[key] = reader.recording(key)
    return Recordings(path, hashlib.sha256(packed).hexdigest(), rows, _coverage(path, orders))


def recordings_digest(root: str | Path) -> str:
    """SHA-256 (hex) of the recordings below `root`; read once for each state of the file.

    Raises:
        DataError: the file is missing.
    """
    path = Path(root) / FILE
    try:
        state = path.stat()
    except OSError as error:
        raise _missing(path) from error
    return _digest(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16)
def _digest(path: Path, mtime_ns: int, size: int) -> str:
    return hashlib.sha256(_read_bytes(path)).hexdigest()


def _missing(path: Path) -> DataError:
    return DataError(
        f"{path}: expected LLMBar's recorded verdicts there, found no such file. "
        "Set VENIRE_DATA (data_root) to the folder that holds llmbar_recorded/"
    )


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise _missing(path) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def _unpack(path: Path, packed: bytes) -> Iterable[bytes]:
    try:
        text = GzipFile(fileobj=BytesIO(packed)).read()
    except (EOFError, BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: expected a whole gzip file: {error}") from error
    return text.splitlines()


def _coverage(path: Path, orders: Counter[tuple[str, str, str, int]]) -> Coverage:
    indices: dict[Run, dict[str, set[int]]] = {}
    for (model, strategy, subset, index), count in orders.items():
        if count != len(Order):
            raise DataError(
                f"{path}: {model} {strategy} {subset} {index}: expected one row an order (2), got {count}"
            )
        indices.setdefault((model, strategy), {}).setdefault(subset, set()).add(index)
    return {run: {name: frozenset(of) for name, of in subsets.items()} for run, subsets in indices.items()}


_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content management policy": FinishReason.REFUSED,
    "content_filter": FinishReason.REFUSED,
}
_WINNER = {1: Winner.FIRST, 2: Winner.SECOND, None: None}


class _Row:
    """One line of the file, read field by field; every error names file, row and field."""

    def __init__(self, path: Path, number: int, line: bytes) -> None:
        self._path = path
        self._number = number
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise DataError(f"{path}, row {number}: no JSON in UTF-8: {error}") from error
        if not isinstance(fields, dict):
            raise DataError(f"{path}, row {number}: expected a JSON object, got {type(fields).__name__}")
        self._fields: dict[str, object] = fields

    def error(self, field: str, problem: str) -> DataError:
        return DataError(f"{self._path}, row {self._number}, field {field}: {problem}")

    def key(self) -> RecordingKey:
        order = Order.SWAPPED if self._take("swap", bool) else Order.AS_GIVEN
        index = self._take("index", int)
        if index < 0:
            raise self.error("index", f"expected 0 or more, got {index}")
        return RecordingKey(
            self._take("model", str), self._take("strategy", str), self._take("subset", str), index, order
        )

    def recording(self, key: RecordingKey) -> Recording:
        return Recording(key, self._replies(), self._winner())

    def _winner(self) -> Winner | None:
        if "winner" not in self._fields:
            raise self.error("winner", "expected 1, 2 or null, it is missing")
        given = self._fields["winner"]
        if isinstance(given, bool) or given not in (1, 2, None):
            raise self.error("winner", f"expected 1, 2 or null, got {given!r}")
        return _WINNER[given]

    def _replies(self) -> dict[Part, RecordedReply]:
        if "score_1_raw" in self._fields:
            return {
                Part.SCORE_1: self._reply("score_1_raw", "score_1_finish_reason"),
                Part.SCORE_2: self._reply("score_2_raw", "score_2_finish_reason"),
            }
        last = self._reply("completion", "finish_reason")
        stages = self._fields.get("n_stages", 1)
        if stages == 1:
            return {Part.VERDICT: last}
        if stages != 2:
            raise self.error("n_stages", f"expected 1 or 2, got {stages!r}")
        first = self._reply("stage1_completion", "stage1_finish_reason")
        return {Part.VERDICT: first, Part.SYNTHESIS: last}

    def _reply(self, text_field: str, finish_field: str) -> RecordedReply:
        text = self._take(text_field, str)
        reason = self._take(finish_field, str)
        if reason in _FINISH:
            return RecordedReply(text, _FINISH[reason])
        if reason:
            expected = ", ".join(_FINISH)
            raise self.error(finish_field, f"expected one of {expected} or '', got {reason!r}")
        # LLaMA2, PaLM2 and Falcon were recorded without a reason. An empty text of theirs (83, all
        # PaLM2's) is the API's blocked reply, not a model that stopped at once.
        return RecordedReply(text, FinishReason.STOP if text else FinishReason.REFUSED)

    def _take(self, field: str, kind: type[T]) -> T:
        value = self._fields.get(field)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            given = repr(value)[:60] if field in self._fields else "nothing"
            raise self.error(field, f"expected {kind.__name__}, got {given}")
        return value


_LOCATOR = re.compile(
    r"LLMBar recording (?P<digest>[0-9a-f]{12}): subset=(?P<subset>\S+) index=(?P<index>0|[1-9][0-9]*) "
    r"strategy=(?P<strategy>\S+)(?: swap=(?P<swap>true|false))? "
    r"part=(?P<part>verdict|synthesis|score_1|score_2)"
)


@dataclass(frozen=True, slots=True)
class Locator:
    """Which recorded reply a request asks for, as one line that stands in the place of a prompt.

    The real model never saw a prompt of ours, and two instances may hold the same texts (MT-Bench
    has 5 pairs twice, swapped), so a reply is named and not described. `order` is None for the parts
    that were asked in no order (`SCORE_1`, `SCORE_2`): both orders share them. `digest` begins the
    SHA-256 of the file, so that another file's replies never answer.
    """

    digest: str
    subset: str
    index: int
    strategy: str
    part: Part
    order: Order | None

    def __str__(self) -> str:
        swap = "" if self.order is None else f" swap={str(self.order is Order.SWAPPED).lower()}"
        return (
            f"LLMBar recording {self.digest[:12]}: subset={self.subset} index={self.index} "
            f"strategy={self.strategy}{swap} part={self.part}"
        )

    @classmethod
    def parse(cls, text: str) -> "Locator | None":
        """The locator that `text` is, and nothing but; None where it is none."""
        found = _LOCATOR.fullmatch(text)
        if found is None:
            return None
        part, swap = Part(found["part"]), found["swap"]
        if (part in (Part.SCORE_1, Part.SCORE_2)) != (swap is None):
            return None
        order = None if swap is None else Order.SWAPPED if swap == "true" else Order.AS_GIVEN
        return cls(found["digest"], found["subset"], int(found["index"]), found["strategy"], part, order)
