"""`docs/reference/config.md`: every group of `conf/`, its options, and the keys of what they build."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from venire.reference.markdown import anchor, cell, code
from venire.reference.options import Node, Option, groups_of, option_of
from venire.reference.targets import Parameter, shown, target_of

HEAD = """\
# Configuration: every group and key

Made by `make docs` from `conf/` and the docstrings of the classes that it names; edits here are lost.
How groups, overrides, sweeps and ablations work: [configuration.md](../configuration.md).

In the tables of keys, *default* is what the code takes where the key is left out (empty: it has to be
given), *in conf/* what the files say (`differs`: not all the same). `${...}` stands for another key. A class
in the column *type* has keys of its own, in its own table.
"""
_SETTINGS = 4  # that an option's line shows
_LONGEST = 60  # characters of a value


def config_page(conf: Path) -> str:
    """The page, from the folder `conf/`."""
    root = option_of(conf / "config.yaml", conf)
    groups = groups_of(conf)
    seen: set[str] = set()
    sections: list[tuple[str, list[str], list[str], Sequence[Option]]] = []
    sections.append(("Keys of the whole", _keys(root), _new_targets([root], seen), [root]))
    for name, options in groups.items():
        sections.append((name, _options(options), _new_targets(options, seen), options))
    links = {path.rpartition(".")[2]: f"#{anchor(path)}" for path in sorted(seen)}
    lines = [HEAD, "Groups: " + ", ".join(f"[{name}](#{anchor(name)})" for name in groups) + ".", ""]
    for title, table, targets, members in sections:
        lines += [f"## {title}", "", *table, ""]
        for path in targets:
            lines += _target(path, members, links)
    return "\n".join(lines).rstrip("\n") + "\n"


def _new_targets(options: Iterable[Option], seen: set[str]) -> list[str]:
    """What is described first here: what options build themselves, then what stands inside of them."""
    nodes = sorted({(bool(node.place), node.target) for option in options for node in option.nodes})
    found = [path for path in dict.fromkeys(path for _, path in nodes) if path not in seen]
    seen.update(found)
    return found


def _keys(root: Option) -> list[str]:
    """The keys that no class has."""
    inside = tuple(f"{node.place}." for node in root.nodes)
    own = {key: value for key, value in root.sets.items() if not key.startswith(inside)}
    groups = {key for key in own if "/" in key or " " in key} | root.chosen
    rows = [
        f"| `{key}` | {_value(value)} | {cell(root.comments.get(key, ''))} |"
        for key, value in own.items()
        if key not in groups
    ]
    return ["| key | in conf/ | is |", "|---|---|---|", *rows]


def _options(options: Sequence[Option]) -> list[str]:
    lines = ["| option | is | builds, or sets |", "|---|---|---|"]
    for option in options:
        top = next((node.target for node in option.nodes if not node.place), None)
        made = f"[{top.rpartition('.')[2]}](#{anchor(top)})" if top else _settings(option.sets)
        lines.append(f"| `{option.name}` | {cell(option.comment)} | {made} |")
    return lines


def _settings(sets: Mapping[str, object]) -> str:
    given = [
        code(_cut(f"{re.sub('^override ', '', key).lstrip('/')}={_text(value)}"))
        for key, value in sets.items()
    ]
    more = f" and {len(given) - _SETTINGS} more" if len(given) > _SETTINGS else ""
    return ", ".join(given[:_SETTINGS]) + more


def _target(path: str, options: Iterable[Option], links: Mapping[str, str]) -> list[str]:
    target = target_of(path)
    nodes = [node for option in options for node in option.nodes if node.target == path]
    lines = [f"### {path}", "", target.summary, ""]
    if target.parameters:
        rows = [_row(each, nodes, links) for each in target.parameters]
        lines += ["| key | type | default | in conf/ | is |", "|---|---|---|---|---|", *rows, ""]
    return lines


def _row(parameter: Parameter, nodes: Sequence[Node], links: Mapping[str, str]) -> str:
    said = [node.comments[parameter.name] for node in nodes if parameter.name in node.comments]
    values = {_value(node.values[parameter.name]) for node in nodes if parameter.name in node.values}
    in_conf = values.pop() if len(values) == 1 else "differs" if values else ""
    default = "" if parameter.default is None else code(_cut(parameter.default))
    text = parameter.text or (said[0] if said else "")
    kind = re.sub(r"`(\w+)`", lambda name: _linked(name[1], links), parameter.kind)
    return f"| `{parameter.name}` | {kind} | {default} | {in_conf} | {cell(text)} |"


def _linked(name: str, links: Mapping[str, str]) -> str:
    return f"[{name}]({links[name]})" if name in links else f"`{name}`"


def _value(value: object) -> str:
    return code(_cut(_text(value)))


def _text(value: object) -> str:
    if isinstance(value, Mapping) and "_target_" in value:
        return str(value["_target_"]).rpartition(".")[2]
    return shown(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
