"""Joining a Ray cluster, or saying why not."""

import socket

import pytest

from venire.commands.ray_cluster import refuse_silent
from venire.errors import ConfigError


def test_where_nothing_listens_is_said_with_the_key_and_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound, and so nobody else's; it does not listen
        port = free.getsockname()[1]
        for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
            with pytest.raises(ConfigError, match=f"ray.init.address: nothing answers at {address} "):
                refuse_silent(address)


@pytest.mark.parametrize("address", ["head", "head:", ":6379", "head:port"])
def test_an_address_is_a_host_and_a_port(address: str) -> None:
    with pytest.raises(ConfigError, match=r"expected HOST:PORT, got"):
        refuse_silent(address)


def test_what_listens_and_what_needs_no_host_is_let_through() -> None:
    with socket.create_server(("127.0.0.1", 0)) as there:
        refuse_silent(f"127.0.0.1:{there.getsockname()[1]}")
    for address in (None, "auto", "local"):
        refuse_silent(address)
