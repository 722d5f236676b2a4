"""`conf/` as a reader of the files sees it: groups, options, what the comments say of keys."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

_KEY = re.compile(r"^(?P<indent> *)(?P<key>[\w@/]+):(?P<rest>.*)$")
TARGET = "_target_"
_EXTRAS = "hydra/launcher"  # classes that may not be installed, whose keys are their plugins' own


@dataclass(frozen=True, slots=True)
class Node:
    """A mapping with `_target_`: where it stands (empty: the file itself), its keys, what is said of them."""

    place: str
    target: str
    values: Mapping[str, object]
    comments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Option:
    """A file of a group.

    Args:
        name: as in `GROUP=NAME`.
        comment: at its head.
        nodes: everything in it that has a `_target_`.
        sets: dotted key to value, other options included.
        chosen: the groups of which it chooses an option.
        comments: dotted key to what is said of it.
    """

    name: str
    comment: str
    nodes: tuple[Node, ...]
    sets: Mapping[str, object]
    chosen: frozenset[str]
    comments: Mapping[str, str]


def groups_of(conf: Path) -> dict[str, tuple[Option, ...]]:
    """Every group of `conf` with its options, both by name; what launchers build is not told."""
    folders = {
        str(folder.relative_to(conf)): folder
        for each in sorted(conf.iterdir())
        if each.is_dir()
        for folder in (sorted(each.iterdir()) if each.name == "hydra" else [each])
    }
    found = {
        name: tuple(option_of(path, folder) for path in sorted(folder.rglob("*.yaml")))
        for name, folder in folders.items()
    }
    found[_EXTRAS] = tuple(replace(option, nodes=()) for option in found[_EXTRAS])
    return found


def option_of(path: Path, folder: Path) -> Option:
    """The option that the file at `path` is, below its group's `folder`."""
    text = path.read_text(encoding="utf-8")
    plain = yaml.safe_load(text) or {}
    chosen = {
        key: each
        for entry in plain.get("defaults", [])
        if isinstance(entry, Mapping)
        for key, each in entry.items()
    }
    comments = _comments(text)
    return Option(
        name=str(path.relative_to(folder).with_suffix("")),
        comment=_head(text),
        nodes=tuple(_nodes(plain, "", comments)),
        sets={**dict(_leaves(plain, "")), **chosen},
        chosen=frozenset(chosen),
        comments=comments,
    )


def _head(text: str) -> str:
    """The comment lines at the top, as one paragraph; hydra's own is none."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if "@package" not in line:
            lines.append(line[1:].strip())
    return " ".join(lines)


def _nodes(value: object, place: str, comments: Mapping[str, str]) -> Iterator[Node]:
    if not isinstance(value, Mapping):
        return
    own = {str(key): each for key, each in value.items() if key not in (TARGET, "defaults")}
    if TARGET in value:
        said = {key: comments[full] for key in own if (full := _below(place, key)) in comments}
        yield Node(place, str(value[TARGET]), own, said)
    for key, each in own.items():
        yield from _nodes(each, _below(place, key), comments)


def _leaves(value: Mapping[str, object], place: str) -> Iterator[tuple[str, object]]:
    for key, each in value.items():
        if key in ("defaults", TARGET) or (place == "" and key == "hydra"):
            continue
        if isinstance(each, Mapping) and each:
            yield from _leaves(each, _below(place, str(key)))
        else:
            yield _below(place, str(key)), each


def _comments(text: str) -> dict[str, str]:
    """Dotted key to the comment above it and behind it; that at the file's head is no key's."""
    found: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    above: list[str] = []
    at_head = True
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            above += [] if at_head else [line.strip()[1:].strip()]
            continue
        at_head = False
        if (match := _KEY.match(line)) is None:
            above = []
            continue
        indent = len(match["indent"])
        stack = [*(each for each in stack if each[0] < indent), (indent, match["key"])]
        behind = match["rest"].split(" # ", 1)[1:]
        if said := " ".join([*above, *behind]).strip():
            found[".".join(key for _, key in stack)] = said
        above = []
    return found


def _below(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
