"""From the command line to experiments: what the commands that compose a configuration share."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from venire.commands.refusals import refusal
from venire.config import config_dir, experiment_of, refuse_undone_ablation
from venire.errors import ConfigError, VenireError
from venire.experiment import Experiment


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

    sys.argv = [command, *arguments]
    os.environ["HYDRA_FULL_ERROR"] = "1"  # without it hydra prints what it catches, and exits
    try:
        hydra.main(version_base="1.3", config_path=str(config_dir()), config_name="config")(watched)()
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        if raised:
            raise
        raise refusal(error, arguments) from None
    if raised:
        raise raised[0]


def look_at_each_job(job: Callable[[DictConfig], None], arguments: Sequence[str], *, command: str) -> None:
    """As `for_each_job`, in this process whatever the launcher, and without a folder left behind."""
    with tempfile.TemporaryDirectory(prefix="venire-") as folder:
        here = (f"hydra.run.dir={folder}", f"hydra.sweep.dir={folder}", "hydra/launcher=basic")
        kept = [each for each in arguments if not each.lstrip("+~").startswith(_LAUNCHING)]
        for_each_job(job, [*kept, *here], command=command)


_LAUNCHING = ("hydra/launcher", "hydra.launcher", "hydra.run.dir", "hydra.sweep.dir")


def experiment_in_job(cfg: DictConfig) -> Experiment:
    """The experiment of the job that is running; raises as `config.experiment_of`."""
    hydra_cfg = HydraConfig.get()
    choices = {str(key): str(value) for key, value in hydra_cfg.runtime.choices.items()}
    _refuse_hidden_launcher(choices)
    sources = hydra_cfg.runtime.config_sources
    refuse_undone_ablation(cfg, choices, [Path(each.path) for each in sources if each.schema == "file"])
    overrides = [str(override) for override in hydra_cfg.overrides.task]
    bare = OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])
    return experiment_of(bare, overrides, choices)


def _refuse_hidden_launcher(choices: Mapping[str, str]) -> None:
    chosen = choices.get("hydra/launcher", "basic")
    asked = [a.partition("=")[2] for a in sys.argv if a.startswith("hydra/launcher=")]
    if chosen != "basic" and chosen not in asked:
        raise ConfigError(
            f"hydra/launcher: hydra ignores a launcher inside an experiment file ({chosen}) in a sweep; "
            f"give hydra/launcher={chosen} on the command line"
        )
