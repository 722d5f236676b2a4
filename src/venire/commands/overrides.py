"""Whether a word of the command line is KEY=VALUE, or names a run. Light: argparse needs it."""

import re

# The ids and paths of runs may hold a "=", too (`...-limit=6-...`), but never begin like a key.
_OVERRIDE = re.compile(r"[+~]*[A-Za-z_][\w.@/]*=")


def is_override(word: str) -> bool:
    """Whether `word` is KEY=VALUE or ~KEY, and no run."""
    return word.startswith("~") or _OVERRIDE.match(word) is not None
