"""Content addresses of plain values."""

import hashlib
import json


def digest(value: object) -> str:
    """SHA-256 (hex) of the canonical JSON of `value` (sorted keys, no spaces, UTF-8)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
