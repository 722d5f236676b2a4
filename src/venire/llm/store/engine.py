"""Opening the store's database: SQLite (WAL, durable commits) by default, PostgreSQL by URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection as SQLiteConnection
from sqlite3 import DatabaseError as SQLiteDatabaseError

from filelock import FileLock
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    NullPool,
    create_engine,
    event,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from venire.errors import ConfigError, StoreError
from venire.llm.store.schema import SCHEMA_VERSION, limit_grants, limit_members, metadata, store_info, vectors

_BUSY_S = 60.0
# Any constant will do; it names venire's writers among the database's advisory locks.
_ADVISORY_LOCK = 0x76656E697265


def open_engine(url: str) -> Engine:
    """An engine on the store at `url`, whose tables exist: made under a lock where they did not.

    Transactions of `writing(engine)` are serialised over all processes.

    Raises:
        ConfigError: `url` is no SQLite or PostgreSQL URL.
        StoreError: the database cannot be opened, or is of another version.
    """
    engine = _engine(url)
    try:
        with _creation_lock(engine), engine.connect() as connection:
            _prepare(connection)
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"call store {shown(engine)}: cannot be opened: {cause(error)}") from error
    return engine


def database_errors(engine: Engine) -> tuple[type[Exception], ...]:
    """What SQLAlchemy and the driver below it raise."""
    return SQLAlchemyError, engine.dialect.loaded_dbapi.Error


def shown(engine: Engine) -> str:
    """The store's URL without its password."""
    return engine.url.render_as_string(hide_password=True)


def connected(engine: Engine) -> Connection:
    """A connection of one's own.

    Raises:
        StoreError: the database cannot be reached.
    """
    try:
        return engine.connect()
    except SQLAlchemyError as error:
        raise StoreError(f"call store {shown(engine)}: cannot be reached: {cause(error)}") from error


def broken(connection: Connection, what: str, error: Exception) -> StoreError:
    """The error to raise where the database raised `error`; `connection` is of no use any more."""
    if not connection.closed:
        connection.invalidate(error)
    return StoreError(f"call store {shown(connection.engine)}: {what}: {cause(error)}")


@contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """A durable transaction that excludes every other writer."""
    with connection.begin():
        if connection.dialect.name == "sqlite":
            # pysqlite begins nothing by itself here (see _on_connect): SQLAlchemy's begin sent nothing.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
        yield


def parsed_url(url: str) -> URL:
    """`url` in its parts.

    Raises:
        ConfigError: it has none.
    """
    try:
        return make_url(url)
    except ArgumentError as error:
        raise ConfigError(
            f"llm.store: expected a SQLAlchemy URL, got one that it refuses: {error}"
        ) from error
    except ValueError:  # not quoted: after a stray slash or colon it may be a part of the password
        raise ConfigError(
            "llm.store: expected a number as the port of the SQLAlchemy URL, got something else"
        ) from None


def exists(url: str) -> bool:
    """Whether `url` names a server, or a file that is there: opening it makes one that is not."""
    parsed = parsed_url(url)
    return parsed.get_backend_name() != "sqlite" or Path(str(parsed.database)).is_file()


def _engine(url: str) -> Engine:
    parsed = parsed_url(url)
    try:
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise ConfigError(f"llm.store: expected a sqlite or postgresql URL, got {parsed.drivername}")
        if parsed.get_backend_name() == "sqlite":
            if parsed.database in (None, "", ":memory:"):
                raise ConfigError(
                    "llm.store: expected a file (sqlite:////abs/calls.db), got a memory database"
                )
            engine = create_engine(
                parsed, poolclass=NullPool, paramstyle="named", connect_args={"timeout": _BUSY_S}
            )
            event.listen(engine, "connect", _on_connect)
            return engine
        return create_engine(parsed, poolclass=NullPool)
    except (ArgumentError, NoSuchModuleError) as error:
        raise ConfigError(
            f"llm.store: expected a SQLAlchemy URL, got one that it refuses: {error}"
        ) from error
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"llm.store: needs the package {error.name}; install the extra `postgres` and "
            "begin the URL with postgresql+psycopg://"
        ) from error


def _on_connect(connection: SQLiteConnection, _record: object) -> None:
    connection.isolation_level = None  # BEGIN is ours to send: pysqlite's own takes the lock too late
    connection.execute("PRAGMA synchronous=FULL")  # a commit survives a power cut, not only a crash


@contextmanager
def _creation_lock(engine: Engine) -> Iterator[None]:
    if engine.dialect.name != "sqlite":
        yield  # an advisory lock, taken in the transaction that creates
        return
    path = Path(str(engine.url.database))
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock", timeout=_BUSY_S):
        yield


def _prepare(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.rollback()
    tables = inspect(connection).get_table_names()
    # The others came later, and change nothing else.
    if not {each.name for each in (store_info, vectors, limit_members, limit_grants)} <= set(tables):
        connection.rollback()
        with writing(connection):
            metadata.create_all(connection)
            if connection.execute(select(store_info)).first() is None:
                connection.execute(store_info.insert(), {"schema_version": SCHEMA_VERSION})
    version = connection.execute(select(store_info.c.schema_version)).scalar_one()
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"call store {shown(connection.engine)}: expected schema version {SCHEMA_VERSION}, "
            f"got {version}; use the venire that wrote it, or another llm.store"
        )


def cause(error: Exception) -> str:
    """What the database said, without the statement and its parameters (which hold whole prompts)."""
    said = getattr(error, "orig", None) or error
    if type(said) is SQLiteDatabaseError:  # no subclass: not a database, or a damaged one
        return f"{said}; move the file away (what is in it will be paid again), or name another llm.store"
    return str(said)
