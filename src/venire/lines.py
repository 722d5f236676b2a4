"""Adding lines to a file that people's answers are kept in: all of them or none, and on the disk.

A process that is killed, or a disk that is full, may leave half a line at the end. Nobody was told that it is
kept; it counts for nothing, and the next lines take its place.
"""

import json
import os
from pathlib import Path


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
