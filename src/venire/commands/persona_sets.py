"""Finding sets of personas: by the name that `persona=NAME` takes, or by their file."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from venire.build import TARGET, build
from venire.commands.option_files import composed_option, loaded, own_roots
from venire.config import config_dir
from venire.errors import ConfigError
from venire.records import PersonaSet

# What a file may name as its target: looking at a set must not run anything else.
SET_TARGETS = ("venire.personas.persona_set", "venire.personas.shuffled")
GROUP = "persona"


def find_set(home: Path, name: str, arguments: Sequence[str], config_dir_given: Path | None) -> PersonaSet:
    """The set called `name`, or in the file `name`.

    Args:
        home: `VENIRE_HOME`; sets below `config/persona` of it have names.
        name: as in `persona=NAME`, or a path to a YAML file.
        arguments: overrides (`persona.level=simple`, `dataset=mslr` for a placebo); names only.
        config_dir_given: a further folder that has a folder `persona`.

    Raises:
        ConfigError: there is no such set, or it is none.
        DataError: the file is no YAML.
    """
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        if arguments:
            raise ConfigError(f"{arguments[0]}: a file is shown as it is; overrides go with a name")
        return _read(Path(name))
    return _composed(home, name, arguments, config_dir_given)


def listed_sets(home: Path, config_dir_given: Path | None) -> list[str]:
    """One line a set, with where it lies."""
    lines = []
    for root in (config_dir(), *own_roots(home, config_dir_given)):
        for path in sorted((root / GROUP).glob("*.yaml")):
            node = loaded(path)
            if node.get(TARGET) not in SET_TARGETS:
                continue
            groups = node.get("groups")
            size = f"{len(groups)} groups" if isinstance(groups, Mapping) else "made of two sets"
            origin = node.get("origin", "shuffled")
            lines.append(f"{path.stem}: {origin}, {size}; {node.get('task', 'a placebo')} ({path})")
    return lines


def _read(path: Path) -> PersonaSet:
    if not path.is_file():
        raise ConfigError(f"no such file: {path}")
    node = dict(loaded(path))
    if node.get(TARGET) != SET_TARGETS[0] or "defaults" in node:
        raise ConfigError(
            f"{path}: expected a set of personas ({TARGET}: {SET_TARGETS[0]}), got {node.get(TARGET)}"
        )
    return _built(node, path.name)


def _composed(home: Path, name: str, arguments: Sequence[str], config_dir_given: Path | None) -> PersonaSet:
    node = composed_option(home, GROUP, name, arguments, config_dir_given)
    if node is None:
        raise ConfigError(f"persona: no such set: {name!r}; `venire personas show` lists them")
    if node.get(TARGET) not in SET_TARGETS:
        raise ConfigError(f"persona: {name} is a single persona for a judge's seat, not a set of groups")
    return _built(node, GROUP)


def _built(node: Mapping[str, object], where: str) -> PersonaSet:
    made = build(node, where)
    assert isinstance(made, PersonaSet)
    return made
