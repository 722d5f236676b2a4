"""Table specs: one file under `experiments/` a published or standing table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from venire.errors import ConfigError
from venire.metrics.headline import Headline
from venire.stats.multiple import Correction

# Kinds of plots that a spec may name; `reporting.spec_plots` draws them.
PLOTS = ("curve", "pareto", "bars", "forest", "confusion", "correlation")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table that a spec lays out.

    `match` holds the params, with their values, by which a run belongs to it; `block` is the title of
    the rows that it stands among.
    """

    label: str
    match: Mapping[str, str]
    block: str = ""


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
        rows: in the order shown; empty: a row an arm, as in any sweep's table.
        baseline: with rows, the params of the row that others on the same data are compared with.
        plots: what to draw beside the table; see `PLOTS`.
        columns: metrics to show, by title: with rows, in the place of the usual ones; without, beside them.
            With rows and a baseline, a column tells the difference to the row of that block.
        groups: labels of rows that are followed by their stakeholder groups, before and after debate.
        correction: of the p values of the table's differences, all together.
    """

    name: str
    title: str
    overrides: tuple[str, ...]
    backend: str
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    baseline: Mapping[str, str] = field(default_factory=dict)
    plots: tuple[str, ...] = ()
    columns: tuple[Headline, ...] = ()
    groups: tuple[str, ...] = ()
    correction: Correction = Correction.HOLM


def specs_dir() -> Path:
    """The folder of specs: the installed package's, or the checkout's `experiments/`."""
    installed = Path(__file__).parents[1] / "experiments"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "experiments"


def list_specs(root: Path | None = None) -> list[str]:
    """The names of all specs below `root` (default: `specs_dir()`)."""
    folder = root or specs_dir()
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.yaml"))


def read_spec(name: str, root: Path | None = None) -> Spec:
    """The spec called `name` below `root` (default: `specs_dir()`).

    Raises:
        ConfigError: no such spec, or it breaks the format; names the file and the key.
    """
    path = (root or specs_dir()) / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(list_specs(root)) or "none"
        raise ConfigError(f"experiments: no spec {name!r}; there are {known}")
    fields = _fields(path)
    backend = fields["backend"]
    if backend not in ("simulated", "recorded"):
        raise ConfigError(f"{path}: backend: expected simulated or recorded, got {backend!r}")
    rows = _rows(fields.get("rows") or {}, f"{path}: rows")
    published = _figures(fields.get("published") or {}, f"{path}: published")
    groups = _texts(fields.get("groups") or [], f"{path}: groups")
    _check_labels(rows, published, f"{path}: published")
    _check_labels(rows, groups, f"{path}: groups")
    return Spec(
        name=name,
        title=str(fields["title"]),
        overrides=_texts(fields["sweep"], f"{path}: sweep"),
        backend=str(backend),
        published=published,
        source=str(fields.get("source") or ""),
        notes=_texts(fields.get("notes") or [], f"{path}: notes"),
        rows=rows,
        baseline=_params(fields.get("baseline") or {}, f"{path}: baseline"),
        plots=_plots(fields.get("plots") or [], f"{path}: plots"),
        columns=tuple(
            Headline(metric, title)
            for title, metric in _params(fields.get("columns") or {}, f"{path}: columns").items()
        ),
        groups=groups,
        correction=_correction(fields.get("correction", Correction.HOLM.value), f"{path}: correction"),
    )


_NEEDED = ("title", "sweep", "backend")
_OPTIONAL = (
    *("published", "source", "notes", "rows", "baseline", "plots", "columns", "groups"),
    "correction",
)


def _fields(path: Path) -> Mapping[str, object]:
    try:
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: expected YAML, got {error}") from None
    if not isinstance(fields, dict):
        raise ConfigError(f"{path}: expected a mapping of keys, got {type(fields).__name__}")
    unknown = sorted(str(key) for key in fields if key not in (*_NEEDED, *_OPTIONAL))
    missing = [key for key in _NEEDED if fields.get(key) is None]
    if unknown or missing:
        fault = f"{unknown[0]}: unknown key" if unknown else f"{missing[0]}: missing"
        raise ConfigError(
            f"{path}: {fault}; expected {', '.join(_NEEDED)} and perhaps {', '.join(_OPTIONAL)}"
        )
    return fields


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where}: expected a list of texts, got {value!r}")
    return tuple(value)


def _figures(value: object, where: str) -> dict[str, dict[str, float]]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: expected a mapping of rows, got {value!r}")
    return {str(row): _numbers(figures, f"{where}.{row}") for row, figures in value.items()}


def _numbers(value: object, where: str) -> dict[str, float]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: expected metrics with numbers, got {value!r}")
    for metric, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ConfigError(f"{where}.{metric}: expected a number, got {number!r}")
    return {str(metric): float(number) for metric, number in value.items()}


def _rows(value: object, where: str) -> tuple[Row, ...]:
    """Rows from a mapping of blocks to labels to params."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: expected a mapping of blocks to rows, got {value!r}")
    rows = []
    for block, members in value.items():
        if not isinstance(members, dict):
            raise ConfigError(f"{where}.{block}: expected a mapping of rows to params, got {members!r}")
        rows += [
            Row(str(label), _params(match, f"{where}.{block}.{label}"), str(block))
            for label, match in members.items()
        ]
    labels = [row.label for row in rows]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ConfigError(f"{where}: expected labels that differ, got {twice[0]!r} twice")
    return tuple(rows)


def _params(value: object, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str | int | float) for item in value.values()):
        raise ConfigError(f"{where}: expected params with their values, got {value!r}")
    return {str(key): str(item) for key, item in value.items()}


def _correction(value: object, where: str) -> Correction:
    if value not in list(Correction):
        raise ConfigError(f"{where}: expected one of {', '.join(Correction)}, got {value!r}")
    return Correction(str(value))


def _check_labels(rows: tuple[Row, ...], named: Iterable[str], where: str) -> None:
    """A figure whose row has another name would silently be shown nowhere."""
    unknown = sorted(set(named) - {row.label for row in rows})
    if rows and unknown:
        raise ConfigError(
            f"{where}.{unknown[0]}: no such row; expected one of {', '.join(row.label for row in rows)}"
        )


def _plots(value: object, where: str) -> tuple[str, ...]:
    plots = _texts(value, where)
    for plot in plots:
        if plot not in PLOTS:
            raise ConfigError(f"{where}: expected some of {', '.join(PLOTS)}, got {plot!r}")
    return plots
