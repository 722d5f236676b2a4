"""What forms are signed with: made once in a home, so that a form that is open over a restart counts."""

import os
import secrets
from pathlib import Path

from filelock import FileLock

SECRET_FILE = "page/secret"


def form_secret(home: Path) -> bytes:
    """The 32 bytes of `home`; readable by its owner alone."""
    path = home / SECRET_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if not path.exists():
            part = path.with_suffix(".part")  # a kill leaves no half secret
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        return path.read_bytes()
