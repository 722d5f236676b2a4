"""Adding lines to a file that people's answers are kept in: all of them or none, and on the disk.

A process that is killed, or a disk that is full, may leave half a line at the end. Nobody was told that it is
kept; it counts for nothing, and the next lines take its place.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


def is_whole(line: bytes) -> bool:
    """Whether a line without an end was written to its end: JSON, of which no part is JSON."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def add_lines(path: Path, text: str) -> None:
    """Add `text` (lines with their ends); when this returns, it is on the disk. To be called under a lock.

    Raises:
        OSError: it could not be written; the file is as it was.
    """
    is_new = not path.exists()
    with path.open("ab+", buffering=0) as file:
        size, end = _end_of(file.fileno())
        os.ftruncate(file.fileno(), size)
        try:
            _write(file.fileno(), end + text.encode())
            os.fsync(file.fileno())
        except OSError:
            os.ftruncate(file.fileno(), size)  # else half a line would be the beginning of the next
            raise
    if is_new:
        _keep_name(path.parent)


class Line(NamedTuple):
    """A line of a file: its text, with its end, and where it stands (`file:number`)."""

    text: bytes
    where: str


class GrowingFile:
    """A file of lines that is read as it grows: what was read once is not read again.

    To be read under the lock of those who add to it, so that no half of a line is seen.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0  # bytes read so far: another one, other lines
        self._number = 0
        self._inode = 0

    def restart(self) -> None:
        """Read all of it again the next time."""
        self.offset = self._number = self._inode = 0

    @property
    def is_another(self) -> bool:
        """Whether it is another file than the one that was read, or a shorter one: then read all of it."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return self.offset > 0
        return self.offset > 0 and (found.st_ino != self._inode or found.st_size < self.offset)

    def new_lines(self) -> Iterator[Line]:
        """The lines that came since, without blank ones; each counts as read when the next is asked for.

        A last line without an end that is no JSON was cut short while it was written: it counts for nothing.
        """
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            self._inode = os.fstat(file.fileno()).st_ino
            file.seek(self.offset)
            text = file.read()
        for line in text.splitlines(keepends=True):
            has_end = line.endswith(b"\n")
            if not has_end and not is_whole(line):
                return
            if line.strip():
                yield Line(line, f"{self.path}:{self._number + 1}")
            self._number += has_end
            self.offset += len(line)


def _end_of(file: int) -> tuple[int, bytes]:
    """How many bytes of the file count, and the line end that they lack."""
    size = os.fstat(file).st_size
    if size == 0 or os.pread(file, 1, size - 1) == b"\n":
        return size, b""
    last = os.pread(file, size, 0).rpartition(b"\n")[2]
    return (size, b"\n") if is_whole(last) else (size - len(last), b"")


def _write(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def _keep_name(folder: Path) -> None:
    """A new file's name is in the folder, whatever becomes of the machine."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
