"""Hydra's launcher on Slurm (`hydra-submitit-launcher`), which waits for every job, whatever ends one.

Hydra imports this module whenever it composes; without that plugin there is nothing in it.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

try:
    from hydra_plugins.hydra_submitit_launcher.config import BaseQueueConf
    from hydra_plugins.hydra_submitit_launcher.submitit_launcher import SlurmLauncher
except ModuleNotFoundError as error:
    if not str(error.name).startswith("hydra_plugins."):
        raise
else:

    class VenireSlurmLauncher(SlurmLauncher):  # type: ignore[misc]
        """The plugin's launcher, but the end of one job is not the end of waiting for the others."""

        def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[Any]:
            """Submit the jobs as one array, and wait for all of them.

            Raises:
                ConfigError: Slurm is not there or refuses the jobs; none has begun.
                UncompletedJobError: jobs ended without a result; all have ended.
            """
            from submitit.core.utils import UncompletedJobError

            from venire.commands.slurm_queue import without_result
            from venire.launched import stop_of_launch_asked

            jobs = self._submitted(job_overrides, initial_job_idx)
            lost = without_result(jobs, stop_of_launch_asked)
            if lost and not stop_of_launch_asked():
                logs = ", ".join(str(job.paths.stderr) for job in lost)
                raise UncompletedJobError(f"Slurm's jobs ended without a result; what they wrote: {logs}")
            return [job.results()[0] for job in jobs if job not in lost]

        def _submitted(self, job_overrides: Sequence[Sequence[str]], first: int) -> Sequence[Any]:
            import submitit
            from hydra.core.singleton import Singleton
            from submitit.core.utils import FailedJobError

            from venire.errors import ConfigError

            own = {"submitit_folder", "max_num_timeout"}
            shared = {field.name for field in fields(BaseQueueConf)}
            asked = {
                key if key in shared else f"slurm_{key}": value
                for key, value in self.params.items()
                if key not in own
            }
            numbered = enumerate(job_overrides, first)
            state = Singleton.get_state()
            each = [(list(job), "hydra.sweep.dir", number, str(number), state) for number, job in numbered]
            try:
                executor = submitit.AutoExecutor(
                    folder=self.params["submitit_folder"],
                    cluster="slurm",
                    slurm_max_num_timeout=self.params["max_num_timeout"],
                )
                executor.update_parameters(**asked)
                jobs: Sequence[Any] = executor.map_array(self, *zip(*each, strict=True))
            except (RuntimeError, FailedJobError) as error:
                said = " ".join(str(error).split())
                raise ConfigError(f"hydra/launcher: Slurm takes no jobs here ({said})") from None
            return jobs
