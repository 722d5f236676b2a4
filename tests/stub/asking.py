"""Asking the stub through the whole call path, as studies of many processes do."""

import asyncio
from collections.abc import Sequence

from venire.llm.direct import DirectBackend
from venire.llm.open import open_llm
from venire.llm.route import Client, Limits, Route
from venire.llm.settings import LLMSettings
from venire.records import Completion, Message, Request


def requests_for(texts: Sequence[str], url: str) -> list[Request]:
    """A request a text."""
    return [Request("stub", (Message("user", text),), url, max_tokens=60) for text in texts]


async def complete_all(
    texts: Sequence[str],
    *,
    url: str,
    store: str,
    run_id: str,
    limits: Limits,
    settings: LLMSettings = LLMSettings(),  # noqa: B008  (frozen)
) -> tuple[list[Completion], int]:
    """What came back for each text, all asked for at once, and how many calls were uncertain."""
    route = Route("stub", url, Client.DIRECT, "stub", api_base=url, limits=limits)
    async with open_llm(
        [route], lambda route: DirectBackend([route], {}), settings, store_url=store, run_id=run_id
    ) as llm:
        done = await asyncio.gather(*[llm.complete(request) for request in requests_for(texts, url)])
        return done, llm.summary.uncertain
