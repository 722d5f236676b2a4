"""Files of a config group, looked up by the name that `group=NAME` takes or by their path."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from venire.commands.refusals import refusal
from venire.config import config_dir
from venire.errors import DataError


def own_roots(home: Path, config_dir_given: Path | None) -> list[Path]:
    """The user's own folders of configuration files, in the order in which hydra looks."""
    roots = [*([config_dir_given.resolve()] if config_dir_given else []), home / "config"]
    return [root for root in roots if root.is_dir()]


def shipped_options(group: str) -> frozenset[str]:
    """The names of all files of venire's own in the group."""
    return frozenset(path.stem for path in (config_dir() / group).glob("*.yaml"))


def loaded(path: Path) -> dict[str, object]:
    """The mapping in a YAML file, references as they stand.

    Raises:
        DataError: there is none.
    """
    try:
        node = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (YAMLError, OmegaConfBaseException, UnicodeDecodeError, OSError) as error:
        raise DataError(f"{path}: no YAML that can be read: {' '.join(str(error).split())}") from None
    if not isinstance(node, dict):
        raise DataError(f"{path}: expected a mapping, got {type(node).__name__}")
    return {str(key): value for key, value in node.items()}


def composed_option(
    home: Path, group: str, name: str, arguments: Sequence[str], config_dir_given: Path | None
) -> Mapping[str, object] | None:
    """The node that `group=name` makes, with overrides; None where it makes none.

    Raises:
        ConfigError: hydra refuses them.
    """
    roots = [f"'file://{root}'" for root in own_roots(home, config_dir_given)]
    given = [f"{group}={name}", *arguments, f"hydra.searchpath=[{','.join(roots)}]"]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
            cfg = compose("config", given)
            chosen = cfg.get(group)
            node = None if chosen is None else OmegaConf.to_container(chosen, resolve=True)
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise refusal(error, given[:-1]) from None
    return {str(key): value for key, value in node.items()} if isinstance(node, dict) else None
