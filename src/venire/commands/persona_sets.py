"""Finding sets of personas: by the name that `persona=NAME` takes, or by their file."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from venire.build import TARGET, build
from venire.commands.refusals import refusal
from venire.config import config_dir
from venire.errors import ConfigError, DataError
from venire.records import PersonaSet

# What a file may name as its target: looking at a set must not run anything else.
SET_TARGETS = ("venire.personas.persona_set", "venire.personas.shuffled")
_GROUP = "persona"


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


def shipped() -> frozenset[str]:
    """The names of all files of venire's own in the group, single personas included."""
    return frozenset(path.stem for path in (config_dir() / _GROUP).glob("*.yaml"))


def listed_sets(home: Path, config_dir_given: Path | None) -> list[str]:
    """One line a set, with where it lies."""
    lines = []
    for root in (config_dir(), *_own_roots(home, config_dir_given)):
        for path in sorted((root / _GROUP).glob("*.yaml")):
            node = _loaded(path)
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
    node = dict(_loaded(path))
    if node.get(TARGET) != SET_TARGETS[0] or "defaults" in node:
        raise ConfigError(
            f"{path}: expected a set of personas ({TARGET}: {SET_TARGETS[0]}), got {node.get(TARGET)}"
        )
    return _built(node, path.name)


def _loaded(path: Path) -> Mapping[str, object]:
    try:
        node = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (YAMLError, OmegaConfBaseException, UnicodeDecodeError, OSError) as error:
        raise DataError(f"{path}: no YAML that can be read: {' '.join(str(error).split())}") from None
    if not isinstance(node, dict):
        raise DataError(f"{path}: expected a mapping, got {type(node).__name__}")
    return {str(key): value for key, value in node.items()}


def _composed(home: Path, name: str, arguments: Sequence[str], config_dir_given: Path | None) -> PersonaSet:
    roots = [f"'file://{root}'" for root in _own_roots(home, config_dir_given)]
    given = [f"{_GROUP}={name}", *arguments, f"hydra.searchpath=[{','.join(roots)}]"]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
            cfg = compose("config", given)
            node = OmegaConf.to_container(cfg[_GROUP], resolve=True) if _GROUP in cfg else None
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise refusal(error, arguments) from None
    if node is None:
        raise ConfigError(f"persona: no such set: {name!r}; `venire personas show` lists them")
    assert isinstance(node, dict)
    if node.get(TARGET) not in SET_TARGETS:
        raise ConfigError(f"persona: {name} is a single persona for a judge's seat, not a set of groups")
    return _built({str(key): value for key, value in node.items()}, _GROUP)


def _built(node: Mapping[str, object], where: str) -> PersonaSet:
    made = build(node, where)
    assert isinstance(made, PersonaSet)
    return made


def _own_roots(home: Path, config_dir_given: Path | None) -> list[Path]:
    roots = [*([config_dir_given.resolve()] if config_dir_given else []), home / "config"]
    return [root for root in roots if root.is_dir()]
