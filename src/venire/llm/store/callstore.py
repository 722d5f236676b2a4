"""The store as the call path uses it: look up, claim, settle."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import cast

from sqlalchemy import Engine

from venire.llm.store.allotting import GROUP as ALLOT_GROUP
from venire.llm.store.allotting import Allotment, Allotter, Wish
from venire.llm.store.entries import ClaimResult, Intent, Settlement, StoredReply
from venire.llm.store.patience import Patience
from venire.llm.store.reading import GROUP as READ_GROUP
from venire.llm.store.reading import Reader
from venire.llm.store.vectors import (
    BatchClaim,
    BatchIntent,
    BatchSettlement,
    Computed,
    StoredVector,
    VectorReader,
)
from venire.llm.store.worker import Worker
from venire.llm.store.writing import GROUP as WRITE_GROUP
from venire.llm.store.writing import Terms, Write, Writer, Written

VECTOR_LOOK_UPS = 32


class CallStore:
    """One opening of the store: a thread each that writes, reads replies, reads vectors, asks for limits.

    They work in groups, and start when they have something to do.

    Writes are done in the order in which they were submitted. Must be made inside of a running loop.
    """

    def __init__(self, engine: Engine, terms: Terms, patience: Patience | None = None) -> None:
        self._engine = engine
        patience = patience or Patience(0.0)
        self._reader: Worker[str, StoredReply | None] = Worker(
            "venire-store-reader", patience.lasting(lambda: Reader(engine)), group=READ_GROUP
        )
        self._vectors: Worker[Sequence[str], Mapping[str, StoredVector]] = Worker(
            "venire-store-vectors", patience.lasting(lambda: VectorReader(engine)), group=VECTOR_LOOK_UPS
        )
        self._writer: Worker[Write, Written] = Worker(
            "venire-store-writer",
            patience.lasting(lambda: Writer(engine, terms), lambda: Writer(engine, terms, again=True)),
            group=WRITE_GROUP,
        )
        self._allotter: Worker[Wish, Allotment] = Worker(
            "venire-store-limits", patience.lasting(lambda: Allotter(engine, terms.owner)), group=ALLOT_GROUP
        )

    def find(self, key: str) -> Awaitable[StoredReply | None]:
        """The reply under `key`, if it is stored."""
        return self._reader.submit(key)

    def claim(self, intent: Intent) -> Awaitable[ClaimResult]:
        """Whether `intent` may be sent; granted, it is durable before the answer."""
        return cast(asyncio.Future[ClaimResult], self._writer.submit(intent))

    def settle(self, settlement: Settlement) -> Awaitable[StoredReply | None]:
        """Write how an intent ended; done even where nobody waits.

        The answer comes once it is durable: the reply that another process stored first, or None.
        """
        return cast(asyncio.Future[StoredReply | None], self._writer.submit(settlement))

    def find_vectors(self, keys: Sequence[str]) -> Awaitable[Mapping[str, StoredVector]]:
        """The stored vectors among `keys`."""
        return self._vectors.submit(keys)

    def claim_batch(self, batch: BatchIntent) -> Awaitable[BatchClaim]:
        """Which texts of `batch` may be sent; granted, they are durable before the answer."""
        return cast(asyncio.Future[BatchClaim], self._writer.submit(batch))

    def settle_batch(self, settlement: BatchSettlement) -> Awaitable[Mapping[str, StoredVector]]:
        """Write how a batch ended; done even where nobody waits.

        The answer comes once it is durable: the vectors that another process stored first.
        """
        return cast(asyncio.Future[Mapping[str, StoredVector]], self._writer.submit(settlement))

    def keep(self, computed: Computed) -> None:
        """Write vectors that were computed here, at some time before `close` is done."""
        self._writer.submit(computed)

    def allot(self, wish: Wish) -> Awaitable[Allotment]:
        """What of a provider's limits is this process's, by what it and all others wish."""
        return self._allotter.submit(wish)

    def close(self) -> None:
        """Write what was submitted, and let go.

        Blocks for as long as that takes, on purpose: a cancelled run must not lose paid replies.

        Raises:
            StoreError: something could not be written.
        """
        try:
            self._writer.close()
        finally:
            self._reader.close()
            self._vectors.close()
            self._allotter.close()
            self._engine.dispose()
