"""Joining a Ray cluster, or saying why not."""

import socket
from pathlib import Path

import pytest

from venire import __version__
from venire.commands.ray_cluster import Node, look_around, misfits, refuse_silent
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


def test_a_machine_tells_which_keys_it_lacks_and_no_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONE", "sk-secret")
    monkeypatch.delenv("OTHER", raising=False)
    monkeypatch.setenv("EMPTY", "")
    node = look_around(str(tmp_path), [("ONE",), ("OTHER", "ONE"), ("EMPTY", "OTHER"), ("OTHER",)])
    assert node == Node(__version__, True, ("EMPTY", "OTHER"))
    assert not look_around(str(tmp_path / "not there"), ()).sees_sweep


def test_a_node_that_lacks_something_is_named_with_what_it_lacks() -> None:
    assert list(misfits("a", Node(__version__, True, ()))) == []
    assert list(misfits("b", Node("0.0.9", False, ("OPENAI_API_KEY",)))) == [
        f"Ray's node b has venire 0.0.9, this process {__version__}",
        "Ray's node b does not see VENIRE_HOME: it must lie on a file system that all nodes share",
        "OPENAI_API_KEY is not set on Ray's node b; set it in the environment of its `ray start`",
    ]
