"""Where an experiment takes from what no configuration holds: data sets, recordings, weights."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from venire.data.protocol import Dataset, Loaded
from venire.judging.judge import RecordedJudge
from venire.llm.local import LocalSettings

Weights: TypeAlias = tuple[str, str]  # the local model's name, and what answers as keys name it


def _weights_here(settings: LocalSettings) -> Weights:
    return settings.weights().stem, settings.endpoint_tag()


@dataclass(frozen=True, slots=True)
class Sources:
    """How each is come by; by default from this machine.

    `load` is given the data set's key (`dataset`, `development.dataset`) and its settings.
    """

    load: Callable[[str, Dataset], Loaded] = lambda _key, dataset: dataset.load()
    recorded: Callable[[RecordedJudge], RecordedJudge] = lambda judge: judge
    weights: Callable[[LocalSettings], Weights] = _weights_here


@dataclass(frozen=True, slots=True)
class Given:
    """A data set that was loaded already."""

    name: str
    loaded: Loaded

    def load(self) -> Loaded:
        """It, as it was given."""
        return self.loaded
