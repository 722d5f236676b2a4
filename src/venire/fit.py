"""Whether a plain value is of the type that a setting declares, without reading one type as another.

A sweep over `allow_tie=no` must not run with the text "no" taken for true, `limit=true` is no
limit of 1, and `temperature="0.5"` is a slip of quoting. So only what loses and guesses nothing is
converted: a whole float to int (`1e3`), int to float, an enum's value to its member, a list to a tuple.
"""

import enum
import math
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from venire.errors import ConfigError

_UNIONS = (typing.Union, types.UnionType)
_SCALARS = {bool: "true or false", int: "a whole number", float: "a finite number", str: "a text"}


def fit(value: object, hint: object, path: str) -> object:
    """`value` as a `hint`.

    Args:
        value: a scalar, list, mapping, or a built object.
        hint: an annotation: scalars, enums, classes, unions, `tuple[...]`, `Sequence`, `Mapping`.
        path: the full key of `value`, for messages.

    Raises:
        ConfigError: it is none; says what was expected at which key.
    """
    origin = typing.get_origin(hint)
    if origin in _UNIONS:
        return _fit_union(value, hint, path)
    if hint is None or hint is types.NoneType:
        return _only(value, value is None, hint, path)
    if origin is typing.Literal:
        return _only(value, any(_same(value, one) for one in typing.get_args(hint)), hint, path)
    kind = origin or hint
    if kind is Any or not isinstance(kind, type):  # nothing is declared that could be checked
        return value
    if kind in (bool, int, float, str):
        return _fit_scalar(value, kind, path)
    if issubclass(kind, enum.Enum):
        return _fit_enum(value, kind, path)
    if issubclass(kind, Mapping):
        return _fit_mapping(value, hint, path)
    if issubclass(kind, Sequence):
        return _fit_sequence(value, kind, hint, path)
    # A protocol's members are not checked at run time: any built object passes.
    is_one = not _is_plain(value) if getattr(kind, "_is_protocol", False) else isinstance(value, kind)
    return _only(value, is_one, hint, path)


def _fit_scalar(value: object, kind: type, path: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    sound = type(value) is kind and not (isinstance(value, float) and not math.isfinite(value))
    return _only(value, sound, kind, path)


def _fit_enum(value: object, kind: type[enum.Enum], path: str) -> enum.Enum:
    for member in kind:
        if value is member or _same(value, member.value):
            return member
    raise _misfit(value, kind, path)


def _same(value: object, other: object) -> bool:
    """Equal and of one type: `1 == True` does not count."""
    return type(value) is type(other) and value == other


def _fit_mapping(value: object, hint: object, path: str) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise _misfit(value, hint, path)
    inner = (typing.get_args(hint) or (object, object))[1]
    return {str(key): fit(item, inner, f"{path}.{key}") for key, item in value.items()}


def _fit_sequence(value: object, kind: type, hint: object, path: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise _misfit(value, hint, path)
    inner = typing.get_args(hint)
    if kind is tuple and inner and inner[-1] is not Ellipsis:
        if len(inner) != len(value):
            raise _misfit(value, hint, path)
        each = inner
    else:
        each = (inner[0] if inner else object,) * len(value)
    fitted = [fit(item, one, f"{path}[{i}]") for i, (item, one) in enumerate(zip(value, each, strict=True))]
    return fitted if kind is list else tuple(fitted)


def _fit_union(value: object, hint: object, path: str) -> object:
    """The first arm that takes `value`, those of its very type before the others."""
    arms = sorted(typing.get_args(hint), key=lambda arm: type(value) is not arm)
    deeper: list[ConfigError] = []
    for arm in arms:
        try:
            return fit(value, arm, path)
        except ConfigError as error:
            if not str(error).startswith(f"{path}: "):
                deeper.append(error)
    raise deeper[0] if deeper else _misfit(value, hint, path)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | tuple | Mapping)


def _only(value: object, is_one: bool, hint: object, path: str) -> object:
    if is_one:
        return value
    raise _misfit(value, hint, path)


def _misfit(value: object, hint: object, path: str) -> ConfigError:
    *others, last = _words(hint)
    expected = f"{', '.join(others)} or {last}" if others else last
    needs_quotes = isinstance(value, bool | int | float) and any(map(_is_text, _arms(hint)))
    quoting = "; a text that looks like something else needs quotes" if needs_quotes else ""
    return ConfigError(f"{path}: expected {expected}, got {_shown(value)}{quoting}")


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a plain mapping (without _target_)"
    return repr(value) if _is_plain(value) else f"a {type(value).__name__}"


def _arms(hint: object) -> Sequence[object]:
    """The alternatives of a union, else `hint` alone."""
    return typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)


def _is_text(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, str)


def _words(hint: object) -> list[str]:
    """What a value of `hint` is called, one entry an alternative."""
    return [words for arm in _arms(hint) for words in _arm_words(arm)]


def _arm_words(arm: object) -> list[str]:
    kind = typing.get_origin(arm) or arm
    if kind is None or kind is types.NoneType:
        return ["null"]
    if kind is typing.Literal:
        return [str(choice) for choice in typing.get_args(arm)]
    assert isinstance(kind, type)
    if kind in _SCALARS:
        return [_SCALARS[kind]]
    if issubclass(kind, enum.Enum):
        return [str(member.value) for member in kind]
    if issubclass(kind, Mapping):
        return ["a mapping"]
    if issubclass(kind, Sequence):
        inner = typing.get_args(arm)
        fixed = kind is tuple and bool(inner) and inner[-1] is not Ellipsis
        return [f"a list of {len(inner)} entries" if fixed else "a list"]
    return [f"an object with _target_ ({kind.__name__})"]
