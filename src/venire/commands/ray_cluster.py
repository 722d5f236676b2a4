"""Joining a Ray cluster, or saying in a sentence why not."""

import socket
from collections.abc import Mapping
from typing import Any

from venire.errors import ConfigError

_KEY = "hydra.launcher.ray.init.address"
_NO_HOST = ("auto", "local")
_PATIENCE_S = 10.0


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
