"""Keeping secrets out of what is written and logged."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from venire.errors import RunError

HIDDEN = "***"
MIN_LENGTH = 8

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(?<=://)[^/\s@]*:[^/\s@]*(?=@)")

Text = TypeVar("Text")


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables whose names look like keys, tokens or passwords, longest first.

    Values of fewer than 8 characters are left out: they would blank ordinary words.
    """
    values = {
        value.strip()
        for name, value in environ.items()
        if _SECRET_NAME.search(name) and len(value.strip()) >= MIN_LENGTH
    }
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def redact(text: str, secrets: Sequence[str]) -> str:
    """`text` with every secret, and every password inside a URL, replaced by `***`."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return _URL_PASSWORD.sub(HIDDEN, text) if "://" in text else text


def redact_tree(value: object, secrets: Sequence[str]) -> object:
    """`value` with every string in it redacted, keys of mappings too."""
    if isinstance(value, str):
        return redact(value, secrets)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {redact(str(key), secrets): redact_tree(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_tree(item, secrets) for item in value]
    return value


def assert_no_secrets(texts: Iterable[str], environ: Mapping[str, str]) -> None:
    """Do nothing where no text holds a secret of `environ`.

    Raises:
        RunError: names the variable, never its value.
    """
    secrets = secret_values(environ)
    for text in texts:
        for secret in secrets:
            if secret in text:
                names = sorted(name for name, value in environ.items() if value.strip() == secret)
                raise RunError(
                    f"expected no secret in what is written, found the value of {', '.join(names)}; "
                    "give keys by environment variable only"
                )
