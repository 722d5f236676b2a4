"""The statements that every call needs, as the database's own driver takes them.

SQLAlchemy writes their text, once an opening; it is not in the way when they run, which would take five
times as long. All else that touches the store runs through SQLAlchemy.
"""

from collections.abc import Mapping, Sequence

import orjson
from sqlalchemy import (
    JSON,
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Table,
    Text,
    UpdateBase,
    bindparam,
    cast,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy.sql import Select

from venire.llm.store.codec import load_reply
from venire.llm.store.entries import StoredReply
from venire.llm.store.schema import attempts, intents, replies

Row = Mapping[str, object]
_KEYS: BindParameter[str] = bindparam("keys", type_=Text)


class Prepared:
    """The hot statements on one connection, inside of whatever transaction it is in.

    Errors are the driver's own: see `engine.database_errors`.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._cursor = connection.connection.cursor()
        self._find = self._text(
            select(replies.c.key, replies.c.kind, replies.c.reply).where(self._among(replies.c.key))
        )
        self._held = self._text(select(intents.c.key).where(self._among(intents.c.key)))
        self._let_go = self._text(
            delete(intents).where(self._among(intents.c.key), intents.c.owner == bindparam("owner"))
        )
        self._insert = {table: self._insertion(table) for table in (replies, intents, attempts)}

    def find(self, keys: Sequence[str]) -> dict[str, StoredReply]:
        """The stored replies among `keys`."""
        self._cursor.execute(self._find, {"keys": _listed(keys)})
        return {key: load_reply(reply, kind) for key, kind, reply in self._cursor.fetchall()}

    def held(self, keys: Sequence[str]) -> list[str]:
        """Those of `keys` that have an intent, whoever owns it."""
        self._cursor.execute(self._held, {"keys": _listed(keys)})
        return [key for (key,) in self._cursor.fetchall()]

    def let_go(self, keys: Sequence[str], owner: str) -> None:
        """Delete the intents of `owner` among `keys`."""
        self._cursor.execute(self._let_go, {"keys": _listed(keys), "owner": owner})

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Add `rows` to `replies`, `intents` or `attempts`."""
        self._cursor.executemany(self._insert[table], rows)

    def _among(self, column: Column[str]) -> ColumnElement[bool]:
        """That `column` is one of the JSON list `:keys`: one text, however many there are."""
        if self._connection.dialect.name == "sqlite":
            listed = func.json_each(_KEYS)
        else:
            listed = func.json_array_elements_text(cast(_KEYS, JSON))
        return column.in_(select(listed.table_valued("value").c.value))

    def _insertion(self, table: Table) -> str:
        given = [column.name for column in table.columns if column.autoincrement is not True]
        return self._text(insert(table).inline(), given)

    def _text(
        self, statement: Select[*tuple[object, ...]] | UpdateBase, given: Sequence[str] | None = None
    ) -> str:
        return str(statement.compile(dialect=self._connection.dialect, column_keys=given))


def _listed(keys: Sequence[str]) -> str:
    return orjson.dumps(keys).decode()
