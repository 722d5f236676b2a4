"""The order in which instances are judged, and what runs at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import ConfigError
from venire.records import Instance


@dataclass(frozen=True, slots=True)
class Schedule:
    """How an order-dependent method goes through its instances.

    `block` instances are judged on the memory frozen at the block's start; 1 is sequential.
    Source: spec, section 1, "Order".
    """

    block: int = 1

    def __post_init__(self) -> None:
        if self.block < 1:
            raise ConfigError(f"block: expected at least 1, got {self.block}")


def seeded_order(instances: Sequence[Instance], seed: int) -> list[Instance]:
    """`instances` in a permutation that only `seed` and their number decide."""
    permutation = np.random.default_rng(seed).permutation(len(instances))
    return [instances[index] for index in permutation]
