"""litellm in processes of its own: more calls a second than one interpreter can make through it.

Through litellm a call takes milliseconds of CPU, so one process makes a hundred or two a second, however
many are in flight. With n workers venire's own process does not import litellm; it keeps the store, the
budget, the limits and the retries, so these hold over all workers. A worker is a `LiteLLMBackend`.
"""

import asyncio
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from venire.errors import BackendError
from venire.llm.litellm_client import LiteLLMBackend
from venire.llm.litellm_frames import (
    Answer,
    Ask,
    Cancel,
    Start,
    framed,
    read_frame,
)
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Route
from venire.records import AttemptStatus, BackendKind, Request

_CLOSING_S = 5.0


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, and who waits for an answer of it."""

    process: asyncio.subprocess.Process
    ready: asyncio.Future[None]
    waiting: dict[int, asyncio.Future[Reply]] = field(default_factory=dict)
    reading: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        return self.reading is not None and not self.reading.done()

    def tell(self, message: object) -> None:
        """Nothing where it has ended: who waits for it is told by `read`."""
        assert self.process.stdin is not None
        if not self.process.stdin.is_closing():
            self.process.stdin.write(framed(message))

    async def read(self) -> None:
        """Hand out answers until the process ends."""
        assert self.process.stdout is not None
        try:
            assert await read_frame(self.process.stdout) is None
            self.ready.set_result(None)
            while True:
                answer = await read_frame(self.process.stdout)
                assert isinstance(answer, Answer)
                future = self.waiting.get(answer.number)
                if future is None or future.done():
                    continue
                if isinstance(answer.outcome, Reply):
                    future.set_result(answer.outcome)
                else:
                    future.set_exception(answer.outcome)
        except (asyncio.IncompleteReadError, ConnectionError):
            status = await self.process.wait()
            if not self.ready.done():
                self.ready.set_exception(
                    BackendError(f"a litellm worker ended before it was ready (exit status {status})")
                )
            for future in self.waiting.values():
                if not future.done():
                    future.set_exception(
                        AttemptFailed(
                            AttemptStatus.CONNECTION,
                            f"a litellm worker ended (exit status {status})",
                            retryable=True,
                        )
                    )


class LiteLLMWorkers:
    """The backend of `client: litellm` routes with `llm.litellm_workers` above 1.

    A request goes to the worker with the fewest in flight. One that is given up (time-out, abort) is
    cancelled in its worker. A worker that ends is replaced at the next request; what was in flight there is
    a failed attempt of unknown usage, which may be tried again.

    Args:
        routes, environ: as of `LiteLLMBackend`.
        workers: how many processes.

    Raises:
        ConfigError: two routes that differ for one model and endpoint.
    """

    kind = BackendKind.LIVE

    def __init__(self, routes: Iterable[Route], environ: Mapping[str, str], workers: int) -> None:
        self._start = Start(tuple(routes), dict(environ))
        LiteLLMBackend(self._start.routes, environ)  # refuses here what each worker would refuse
        self._count = workers
        self._workers: list[_Worker] = []
        self._changing = asyncio.Lock()
        self._asked = 0

    async def send(self, request: Request) -> Reply:
        """One attempt; raises as `Backend.send`."""
        if len(self._workers) < self._count or not all(worker.is_alive for worker in self._workers):
            await self.load()
        worker = min(self._workers, key=lambda each: len(each.waiting))
        self._asked += 1
        number = self._asked
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        worker.waiting[number] = future
        try:
            worker.tell(Ask(number, request))
            return await future
        except asyncio.CancelledError:
            worker.tell(Cancel(number))
            raise
        finally:
            del worker.waiting[number]

    async def load(self) -> None:
        """Start the workers that are missing, and wait until litellm is imported in all.

        Raises:
            BackendError: one ended before.
        """
        async with self._changing:
            self._workers = [worker for worker in self._workers if worker.is_alive]
            missing = self._count - len(self._workers)
            self._workers += await asyncio.gather(*(self._started() for _ in range(missing)))
            await asyncio.gather(*(worker.ready for worker in self._workers))

    async def aclose(self) -> None:
        """Close the workers' input, and wait for their end."""
        async with self._changing:
            workers, self._workers = self._workers, []
            await asyncio.gather(*map(_closed, workers))

    async def _started(self) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "venire.llm.litellm_worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        worker = _Worker(process, asyncio.get_running_loop().create_future())
        worker.reading = asyncio.create_task(worker.read())
        worker.tell(self._start)
        return worker


async def _closed(worker: _Worker) -> None:
    assert worker.process.stdin is not None
    worker.process.stdin.close()
    try:
        await asyncio.wait_for(worker.process.wait(), _CLOSING_S)
    except TimeoutError:
        worker.process.kill()
    if worker.reading is not None:
        await worker.reading
