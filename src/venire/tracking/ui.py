"""`venire ui`: MLflow's UI on the right store, opened on the prepared view."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from venire.errors import TrackingError
from venire.runs import redact
from venire.terminating import terminated_as_interrupted
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.view import prepare_view

HOST = "127.0.0.1"
LOG_FILE = "mlflow-ui.log"
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class RunningUI:
    """A server that answers: the address of the prepared view, and the process to wait for."""

    url: str
    process: subprocess.Popen[bytes]


def serve_ui(
    home: Path,
    settings: TrackingSettings,
    *,
    port: int = 5000,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the UI until Ctrl-C (or SIGTERM), then stop what was started, and only that.

    Where `settings.uri` is a server, nothing is started: the view is prepared there and its address
    said.

    Args:
        home: `VENIRE_HOME`.
        settings: which store.
        port: the next free one is taken where it is busy.
        open_browser: open the view in the user's browser.
        say: where the address goes.

    Raises:
        TrackingError: the store cannot be reached, or the server does not start.
    """
    if settings.is_server:
        url = ui_url(settings, home, base=settings.store_uri(home))
        say(redact(url, ()))
        if open_browser:
            webbrowser.open(url)
        return
    with terminated_as_interrupted(), running_ui(home, settings, port=port) as ui:
        say(f"MLflow UI: {ui.url}\nStop it with Ctrl-C.")
        if open_browser:
            webbrowser.open(ui.url)
        try:
            ui.process.wait()
        except KeyboardInterrupt:
            say("stopping")


def ui_url(settings: TrackingSettings, home: Path, *, base: str) -> str:
    """The address of the prepared view on the UI at `base`; the view is brought up to date.

    Raises:
        TrackingError: the store cannot be reached.
    """
    with opened(settings, home) as store:
        return base.rstrip("/") + prepare_view(store, now=time.time())


@contextmanager
def running_ui(home: Path, settings: TrackingSettings, *, port: int = 0) -> Iterator[RunningUI]:
    """An MLflow server on 127.0.0.1 that answers; stopped, with its children, at the end.

    Args:
        home: `VENIRE_HOME`; the server's own output goes to `mlflow-ui.log` there.
        settings: which database.
        port: the next free one is taken where it is busy; 0 takes any.

    Raises:
        TrackingError: the store cannot be reached, or the server does not start.
    """
    base = f"http://{HOST}:{free_port(port)}"
    url = ui_url(settings, home, base=base)
    log = home / LOG_FILE
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "mlflow", "server"),
                *("--host", HOST, "--port", base.rpartition(":")[2], "--workers", "1"),
            ],
            env=_environment(settings, home),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a group of its own: Ctrl-C reaches us, and we stop all of it
        )
    try:
        _wait_until_healthy(process, base, log)
        yield RunningUI(url, process)
    finally:
        _stop(process)


def free_port(wanted: int) -> int:
    """`wanted`, or the next port of this machine that is free; any where `wanted` is 0."""
    for port in range(wanted, wanted + 100) if wanted else (0,):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise TrackingError(f"--port: expected a free port in {wanted} to {wanted + 99}, found none")


def _environment(settings: TrackingSettings, home: Path) -> Mapping[str, str]:
    uri = settings.store_uri(home)
    artifacts = settings.artifacts_uri(home)
    # By the environment, not the command line: a database's password is no one else's to read.
    return os.environ | {
        "MLFLOW_BACKEND_STORE_URI": uri,
        "MLFLOW_REGISTRY_STORE_URI": uri,
        "MLFLOW_DEFAULT_ARTIFACT_ROOT": artifacts or "",
        # halves the time to start; nothing of ours is an MLflow job
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
    }


def _wait_until_healthy(process: subprocess.Popen[bytes], base: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{base}/health", timeout=2) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass  # not yet
        time.sleep(0.2)
    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:])
    raise TrackingError(
        f"mlflow server: expected it to answer at {base}; its last words ({log}):\n{redact(tail, ())}"
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, wanted)
        except ProcessLookupError:
            break
        try:
            process.wait(STOP_TIMEOUT_S)
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait()
