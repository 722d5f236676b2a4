"""Look-ups by key, many at once."""

from collections.abc import Sequence

from sqlalchemy import Engine

from venire.llm.store.engine import broken, connected, database_errors
from venire.llm.store.entries import StoredReply
from venire.llm.store.prepared import Prepared

GROUP = 500


class Reader:
    """Answers groups of at most `GROUP` keys; each sees what was committed before it."""

    def __init__(self, engine: Engine) -> None:
        self._connection = connected(engine).execution_options(isolation_level="AUTOCOMMIT")
        self._errors = database_errors(engine)
        self._prepared = Prepared(self._connection)

    def __call__(self, keys: Sequence[str]) -> Sequence[StoredReply | None]:
        """The stored reply of each key, or None."""
        try:
            found = self._prepared.find(keys)
        except self._errors as error:
            raise broken(self._connection, "cannot be read", error) from error
        return [found.get(key) for key in keys]

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()
