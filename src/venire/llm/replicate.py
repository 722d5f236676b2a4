"""An LLM that asks everything as a further replicate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from venire.llm.protocol import LLM
from venire.records import Completion, Embeddings, Request

# Replicates of one seed: k replicates of a request are k calls, and those of the next seed are others.
_PER_SEED = 1_000_000


@dataclass(frozen=True, slots=True)
class Replicated:
    """`llm`, whose requests are replicates of `seed` alone: its replies are stored apart.

    Those of seed 0 are the ones that runs with `replicate=shared` use. Embeddings are deterministic
    and stay shared.
    """

    llm: LLM
    seed: int

    async def complete(self, request: Request) -> Completion:
        """The reply to `request` as a replicate of this seed.

        Raises:
            ValueError: the method asks for more replicates than a seed has.
        """
        if not 0 <= request.replicate < _PER_SEED:
            raise ValueError(f"replicate: expected 0 to {_PER_SEED - 1}, got {request.replicate}")
        return await self.llm.complete(replace(request, replicate=self.seed * _PER_SEED + request.replicate))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Unit vectors of `texts`, in order."""
        return await self.llm.embed(model, texts)
