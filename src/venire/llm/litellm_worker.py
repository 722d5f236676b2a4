"""The child process of `venire.llm.litellm_workers`: `python -m venire.llm.litellm_worker`.

Frames (`litellm_frames.py`) go over standard input and output. It ends when its standard input closes,
which is when its parent stops it or dies.
"""

import asyncio
import os
import signal

from venire.errors import BackendError
from venire.llm.credentials import api_key, redact
from venire.llm.litellm_client import LiteLLMBackend
from venire.llm.litellm_frames import Answer, Ask, Cancel, Start, framed, read_frame
from venire.llm.protocol import AttemptFailed, Reply
from venire.records import Request


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer until `reader` ends."""
    start = await read_frame(reader)
    assert isinstance(start, Start)
    backend = LiteLLMBackend(start.routes, start.environ)
    keys = [key for route in start.routes if (key := api_key(route, start.environ))]
    await backend.load()
    writer.write(framed(None))
    under_way: dict[int, asyncio.Task[None]] = {}

    async def answer(ask: Ask) -> None:
        try:
            outcome = await _outcome(backend, ask.request, keys)
        finally:
            del under_way[ask.number]
        writer.write(framed(Answer(ask.number, outcome)))
        await writer.drain()

    while True:
        try:
            message = await read_frame(reader)
        except asyncio.IncompleteReadError:
            return
        if isinstance(message, Ask):
            under_way[message.number] = asyncio.create_task(answer(message))
        elif isinstance(message, Cancel) and message.number in under_way:
            under_way[message.number].cancel()


async def _outcome(backend: LiteLLMBackend, request: Request, keys: list[str]) -> Reply | Exception:
    try:
        return await backend.send(request)
    except (AttemptFailed, BackendError) as told:
        return told
    except Exception as error:  # a fault of ours, which the parent raises
        return RuntimeError(redact(f"in a litellm worker: {type(error).__name__}: {error}", keys))


async def _over_standard_streams(answer: int) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", 0))
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(answer, "wb", 0)
    )
    await serve(reader, asyncio.StreamWriter(transport, protocol, None, loop))


def main() -> None:
    """Serve until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not look like a frame
    asyncio.run(_over_standard_streams(answer))
    os._exit(0)  # requests in flight have lost their reader: do not wait for them


if __name__ == "__main__":
    main()
