"""The development split of a run: instances that are judged first and never evaluated.

What is fitted (a cascade's thresholds, curves from confidence to probability) is fitted on them alone.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
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


class Shared(StrEnum):
    """Which part keeps what both data sets have."""

    EVALUATED = "evaluated"
    DEVELOPMENT = "development"  # some are labelled and developed on, the rest is evaluated


@dataclass(frozen=True, slots=True)
class Apart:
    """Another data set; what the evaluated one has, too, by id or prompt, stays in one of the two.

    Args:
        dataset: the other one, as in `dataset=NAME`.
        shared: the part in which it stays; the other one is without it.
    """

    dataset: Dataset
    shared: Shared = Shared.EVALUATED

    def of(self, loaded: Loaded) -> Parted:
        """The other data set, and the data set; one of them as it is."""
        other = self.dataset.load()
        if self.shared is Shared.DEVELOPMENT:
            rest = _without(
                loaded, other, "development: {} instances are not evaluated, they are developed on"
            )
            if not rest.instances:
                raise DataError("dataset: expected instances that are not in development.dataset, got none")
            return Parted(other, rest)
        kept = _without(other, loaded, "development: {} instances left out, they are evaluated")
        if not kept.instances:
            raise DataError(
                "development.dataset: expected instances that are not evaluated, got none; with "
                "development.shared=development what both have is developed on, and the rest evaluated"
            )
        return Parted(kept, loaded)


def _without(loaded: Loaded, other: Loaded, warning: str) -> Loaded:
    """`loaded` without what `other` has, too; a warning of how many these are."""
    gone = overlap(loaded.instances, other.instances).ids
    if not gone:
        return loaded
    kept = tuple(each for each in loaded.instances if each.id not in gone)
    warnings = (*loaded.warnings, warning.format(len(gone)))
    return replace(loaded, instances=kept, fingerprint=fingerprint(kept), warnings=warnings)


def _cluster(instance: Instance) -> str:
    return f"cluster {instance.cluster}" if instance.cluster else f"id {instance.id}"
