"""The call path of vectors: what happens between `LLM.embed` and what computes them.

A vector is stored under its text, not under the request that brought it: requests are cut from
what is missing. What runs on this machine is computed and kept; what is billed is claimed first,
text by text, within the budget, like a completion.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from venire.errors import ConfigError, ReplayMiss
from venire.llm.embedding import EmbeddingBackend, EmbeddingModel, Vectors, text_key
from venire.llm.embedding_paying import Batch, Lane, Payer, PayingTerms, checked
from venire.llm.embedding_shares import embedding_call, failed_call
from venire.llm.limits import Limiter
from venire.llm.settings import Mode
from venire.llm.store import CallStore
from venire.llm.store.vectors import Computed, StoredVector
from venire.records import Attempt, AttemptStatus, BackendKind, Call, Embeddings, Usage


class Embedder:
    """Vectors by way of the store. Made by `venire.llm.open.open_llm`.

    Args:
        models: every model that may be asked for.
        backend_of: makes the backend of a model; called when its first vector has to be computed.
        store: where vectors lie.
        mode: of the store.
        terms: of what is billed.
        limiters: by provider.
    """

    def __init__(
        self,
        models: Sequence[EmbeddingModel],
        backend_of: Callable[[EmbeddingModel], EmbeddingBackend],
        store: CallStore,
        *,
        mode: Mode,
        terms: PayingTerms,
        limiters: Mapping[str, Limiter],
    ) -> None:
        self._models = {model.model: model for model in models}
        self._backend_of = backend_of
        self._store = store
        self._mode = mode
        self._terms = terms
        self._made: set[str] = set()
        self._payer = Payer(store, terms, limiters, self._made, refresh=mode is Mode.REFRESH)
        self._endpoints: dict[str, str] = {}
        self._reading = asyncio.Lock()
        self._lanes: dict[str, Lane] = {}
        # Of this run, and perhaps not written yet.
        self._computed: dict[str, StoredVector] = {}
        self._computing = asyncio.Lock()
        self._lost: list[Call] = []

    @property
    def lost(self) -> Sequence[Call]:
        """What was paid or tried for vectors that nobody was handed, because some other failed."""
        return self._lost

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Vectors of `texts`, in order; a text that comes twice is asked for once, an empty one never.

        Raises:
            ConfigError: no such model in this run, or its vectors are of another size.
            BackendError: the provider gave none, for good or after all retries: the run stops.
            ReplayMiss: mode `replay`, and the store lacks one.
            BudgetExhausted: the worst case does not fit into the budget.
        """
        chosen = self._model(model)
        endpoint = await self._endpoint(chosen)
        keys = [text_key(model, endpoint, text) if text.strip() else "" for text in texts]
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key}
        found = await self._find(list(wanted))
        missing = {key: text for key, text in wanted.items() if key not in found}
        made: Mapping[str, StoredVector] = {}
        calls: tuple[Call, ...] = ()
        if missing:
            late, made, calls = await self._make(chosen, missing)
            found |= late
        if found:
            calls = (embedding_call(chosen, found), *calls)
        return Embeddings(_matrix(chosen, keys, {**found, **made}), calls)

    async def aclose(self) -> None:
        """Close every backend that was made."""
        for lane in self._lanes.values():
            await lane.backend.aclose()

    def _model(self, model: str) -> EmbeddingModel:
        if model not in self._models:
            known = ", ".join(self._models) or "none"
            raise ConfigError(f"embedding: expected a model of this run ({known}), got {model}")
        return self._models[model]

    async def _endpoint(self, model: EmbeddingModel) -> str:
        async with self._reading:
            if model.model not in self._endpoints:
                self._endpoints[model.model] = await asyncio.to_thread(model.endpoint)
            return self._endpoints[model.model]

    async def _find(self, keys: Sequence[str]) -> dict[str, StoredVector]:
        if self._mode is Mode.REFRESH:
            keys = [key for key in keys if key in self._made]
        return dict(await self._store.find_vectors(keys)) if keys else {}

    async def _make(
        self, model: EmbeddingModel, missing: Mapping[str, str]
    ) -> tuple[Mapping[str, StoredVector], Mapping[str, StoredVector], tuple[Call, ...]]:
        """The vectors that others stored meanwhile, those made here, and the calls that made them."""
        if self._mode is Mode.REPLAY:
            raise ReplayMiss(
                f"llm.mode=replay: expected stored vectors of {model.model}, {len(missing)} are missing; "
                "run once with llm=live, or name the right store in llm.store"
            )
        lane = self._lanes.get(model.model)
        if lane is None:
            lane = self._lanes[model.model] = Lane(model, self._backend_of(model))
        route = model.route
        if route is None:
            return await self._compute(lane, missing)
        batches = [Batch(lane, route, part) for part in cut(model, missing)]
        # Where one fails, the others end by themselves: what they cost is in the ledger, what came is stored.
        ended = await asyncio.gather(*map(self._payer.pay, batches), return_exceptions=True)
        failed = next((each for each in ended if each is not None), None)
        if failed is not None:
            self._lost += [call for batch in batches for call in _calls_of(batch)]
            raise failed
        late = {key: each for batch in batches for key, each in batch.found.items()}
        paid = {key: each for batch in batches for key, each in batch.paid.items()}
        return late, paid, tuple(call for batch in batches for call in batch.calls)

    async def _compute(
        self, lane: Lane, missing: Mapping[str, str]
    ) -> tuple[Mapping[str, StoredVector], Mapping[str, StoredVector], tuple[Call, ...]]:
        clock = self._terms.clock
        async with self._computing:  # so that a text of two requests at once is computed once
            late = {key: self._computed[key] for key in missing if key in self._computed}
            fresh = {key: text for key, text in missing.items() if key not in late}
            if not fresh:
                return late, {}, ()
            started_at, began = clock.wall(), clock.monotonic()
            embedded = await lane.backend.embed(list(fresh.values()))
            rows = checked(embedded, lane.model, len(fresh))
            made = {
                key: StoredVector(row, embedded.model, BackendKind.LOCAL, input_tokens=0, cost_usd=0.0)
                for key, row in zip(fresh, rows, strict=True)
            }
            self._computed |= made
        self._store.keep(Computed(made, self._terms.scope.run_id))
        attempt = Attempt(AttemptStatus.OK, started_at, clock.monotonic() - began, Usage(0, 0), 0.0)
        return late, made, (embedding_call(lane.model, made, [attempt]),)


