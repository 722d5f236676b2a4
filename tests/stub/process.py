"""The stub server in a process of its own, for tests and benchmarks that count from outside."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class StubProcess:
    """A running stub; `url` is its address up to /v1."""

    url: str
    pid: int

    def stats(self) -> dict[str, object]:
        """What it saw."""
        return self._call("stats")

    def tokens(self) -> list[tuple[float, int]]:
        """When each request came that was answered (s since the epoch), and the tokens of its usage."""
        counted = self._call("tokens")["tokens"]
        assert isinstance(counted, list)
        return sorted((float(at), int(tokens)) for at, tokens in counted)

    def reset(self) -> None:
        """Clear the counts."""
        self._call("reset", {})

    def set_plan(self, **plan: object) -> None:
        """Set a fault plan: `script`, `probability`, `seed`, `matching`."""
        self._call("plan", plan)

    def _call(self, path: str, body: object = None) -> dict[str, object]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url.removesuffix('/v1')}/{path}", data=data, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            result: dict[str, object] = json.load(response)
        return result


@contextmanager
def stub_process(*options: str, python: str = sys.executable) -> Iterator[StubProcess]:
    """Start it with `options` (see `python -m tests.stub.server --help`); it ends with its caller."""
    command: Sequence[str] = [python, "-m", "tests.stub.server", "--until-stdin-closes", *options]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError(f"the stub did not start (exit status {process.wait()})")
        try:
            yield StubProcess(url, process.pid)
        finally:
            process.stdin.close()
            process.wait(timeout=60)
