"""What `venire personas build` and `venire rubric generate` have in common."""

import os
from pathlib import Path

from venire.errors import ConfigError


def refuse_unwritable(out: Path) -> None:
    """Better said before the calls are paid than after."""
    there = next(folder for folder in out.absolute().parents if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise ConfigError(
            f"--out: expected a file that can be written, {there} is no folder that one can write to"
        )
