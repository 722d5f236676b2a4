"""The durable call store: replies by content address, intents of what is in flight, and the ledger."""

from venire.llm.store.callstore import CallStore
from venire.llm.store.engine import open_engine
from venire.llm.store.entries import (
    Claimed,
    ClaimResult,
    Held,
    Intent,
    OverBudget,
    Settlement,
    StoredReply,
)

__all__ = [
    "CallStore",
    "ClaimResult",
    "Claimed",
    "Held",
    "Intent",
    "OverBudget",
    "Settlement",
    "StoredReply",
    "open_engine",
]
