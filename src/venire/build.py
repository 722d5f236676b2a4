"""From plain mappings with `_target_` to frozen dataclasses, with errors that name the full key."""

import importlib
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import pydantic

from venire.errors import ConfigError

TARGET = "_target_"


def build(node: object, path: str, convert: Callable[[object, str], object] = lambda built, _: built) -> Any:
    """What `node` describes: a mapping with `_target_` becomes the value that the target makes.

    Args:
        node: plain containers (mappings, lists, scalars), interpolations resolved.
        path: the full key of `node`, for messages.
        convert: applied to every built value with its key (`backend=...` maps judges here).

    Raises:
        ConfigError: unknown key, missing key, wrong type or value; names the full key.
    """
    if isinstance(node, Mapping):
        values = {
            str(key): build(value, f"{path}.{key}" if path else str(key), convert)
            for key, value in node.items()
            if key != TARGET
        }
        if TARGET not in node:
            return values
        return convert(_construct(str(node[TARGET]), values, path), path)
    if isinstance(node, list | tuple):
        return [build(item, f"{path}[{index}]", convert) for index, item in enumerate(node)]
    return node


def _construct(target: str, values: Mapping[str, object], path: str) -> object:
    make = _locate(target, path)
    parameters = inspect.signature(make).parameters
    for key in values:
        if key not in parameters:
            takes = ", ".join(parameters) or "no keys"
            raise ConfigError(f"{path}.{key}: unknown key; {target} takes {takes}")
    for key, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and key not in values:
            raise ConfigError(f"{path}.{key}: missing; {target} needs it")
    hints = typing.get_type_hints(make)
    for key, value in values.items():
        if isinstance(value, Mapping) and not _admits_mapping(hints[key]):
            raise ConfigError(
                f"{path}.{key}: expected an object (with _target_) or null, got a plain mapping"
            )
    try:
        if inspect.isclass(make):
            return pydantic.TypeAdapter(make).validate_python(dict(values))
        config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        return pydantic.validate_call(config=config)(make)(**values)
    except pydantic.ValidationError as error:
        raise ConfigError(_explain(error, path)) from None
    except ConfigError as error:
        raise ConfigError(_at(path, str(error))) from None


def _at(path: str, message: str) -> str:
    """`message` under its full key, which it may name already."""
    return message if message.startswith(f"{path}.") or not path else f"{path}.{message}"


def _admits_mapping(hint: object) -> bool:
    """Whether a plain mapping is a value of `hint`: `Mapping` or `dict` is in it, outside of dataclasses."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_admits_mapping(argument) for argument in typing.get_args(hint))
    kind = origin or hint
    return inspect.isclass(kind) and issubclass(kind, Mapping)


def _locate(target: str, path: str) -> Callable[..., object]:
    module, _, name = target.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"{path}._target_: no such class or function: {target} ({error})") from None
    if not callable(found):
        raise ConfigError(f"{path}._target_: expected a class or function, {target} is {found!r}")
    return found  # type: ignore[no-any-return]


def _explain(error: pydantic.ValidationError, path: str) -> str:
    """One line a fault, the innermost key first: `method.orders: expected ..., got 'bth'`."""
    lines = []
    for fault in error.errors():
        keys = ".".join(str(part) for part in fault["loc"] if isinstance(part, str | int))
        where = f"{path}.{keys}" if keys else path
        given = fault["input"]
        shown = "a plain mapping without _target_" if isinstance(given, Mapping) else repr(given)
        lines.append(f"{where}: {fault['msg']}, got {shown}")
    return "\n".join(lines)
