"""The jobs that a command line composes, in this process; nothing is judged."""

from collections.abc import Sequence

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from venire.commands.composing import experiment_in_job, look_at_each_job

LITTLE = ("backend=simulated", "dataset.limit=1")


def jobs(arguments: Sequence[str], *keys: str) -> list[tuple[object, ...]]:
    """Of each job of a sweep, in order, its params `keys` (None: it has no such), as texts.

    `overrides` are those that it was given, `warnings` what its experiment warns of.
    """
    seen: list[tuple[object, ...]] = []

    def look(cfg: DictConfig) -> None:
        identity = experiment_in_job(cfg).identity
        given = " ".join(HydraConfig.get().overrides.task)
        known = {**identity.params, "overrides": given, "warnings": identity.warnings}
        seen.append(tuple(known.get(key) for key in keys))

    look_at_each_job(look, ["-m", *arguments, *LITTLE], command="venire run")
    return seen
