"""What the user sees while and after a run: a progress bar on standard error, tables on standard output."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from venire.launch import Written
from venire.records import BackendKind, Call, Outcome, RunStatus, command_of_job
from venire.reporting.pairing import read_run
from venire.reporting.run_sheet import run_sheet
from venire.reporting.sweep_table import sweep_table
from venire.reporting.table import Format, Table
from venire.sweep import Job


@dataclass(frozen=True, slots=True)
class Usd:
    """What live providers billed so far: None before the first call; else perhaps a lower bound."""

    amount: float | None = None
    complete: bool = True

    def plus(self, call: Call) -> "Usd":
        """The sum with one call more."""
        return Usd((self.amount or 0.0) + (call.cost_usd or 0.0), self.complete and call.cost_complete)

    def __str__(self) -> str:
        if self.amount is None:
            return ""
        return f", {'' if self.complete else 'at least '}${self.amount:.4f}"


_ROOM_FOR_A_BAR = 70  # columns; fewer are left to the name, the count and the calls


class _Name(ProgressColumn):
    """The run's name, the one column that gives way where the terminal is narrow; brackets are no markup."""

    def render(self, task: Task) -> Text:
        return Text(task.description, no_wrap=True, overflow="ellipsis")


def _columns(width: int) -> list[ProgressColumn]:
    """What a terminal of `width` columns shows in one line; only the name is ever cut."""

    def whole() -> Column:
        return Column(no_wrap=True)

    bar = BarColumn(bar_width=min(40, width // 6), table_column=whole())
    left = TimeRemainingColumn(table_column=whole())
    roomy = width >= _ROOM_FOR_A_BAR
    return [
        _Name(),
        *([bar] if roomy else []),
        MofNCompleteColumn(table_column=whole()),
        TextColumn("{task.fields[note]}", markup=False, table_column=whole()),
        *([left] if roomy else []),
    ]


class Watch:
    """A progress bar on standard error; plain lines where that is no terminal.

    With `typing`, a user types there while it runs: a bar would be drawn over what they type, so there is a
    line for each instance instead. `plain` where other processes write to the same terminal.
    """

    def __init__(self, console: Console | None = None, *, typing: bool = False, plain: bool = False) -> None:
        self._console = console or Console(stderr=True)
        self._typing = typing
        self._plain = plain or typing or not self._console.is_terminal
        self._progress = Progress(*_columns(self._console.width), console=self._console, disable=self._plain)
        self._task = self._progress.add_task("", total=None, note="")
        self._calls = 0
        self._billed = Usd()

    def __enter__(self) -> "Watch":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def start(self, name: str, n: int) -> None:
        """A run of `n` instances begins."""
        self._progress.update(self._task, description=name, total=n)
        if self._plain:
            self.say(f"{name}: judging {n} instances")

    def done(self, outcome: Outcome) -> None:
        """An instance is judged."""
        self._calls += sum(not call.is_embedding for call in outcome.calls)
        for call in outcome.calls:
            if call.kind is BackendKind.LIVE and not call.replayed:
                self._billed = self._billed.plus(call)
        note = f"{self._calls} calls{self._billed}"
        self._progress.update(self._task, advance=1, note=note)
        if self._typing:
            task = self._progress.tasks[self._task]
            self.say(f"{task.completed:.0f} of {task.total:.0f} instances judged, {note}")

    def say(self, line: str) -> None:
        """A line for the user, above the bar."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)


def print_run(written: Written) -> None:
    """The run's main numbers, what must be said of them, and the folder's path as the last line."""
    record = written.record
    print(run_sheet(record).render(Format.TEXT))
    for warning in written.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if record.status is not RunStatus.FINISHED:
        print(f"{record.status}: {record.error}", file=sys.stderr)
    if written.advice:
        print(written.advice, file=sys.stderr)
    print(written.folder)


def print_sweep(home: Path, folder: Path, jobs: Sequence[Job], *, flags: Sequence[str] = ()) -> Table | None:
    """The sweep's table (returned, too), what did not finish with the command of each, where the runs are.

    `flags` are the sweep's that one of its jobs needs, too.
    """
    runs = [read_run(Path(job.folder)) for job in jobs if job.folder]
    table = sweep_table(f"sweep {folder.name}", runs) if runs else None
    if table is not None:
        print(table.render(Format.TEXT))
    for job in jobs:
        if not job.ok:
            print(f"{job.status}: job {job.number}: {job.error}", file=sys.stderr)
            print(f"  alone: {command_of_job(job.overrides, flags)}", file=sys.stderr)
    for advice in dict.fromkeys(job.advice for job in jobs if not job.ok and job.advice):
        print(advice, file=sys.stderr)
    print(_counted(jobs))
    print(f"runs: {home / 'runs'}")
    return table


def _counted(jobs: Sequence[Job]) -> str:
    """How many ended how; of a sweep that was stopped nobody lists those that did not begin."""
    counts = {status: sum(job.status is status for job in jobs) for status in {job.status for job in jobs}}
    said = ", ".join(f"{n} {status}" for status, n in sorted(counts.items())) + f" of {len(jobs)} jobs"
    stopped = any(job.interrupted for job in jobs)
    return f"{said} that began; the same command starts those that did not" if stopped else said
