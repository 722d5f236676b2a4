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

from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Route
from venire.records import AttemptStatus, Request, Usage

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
class Failed:
    """An `AttemptFailed`, in plain fields."""

    status: AttemptStatus
    detail: str
    retryable: bool
    retry_after_s: float | None
    usage: Usage

    @classmethod
    def of(cls, error: AttemptFailed) -> "Failed":
        """The fields of `error`."""
        return cls(error.status, error.detail, error.retryable, error.retry_after_s, error.usage)

    def error(self) -> AttemptFailed:
        """The error again."""
        return AttemptFailed(
            self.status,
            self.detail,
            retryable=self.retryable,
            retry_after_s=self.retry_after_s,
            usage=self.usage,
        )


@dataclass(frozen=True, slots=True)
class Refused:
    """A `BackendError`."""

    message: str


@dataclass(frozen=True, slots=True)
class Broken:
    """An error that no backend may raise: a fault of ours."""

    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an `Ask`."""

    number: int
    outcome: Reply | Failed | Refused | Broken


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
