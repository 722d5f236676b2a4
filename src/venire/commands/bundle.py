"""`venire bundle` and `venire replay`: runs into one archive, and everything that follows from it again."""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.bundles.archive import read_archive, write_archive
from venire.bundles.contents import BundledJob, BundledTable
from venire.bundles.packing import Order, Packing, pack
from venire.bundles.replaying import Report
from venire.bundles.replaying import replay as replay_archive
from venire.bundles.tables import member
from venire.commands import exits
from venire.commands.table import launches_of, sweep_folder_of
from venire.config import experiment_of_run
from venire.errors import BundleError, RunError
from venire.reporting.specs import list_specs, read_spec, specs_dir
from venire.reporting.table import TABLE_FORMS
from venire.runs import find_run, redact, secret_values
from venire.sweep import read_jobs, sweep_id


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asks `venire bundle` for."""

    names: tuple[str, ...]
    out: Path | None = None
    texts: bool = True
    store: str | None = None


def bundle(home: Path, wanted: Wanted) -> int:
    """Write a bundle, replay it at once, and print what came of it; 1 where it is not equal to itself.

    Raises:
        BundleError, RunError: there are no such runs, or they cannot be bundled here.
    """
    order, folder = _order(home, wanted.names)
    packing = Packing(home, experiment_of_run, os.environ, wanted.texts, wanted.store, _say)
    contents, files = pack(order, packing)
    out = wanted.out or home / "bundles" / f"{order.name}.zip"
    out.parent.mkdir(parents=True, exist_ok=True)
    write_archive(out, contents.as_manifest(), files)
    for table in contents.tables:
        _say_older(table, files, folder)
    status = replay(out, None)
    print(out)
    return status


def replay(path: Path, out: Path | None) -> int:
    """Re-derive a bundle, below the new folder `out` if there is one; 1 where something differs.

    Raises:
        BundleError: the file is damaged or was changed, or `out` holds something.
    """
    archive = read_archive(path)
    if out is not None and out.exists() and any(out.iterdir()):
        raise BundleError(f"--out {out}: expected a new or an empty folder")
    with tempfile.TemporaryDirectory(prefix="venire-replay-") as scratch:
        report = replay_archive(archive, out or Path(scratch), experiment_of_run, _say)
    _print(report)
    if out is not None:
        print(out)
    return exits.OK if report.is_equal else exits.FAILED


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _print(report: Report) -> None:
    contents = report.contents
    kinds = "with data and replies" if contents.texts else "without texts"
    print(f"bundle {contents.name}: {len(contents.runs)} runs, {kinds}; manifest SHA-256 {report.digest}")
    for part in report.parts:
        print(f"{'differs' if part.differences else 'equal'}: {part.name} ({part.derived})")
        for difference in part.differences:
            print(f"  {difference}")
    for note in report.notes:
        print(f"note: {note}")
    different = sum(bool(part.differences) for part in report.parts)
    print(
        f"{different} of {len(report.parts)} runs and tables differ"
        if different
        else f"all {len(report.parts)} runs and tables are equal, bit for bit"
    )


def _order(home: Path, names: Sequence[str]) -> tuple[Order, Path | None]:
    """The sweep that the one name means, with its folder; else the runs that the names mean."""
    sweep = _sweep(home, names[0]) if len(names) == 1 else None
    if sweep is not None:
        return _sweep_order(sweep), sweep
    folders = tuple(dict.fromkeys(find_run(home, name) for name in names))
    name = folders[0].name if len(folders) == 1 else f"{len(folders)}-runs-{folders[0].name}"
    return Order(name, folders, tables=(BundledTable("runs", "bundled runs"),)), None


def _sweep(home: Path, name: str) -> Path | None:
    if name in list_specs():
        spec = read_spec(name)
        folders = [home / "sweeps" / sweep_id(launch) for launch in launches_of(spec.overrides)]
        found = next((folder for folder in folders if read_jobs(folder)), None)
        if found is None:
            raise RunError(f"bundle {name}: no runs yet; `venire reproduce {name}` makes them")
        return found
    known = [path for path in (home / "sweeps").glob("*") if name and path.name.startswith(name)]
    return sweep_folder_of(home, name) if known else None


def _sweep_order(folder: Path) -> Order:
    jobs = read_jobs(folder)
    secrets = secret_values(os.environ)
    bundled = tuple(
        BundledJob(
            job.number,
            tuple(redact(each, secrets) for each in job.overrides),
            str(job.status),
            Path(job.folder).name if job.folder else "",
            redact(job.error, secrets),
        )
        for job in jobs
    )
    tables = [BundledTable("table", f"sweep {folder.name}")] if any(job.folder for job in jobs) else []
    specs: dict[str, bytes] = {}
    for name in list_specs():
        published = folder / f"{name.rpartition('/')[2]}.md"
        spec = read_spec(name)
        if published.is_file() and spec.title in published.read_text(encoding="utf-8").partition("\n")[0]:
            specs[f"specs/{name}.yaml"] = (specs_dir() / f"{name}.yaml").read_bytes()
            command = re.findall(r"^Command: .*$", published.read_text(encoding="utf-8"), re.MULTILINE)
            tables.append(BundledTable(published.stem, name, f"specs/{name}.yaml", tuple(command[-1:])))
    folders = tuple(dict.fromkeys(Path(job.folder) for job in jobs if job.folder))
    if not folders:
        raise RunError(f"bundle {folder.name}: none of its {len(jobs)} jobs left a run")
    return Order(folder.name, folders, bundled, tuple(tables), specs)


def _say_older(table: BundledTable, files: dict[str, bytes], folder: Path | None) -> None:
    """Say where the sweep's folder holds another table than its runs give today."""
    for form in TABLE_FORMS if folder is not None else ():
        path = folder / f"{table.name}.{form}" if folder is not None else Path()
        if path.is_file() and path.read_bytes() != files[member(table, str(form))]:
            _say(f"warning: {path}: not what its runs give today; the bundle holds what they give")
