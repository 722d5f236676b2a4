"""A lean OpenAI-compatible server on a free loopback port: one fixed verdict, after a fixed delay.

`python benchmarks/stub.py --delay-s 0.05` prints its address (up to /v1) and serves until its
standard input closes. It parses no more of HTTP than clients here send, so that two shared cores
go to the client that is measured: about 0.06 ms of CPU a request, where the fault-injecting stub of
the tests takes about 0.36 ms.
"""

import argparse
import asyncio
import json
import sys

VERDICT = {
    "reasoning": "Both responses carry out the request. The first one states the facts without padding, "
    "the second one repeats itself and leaves out the condition that the request names. " * 2,
    "winner": "A",
    "confidence": 0.8,
}


def _response() -> bytes:
    body = json.dumps(
        {
            "id": "chatcmpl-stub",
            "object": "chat.completion",
            "created": 1767225600,
            "model": "stub-model",
            "system_fingerprint": "fp_stub",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": json.dumps(VERDICT)},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 700, "completion_tokens": 90, "total_tokens": 790},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Connection(asyncio.Protocol):
    """One keep-alive connection: a request at a time, each answered after the delay."""

    def __init__(self, response: bytes, delay_s: float) -> None:
        self._response, self._delay_s = response, delay_s
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = _content_length(self._buffer[:end])
            total = end + 4 + length
            if len(self._buffer) < total:
                return
            self._buffer = self._buffer[total:]
            asyncio.get_running_loop().call_later(self._delay_s, self._answer)

    def _answer(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._response)


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def serve(delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    response = _response()
    server = await loop.create_server(lambda: Connection(response, delay_s), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay-s", type=float, default=0.05)
    asyncio.run(serve(parser.parse_args().delay_s))
