"""Test doubles of the path of vectors: a backend whose vectors are arithmetic on the text."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
from tests.llm.fakes import FakeTime

from venire.errors import BackendError
from venire.llm.budget import Budget
from venire.llm.embedding import Embedded, EmbeddingClient, EmbeddingModel
from venire.llm.open import open_llm
from venire.llm.protocol import AttemptFailed
from venire.llm.route import Limits
from venire.llm.settings import LLMSettings, Mode
from venire.llm.stored import StoredLLM
from venire.records import Price, Usage

PRICE = Price(input_per_mtok=1.0, output_per_mtok=0.0)
LIVE = EmbeddingModel("fake", "fake/vectors", 3, price=PRICE, limits=Limits(retries=2, backoff_s=1.0))
LOCAL = EmbeddingModel("wordllama", "wordllama/l2_supercat_256", 256, EmbeddingClient.WORDLLAMA)
TOKENS_A_TEXT = 10

Step = AttemptFailed | BackendError | Embedded


def vector(text: str, dimensions: int = 3) -> np.ndarray:
    """Of no particular length: (characters, spaces, first character, 0, 0, ...)."""
    row = np.zeros(dimensions, dtype=np.float32)
    row[:3] = (len(text), text.count(" "), ord(text[0]) % 7)
    return row


@dataclass
class FakeVectors:
    """Answers the k-th request with the script's k-th step, then with `vector` of each text.

    `hold` (an event that a test sets) keeps every request in flight.
    """

    script: Sequence[Step] = ()
    usage: bool = True
    hold: asyncio.Event | None = None
    dimensions: int = 3
    asked: list[list[str]] = field(default_factory=list)
    closed: int = 0

    async def embed(self, texts: Sequence[str]) -> Embedded:
        number = len(self.asked)
        self.asked.append(list(texts))
        await (self.hold.wait() if self.hold is not None else asyncio.sleep(0))
        if number < len(self.script):
            step = self.script[number]
            if isinstance(step, Exception):
                raise step
            return step
        rows = np.stack([vector(text, self.dimensions) for text in texts])
        usage = Usage(TOKENS_A_TEXT * len(texts), 0) if self.usage else Usage()
        return Embedded(rows, "fake/vectors-2026", usage)

    async def aclose(self) -> None:
        self.closed += 1


@asynccontextmanager
async def opened(
    url: str,
    backend: FakeVectors,
    model: EmbeddingModel = LIVE,
    *,
    mode: Mode = Mode.LIVE,
    run_id: str = "run-1",
    budget: Budget | None = None,
    time: FakeTime | None = None,
    secrets: Sequence[str] = (),
) -> AsyncIterator[StoredLLM]:
    """The call path over `backend`, with jitter of a fixed seed."""
    async with open_llm(
        [],
        lambda route: pytest_fail(),
        LLMSettings(mode),
        store_url=url,
        run_id=run_id,
        budget=budget or Budget(),
        embeddings=[model],
        embedding_backend_of=lambda _: backend,
        clock=(time or FakeTime()).clock,
        rng=np.random.default_rng(7),
        secrets=secrets,
    ) as llm:
        yield llm


def pytest_fail() -> None:
    raise AssertionError("no completion is asked for here")
