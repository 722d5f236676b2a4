"""From plain mappings with `_target_` to frozen dataclasses, with errors that name the full key."""

import dataclasses
import importlib
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any

from venire.errors import ConfigError
from venire.fit import fit

TARGET = "_target_"
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

Convert = Callable[[object, str], object]


def build(
    node: object,
    path: str,
    convert: Convert = lambda built, _: built,
    *,
    aliases: Mapping[str, str] | None = None,
) -> Any:
    """What `node` describes: a mapping with `_target_` becomes the value that the target makes.

    Values are taken as they are: a text is never read as a number, a number never as a yes or no
    (`venire.fit` has the rules). A mapping is never taken for an object.

    Args:
        node: plain containers (mappings, lists, scalars), interpolations resolved.
        path: the full key of `node`, for messages.
        convert: applied to every built value with its key (`backend=...` maps judges here).
        aliases: keys that stand for another one (`method.panel` -> `panel`); messages and `convert`
            are given the other one, which is what a user can override.

    Raises:
        ConfigError: unknown key, missing key, wrong type or value; names the full key.
    """
    path = (aliases or {}).get(path, path)
    if isinstance(node, Mapping):
        values = {
            str(key): build(value, joined(path, str(key)), convert, aliases=aliases)
            for key, value in node.items()
            if key != TARGET
        }
        if TARGET not in node:
            return values
        paths = {key: joined(path, key) for key in values}
        shown = {key: (aliases or {}).get(full, full) for key, full in paths.items()}
        return convert(_construct(node[TARGET], values, path, shown), path)
    if isinstance(node, list | tuple):
        return [build(item, f"{path}[{i}]", convert, aliases=aliases) for i, item in enumerate(node)]
    return node


def keys_of(target: object, path: str) -> tuple[str, ...]:
    """The keys that a mapping with this `_target_` may have.

    Raises:
        ConfigError: there is no such class or function; names `path`.
    """
    return tuple(_parameters(_locate(target, path), target, path))


def joined(path: str, key: str) -> str:
    """`key` below `path`; at the root, `key` itself."""
    return f"{path}.{key}" if path else key


def _construct(target: object, values: Mapping[str, object], path: str, shown: Mapping[str, str]) -> object:
    make = _locate(target, path)
    parameters = _parameters(make, target, path)
    for key in values:
        if key not in parameters:
            takes = ", ".join(parameters) or "no keys"
            raise ConfigError(f"{shown[key]}: unknown key; {target} takes {takes}")
    for key, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and key not in values:
            raise ConfigError(f"{joined(path, key)}: missing; {target} needs it")
    hints = typing.get_type_hints(make if dataclasses.is_dataclass(make) else _signed(make))
    fitted = {key: fit(value, hints.get(key, object), shown[key]) for key, value in values.items()}
    try:
        return make(**fitted)
    except ConfigError as error:
        raise ConfigError(_at(path, str(error))) from None


def _at(path: str, message: str) -> str:
    """`message` under its full key, which it may name already."""
    return message if message.startswith(f"{path}.") else joined(path, message)


def _locate(target: object, path: str) -> Callable[..., object]:
    where = joined(path, TARGET)
    module, _, name = str(target).rpartition(".")
    try:
        found: object = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise ConfigError(f"{where}: no such class or function: {target} ({error})") from None
    if not callable(found):
        raise ConfigError(f"{where}: expected a class or function, {target} is {found!r}")
    return found


def _signed(make: Callable[..., object]) -> Callable[..., object]:
    """Where the annotations of `make`'s parameters are."""
    return make.__init__ if inspect.isclass(make) else make


def _parameters(make: Callable[..., object], target: object, path: str) -> dict[str, inspect.Parameter]:
    """What `make` takes by name."""
    try:
        parameters = inspect.signature(make).parameters
    except ValueError:  # some of C's functions do not tell
        raise ConfigError(
            f"{joined(path, TARGET)}: {target} does not tell what it takes; name one written in Python"
        ) from None
    return {key: parameter for key, parameter in parameters.items() if parameter.kind in _BY_NAME}
