"""Names that the command line and YAML take as they are."""

import re
import unicodedata
from collections.abc import Collection

_LONGEST = 40
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def key_of(text: str, fallback: str) -> str:
    """`Effect direction!` -> `effect_direction`; `fallback` where no ASCII letter is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    key = ""
    for word in words:
        if key and len(key) + 1 + len(word) > _LONGEST:
            break
        key = f"{key}_{word}" if key else word[:_LONGEST]
    return key if key and key[0].isalpha() else fallback


def unused(key: str, taken: Collection[str]) -> str:
    """`key`, with a number behind it where it is taken: `key_2`."""
    if key not in taken:
        return key
    number = 2
    while f"{key}_{number}" in taken:
        number += 1
    return f"{key}_{number}"


def is_option_name(name: str) -> bool:
    """Whether `persona=<name>` chooses it."""
    return _NAME.fullmatch(name) is not None
