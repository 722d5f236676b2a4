"""Look-ups by key, many at once."""

from collections.abc import Sequence

from sqlalchemy import Connection, Engine, bindparam, select
from sqlalchemy.exc import SQLAlchemyError

from venire.errors import StoreError
from venire.llm.store.codec import load_reply
from venire.llm.store.engine import cause, shown
from venire.llm.store.entries import StoredReply
from venire.llm.store.schema import replies

GROUP = 500  # SQLite's default bound on parameters is 999 in old builds

_SELECT = select(replies.c.key, replies.c.kind, replies.c.reply).where(
    replies.c.key.in_(bindparam("keys", expanding=True))
)


class Reader:
    """Answers groups of at most `GROUP` keys; each sees what was committed before it."""

    def __init__(self, engine: Engine) -> None:
        self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def __call__(self, keys: Sequence[str]) -> Sequence[StoredReply | None]:
        """The stored reply of each key, or None."""
        try:
            found = find(self._connection, keys)
        except SQLAlchemyError as error:
            raise StoreError(
                f"call store {shown(self._connection.engine)}: cannot be read: {cause(error)}"
            ) from error
        return [found.get(key) for key in keys]

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()


def find(connection: Connection, keys: Sequence[str]) -> dict[str, StoredReply]:
    """The stored replies of at most `GROUP` keys."""
    rows = connection.execute(_SELECT, {"keys": keys})
    return {key: load_reply(reply, kind) for key, kind, reply in rows}
