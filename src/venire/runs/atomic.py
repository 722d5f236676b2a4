"""Files that are there whole or not at all."""

import os
import uuid
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write `content` (text as UTF-8) under a temporary name beside `path`, then rename it.

    A reader sees the old file or the new one; a process that dies leaves `path` as it was.
    """
    payload = content.encode() if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open("wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
