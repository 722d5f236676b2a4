"""Joining a Ray cluster, or saying in a sentence why not."""

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venire import __version__
from venire.errors import ConfigError
from venire.launched import Signs

_KEY = "hydra.launcher.ray.init.address"
_NO_HOST = ("auto", "local")
_PATIENCE_S = 10.0
_NODE_PATIENCE_S = 300.0  # code that is shipped is unpacked first


def join(init: Mapping[str, Any]) -> None:
    """Join the cluster that `init` (what `ray.init` takes) names, or make one; nothing where one is joined.

    Raises:
        ConfigError: nobody is there, or does not take this process in.
    """
    import ray
    from ray.exceptions import RayError

    if ray.is_initialized():
        return
    address = init.get("address")
    refuse_silent(address)
    try:
        ray.init(**init)
    except (ConnectionError, RuntimeError, ValueError, RayError) as error:
        where = f" at {address}" if address else ""
        said = " ".join(str(error).split())
        raise ConfigError(
            f"{_KEY}: Ray{where} does not take this process in ({said}); where it says InvalidAuthToken, "
            "give `ray start` and `venire run` the same RAY_AUTH_MODE and RAY_AUTH_TOKEN (docs/scale.md)"
        ) from None


def refuse_silent(address: str | None) -> None:
    """Refuse an address where nothing listens; Ray itself would try for minutes.

    Raises:
        ConfigError: names the key and the address.
    """
    if address is None or address in _NO_HOST:
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigError(f"{_KEY}: expected HOST:PORT, got {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE_S).close()
    except OSError as error:
        raise ConfigError(
            f"{_KEY}: nothing answers at {address} ({error.strerror or error}); start Ray there "
            "(ray start --head --port=...), or name another address"
        ) from None


@dataclass(frozen=True, slots=True)
class Node:
    """What a node of the cluster has of what jobs need.

    Args:
        version: of the venire that is imported there.
        sees_sweep: whether the sweep's folder is there.
        lacking: names of keys that are not set.
    """

    version: str
    sees_sweep: bool
    lacking: tuple[str, ...]


def look_around(folder: str, keys: Sequence[Sequence[str]]) -> Node:
    """What the machine has on which this runs; no value of a key leaves it."""
    lacking = [names[0] for names in keys if not any(os.environ.get(name) for name in names)]
    return Node(__version__, Path(folder).is_dir(), tuple(lacking))


def check_nodes(signs: Signs) -> None:
    """Look at every node of the cluster that is joined, before the first job.

    Raises:
        ConfigError: a sentence for everything that a node lacks.
    """
    import ray
    from ray.exceptions import RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    look = ray.remote(num_cpus=0, max_retries=0)(look_around)
    nodes = [(node["NodeID"], node["NodeName"]) for node in ray.nodes() if node["Alive"]]
    asked = [
        look.options(scheduling_strategy=NodeAffinitySchedulingStrategy(id, soft=False)).remote(
            str(signs.folder), signs.keys()
        )
        for id, _ in nodes
    ]
    wrong: list[str] = []
    for (_, name), answer in zip(nodes, asked, strict=True):
        try:
            wrong += misfits(name, ray.get(answer, timeout=_NODE_PATIENCE_S))
        except RayError as error:
            said = str(error).strip().rpartition("\n")[2].strip()
            wrong.append(f"Ray's node {name} runs no job ({said}); does it have venire, and its plugins?")
    if wrong:
        raise ConfigError("\n".join(dict.fromkeys(wrong)))


def misfits(name: str, node: Node) -> Iterator[str]:
    """A sentence for everything that the node called `name` lacks."""
    if node.version != __version__:
        yield f"Ray's node {name} has venire {node.version}, this process {__version__}"
    if not node.sees_sweep:
        yield f"Ray's node {name} does not see VENIRE_HOME: it must lie on a file system that all nodes share"
    for key in node.lacking:
        yield f"{key} is not set on Ray's node {name}; set it in the environment of its `ray start`"
