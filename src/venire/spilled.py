"""Texts of many instances, sorted and told apart on disk: what is held of them does not grow with them."""

import hashlib
import heapq
import pickle
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

_RUN = 32_768  # texts or digests that are held until they are written
_BLOCK = 256  # texts that are read again at once, of each run
_BUCKETS = 256
_DIGEST = np.dtype([("high", "<u8"), ("low", "<u8"), ("place", "<u4")])

Places = npt.NDArray[np.int32]


def _file_of(owner: object) -> IO[bytes]:
    """A file without a name, which is closed when its owner goes."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as its owner)
    weakref.finalize(owner, file.close)
    return file


class SortedTexts:
    """Texts with their places 0, 1, ..., which come out in the texts' order (Python's, by code point)."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._first = 0  # the place of the first text that is held
        self._file: IO[bytes] | None = None
        self._runs: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return self._first + len(self._open)

    def add(self, text: str) -> None:
        """The next one."""
        self._open.append(text)
        if len(self._open) == _RUN:
            self._spill()

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Each text and its place; of equal texts the earlier first."""
        return heapq.merge(*(self._read(*run) for run in self._runs), self._sorted())

    def _sorted(self) -> Iterator[tuple[str, int]]:
        return iter(sorted(zip(self._open, range(self._first, len(self)), strict=True)))

    def _spill(self) -> None:
        file = self._file = self._file or _file_of(self)
        run = list(self._sorted())
        start = file.seek(0, 2)
        for at in range(0, len(run), _BLOCK):
            pickle.dump(run[at : at + _BLOCK], file, pickle.HIGHEST_PROTOCOL)
        self._runs.append((start, file.tell()))
        self._first += len(self._open)
        self._open = []

    def _read(self, start: int, end: int) -> Iterator[tuple[str, int]]:
        if (file := self._file) is None:
            return
        while start < end:
            file.seek(start)
            block: list[tuple[str, int]] = pickle.load(file)
            start = file.tell()
            yield from block


class Digests:
    """16-byte digests of texts with their places 0, 1, ..., parted by their first byte."""

    def __init__(self) -> None:
        self._open = bytearray()
        self._count = 0
        self._file: IO[bytes] | None = None
        self._segments: list[npt.NDArray[np.int64]] = []  # of each part written: where buckets begin and end

    def __len__(self) -> int:
        return self._count

    def add(self, text: str) -> None:
        """The next one."""
        self._open += hashlib.blake2b(text.encode(), digest_size=16).digest()
        self._count += 1
        if len(self._open) == 16 * _RUN:
            self._spill()

    def doubled(self) -> tuple[int, int] | None:
        """The places of two equal ones, that which repeats another soonest; None where all differ."""
        found: tuple[int, int] | None = None
        for bucket in self._buckets():
            same = np.flatnonzero(_equals_the_one_before(bucket))
            if len(same):
                at = same[np.argmin(bucket["place"][same])]
                pair = int(bucket["place"][at - 1]), int(bucket["place"][at])
                found = pair if found is None else min(found, pair, key=lambda each: each[1])
        return found

    def distinct(self) -> int:
        """How many there are, equal ones counted once."""
        return sum(int(np.count_nonzero(~_equals_the_one_before(bucket))) for bucket in self._buckets())

    def firsts(self) -> Places:
        """For each place the first place with the same digest, shape (n,)."""
        firsts: Places = np.empty(self._count, dtype=np.int32)
        for bucket in self._buckets():
            begins = ~_equals_the_one_before(bucket)
            firsts[bucket["place"]] = bucket["place"][begins][np.cumsum(begins) - 1]
        return firsts

    def _spill(self) -> None:
        file = self._file = self._file or _file_of(self)
        made = self._made()
        bounds = np.searchsorted(made["high"] >> 56, np.arange(_BUCKETS + 1))
        self._segments.append(file.seek(0, 2) + bounds * _DIGEST.itemsize)
        file.write(made.tobytes())
        self._open = bytearray()

    def _made(self) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """Those that are held, sorted, with their places."""
        halves = np.frombuffer(bytes(self._open), dtype="<u8").reshape(-1, 2)
        made = np.empty(len(halves), dtype=_DIGEST)
        made["high"], made["low"] = halves.T
        made["place"] = np.arange(self._count - len(halves), self._count)
        return made[np.argsort(made["high"], kind="stable")]

    def _buckets(self) -> Iterator[np.ndarray[tuple[int], np.dtype[np.void]]]:
        """All digests by their first byte, sorted within; of equal ones the earlier first."""
        held = self._made()
        bounds = np.searchsorted(held["high"] >> 56, np.arange(_BUCKETS + 1))
        for at in range(_BUCKETS):
            parts = [self._read(int(each[at]), int(each[at + 1])) for each in self._segments]
            bucket = np.concatenate([*parts, held[bounds[at] : bounds[at + 1]]])
            yield bucket[np.lexsort((bucket["place"], bucket["low"], bucket["high"]))]

    def _read(self, start: int, end: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        if (file := self._file) is None:
            return np.empty(0, dtype=_DIGEST)
        file.seek(start)
        return np.frombuffer(file.read(end - start), dtype=_DIGEST)


def _equals_the_one_before(bucket: np.ndarray[tuple[int], np.dtype[np.void]]) -> npt.NDArray[np.bool_]:
    same = np.zeros(len(bucket), dtype=np.bool_)
    same[1:] = (bucket["high"][1:] == bucket["high"][:-1]) & (bucket["low"][1:] == bucket["low"][:-1])
    return same
