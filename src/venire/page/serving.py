"""The server: on a free or a given port, until Ctrl-C; or in a thread."""

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from venire.errors import ConfigError
from venire.page.security import Guard
from venire.terminating import terminated_as_interrupted

if TYPE_CHECKING:
    import uvicorn

FIRST_PORT = 8350
_PORTS = 100
_START_TIMEOUT_S = 20.0


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens: on `port` (0: any), or on the first free one from 8350 on.

    Raises:
        ConfigError: it is taken, or there is no such address here.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = range(FIRST_PORT, FIRST_PORT + _PORTS) if port is None else (port,)
    failed: OSError | None = None
    for each in ports:
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, each))
        except (OSError, OverflowError) as error:
            listening.close()
            failed = error if isinstance(error, OSError) else OSError(str(error))
            continue
        listening.listen()
        return listening
    raise ConfigError(f"--port: cannot listen on {host}:{ports[-1]} ({failed}); choose another, or none")


def url_of(listening: socket.socket, token: str | None = None, name: str | None = None) -> str:
    """The address to open, by `name` where there is one; with the token where one is required."""
    host, port = listening.getsockname()[:2]
    host = name or host
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={quote(token, safe='')}" if token else "")


def note_on(url: str) -> str:
    """What must be said of an address that stands for all of this machine's; empty for others."""
    host = urlsplit(url).hostname or ""
    try:
        is_all = ipaddress.ip_address(host).is_unspecified
    except ValueError:  # a name
        return ""
    return (
        f" ({host} stands for all addresses of this machine: elsewhere put one of them there)"
        if is_all
        else ""
    )


def serve(
    app: Guard, listening: socket.socket, *, url: str | None = None, say: Callable[[str], None] = print
) -> None:
    """Serve until Ctrl-C (or SIGTERM); answers under way are finished, three seconds at most."""
    server = _server(app)
    url = url or url_of(listening)
    say(f"{url}\nStop it with Ctrl-C.{note_on(url)}")
    with terminated_as_interrupted(), suppress(KeyboardInterrupt):  # asked for
        server.run(sockets=[listening])
    say("stopped")


@contextmanager
def served(app: Guard, listening: socket.socket) -> Iterator[str]:
    """The page's address while a thread serves it; stopped at the end."""
    server = _server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    give_up = time.monotonic() + _START_TIMEOUT_S
    while not server.started and thread.is_alive() and time.monotonic() < give_up:
        time.sleep(0.01)
    try:
        yield url_of(listening)
    finally:
        server.should_exit = True
        thread.join(_START_TIMEOUT_S)


def _server(app: Guard) -> "uvicorn.Server":
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    )
