"""A process that has imported what commands import, and runs each command in a fork of itself.

A command of a test takes a second or two of imports otherwise; a fork begins with them done, and with
nothing else: no configuration, no connection and no thread is there yet.

`python -m tests.integration.warm` reads requests (`Job` as a line of JSON) and prints, a line each, the
fork's process id when it starts and its exit status when it has ended. It ends with its input.
"""

import json
import os
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module

from hydra.core.plugins import Plugins

PRELOADED = (
    "pandas",
    "scipy.stats",
    "statsmodels.stats.inter_rater",
    "filelock",
    "krippendorff",
    "sqlalchemy.dialects.sqlite",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "hydra",
    "mlflow",
    "venire.cli",
    "venire.commands.run",
    "venire.judging.convene",
    "venire.launch",
    "venire.llm.stored",
    "venire.sweep",
)


@dataclass(frozen=True)
class Job:
    """A command: its arguments, where it runs, what it sees, and the files that it prints to."""

    arguments: Sequence[str]
    cwd: str
    environ: Mapping[str, str]
    out: str
    err: str

    def as_line(self) -> str:
        """For the process's input."""
        return json.dumps(asdict(self)) + "\n"


def main() -> None:
    """Run what standard input asks for, one after the other."""
    for name in PRELOADED:
        import_module(name)
    Plugins.instance()  # looks through all installed plugins, once a process
    if threading.active_count() > 1:
        raise RuntimeError(f"threads do not survive a fork: {threading.enumerate()}")
    for line in sys.stdin:
        job = Job(**json.loads(line))
        child = os.fork()
        if child == 0:
            sys.exit(_status(job))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _status(job: Job) -> int:
    """The command's exit status, having run in this process."""
    os.chdir(job.cwd)
    os.environ.clear()
    os.environ.update(job.environ)
    _redirect(0, os.devnull, os.O_RDONLY)
    _redirect(1, job.out, os.O_WRONLY)
    _redirect(2, job.err, os.O_WRONLY)
    sys.argv = ["venire", *job.arguments]
    from venire.cli import main as venire

    try:
        return venire()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1


def _redirect(descriptor: int, path: str, how: int) -> None:
    opened = os.open(path, how)
    os.dup2(opened, descriptor)
    os.close(opened)


if __name__ == "__main__":
    main()