def _calls_of(batch: Batch) -> list[Call]:
    """What `batch` took so far, as records: requests that brought vectors, and the one that did not."""
    if not batch.attempts:
        return batch.calls
    return [*batch.calls, failed_call(batch.lane.model, list(batch.texts), batch.attempts)]


def cut(model: EmbeddingModel, missing: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """`missing` (text by key) in requests of at most `max_batch` texts and `max_batch_tokens`.

    A text that alone has more goes alone.
    """
    part: dict[str, str] = {}
    size = 0
    for key, text in missing.items():
        tokens = len(text.encode("utf-8", "surrogatepass"))
        if part and (len(part) == model.max_batch or size + tokens > model.max_batch_tokens):
            yield part
            part, size = {}, 0
        part[key] = text
        size += tokens
    if part:
        yield part


def _matrix(model: EmbeddingModel, keys: Sequence[str], vectors: Mapping[str, StoredVector]) -> Vectors:
    """A row a key, in order; zero rows where there is no key."""
    rows = np.zeros((len(keys), model.dimensions), dtype=np.float32)
    for row, key in enumerate(keys):
        if not key:
            continue
        vector = vectors[key].vector
        if vector.shape != (model.dimensions,):
            raise ConfigError(
                f"embedding.dimensions: the stored vectors of {model.model} have {vector.size}, "
                f"got {model.dimensions}"
            )
        rows[row] = vector
    return rows
