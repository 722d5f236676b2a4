"""A bundle back to its runs and tables, and what of it is not as it says."""

import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from venire.bundles.archive import Archive
from venire.bundles.contents import (
    DEVELOPMENT,
    REPLIES,
    VECTORS,
    BundledRun,
    Contents,
    contents_of,
    versions_here,
)
from venire.bundles.deriving import as_filed, judge_again, write_derived
from venire.bundles.differing import call_differences, record_differences, run_differences
from venire.bundles.entries import TABLES, Row, fill_store, rows_from, stored_key
from venire.bundles.from_bundle import sources_of
from venire.bundles.packing import Rebuild, unpack
from venire.bundles.tables import tables_of
from venire.errors import BundleError, VenireError
from venire.records import Outcome, RunStatus
from venire.runs import read_calls, read_record


@dataclass(frozen=True, slots=True)
class Part:
    """One run, or one table file: what was derived of it, and what differs, a sentence each."""

    name: str
    derived: str
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a bundle came to. `notes`: what must be known of it, and is no difference."""

    contents: Contents
    digest: str
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def is_equal(self) -> bool:
        """Whether everything that was derived is as it was bundled, bit for bit."""
        return not any(part.differences for part in self.parts)


def replay(
    archive: Archive, out: Path, rebuild: Rebuild, say: Callable[[str], None] = lambda _: None
) -> Report:
    """Derive every run and table of `archive` anew, below the folder `out` (`runs/`, `tables/`).

    Nothing is asked of anybody, and nothing is read but the archive.

    Raises:
        BundleError: the archive lacks what it says that it has.
    """
    contents = contents_of(archive.manifest)
    _check_members(contents, archive)
    with tempfile.TemporaryDirectory(prefix="venire-replay-") as scratch:
        bundled = Path(scratch)
        unpack(archive.members, bundled)
        keys = _fill(archive, bundled)
        parts = []
        for run in contents.runs:
            say(f"{run.run_id}: re-deriving")
            parts.append(_replay_run(run, contents, archive, bundled, out, rebuild, keys))
        parts += _tables(contents, archive, bundled, out)
    return Report(contents, archive.digest, tuple(parts), tuple(_notes(contents)))


def _check_members(contents: Contents, archive: Archive) -> None:
    names = ["run.json", "summary.json", "config.yaml", "outcomes.parquet", "calls.jsonl.gz"]
    needed = {f"runs/{run.run_id}/{name}" for run in contents.runs for name in names}
    needed |= {table.spec for table in contents.tables if table.spec}
    if missing := sorted(needed - archive.members.keys()):
        raise BundleError(f"{missing[0]}: missing ({len(missing)} members); the bundle is not whole")


def _fill(archive: Archive, home: Path) -> dict[str, str]:
    """Lay out the call store in `home`; the runs' own keys of replies that are stored under others."""
    rows: dict[str, list[Row]] = {}
    for name, member in (("replies", REPLIES), ("vectors", VECTORS)):
        rows[name] = list(rows_from(archive.members.get(member, b""), member))
        fill_store(home, TABLES[name], rows[name]).dispose()
    return {stored_key(row): str(row["key"]) for row in rows["replies"] if stored_key(row) != row["key"]}


def _replay_run(
    run: BundledRun,
    contents: Contents,
    archive: Archive,
    bundled: Path,
    out: Path,
    rebuild: Rebuild,
    keys: dict[str, str],
) -> Part:
    folder, target = bundled / "runs" / run.run_id, out / "runs" / run.run_id
    try:
        record = read_record(folder)
        config_yaml = (folder / "config.yaml").read_text(encoding="utf-8")
        experiment = rebuild(config_yaml, record, sources_of(run, archive.members, texts=contents.texts))
        derived = as_filed(folder) if run.not_judged else judge_again(experiment, bundled)
        made = write_derived(target, experiment, derived, folder, record, unchecked=run.unchecked)
    except VenireError as error:
        return Part(run.run_id, "nothing", (f"{type(error).__name__}: {error}",))
    told = [*run_differences(folder, target)]
    if not run.not_judged:
        lines = read_calls(folder)
        told += call_differences(lines.finished, derived.outcomes, keys)
        told += call_differences(lines.development, derived.development, keys)
        told += _development_differences(folder, derived.development)
    told += record_differences(record, made)
    return Part(run.run_id, _derived(run, len(derived.outcomes), len(record.metrics)), tuple(told))


def _development_differences(folder: Path, derived: Sequence[Outcome]) -> Iterator[str]:
    """Of the development split, by instance: it is in no other file of the run."""
    try:
        filed = {each.instance_id: each for each in as_filed(folder).development}
    except VenireError as error:
        yield f"{error}"
        return
    made = {each.instance_id: replace(each, calls=(), additions=None) for each in derived}
    for key in sorted(filed.keys() | made.keys()):
        if filed.get(key) != made.get(key):
            yield f"{DEVELOPMENT}: instance {key}: another judgment than the one derived"


def _derived(run: BundledRun, judgments: int, numbers: int) -> str:
    measured = f"{numbers - len(run.unchecked)} of {numbers} numbers measured"
    return (
        f"{measured}, judgments taken as they are"
        if run.not_judged
        else f"{judgments} judgments made, {measured}"
    )


def _tables(contents: Contents, archive: Archive, bundled: Path, out: Path) -> Iterator[Part]:
    try:
        drawn = tables_of(contents, out / "runs", bundled / "specs")
    except (VenireError, FileNotFoundError) as error:
        yield Part("tables", "nothing", (f"{type(error).__name__}: {error}",))
        return
    unpack(drawn, out)
    for name, content in drawn.items():
        bundled_table = archive.members.get(name)
        if bundled_table is None:
            yield Part(name, "drawn", ("the bundle does not hold this table",))
            continue
        yield Part(name, "drawn", tuple(_lines(bundled_table, content)))


def _lines(bundled: bytes, derived: bytes) -> Iterator[str]:
    """The first line that differs."""
    if bundled == derived:
        return
    first, second = (each.decode("utf-8", "replace").splitlines() for each in (bundled, derived))
    place = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if place is None:
        yield f"{len(first)} lines bundled, {len(second)} derived"
    else:
        yield f"line {place + 1}: bundled {first[place][:200]!r}, derived {second[place][:200]!r}"


def _notes(contents: Contents) -> Iterator[str]:
    here = versions_here()
    for name, version in contents.made_with.items():
        if here.get(name) != version:
            yield f"bundled with {name} {version}, replayed with {here.get(name, 'none')}"
    for job in contents.jobs:
        if job.status not in ("finished", "skipped"):
            why = f": {job.error.splitlines()[-1]}" if job.error else ""
            yield f"job {job.number} [{shlex.join(job.overrides)}] of the sweep is {job.status}{why}"
    for run in contents.runs:
        if run.status != RunStatus.FINISHED:
            yield f"{run.run_id} is {run.status}"
        if run.not_judged and contents.texts:
            yield f"{run.run_id}: judgments not made anew: {run.not_judged}"
        if run.unchecked:
            yield f"{run.run_id}: not measured, they need the texts: {', '.join(run.unchecked)}"
    if not contents.texts:
        yield "bundled without texts: judgments are taken as they are; numbers and tables follow from them"
