"""The store as the call path uses it: look up, claim, settle."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import cast

from sqlalchemy import Engine

from venire.llm.store.entries import ClaimResult, Intent, Settlement, StoredReply
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
    """One opening of the store: a thread that writes, one that reads replies, one that reads vectors.

    They work in groups, and start when they have something to do.

    Writes are done in the order in which they were submitted. Must be made inside of a running loop.
    """

    def __init__(self, engine: Engine, terms: Terms) -> None:
        self._engine = engine
        self._reader: Worker[str, StoredReply | None] = Worker(
            "venire-store-reader", lambda: Reader(engine), group=READ_GROUP
        )
        self._vectors: Worker[Sequence[str], Mapping[str, StoredVector]] = Worker(
            "venire-store-vectors", lambda: VectorReader(engine), group=VECTOR_LOOK_UPS
        )
        self._writer: Worker[Write, Written] = Worker(
            "venire-store-writer", lambda: Writer(engine, terms), group=WRITE_GROUP
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
            self._engine.dispose()
