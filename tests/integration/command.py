"""The command that a user types, run as one, and what it left behind."""

import atexit
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.integration.warm import Job

from venire.metrics.calls import is_accounting

EXECUTABLE = Path(sys.executable).parent / "venire"
UNTRACKED = "tracking.enabled=false"  # MLflow costs seconds a run
PATIENCE_S = 240.0  # of a machine that is busy with other things: nothing here takes a tenth of it


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The last line of standard output: a run's folder, a sweep's summary file."""
        return self.out.rstrip("\n").rpartition("\n")[2]

    @property
    def folder(self) -> Path:
        """The run's folder."""
        assert Path(self.last_line).is_dir(), f"no folder in the last line:\n{self.out}\n{self.err}"
        return Path(self.last_line)

    @property
    def summary(self) -> dict[str, float | None]:
        """The run's `summary.json`."""
        return read_json(self.folder / "summary.json")  # type: ignore[return-value]

    @property
    def record(self) -> dict[str, object]:
        """The run's `run.json`."""
        return read_json(self.folder / "run.json")

    def number(self, metric: str) -> float:
        """A metric that is defined."""
        value = self.summary[metric]
        assert value is not None, f"{metric} is undefined"
        return value

    def jobs(self) -> list[dict[str, object]]:
        """The jobs in a sweep's summary."""
        jobs = read_json(Path(self.last_line))["jobs"]
        assert isinstance(jobs, list)
        return jobs


def but_accounting(ran: Ran) -> dict[str, float | None]:
    """The summary without what is true of one run only (who paid, how long it took)."""
    return {name: value for name, value in ran.summary.items() if not is_accounting(name)}


def read_json(path: Path) -> dict[str, object]:
    """The object in a JSON file; NaN is an error."""
    value = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    assert isinstance(value, dict)
    return value


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} in a JSON file")


@dataclass(frozen=True)
class Venire:
    """The command in a home folder of its own.

    Args:
        home: `VENIRE_HOME`; also the working directory, so that what lands beside it is seen.
        data: `VENIRE_DATA`, where there is any.
        environ: further variables; nothing but these, PATH and HOME is passed on.
    """

    home: Path
    data: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, timeout_s: float = PATIENCE_S, **environ: str) -> Ran:
        """Run it to its end, in a process that has its imports done (`warm.py`)."""
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            out.touch()
            err.touch()
            seen = self.environment(**environ)
            job = Job(arguments, str(self._cwd()), seen, str(out), str(err))
            status = _warm().run(job, timeout_s)
            return Ran(status, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))

    def run(self, *overrides: str, timeout_s: float = PATIENCE_S, **environ: str) -> Ran:
        """`venire run` without tracking."""
        return self("run", *overrides, UNTRACKED, timeout_s=timeout_s, **environ)

    def finished(self, *overrides: str) -> Ran:
        """A run that has to finish."""
        ran = self.run(*overrides)
        assert ran.status == 0, ran.out + ran.err
        return ran

    def start(self, *overrides: str) -> "subprocess.Popen[str]":
        """`venire run` in the background, untracked."""
        return subprocess.Popen(
            [EXECUTABLE, "run", *overrides, UNTRACKED],
            cwd=self._cwd(),
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def environment(self, **environ: str) -> dict[str, str]:
        """The variables that the command sees."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        data = {} if self.data is None else {"VENIRE_DATA": str(self.data)}
        return {**inherited, "VENIRE_HOME": str(self.home), **data, **self.environ, **environ}

    def _cwd(self) -> Path:
        folder = self.home.parent / "elsewhere"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


class _Warm:
    """The process that commands are forked from."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        atexit.register(self._close)

    def run(self, job: Job, timeout_s: float) -> int:
        """The exit status; killed after `timeout_s`, with an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(job.as_line())
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        killer = threading.Timer(timeout_s, os.kill, (child, signal.SIGKILL))
        killer.start()
        status = int(self._process.stdout.readline())
        killer.cancel()
        assert status != -signal.SIGKILL, f"not ended within {timeout_s:g} s: venire {job.arguments}"
        return status

    def _close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)


@cache
def _warm() -> _Warm:
    return _Warm()


def finish(process: "subprocess.Popen[str]", timeout_s: float = PATIENCE_S) -> Ran:
    """Wait for a started command."""
    out, err = process.communicate(timeout=timeout_s)
    return Ran(process.returncode, out, err)


def interrupt(process: "subprocess.Popen[str]") -> None:
    """What Ctrl-C does."""
    process.send_signal(signal.SIGINT)


def wait_until(condition: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
    """Until `condition` holds."""
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@dataclass(frozen=True)
class Reconciled:
    """One line of `venire doctor --reconcile`."""

    model: str
    kind: str
    calls: int
    attempts: int
    input_tokens: int
    output_tokens: int
    uncertain: int
    unknown_usage: int


def reconcile(venire: Venire) -> list[Reconciled]:
    """The ledger as the command prints it."""
    ran = venire("doctor", "--reconcile")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("day (UTC)"))
    titles = re.split(r"\s{2,}", lines[header].strip())
    rows = []
    for line in lines[header + 2 :]:
        if not line.strip():
            break
        cells = dict(zip(titles, re.split(r"\s{2,}", line.strip()), strict=True))
        rows.append(_reconciled(cells))
    return rows


def _reconciled(cells: Mapping[str, str]) -> Reconciled:
    def count(title: str) -> int:
        return int(cells[title].replace(",", ""))

    return Reconciled(
        model=cells["model"],
        kind=cells["kind"],
        calls=count("calls"),
        attempts=count("attempts"),
        input_tokens=count("tokens in"),
        output_tokens=count("tokens out"),
        uncertain=count("uncertain"),
        unknown_usage=count("usage unknown"),
    )


def stub_judge(url: str, *more: str) -> Sequence[str]:
    """The overrides that send the pairs of the bundled sample to the stub server at `url`."""
    return (
        "dataset=sample",
        "method=pairwise",
        "judge=openai_compatible",
        "judge.model=stub",
        f"judge.api_base={url}",
        *more,
    )
