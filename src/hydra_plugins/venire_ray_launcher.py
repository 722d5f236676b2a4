"""Hydra's launcher on Ray (`hydra-ray-launcher`), which says in a sentence why a cluster cannot be joined.

Hydra imports this module whenever it composes; without that plugin there is nothing in it.
"""

from collections.abc import Sequence
from typing import Any

try:
    from hydra_plugins.hydra_ray_launcher.ray_launcher import RayLauncher
except ModuleNotFoundError as error:
    if not str(error.name).startswith("hydra_plugins."):
        raise
else:

    class VenireRayLauncher(RayLauncher):  # type: ignore[misc]
        """The plugin's launcher, which finds the cluster joined."""

        def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[Any]:
            """Run the jobs.

            Raises:
                ConfigError: the cluster cannot be joined, or its nodes lack something; no job has begun.
            """
            from omegaconf import OmegaConf

            from venire.commands.ray_cluster import check_nodes, join
            from venire.launched import launch_passed_on

            init = OmegaConf.to_container(self.ray_cfg.init, resolve=True)
            assert isinstance(init, dict)
            join({str(key): value for key, value in init.items()})
            signs = launch_passed_on()
            if signs is not None:
                check_nodes(signs)
            results: Sequence[Any] = super().launch(job_overrides, initial_job_idx)
            return results
