"""The development split of a run: instances that are judged first and never evaluated.

What is fitted (a cascade's thresholds, curves from confidence to probability) is fitted on them alone.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Protocol

from venire.data.fingerprint import fingerprint
from venire.data.overlap import overlap
from venire.data.protocol import Dataset, Loaded
from venire.errors import ConfigError, DataError
from venire.records import Instance


@dataclass(frozen=True, slots=True)
class Parted:
    """A data set's development part, and what is evaluated."""

    development: Loaded
    evaluated: Loaded


class Development(Protocol):
    """Where a run's development split comes from."""

    def of(self, loaded: Loaded) -> Parted:
        """The two parts, without a prompt in common.

        Raises:
            DataError: one of them would be empty.
        """
        ...


@dataclass(frozen=True, slots=True)
class Share:
    """A random part of the data set itself; instances of one cluster (a repeated prompt) stay together.

    The order of clusters is by SHA-256 of seed and name, whatever the order of instances: as good as drawn
    at random, as the guarantee asks. Clusters are taken until the share is reached.

    Args:
        share: of the instances.
        seed: names another part.
    """

    share: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ConfigError(f"share: expected between 0 and 1, got {self.share:g}")

    def of(self, loaded: Loaded) -> Parted:
        """The two parts, each in the data set's order."""
        sizes = Counter(_cluster(instance) for instance in loaded.instances)
        wanted, taken = round(self.share * len(loaded.instances)), set[str]()
        for cluster in sorted(sizes, key=self._rank):
            if sum(sizes[each] for each in taken) >= wanted:
                break
            taken.add(cluster)
        first = tuple(each for each in loaded.instances if _cluster(each) in taken)
        rest = tuple(each for each in loaded.instances if _cluster(each) not in taken)
        if not first or not rest:
            raise DataError(
                f"development.share: expected instances in both parts, got {len(first)} to develop on and "
                f"{len(rest)} to evaluate; give more instances or another share"
            )
        evaluated = replace(loaded, instances=rest, fingerprint=fingerprint(rest))
        return Parted(
            replace(loaded, instances=first, fingerprint=fingerprint(first), warnings=()), evaluated
        )

    def _rank(self, cluster: str) -> str:
        return hashlib.sha256(f"development|{self.seed}|{cluster}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Apart:
    """Another data set; instances that the evaluated one has, too, by id or prompt, are left out.

    Args:
        dataset: the other one, as in `dataset=NAME`.
    """

    dataset: Dataset

    def of(self, loaded: Loaded) -> Parted:
        """The other data set, and the data set as it is."""
        other = self.dataset.load()
        found = overlap(other.instances, loaded.instances)
        kept = tuple(each for each in other.instances if each.id not in found.ids)
        if not kept:
            raise DataError("development.dataset: expected instances that are not evaluated, got none")
        warnings = other.warnings
        if found.ids:
            warnings = (*warnings, f"development: {len(found.ids)} instances left out, they are evaluated")
        return Parted(
            replace(other, instances=kept, fingerprint=fingerprint(kept), warnings=warnings), loaded
        )


def _cluster(instance: Instance) -> str:
    return f"cluster {instance.cluster}" if instance.cluster else f"id {instance.id}"
