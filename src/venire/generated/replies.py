"""Replies that did not come, or cannot be used."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

from venire.errors import RunError, VenireError
from venire.records import AttemptStatus, Unscored
from venire.runner import STOPS

T = TypeVar("T")


class LostReply(VenireError):
    """A call was not answered after all attempts; the same command asks for it again."""


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """All results in order. A stop lets the others arrive; they are stored."""
    results = await asyncio.gather(*work, return_exceptions=True)
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:
        raise next((error for error in errors if not isinstance(error, STOPS)), errors[0])
    return [result for result in results if not isinstance(result, BaseException)]


def refuse_rejected(what: str, reason: Unscored) -> None:
    """Nothing, unless the provider rejects the request: asking again does not mend that.

    Raises:
        RunError: it does.
    """
    if reason.detail.startswith(f"{AttemptStatus.REJECTED}:"):
        raise RunError(f"{what}: the provider rejects the request: {reason.detail}")


def why(reason: Unscored, most: int = 300) -> str:
    """The reason with at most so many characters of its detail, in one line."""
    return ", ".join(filter(None, (reason.reason.value, " ".join(reason.detail.split())[:most])))
