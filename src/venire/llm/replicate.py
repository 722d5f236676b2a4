"""An LLM that asks everything as a further replicate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from venire.llm.protocol import LLM
from venire.records import Completion, Embeddings, Request


@dataclass(frozen=True, slots=True)
class Replicated:
    """`llm`, whose requests count from replicate `offset` on: its replies are stored apart.

    Embeddings are deterministic and stay shared.
    """

    llm: LLM
    offset: int

    async def complete(self, request: Request) -> Completion:
        """The reply to `request` as a replicate of its own."""
        return await self.llm.complete(replace(request, replicate=request.replicate + self.offset * 1000))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Unit vectors of `texts`, in order."""
        return await self.llm.embed(model, texts)
