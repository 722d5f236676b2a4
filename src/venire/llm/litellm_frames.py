"""What `venire.llm.litellm_workers` and its child processes tell each other.

A frame is four bytes of length, then a pickle, which only the two ends of the pipe write. The first frame
in is `Start`, the first out is None once litellm is imported; then `Ask`s and `Cancel`s go in and `Answer`s
come out.
"""

import asyncio
import pickle
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from venire.llm.protocol import Reply
from venire.llm.route import Route
from venire.records import Request

_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Start:
    """What a worker is told first. Keys come by this way, never on a command line."""

    routes: tuple[Route, ...]
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ask:
    """Send `request` once."""

    number: int
    request: Request


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for this one any more."""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an `Ask`: a reply, or what `Backend.send` raised."""

    number: int
    outcome: Reply | Exception


def framed(value: object) -> bytes:
    """`value` as it goes over the pipe."""
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


async def read_frame(reader: asyncio.StreamReader) -> object:
    """The next value.

    Raises:
        asyncio.IncompleteReadError: the other end has closed.
    """
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(length))
