"""Checks of a data set's own settings, before any file is opened."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from venire.errors import ConfigError

Choice = TypeVar("Choice", bound=StrEnum)


def check_at_least_one(key: str, value: int | None) -> None:
    """Nothing, where `value` is null or 1 and more.

    Raises:
        ConfigError: it is not.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ConfigError(f"{key}: expected an integer of at least 1, or null for all, got {value!r}")


def check_names(key: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Nothing, where `given` are some of `known`, none twice.

    Raises:
        ConfigError: they are not, or there is none.
    """
    if not given or len(set(given)) < len(given) or any(name not in known for name in given):
        raise ConfigError(f"{key}: expected different ones of {', '.join(known)}, got {list(given)}")


def as_choice(key: str, value: str, choices: type[Choice]) -> Choice:
    """The member of `choices` that `value` names.

    Raises:
        ConfigError: it names none.
    """
    try:
        return choices(value)
    except ValueError:
        names = " or ".join(choice.value for choice in choices)
        raise ConfigError(f"{key}: expected {names}, got {value!r}") from None
