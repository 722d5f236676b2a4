"""What a `_target_` of `conf/` takes: parameters with type, default and what its docstring says of them."""

import dataclasses
import enum
import importlib
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_WORDS = {bool: "true or false", int: "whole number", float: "number", str: "text", types.NoneType: "null"}
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_SECTION = re.compile(r"^(Args|Raises|Returns|Source|Yields|Sources)\b.*:")
_ENTRY = re.compile(r"^(?P<names>\w+(?:, (?:and )?\w+)*(?: and \w+)?): +(?P<text>.*)$")
_ELSEWHERE = re.compile(r"^(see|as in|the same) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One key: its type in words, its default (None where it has to be given), and what it is."""

    name: str
    kind: str
    default: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Target:
    """What a `_target_` names: its path, what it makes in a paragraph, and its parameters."""

    path: str
    summary: str
    parameters: tuple[Parameter, ...]


def target_of(path: str) -> Target:
    """The class or function at `path`, as a user of its keys sees it."""
    module, _, name = path.rpartition(".")
    make = getattr(importlib.import_module(module), name)
    texts = _texts_of(make)
    source = make if dataclasses.is_dataclass(make) or not inspect.isclass(make) else make.__init__
    hints = typing.get_type_hints(source)
    parameters = tuple(
        Parameter(key, kind_of(hints.get(key, object)), default, texts.get(key, ""))
        for key, default in _defaults(make).items()
    )
    return Target(path, _summary(inspect.getdoc(make) or ""), parameters)


def kind_of(hint: object) -> str:
    """A type in the words of a YAML file: `whole number or null`, `shared or per_judge`, `list of text`."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kinds = [kind_of(each) for each in args]
        return " or ".join(
            [each for each in kinds if each != "null"] + [each for each in kinds if each == "null"]
        )
    if origin is typing.Literal:
        return " or ".join(f"`{each}`" for each in args)
    kind = origin or hint
    if not isinstance(kind, type):
        return "anything"
    if kind in _WORDS:
        return _WORDS[kind]
    if issubclass(kind, enum.Enum):
        return " or ".join(f"`{member.value}`" for member in kind)
    if issubclass(kind, Mapping) or kind is Mapping:
        return f"mapping of {kind_of(args[1])}" if args else "mapping"
    if kind in (tuple, list, frozenset) or (args and "Sequence" in kind.__name__):
        return f"list of {kind_of(args[0])}" if args else "list"
    return "anything" if kind is object else f"`{kind.__name__}`"


def _defaults(make: Callable[..., object]) -> dict[str, str | None]:
    if dataclasses.is_dataclass(make):
        return {each.name: _default_of(each) for each in dataclasses.fields(make) if each.init}
    return {
        key: None if each.default is inspect.Parameter.empty else shown(each.default)
        for key, each in inspect.signature(make).parameters.items()
        if each.kind in _BY_NAME
    }


def _default_of(field: "dataclasses.Field[object]") -> str | None:
    if field.default is not dataclasses.MISSING:
        return shown(field.default)
    return None if field.default_factory is dataclasses.MISSING else shown(field.default_factory())


def shown(value: object) -> str:
    """A value as YAML would have it; an object by its class."""
    match value:
        case None:
            return "null"
        case enum.Enum():
            return str(value.value)
        case bool():
            return str(value).lower()
        case str():
            return value or '""'
        case int() | float():
            return repr(value)
        case frozenset():
            return shown(sorted(map(shown, value)))
        case list() | tuple():
            return f"[{', '.join(map(shown, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {shown(each)}' for key, each in value.items())}}}"
        case _:
            return type(value).__name__


def _summary(doc: str) -> str:
    """The docstring without its sections, as one paragraph a paragraph."""
    kept: list[str] = []
    for paragraph in doc.split("\n\n"):
        if _SECTION.match(paragraph):
            break
        kept.append(" ".join(paragraph.split()))
    return "\n\n".join(kept)


def _texts_of(make: Callable[..., object]) -> dict[str, str]:
    """What the docstrings of a class and its bases say of each parameter; the nearest that says something."""
    found: dict[str, str] = {}
    for each in inspect.getmro(make) if inspect.isclass(make) else (make,):
        for key, text in _args(inspect.getdoc(each) or "").items():
            if not _ELSEWHERE.match(text):
                found.setdefault(key, text)
    return found


def _args(doc: str) -> dict[str, str]:
    """The entries of `Args:`; one line may name several."""
    texts: dict[str, str] = {}
    names: list[str] = []
    inside = False
    for line in doc.splitlines():
        if _SECTION.match(line):
            inside = line.startswith("Args:")
        elif inside and (entry := _ENTRY.match(line[4:])) and line.startswith("    ") and line[4:5].strip():
            names = re.split(r", (?:and )?| and ", entry["names"])
            texts |= dict.fromkeys(names, entry["text"])
        elif inside and line.strip():
            texts |= {name: f"{texts[name]} {line.strip()}" for name in names}
    return texts
