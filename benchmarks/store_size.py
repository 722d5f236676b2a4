"""How much room a call takes in a store that is there, and how many tokens it took.

    python -m benchmarks.store_size --store sqlite:////abs/calls.db

Bytes are those of the whole database, indexes and ledger included, over its replies.
"""

import argparse
import os

from sqlalchemy import Connection, func, select, text

from venire.llm.store import open_engine
from venire.llm.store.schema import attempts, replies


def database_bytes(connection: Connection) -> int:
    """Of the whole database."""
    if connection.dialect.name == "sqlite":
        return os.path.getsize(str(connection.engine.url.database))
    return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", required=True, help="a SQLAlchemy URL")
    with open_engine(parser.parse_args().store).connect() as connection:
        count = connection.execute(select(func.count()).select_from(replies)).scalar_one()
        sizes = select(func.avg(func.length(replies.c.request)), func.avg(func.length(replies.c.reply)))
        request, reply = connection.execute(sizes).one()
        tokens = select(func.avg(attempts.c.input_tokens), func.avg(attempts.c.output_tokens))
        tokens_in, tokens_out = connection.execute(tokens).one()
        size = database_bytes(connection)
    print(
        f"{count} calls, {size / 1e6:.1f} MB: {size / count:.0f} bytes a call; of these {request:.0f} "
        f"characters of request and {reply:.0f} of reply; {tokens_in or 0:.0f} tokens in, "
        f"{tokens_out or 0:.0f} out"
    )


if __name__ == "__main__":
    main()
