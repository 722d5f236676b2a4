"""What a `_target_` of `conf/` takes: parameters with type, default and what its docstring says of them."""

import dataclasses
import enum
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_WORDS = {bool: "true or false", int: "whole number", float: "number", str: "text", types.NoneType: "null"}
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_SECTION = re.compile(r"^(Args|Raises|Returns|Source|Yields|Sources)\b.*:")
_ENTRY = re.compile(r"^(?P<names>\w+(?:, (?:and )?\w+)*(?: and \w+)?): +(?P<text>.*)$")
_ELSEWHERE = re.compile(r"^(see|as in|the same) ", re.IGNORECASE)
_SEE = re.compile(r"^see `(?P<name>\w+)`(?:[.;] *(?P<more>.*))?$", re.IGNORECASE)
_SIGNATURE = re.compile(r"^\w+\(")  # what a dataclass without a docstring has for one


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
    hints = _hints(make)
    texts = _texts_of(make)
    parameters = tuple(
        Parameter(key, kind_of(hints.get(key, object)), default, texts.get(key) or _of_kind(hints.get(key)))
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


def _hints(make: Callable[..., object]) -> Mapping[str, object]:
    source = make if dataclasses.is_dataclass(make) or not inspect.isclass(make) else make.__init__
    return typing.get_type_hints(source)


def _texts_of(make: Callable[..., object]) -> dict[str, str]:
    """What the docstrings of a class and its bases say of each parameter; the nearest that says something.

    Where one says "see X" it is what X says of the parameter, or of itself where it is the parameter's type.
    """
    found: dict[str, str] = {}
    for each in inspect.getmro(make) if inspect.isclass(make) else (make,):
        for key, text in _args(inspect.getdoc(each) or "").items():
            said = _followed(key, text, each) if _ELSEWHERE.match(text) else text
            if said:
                found.setdefault(key, said)
    return found


def _followed(key: str, text: str, make: Callable[..., object]) -> str:
    """What stands where `text`, of the docstring of `make`, points to; empty where that says nothing."""
    there = _SEE.match(text)
    seen = vars(sys.modules[make.__module__]).get(there["name"]) if there else None
    if there is None or not callable(seen):
        return ""
    said = _texts_of(seen).get(key, "")
    if not said and seen in _kinds(_hints(make).get(key)):
        said = _first_sentence(seen)
    more = there["more"] or ""
    return f"{said} {more[:1].upper()}{more[1:]}".strip() if said else more


def _kinds(hint: object) -> tuple[object, ...]:
    return (hint, *typing.get_args(hint))


def _of_kind(hint: object) -> str:
    """What the class that is a parameter's type says of itself; empty where it is none of ours."""
    for kind in _kinds(hint):
        if isinstance(kind, type) and kind.__module__.partition(".")[0] not in sys.stdlib_module_names:
            return _first_sentence(kind)
    return ""


def _first_sentence(make: object) -> str:
    doc = inspect.getdoc(make) or ""
    paragraph = "" if _SIGNATURE.match(doc) else " ".join(doc.split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]


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
