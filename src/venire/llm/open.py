"""Opening the call path for one run."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import numpy as np

from venire.errors import ConfigError
from venire.llm.budget import Budget, Scope, check_budget
from venire.llm.clock import Clock
from venire.llm.protocol import Backend
from venire.llm.route import Route
from venire.llm.settings import LLMSettings

if TYPE_CHECKING:
    from venire.llm.embedding import EmbeddingBackend, EmbeddingModel
    from venire.llm.stored import StoredLLM


@asynccontextmanager
async def open_llm(
    routes: Sequence[Route],
    backend_of: Callable[[Route], Backend],
    settings: LLMSettings,
    *,
    store_url: str,
    run_id: str,
    sweep_id: str | None = None,
    budget: Budget = Budget(),  # noqa: B008  (frozen)
    concurrency: int | None = None,
    embeddings: Sequence["EmbeddingModel"] = (),
    embedding_backend_of: Callable[["EmbeddingModel"], "EmbeddingBackend"] | None = None,
    clock: Clock = Clock(),  # noqa: B008  (frozen)
    rng: np.random.Generator | None = None,
    secrets: Sequence[str] = (),
    say: Callable[[str], None] = lambda _: None,
) -> AsyncIterator["StoredLLM"]:
    """The `LLM` of one run; at the end, what is still to be written is written and backends close.

    Args:
        routes: of every judge that may be asked.
        backend_of: makes (or shares) the backend of a route; called at its first paid request.
        settings: the store's mode.
        store_url: see `LLMSettings.url`.
        run_id: whose calls these are, in the ledger.
        sweep_id: None outside of a sweep.
        budget: of the whole sweep where there is one, else of the run.
        concurrency: attempts in flight at once over all providers, beside each provider's own limit.
        embeddings: every model whose vectors may be asked for.
        embedding_backend_of: makes the backend of one; called when its first vector has to be computed.
        clock: injected by tests.
        rng: of the waits' jitter; moves no result.
        secrets: texts (API keys) that no record and no error may hold.
        say: tells the user, from whatever thread, that the store is waited for.

    Raises:
        ConfigError: the URL is wrong, or `budget.usd` bounds a route without a price.
        StoreError: the store cannot be opened, or (at the end) not everything could be written.
    """
    # SQLAlchemy loads here, so that `venire --help` does not load it.
    from venire.llm.embedding_path import Embedder
    from venire.llm.embedding_paying import PayingTerms
    from venire.llm.gate import Gate
    from venire.llm.lanes import Lanes
    from venire.llm.limits import limiters
    from venire.llm.owner import Owner
    from venire.llm.sharing import Sharing
    from venire.llm.store import CallStore, open_engine
    from venire.llm.store.patience import Patience
    from venire.llm.store.writing import Terms
    from venire.llm.stored import StoredLLM

    check_budget(budget, [*routes, *(model.route for model in embeddings if model.route is not None)])
    scope = Scope(run_id, sweep_id)
    terms = Terms(Owner.here(), budget, scope, clock.wall)
    patience = Patience(settings.patience_s, say)
    # A job of a sweep waits for the store from the start: who launched the sweep has reached it.
    engine = patience.kept(lambda: open_engine(store_url)) if sweep_id else open_engine(store_url)
    store = CallStore(engine, terms, patience)
    sharing = Sharing(store.allot, clock) if settings.shared_limits else None
    paid = [*routes, *(model.route for model in embeddings if model.route is not None)]
    limiter_of = limiters(paid, clock, concurrency, sharing)
    lanes = Lanes(routes, backend_of, limiter_of)
    rng = rng if rng is not None else np.random.default_rng()
    gate = Gate()
    paying = PayingTerms(scope, budget, clock, rng, gate, secrets)
    make = embedding_backend_of or _no_backend
    embedder = Embedder(embeddings, make, store, mode=settings.mode, terms=paying, limiters=limiter_of)
    try:
        yield StoredLLM(
            store,
            lanes,
            mode=settings.mode,
            scope=scope,
            budget=budget,
            clock=clock,
            rng=rng,
            embedder=embedder,
            gate=gate,
            secrets=secrets,
        )
    finally:
        try:
            await lanes.aclose()
            await embedder.aclose()
            if sharing is not None:
                await sharing.aclose()
        finally:
            store.close()


def _no_backend(model: "EmbeddingModel") -> "EmbeddingBackend":
    raise ConfigError(f"embedding: {model.name} was opened without a backend")
