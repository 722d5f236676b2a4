"""Entries of a call store as lines of text, and such lines as a store that can be replayed from."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sqlalchemy import Engine, Table, select

from venire.errors import BundleError, StoreError
from venire.llm.key import key_of
from venire.llm.store import open_engine
from venire.llm.store.engine import writing
from venire.llm.store.schema import replies, vectors
from venire.llm.store.vectors import in_groups
from venire.runs import redact
from venire.runs.strict_json import dumps

Row = Mapping[str, object]


def rows_of(engine: Engine, table: Table, keys: Sequence[str]) -> list[dict[str, object]]:
    """The rows of `table` under `keys`, in the order of their keys; those that it lacks are left out.

    When and by which run they were stored is left out, passwords in addresses are hidden.
    """
    found: list[dict[str, object]] = []
    with engine.connect() as connection:
        for group in in_groups(sorted(set(keys))):
            rows = connection.execute(select(table).where(table.c.key.in_(group))).mappings()
            found += [{name: _hidden(value) for name, value in row.items()} for row in rows]
    return sorted(
        ({**row, "created_at": 0.0, "run_id": ""} for row in found), key=lambda row: str(row["key"])
    )


def _hidden(value: object) -> object:
    return redact(value, ()) if isinstance(value, str) else value


def lines_of(rows: Iterable[Row]) -> bytes:
    """A JSON object a line."""
    texts = []
    for row in rows:
        plain = {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in row.items()
        }
        texts.append(dumps(plain) + "\n")
    return "".join(texts).encode("utf-8", "surrogatepass")


def rows_from(content: bytes, where: str) -> list[dict[str, object]]:
    """The rows that `lines_of` wrote.

    Raises:
        BundleError: they are none.
    """
    try:
        rows = [json.loads(line) for line in content.decode("utf-8", "surrogatepass").split("\n") if line]
        for row in rows:
            if "vector" in row:
                row["vector"] = base64.b64decode(row["vector"], validate=True)
    except (ValueError, TypeError) as error:
        raise BundleError(f"{where}: not the entries of a call store: {error}") from error
    return rows


def fill_store(home: Path, table: Table, rows: Sequence[Row]) -> Engine:
    """The call store of the folder `home`, with `rows` in it.

    Replies are stored under the key of their request as it stands in `rows`: where a password was hidden
    in it, that of the configuration in which it was hidden, too.

    Raises:
        BundleError: a row is none of this table's.
    """
    engine = open_engine(f"sqlite:///{home.absolute() / 'calls.db'}")
    try:
        ready = [{**row, "key": stored_key(row)} for row in rows]
        if any(set(row) != {column.name for column in table.columns} for row in ready):
            raise BundleError(f"{table.name}: expected rows of {', '.join(c.name for c in table.columns)}")
        with engine.connect() as connection, writing(connection):
            if ready:
                connection.execute(table.insert(), ready)
    except StoreError:
        engine.dispose()
        raise
    return engine


def stored_key(row: Row) -> str:
    """The key of a row's own request; of a vector, the one that it has."""
    request = row.get("request")
    return key_of(request) if isinstance(request, str) else str(row["key"])


TABLES = {"replies": replies, "vectors": vectors}
