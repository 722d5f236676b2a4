"""Who holds a lease, and whether it is certainly dead."""

import os
import platform
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """One opening of the call store by one process.

    Args:
        host: names a process-id space: host name, boot and pid namespace (containers differ).
        pid: the process.
        started: when it started, in whatever words the system has; tells a reused pid apart.
        opening: unique; two openings in one process are two owners.
    """

    host: str
    pid: int
    started: str
    opening: str

    def __str__(self) -> str:
        return f"{self.host}|{self.pid}|{self.started}|{self.opening}"

    @classmethod
    def parse(cls, text: str) -> "Owner":
        """The owner that wrote `text`."""
        host, pid, started, opening = text.rsplit("|", 3)
        return cls(host, int(pid), started, opening)

    @classmethod
    def here(cls) -> "Owner":
        """A new opening of this process."""
        pid = os.getpid()
        return cls(_host(), pid, _started(pid) or "", uuid.uuid4().hex[:12])

    def knows_dead(self, other: "Owner") -> bool:
        """Whether `other` is certainly dead, as seen from here; False where nobody can say."""
        if other.host != self.host:
            return False
        if other.pid == self.pid and other.started == self.started:
            return False
        started = _started(other.pid)
        return started is None or (bool(other.started) and started != other.started)


def _host() -> str:
    parts = [platform.node()]
    boot = Path("/proc/sys/kernel/random/boot_id")
    if boot.is_file():
        parts.append(boot.read_text().strip()[:8])
    namespace = Path("/proc/self/ns/pid")
    if namespace.is_symlink():
        parts.append(os.readlink(namespace).strip("pid:[]"))
    return "/".join(parts)


def _started(pid: int) -> str | None:
    """When `pid` started; None where there is no such process (or only its zombie)."""
    if Path("/proc/self/stat").is_file():
        try:
            # The command's name, in parentheses, may hold anything: count fields after the last one.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] in "ZX" else fields[19]
    answer = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True)
    return " ".join(answer.stdout.split()).replace("|", "/") or None
