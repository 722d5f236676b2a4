"""Hydra's sweeper, for sweeps over ablations: what is fixed is where they start.

Hydra takes plugins from the namespace `hydra_plugins` alone, and imports all of them whenever it composes:
what this one needs of venire is imported where it is used.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override


class VenireSweeper(BasicSweeper):
    """The basic sweeper, but a job's ablation goes over fixed overrides of what it changes.

    Hydra lets the command line go over any file: in `method=majority ablation=none,single_judge` the second
    job would be a majority under the ablation's name. Here it is the ablation of a majority. Values that are
    swept themselves stay: an ablation that one of them undoes is refused.
    """

    def sweep(self, arguments: list[str]) -> Any:
        """Run the jobs that `arguments` and the experiment's `hydra.sweeper.params` make."""
        # Of a key that stands in both, the argument is taken, as hydra does.
        given = {each.get_key_element(): each for each in self._parsed([*self._parse_config(), *arguments])}
        self._fixed = {key for key, each in given.items() if _is_fixed(each)}
        return super().sweep(arguments)

    def get_job_batch(self) -> Sequence[Sequence[str]]:
        """The overrides of each job."""
        return [self._ablated(job) for job in super().get_job_batch()]

    def _ablated(self, job: Sequence[str]) -> Sequence[str]:
        from venire.commands.ablating import GROUP, ablation_of

        parsed = self._parsed(job)
        chosen = next((str(each.value()) for each in parsed if each.key_or_group == GROUP), None)
        ablation = None if GROUP in self._fixed else ablation_of(chosen, self._folders())
        if ablation is None:
            return job
        return [
            text
            for text, each in zip(job, parsed, strict=True)
            if each.get_key_element() not in self._fixed or not ablation.replaces(each.get_key_element())
        ]

    def _parsed(self, overrides: Sequence[str]) -> list[Override]:
        assert self.hydra_context is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        return parser.parse_overrides(list(overrides))

    def _folders(self) -> list[Path]:
        """Where configuration files are; of `hydra.searchpath`, too."""
        assert self.config is not None
        sources = self.config.hydra.runtime.config_sources
        return [Path(each.path) for each in sources if each.schema == "file"]


def _is_fixed(override: Override) -> bool:
    """Whether all jobs have this value; so it is also of a choice of one (`venire.commands.deferring`)."""
    return not override.is_sweep_override() or len(list(override.sweep_string_iterator())) == 1
