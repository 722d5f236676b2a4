"""The tables of a bundle, from run folders."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from venire.bundles.contents import BundledJob, BundledTable, Contents
from venire.records import RunStatus
from venire.reporting.pairing import Run, read_run
from venire.reporting.runs_table import runs_table
from venire.reporting.spec_any import table_of
from venire.reporting.specs import read_spec
from venire.reporting.sweep_table import sweep_table
from venire.reporting.table import TABLE_FORMS, Table
from venire.runs import read_record
from venire.sweep import Job, JobStatus, as_asked


def tables_of(contents: Contents, runs: Path, specs: Path) -> Mapping[str, bytes]:
    """Every table in every form, by member name.

    Args:
        contents: which tables there are, of which runs.
        runs: the folder of run folders.
        specs: the folder of the tables' specs.
    """
    made: dict[str, bytes] = {}
    for table in contents.tables:
        drawn = _table(contents, table, runs, specs)
        drawn = replace(drawn, footer=(*drawn.footer, *table.more))
        made |= {member(table, str(form)): drawn.render(form).encode() for form in TABLE_FORMS}
    return made


def member(table: BundledTable, form: str) -> str:
    """The name of a table's member."""
    return f"tables/{table.name}.{form}"


def _table(contents: Contents, table: BundledTable, runs: Path, specs: Path) -> Table:
    if not contents.jobs:
        return runs_table(table.title, [read_record(runs / run.run_id) for run in contents.runs])
    read = [(job, read_run(runs / job.run_id)) for job in contents.jobs if job.run_id]
    if not table.spec:
        return sweep_table(table.title, [run for _, run in read])
    asked = [replace(run, record=as_asked(run.record, _job(job))) for job, run in read]
    return table_of(read_spec(table.title, specs), _finished(asked))


def _job(job: BundledJob) -> Job:
    return Job(job.number, job.overrides, JobStatus(job.status))


def _finished(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.record.status is RunStatus.FINISHED]
