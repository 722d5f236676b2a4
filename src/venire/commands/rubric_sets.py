"""Finding sets of rubrics: by the name that `rubric=NAME` takes, or by their file."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from venire.build import TARGET, build
from venire.commands.option_files import composed_option, loaded, own_roots
from venire.config import config_dir
from venire.errors import ConfigError
from venire.judging.rubric import RubricSet

# What a file may name as its target: looking at a rubric must not run anything else.
RUBRIC_TARGET = "venire.rubrics.rubric_set"
GROUP = "rubric"


def find_rubrics(home: Path, name: str, config_dir_given: Path | None) -> RubricSet:
    """The set called `name`, or in the file `name`.

    Raises:
        ConfigError: there is none, or something is wrong with it; names the key.
        DataError: the file is no YAML.
    """
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        path = Path(name)
        if not path.is_file():
            raise ConfigError(f"no such file: {path}")
        return rubrics_of(loaded(path), str(path))
    node = composed_option(home, GROUP, name, (), config_dir_given)
    if node is None:
        raise ConfigError(f"rubric: {name} is no rubric of criteria; `venire rubric show` lists them")
    return rubrics_of(node, name)


def listed_rubrics(home: Path, config_dir_given: Path | None) -> list[str]:
    """One line a set, with where it lies."""
    return [
        f"{path.stem}: {node.get('origin', 'hand_written')}, {node.get('strictness', 'balanced')}; "
        f"{', '.join(_keys(node))} ({path})"
        for root in (config_dir(), *own_roots(home, config_dir_given))
        for path in sorted((root / GROUP).glob("*.yaml"))
        if (node := loaded(path)).get(TARGET) == RUBRIC_TARGET
    ]


def rubrics_of(node: Mapping[str, object], where: str) -> RubricSet:
    """The set that a file's content describes.

    Raises:
        ConfigError: it names another target, or something is wrong with it; names the key.
    """
    if node.get(TARGET) != RUBRIC_TARGET or "defaults" in node:
        raise ConfigError(
            f"{where}: expected a set of rubrics ({TARGET}: {RUBRIC_TARGET}), got {node.get(TARGET)}"
        )
    made = build(node, GROUP)
    assert isinstance(made, RubricSet)
    return made


def _keys(node: Mapping[str, object]) -> Sequence[str]:
    rubrics = node.get("rubrics")
    return list(map(str, rubrics)) if isinstance(rubrics, Mapping) else []
