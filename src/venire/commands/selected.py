"""What a file of `venire select` means to one job: what its method and its panel can take of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf, open_dict

from venire.build import TARGET, keys_of
from venire.errors import ConfigError

GROUP = "selected"
STRONGEST = "strongest"


def fit_selection(
    cfg: DictConfig, choices: Mapping[str, str], overrides: Sequence[str], roots: Sequence[Path]
) -> tuple[DictConfig, tuple[str, ...]]:
    """`cfg` with what the chosen file of `venire select` says for this method and panel, and warnings.

    Settings that the method does not have are dropped, so that one file serves JuryFlow and the baselines
    beside it. The strongest judge is that of the chosen panel; one that no run measured keeps the judge that
    its own file names, which is warned of. An override of `panel.strongest` has the last word.

    Args:
        cfg: the composed configuration, with the file's values.
        choices: config group to chosen option.
        overrides: as the user typed them.
        roots: where configuration files are, other than venire's own.

    Raises:
        ConfigError: the file holds what `venire select` does not write.
    """
    chosen = choices.get(GROUP)
    path = next((path for root in roots if (path := root / GROUP / f"{chosen}.yaml").is_file()), None)
    if path is None:
        return cfg, ()
    fitted = cfg.copy()
    with open_dict(fitted):
        selection = fitted.pop(GROUP, None) or {}
        _drop_foreign(fitted, path)
    strongest = selection.get(STRONGEST, {})
    if not OmegaConf.is_dict(strongest) and not isinstance(strongest, Mapping):
        raise ConfigError(f"{path}: expected selected.strongest to be a mapping of panels to judges")
    return fitted, _name_strongest(fitted, strongest, choices, overrides)


def _drop_foreign(cfg: DictConfig, path: Path) -> None:
    """Take the file's settings out of `cfg.method` that its method does not have."""
    written = OmegaConf.select(OmegaConf.load(path), "method") or {}
    takes = keys_of(cfg.method.get(TARGET), f"method.{TARGET}")
    for key in written:
        if key not in takes:
            cfg.method.pop(key, None)


def _name_strongest(
    cfg: DictConfig, strongest: Mapping[str, str], choices: Mapping[str, str], overrides: Sequence[str]
) -> tuple[str, ...]:
    asked = any(each.lstrip("+").startswith("panel.strongest=") for each in overrides)
    if asked or not strongest or "${panel}" not in _values(cfg.method):
        return ()
    panel = choices["panel"]
    if panel in strongest:
        cfg.panel.strongest = strongest[panel]
        return ()
    return (
        f"selected={choices[GROUP]}: no run measured the judges of panel={panel}: its strongest is "
        f"{cfg.panel.strongest}, as its own file says (venire select --judges RUN measures)",
    )


def _values(node: DictConfig) -> list[object]:
    return list(OmegaConf.to_container(node, resolve=False).values())  # type: ignore[union-attr]
