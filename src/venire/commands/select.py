"""`venire select`: from a finished grid to a configuration file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from venire.commands import exits
from venire.commands.selected import GROUP, STRONGEST
from venire.commands.table import runs_of, sweep_folder_of
from venire.errors import ConfigError, RunError
from venire.records import RunRecord
from venire.reporting.selection import Selection, judge_accuracies, select_best
from venire.reporting.table import Format
from venire.runs import find_run, read_record, write_atomically


def select(home: Path, sweep: str, *, name: str, judges: Sequence[str], out: Path | None) -> int:
    """Write the grid's best settings, and each panel's strongest judge, as `<out>/selected/<name>.yaml`.

    The table that led to them lies beside it. `venire run hydra.searchpath=[file://OUT] selected=NAME ...`
    (or `--config-dir OUT`) takes them; the last line is the file's path.

    Args:
        home: `VENIRE_HOME`.
        sweep: a sweep id, or the beginning of one.
        name: of the file, without ending.
        judges: runs whose judges' own accuracies say who is strongest on their panels; a panel without one:
            the grid's runs on it, if it has any.
        out: a folder of configuration files; None: `config/` of `home`.

    Raises:
        ConfigError: a name that is none.
        RunError: no such sweep or run, or nothing to choose from; see `select_best`.
    """
    if not name.replace("_", "").replace("-", "").isalnum():
        raise ConfigError(f"--name: expected letters, digits, '-' and '_', got {name!r}")
    folder = sweep_folder_of(home, sweep)
    records = [run.record for run in runs_of(folder, partial=False)]
    selection = select_best(records)
    by_panel = _panels(records) | _panels(_judges_of(home, judges, records))
    stem = (out or home / "config") / GROUP / name
    stem.parent.mkdir(parents=True, exist_ok=True)
    table = selection.table
    for form in (Format.MARKDOWN, Format.CSV):
        write_atomically(stem.with_name(f"{name}.{form}"), table.render(form))
    path = stem.with_name(f"{name}.yaml")
    write_atomically(path, config_file(folder.name, selection, by_panel))
    print(table.render(Format.TEXT))
    for panel, by_judge in by_panel.items():
        shown = ", ".join(f"{judge} {value:.3f}" for judge, value in by_judge.items())
        print(f"judges of {panel} alone: {shown}")
    print(path)
    return exits.OK


def _judges_of(home: Path, judges: Sequence[str], records: Sequence[RunRecord]) -> Sequence[RunRecord]:
    """The runs that measure judges alone: on the grid's own data, with a panel each."""
    measured = [read_record(find_run(home, run)) for run in judges]
    for run, record in zip(judges, measured, strict=True):
        if record.tags.get("data_fingerprint") != records[0].tags.get("data_fingerprint"):
            raise RunError(f"--judges: expected a run on the grid's data, {run} is on other data")
        if not _panels([record]):
            raise RunError(f"--judges: expected a run with a panel, {run} measured no judge of one")
    panels = [record.params["panel"] for record in measured]
    if len(set(panels)) < len(panels):
        raise RunError(f"--judges: expected one run a panel, got {', '.join(panels)}")
    return measured


def _panels(records: Sequence[RunRecord]) -> dict[str, dict[str, float]]:
    """By panel: each judge's own accuracy, means over the panel's runs, the highest first."""
    panels = sorted({record.params["panel"] for record in records if "panel" in record.params})
    measured = {
        panel: judge_accuracies([record for record in records if record.params.get("panel") == panel])
        for panel in panels
    }
    return {panel: by_judge for panel, by_judge in measured.items() if by_judge}


def config_file(sweep: str, selection: Selection, by_panel: Mapping[str, Mapping[str, float]]) -> str:
    """The text of a global configuration file with the chosen values; `selected.fit_selection` reads it."""
    document: dict[str, object] = {}
    for key, value in selection.best.values.items():
        if "." in key:  # a chosen panel is an option, not a value
            _put(document, key.split("."), yaml.safe_load(value))
    if by_panel:
        strongest = {panel: next(iter(by_judge)) for panel, by_judge in by_panel.items()}
        document[GROUP] = {STRONGEST: strongest}
    panel = selection.best.values.get("panel")
    defaults = {"defaults": [{"override /panel": panel}]} if panel else {}
    body = yaml.safe_dump({**defaults, **document}, sort_keys=False)
    accuracy = f"{selection.best.accuracy:.4f}"
    kinds = "" if "SIMULATED" not in " ".join(selection.table.footer) else " SIMULATED judges."
    # The package line must be the first one: hydra would else put the keys under the group's name.
    return (
        f"# @package _global_\n# Chosen by venire select from sweep {sweep}: accuracy {accuracy} on its "
        f"data.{kinds}\n{body}"
    )


def _put(document: dict[str, object], keys: Sequence[str], value: object) -> None:
    """Set a nested key."""
    for key in keys[:-1]:
        inner = document.setdefault(key, {})
        assert isinstance(inner, dict)
        document = inner
    document[keys[-1]] = value
