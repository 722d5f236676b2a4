"""What hydra refuses, said as venire says it: the full key, what was expected, what was given."""

from collections.abc import Sequence
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from venire.config import config_dir, did_you_mean
from venire.errors import ConfigError


def refusal(error: Exception, arguments: Sequence[str]) -> ConfigError:
    """`error`, which hydra raised while it composed `arguments`, with the key that a user can mend."""
    cause = error.__cause__
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        return ConfigError(_no_such_option(error.missing_cfg_file, error.options or ()))
    if isinstance(error, OverrideParseException):
        return ConfigError(f"{error.override}: expected KEY=VALUE ({_parser_says(error)}); {_QUOTING}")
    if isinstance(cause, OmegaConfBaseException) and str(error).startswith("Could not override"):
        return ConfigError(_no_such_key(cause))
    if isinstance(error, HydraException):
        said = [line.strip() for line in (str(error), str(cause or "")) for line in line.splitlines()]
        return ConfigError(" ".join(filter(None, said)))
    return ConfigError(_no_name_of_an_option(arguments) or str(error))


# what brings a plugin's own preset of hydra/launcher, on which ours are made
_INSTALLS = {
    "joblib": "pip install 'venire[joblib]'",
    "ray": "make ray, in a checkout",
    "submitit_slurm": "pip install 'venire[slurm]'",
}
_QUOTING = "a value with commas, brackets or '=' needs quotes inside the shell's: 'KEY=\"VALUE\"'"


def _parser_says(error: OverrideParseException) -> str:
    lines = [
        line for line in error.message.splitlines() if not line.startswith(("Error parsing", "See http"))
    ]
    return " ".join(lines)


def _no_such_key(cause: OmegaConfBaseException) -> str:
    key = cause.full_key or str(cause.key)
    above, _, last = key.rpartition(".")
    node = cause.parent_node
    if isinstance(node, DictConfig) and not node:  # omegaconf puts an empty mapping in the place of null
        return f"{key}: no such key: {above} is null here, by its own file, an ablation or another override"
    known = [str(each) for each in node] if isinstance(node, DictConfig) else []
    shown = sorted({*known} - {"_target_", "hydra"})
    path = f"{above}." if above else ""
    where = f"of {above}" if above else "of a run"
    listed = f"; the keys {where}: {', '.join(shown)}" if shown else ""
    return f"{key}: no such key{did_you_mean(last, shown, path) or listed}"


def _no_such_option(file: str, options: Sequence[str]) -> str:
    group, _, option = file.rpartition("/") if file.startswith("hydra/") else file.partition("/")
    if group == "hydra/launcher" and option in _INSTALLS:
        return (
            f"{group}: the plugin that {option!r} needs is not installed: {_INSTALLS[option]} (docs/scale.md)"
        )
    known = sorted({*options} | _options_in(config_dir() / group))
    return f"{group}: no option {option!r} ({', '.join(known)}){did_you_mean(option, known)}"


def _options_in(root: Path) -> set[str]:
    return {str(path.relative_to(root).with_suffix("")) for path in root.rglob("*.yaml")}


def _no_name_of_an_option(arguments: Sequence[str]) -> str:
    """Of the first group that is given null or a number; empty where there is none."""
    overrides = [argument for argument in arguments if not argument.startswith("-")]
    for override in OverridesParser.create().parse_overrides(overrides):
        root = config_dir() / override.key_or_group
        if override.is_sweep_override() or not root.is_dir() or isinstance(override.value(), str | list):
            continue
        given = override.get_value_string()
        known = ", ".join(sorted(_options_in(root)))
        return f"{override.key_or_group}: expected the name of an option ({known}), got {given}"
    return ""
