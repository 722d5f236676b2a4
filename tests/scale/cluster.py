"""A PostgreSQL server of one's own, which may be stopped: the installed programs, a folder, a free port."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`; None where no server is installed."""
    on_path = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(on_path).parent if on_path else found[-1].parent if found else None


@dataclass(frozen=True)
class Cluster:
    """A server that can be stopped and started again."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Of its database."""
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self._run(
            "pg_ctl",
            "-w",
            "-D",
            str(self.folder / "data"),
            "-l",
            str(self.folder / "log"),
            "-o",
            options,
            "start",
        )

    def stop(self) -> None:
        """Stop it at once, whatever is connected; nothing committed is lost."""
        self._run("pg_ctl", "-w", "-D", str(self.folder / "data"), "-m", "fast", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        bin_ = programs()
        assert bin_ is not None
        subprocess.run(
            [*_as_other_user(), str(bin_ / program), *arguments],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def _as_other_user() -> Sequence[str]:
    """PostgreSQL does not run as root."""
    return ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A server that runs; it is stopped and its folder removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="venire-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        made = Cluster(folder, free.getsockname()[1])
    try:
        made._run("initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "--no-sync")
        made.start()
        try:
            yield made
        finally:
            if (folder / "data" / "postmaster.pid").exists():
                made.stop()
    finally:
        shutil.rmtree(folder)
