"""`venire table`: finished runs as a table."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from venire.errors import RunError
from venire.records import RunRecord, RunStatus
from venire.reporting.pairing import Run, read_run
from venire.reporting.runs_table import runs_table
from venire.reporting.spec_any import table_of
from venire.reporting.specs import Spec, list_specs, read_spec
from venire.reporting.sweep_table import sweep_table
from venire.reporting.table import Format, Table
from venire.runs import list_runs, read_record
from venire.stats.multiple import Correction
from venire.sweep import as_asked, read_jobs, sweep_id


def table(home: Path, name: str, form: str, *, partial: bool, correction: str | None = None) -> int:
    """Print the table called `name`: a spec, a sweep, or `all` runs."""
    print(named_table(home, name, partial=partial, correction=correction).render(Format(form)), end="")
    return 0


def named_table(
    home: Path,
    name: str,
    *,
    partial: bool,
    launched: Sequence[str] | None = None,
    correction: str | None = None,
) -> Table:
    """The table of a spec's sweep, of a sweep id (or its beginning), or of `all` runs.

    Args:
        home: `VENIRE_HOME`.
        name: of a spec, a sweep, or `all`.
        partial: let in runs that stopped early.
        launched: the overrides with which the spec's sweep was launched; None finds the sweep that
            the spec alone makes, on whatever backend.
        correction: of the differences' p values; None takes the spec's, or Holm's.

    Raises:
        RunError: there are no such runs yet, or a run stopped early and `partial` is false.
    """
    if name == "all":
        records = _admitted([read_record(folder) for folder in list_runs(home)], partial, lambda each: each)
        return runs_table("all runs", records)
    if name in list_specs():
        spec = read_spec(name)
        folder = _spec_folder(home, spec, launches_of(spec.overrides) if launched is None else [launched])
        chosen = Correction(correction) if correction else spec.correction
        return table_of(replace(spec, correction=chosen), runs_of(folder, partial))
    runs = runs_of(sweep_folder_of(home, name), partial)
    return sweep_table(f"sweep {name}", runs, correction=Correction(correction or Correction.HOLM))


def runs_named(home: Path, name: str, *, partial: bool) -> list[Run]:
    """The runs of a spec's sweep, of a sweep id (or its beginning), or `all`.

    Raises:
        RunError: as `named_table`.
    """
    if name == "all":
        return _admitted([read_run(folder) for folder in list_runs(home)], partial, lambda run: run.record)
    if name in list_specs():
        spec = read_spec(name)
        return runs_of(_spec_folder(home, spec, launches_of(spec.overrides)), partial)
    return runs_of(sweep_folder_of(home, name), partial)


def _spec_folder(home: Path, spec: Spec, launches: Sequence[Sequence[str]]) -> Path:
    """The folder of the first sweep of `launches` that has jobs."""
    folders = [home / "sweeps" / sweep_id(overrides) for overrides in launches]
    folder = next((folder for folder in folders if read_jobs(folder)), None)
    if folder is None:
        raise RunError(f"table {spec.name}: no runs yet; `venire reproduce {spec.name}` makes them")
    return folder


def launches_of(overrides: Sequence[str]) -> Sequence[Sequence[str]]:
    """How a spec's sweep may have been launched: as it stands, or by `reproduce` with a backend."""
    return [overrides, *([*overrides, f"backend={kind}"] for kind in ("simulated", "live", "local"))]


def sweep_folder_of(home: Path, name: str) -> Path:
    """The folder of the sweep whose id begins with `name`.

    Raises:
        RunError: there is none, or several.
    """
    found = [path for path in sorted((home / "sweeps").glob("*")) if path.name.startswith(name)]
    if len(found) != 1:
        known = ", ".join(path.name for path in sorted((home / "sweeps").glob("*"))) or "none"
        raise RunError(
            f"table: expected a spec ({', '.join(list_specs())}), 'all', or the beginning of one sweep "
            f"({known}); got {name!r}"
        )
    return found[0]


def runs_of(folder: Path, partial: bool) -> list[Run]:
    """The runs of the sweep in `folder`; those that stopped early only with `partial`.

    Raises:
        RunError: there is none.
    """
    jobs = [(read_run(Path(job.folder)), job) for job in read_jobs(folder) if job.folder]
    runs = [replace(run, record=as_asked(run.record, job)) for run, job in jobs]
    return _admitted(runs, partial, lambda run: run.record)


Listed = TypeVar("Listed")


def _admitted(
    runs: Sequence[Listed], partial: bool, record_of: Callable[[Listed], RunRecord]
) -> list[Listed]:
    if partial:
        return list(runs)
    finished = [run for run in runs if record_of(run).status is RunStatus.FINISHED]
    if len(finished) < len(runs):
        left = len(runs) - len(finished)
        print(
            f"{left} runs stopped early or failed and are left out; --partial lets them in", file=sys.stderr
        )
    if not finished:
        raise RunError("table: no finished run; `venire run` makes one, --partial lets stopped ones in")
    return finished
