"""Fixed subsamples that leave whole clusters over."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence

from venire.records import Instance


def stratified_sample(instances: Sequence[Instance], size: int, seed: int) -> frozenset[str]:
    """Ids of `size` instances, stratified by subset, made of as few clusters as possible.

    Each subset gets its proportional share (largest remainder, ties by subset name). Within a
    subset whole clusters are taken in a seeded order until the share is filled; the last cluster
    may be cut. So the clusters that are left untouched share no prompt with the sample and can be
    development data. The order is by SHA-256 of seed and id: it depends on neither the order of
    `instances` nor any library's random numbers.

    Raises:
        ValueError: `size` is below 0 or above the number of instances.
    """
    if not 0 <= size <= len(instances):
        raise ValueError(f"size: expected 0 to {len(instances)}, got {size}")
    strata: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        strata[instance.subset].append(instance)
    shares = proportional_shares({name: len(members) for name, members in strata.items()}, size)
    chosen: list[str] = []
    for name, members in strata.items():
        ordered = sorted(members, key=lambda i: (_rank(seed, i.cluster), i.cluster, _rank(seed, i.id)))
        chosen.extend(instance.id for instance in ordered[: shares[name]])
    return frozenset(chosen)


def untouched_clusters(instances: Sequence[Instance], sample: frozenset[str]) -> frozenset[str]:
    """Ids of the instances whose cluster has no member in `sample`."""
    touched = {instance.cluster for instance in instances if instance.id in sample}
    return frozenset(instance.id for instance in instances if instance.cluster not in touched)


def proportional_shares(sizes: Mapping[str, int], total: int) -> Mapping[str, int]:
    """`total` divided in proportion to `sizes`: largest remainders round up, ties by name.

    Each share is the exact quota rounded down or up, and never above its size if `total` is not
    above their sum.
    """
    whole = sum(sizes.values())
    if whole == 0:
        return dict.fromkeys(sizes, 0)
    shares = {name: size * total // whole for name, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: (-(sizes[name] * total % whole), name))
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares


def _rank(seed: int, key: str) -> str:
    return hashlib.sha256(f"{seed}|{key}".encode()).hexdigest()
