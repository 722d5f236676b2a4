"""From the command line to experiments: what the commands that compose a configuration share."""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, Quote, QuotedString
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from venire.commands.ablating import refuse_undone_ablation
from venire.commands.deferring import deferred
from venire.commands.refusals import refusal
from venire.commands.selected import fit_selection
from venire.config import config_dir, experiment_of
from venire.errors import ConfigError, VenireError
from venire.experiment import Experiment
from venire.judging.panel import Panel, twins
from venire.methods.protocol import Method

T = TypeVar("T")


def for_each_job(job: Callable[[DictConfig], None], arguments: Sequence[str], *, command: str) -> None:
    """Let hydra compose `arguments` and call `job` with every configuration that they make.

    Raises:
        ConfigError: hydra refuses `arguments`.
        VenireError: as `job` raised it in a single run.
    """
    raised: list[Exception] = []

    def watched(cfg: DictConfig) -> None:
        try:
            job(cfg)
        except VenireError as error:  # hydra would print a line of its own about it
            raised.append(error)
        except Exception as error:
            raised.append(error)
            raise

    sys.argv = [command, *deferred(beside_the_first(arguments, home_config(arguments)))]
    os.environ["HYDRA_FULL_ERROR"] = "1"  # without it hydra prints what it catches, and exits
    try:
        hydra.main(version_base="1.3", config_path=str(config_dir()), config_name="config")(watched)()
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        if raised:
            raise
        raise refusal(error, arguments) from None
    if raised:
        raise raised[0]


def home_config(arguments: Sequence[str]) -> tuple[str, ...]:
    """The override by which hydra also looks into `VENIRE_HOME/config`, where that folder is.

    `venire personas build` and `venire select` write there. Who names a search path has the last word.
    """
    own = Path(os.environ["VENIRE_HOME"]) / "config"
    named = any(each.lstrip("+").startswith("hydra.searchpath") for each in arguments)
    # Quoted: hydra's grammar would stop at a blank or a comma in the path.
    return () if named or not own.is_dir() else (f"hydra.searchpath=['file://{own}']",)


def beside_the_first(arguments: Sequence[str], more: Sequence[str]) -> list[str]:
    """`arguments` with further overrides before their first one: argparse takes them in one stretch only."""
    first = next((at for at, each in enumerate(arguments) if is_override(each)), len(arguments))
    return [*arguments[:first], *more, *arguments[first:]]


def is_override(argument: str) -> bool:
    """Whether it is KEY=VALUE (or ~KEY), no flag."""
    return not argument.startswith("-") and ("=" in argument or argument.startswith("~"))


def overrides_of_job() -> tuple[str, ...]:
    """The overrides of the job that is running, as one would type them but for the shell's quotes.

    Hydra escapes in them what its grammar may take for a mark (`http\\://`), also where it would not.
    """
    return tuple(_unescaped(str(each)) for each in HydraConfig.get().overrides.task)


def _unescaped(override: str) -> str:
    """`override` without escapes, else in quotes, else as it is: whatever means the same."""
    if "\\" not in override:  # most have none, and hydra's grammar is slow
        return override
    parsed = _parsed(override)
    if parsed is None:
        return override
    plain = [_ESCAPED.sub(r"\1", override)]
    value = parsed.value()
    if isinstance(value, str):
        plain.append(f"{parsed.get_key_element()}={QuotedString(value, Quote.single).with_quotes()}")
    return next((each for each in plain if _meaning(_parsed(each)) == _meaning(parsed)), override)


def _parsed(override: str) -> Override | None:
    """None where hydra cannot read it."""
    try:
        return OverridesParser.create().parse_override(override)
    except HydraException:
        return None


def _meaning(override: Override | None) -> tuple[object, ...] | None:
    if override is None:
        return None
    return override.get_key_element(), override.is_sweep_override(), repr(override.value())


_ESCAPED = re.compile(r"\\([\\()\[\]{}:=, \t])")


def look_at_each_job(job: Callable[[DictConfig], None], arguments: Sequence[str], *, command: str) -> None:
    """As `for_each_job`, in this process whatever the launcher, and without a folder left behind."""
    with tempfile.TemporaryDirectory(prefix="venire-") as folder:
        here = (f"hydra.run.dir={folder}", f"hydra.sweep.dir={folder}", "hydra/launcher=basic")
        kept = [each for each in arguments if not each.lstrip("+~").startswith(_LAUNCHING)]
        for_each_job(job, beside_the_first(kept, here), command=command)


_LAUNCHING = ("hydra/launcher", "hydra.launcher", "hydra.run.dir", "hydra.sweep.dir")


def one_job(
    look: Callable[[DictConfig, list[str]], T],
    overrides: Sequence[str],
    config_dir_given: Path | None,
    *,
    command: str,
) -> T:
    """What `look` makes of the one configuration that `overrides` compose, and of those overrides.

    Raises:
        ConfigError: hydra refuses `overrides`.
        VenireError: as `look` raised it.
    """
    made: list[T] = []

    def job(cfg: DictConfig) -> None:
        made.append(look(cfg, list(overrides_of_job())))

    more = ["--config-dir", str(config_dir_given)] if config_dir_given else []
    look_at_each_job(job, [*overrides, *more], command=command)
    return made[0]


def experiment_in_job(cfg: DictConfig, arguments: Sequence[str] | None = None) -> Experiment:
    """The experiment of the job that is running; raises as `config.experiment_of`.

    `arguments` are those of the command line, where this process may not be the one that was given them.
    """
    hydra_cfg = HydraConfig.get()
    choices = {str(key): str(value) for key, value in hydra_cfg.runtime.choices.items()}
    _refuse_hidden_launcher(choices, sys.argv if arguments is None else arguments)
    sources = hydra_cfg.runtime.config_sources
    folders = [Path(each.path) for each in sources if each.schema == "file"]
    refuse_undone_ablation(cfg, choices, folders)
    overrides = overrides_of_job()
    bare = OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])
    assert isinstance(bare, DictConfig)
    fitted, warnings = fit_selection(bare, choices, overrides, folders)
    made = experiment_of(fitted, overrides, choices)
    said = (*made.identity.warnings, *warnings, *_of_twins(made.method))
    return replace(made, identity=replace(made.identity, warnings=said))


def _of_twins(method: Method) -> Iterator[str]:
    """A sentence for each two seats of the method's panel that are one voice."""
    panel = getattr(method, "panel", None)
    for one, other in twins(panel) if isinstance(panel, Panel) else ():
        yield (
            f"panel: {one} and {other} have the same model, settings and persona: one stored reply answers "
            "both, so one voice counts twice"
        )


def _refuse_hidden_launcher(choices: Mapping[str, str], arguments: Sequence[str]) -> None:
    chosen = choices.get("hydra/launcher", "basic")
    asked = [a.partition("=")[2] for a in arguments if a.startswith("hydra/launcher=")]
    if chosen != "basic" and chosen not in asked:
        raise ConfigError(
            f"hydra/launcher: hydra ignores a launcher inside an experiment file ({chosen}) in a sweep; "
            f"give hydra/launcher={chosen} on the command line"
        )
