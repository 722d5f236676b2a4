"""Table specs: one file under `experiments/` a published or standing table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from venire.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Spec:
    """How a table comes about.

    Args:
        name: the file's path below `experiments/`, without ending.
        title: over the table.
        overrides: what to sweep, as given to `venire run`.
        backend: `simulated` for what any backend may run (a bare command spends nothing),
            `recorded` for tables of recorded judges.
        published: row label to metric to published figure.
        source: where the published figures stand.
        notes: sentences under the table.
    """

    name: str
    title: str
    overrides: tuple[str, ...]
    backend: str
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()


def specs_dir() -> Path:
    """The folder of specs: the installed package's, or the checkout's `experiments/`."""
    installed = Path(__file__).parents[1] / "experiments"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "experiments"


def list_specs() -> list[str]:
    """The names of all specs."""
    root = specs_dir()
    return sorted(str(path.relative_to(root).with_suffix("")) for path in root.rglob("*.yaml"))


def read_spec(name: str) -> Spec:
    """The spec called `name`.

    Raises:
        ConfigError: no such spec, or it breaks the format; names the file and the key.
    """
    path = specs_dir() / f"{name}.yaml"
    if not path.is_file():
        raise ConfigError(f"experiments: no spec {name!r}; there are {', '.join(list_specs()) or 'none'}")
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    known = {"title", "sweep", "backend", "published", "source", "notes"}
    if (
        not isinstance(fields, dict)
        or fields.keys() - known
        or not {"title", "sweep", "backend"} <= fields.keys()
    ):
        raise ConfigError(f"{path}: expected the keys title, sweep, backend (and {', '.join(sorted(known))})")
    if fields["backend"] not in ("simulated", "recorded"):
        raise ConfigError(f"{path}: backend: expected simulated or recorded, got {fields['backend']!r}")
    return Spec(
        name=name,
        title=str(fields["title"]),
        overrides=tuple(map(str, fields["sweep"])),
        backend=str(fields["backend"]),
        published={str(row): dict(values) for row, values in (fields.get("published") or {}).items()},
        source=str(fields.get("source", "")),
        notes=tuple(map(str, fields.get("notes", ()))),
    )
