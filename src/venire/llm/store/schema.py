"""The store's tables. The ledger is append-only; nothing here holds a key or a header."""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION = 1

metadata = MetaData()

store_info = Table(
    "venire_store",
    metadata,
    Column("schema_version", Integer, primary_key=True),
)

# One row a key: `request` is what the key hashes (key.canonical), `reply` is codec.dump_reply.
replies = Table(
    "replies",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("model", Text, nullable=False),  # as returned
    Column("finish", String(16), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("reply", Text, nullable=False),
)

# One row a text and model: `key` is embedding.text_key, `vector` float32 in little-endian order.
vectors = Table(
    "vectors",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("model", Text, nullable=False),  # as returned
    Column("created_at", Double, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("input_tokens", BigInteger),  # the text's share of its request
    Column("cost_usd", Double),
    Column("usage_complete", Integer, nullable=False),
    Column("cost_complete", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
)

# One row an attempt in flight, committed before it is sent, deleted with its result.
intents = Table(
    "intents",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("owner", Text, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("sweep_id", Text, nullable=False),  # empty outside of a sweep
    Column("stage", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("model", Text, nullable=False),  # as asked
    Column("kind", String(16), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("worst_usd", Double, nullable=False),
    Column("worst_tokens", BigInteger, nullable=False),
)

# One row an attempt that ended, however it ended.
attempts = Table(
    "attempts",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("run_id", Text, nullable=False),
    Column("sweep_id", Text, nullable=False),
    Column("stage", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("ends_call", Integer, nullable=False),  # 0 where the call is tried again
    Column("day", Integer, nullable=False),  # UTC days since the epoch
    Column("started_at", Double, nullable=False),
    Column("latency_s", Double, nullable=False),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("cached_tokens", BigInteger),
    Column("reasoning_tokens", BigInteger),
    Column("cost_usd", Double),
    Column("worst_usd", Double, nullable=False),  # what was reserved: counts where the cost is unknown
    Column("worst_tokens", BigInteger, nullable=False),
    Column("detail", Text, nullable=False),
    sqlite_autoincrement=True,  # ids only grow: sums over the ledger go on where they stopped
)

# One row a process that takes part in a provider's limits; see allotting.py.
limit_members = Table(
    "limit_members",
    metadata,
    Column("provider", String(200), primary_key=True),
    Column("owner", String(400), primary_key=True),
    Column("held", Integer, nullable=False),  # slots that are its own
    Column("wanted", Integer, nullable=False),
    Column("least_requests", BigInteger, nullable=False),  # 0: none waits for the minute's limit
    Column("least_tokens", BigInteger, nullable=False),
    Column("expires_at", Double, nullable=False),  # by the database's clock
)

# One row a part of a minute's limit that was handed out.
limit_grants = Table(
    "limit_grants",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("provider", String(200), nullable=False),
    Column("owner", String(400), nullable=False),
    Column("kind", String(16), nullable=False),  # requests or tokens
    Column("granted_at", Double, nullable=False),  # by the database's clock
    Column("amount", BigInteger, nullable=False),  # less what was given back
    sqlite_autoincrement=True,
)

Index("attempts_by_sweep", attempts.c.sweep_id, attempts.c.id)
