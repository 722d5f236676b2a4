"""An ablation against what else is chosen: in a sweep it goes over what is fixed, undone it is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from venire.config import config_dir, leaves_of, references_of
from venire.errors import ConfigError

GROUP = "ablation"


@dataclass(frozen=True, slots=True)
class Ablation:
    """What the file of an ablation says.

    Args:
        name: of the option.
        groups: config group to the option that it chooses.
        settings: dotted key to value.
    """

    name: str
    groups: Mapping[str, object]
    settings: Mapping[str, object]

    def replaces(self, key: str) -> bool:
        """Whether `key` is a group that it chooses, a key that it sets, or lies below one."""
        return key in self.groups or any(f"{key}.".startswith(f"{own}.") for own in self.settings)


def ablation_of(name: str | None, roots: Sequence[Path] = ()) -> Ablation | None:
    """The ablation of that name; None where there is no such file.

    Args:
        name: of the option.
        roots: where the user's own configuration files are (`--config-dir`).
    """
    paths = [root / GROUP / f"{name}.yaml" for root in (config_dir(), *roots)]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        return None
    document = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    assert isinstance(document, dict)
    groups = {
        group.removeprefix("override").strip().removeprefix("/"): option
        for entry in document.pop("defaults", [])
        for group, option in entry.items()
    }
    return Ablation(str(name), groups, dict(leaves_of(document)))


def refuse_undone_ablation(cfg: DictConfig, choices: Mapping[str, str], roots: Sequence[Path] = ()) -> None:
    """Refuse an ablation that is a no-op under its own name.

    Another override has undone it, or it varies judges or personas that the method does not look at.

    Args:
        cfg: the composed configuration.
        choices: config group to chosen option.
        roots: where the user's own configuration files are (`--config-dir`).

    Raises:
        ConfigError: names the key, what the ablation sets and what the configuration has.
    """
    ablation = ablation_of(choices.get(GROUP), roots)
    if ablation is None:
        return
    name = ablation.name
    for group, option in ablation.groups.items():
        if choices.get(group) != option:
            raise ConfigError(
                f"{group}: ablation={name} sets {group}={option}, another override {group}="
                f"{choices.get(group)}; drop one of the two"
            )
    for key, wanted in ablation.settings.items():
        given = OmegaConf.select(cfg, key)
        if given != wanted:
            raise ConfigError(
                f"{key}: ablation={name} sets {wanted!r}, another override {given!r}; drop one of the two"
            )
    varied = {*ablation.groups, *(key.partition(".")[0] for key in ablation.settings)}
    for part in ("judge", "panel", "embedding", "persona", "criteria", "rubric"):
        if part in varied and part not in references_of(cfg).values():
            raise ConfigError(
                f"ablation: {name} varies the {part}, which method={choices.get('method')} does not look at"
            )
