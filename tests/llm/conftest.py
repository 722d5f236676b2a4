"""Fixtures for tests of the call path: a store of each kind."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store; PostgreSQL where VENIRE_TEST_POSTGRES names a server.

    A server that is named and does not answer is an error, not a skip: who names one wants it tested.
    """
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'calls.db'}"
        return
    server = os.environ.get("VENIRE_TEST_POSTGRES", "")
    if not server:
        pytest.skip("needs a PostgreSQL server: VENIRE_TEST_POSTGRES holds no SQLAlchemy URL")
    yield from _schema_of_its_own(server)


def _schema_of_its_own(server: str) -> Iterator[str]:
    from sqlalchemy import NullPool, create_engine, make_url, text

    schema = f"venire_{uuid.uuid4().hex[:12]}"
    engine = create_engine(server, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    try:
        url = make_url(server).update_query_dict({"options": f"-csearch_path={schema}"})
        yield url.render_as_string(hide_password=False)
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
