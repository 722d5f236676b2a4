"""Waiting for jobs of a Slurm cluster by their results and the queue: not every cluster keeps accounts."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar


class Paths(Protocol):
    """Where a job's files are."""

    @property
    def folder(self) -> Path:
        """Of all of them."""
        ...

    @property
    def result_pickle(self) -> Path:
        """What a job writes when it ends, also by an error."""
        ...


class Submitted(Protocol):
    """A job that `sbatch` took, as submitit has it."""

    @property
    def job_id(self) -> str:
        """`6_2` for the third job of array 6."""
        ...

    @property
    def paths(self) -> Paths:
        """Its files."""
        ...


J = TypeVar("J", bound=Submitted)


def without_result(
    jobs: Sequence[J], stop_asked: Callable[[], bool], *, look_s: float = 1.0, ask_s: float = 15.0
) -> list[J]:
    """Wait until every job has left a result or the queue; those that left the queue without one.

    Where a stop is asked for, jobs that did not begin are taken out of the queue.

    Args:
        jobs: in whatever state.
        stop_asked: whether no further job is to begin.
        look_s: seconds between two looks for results.
        ask_s: seconds between two questions to Slurm.
    """
    waiting, gone = list(jobs), set[str]()
    cancelled, asked_at = False, time.monotonic()
    while waiting:
        time.sleep(look_s)
        if stop_asked() and not cancelled:
            cancelled = True
            _cancel_what_waits(waiting)
        waiting = [job for job in waiting if not _has_result(job)]
        if time.monotonic() - asked_at < ask_s:
            continue
        asked_at = time.monotonic()
        known = _in_queue()
        if known is None:  # not reached: nothing is known
            continue
        # twice, as a result may be seen later than the job's end
        if all(job.job_id in gone - known for job in waiting):
            break
        gone = {job.job_id for job in waiting} - known
    return waiting


def _has_result(job: Submitted) -> bool:
    with suppress(OSError):  # lets a network file system look anew
        job.paths.folder.chmod(job.paths.folder.stat().st_mode)
    return job.paths.result_pickle.exists()


def _in_queue() -> set[str] | None:
    """The ids of this user's jobs that wait, run or end; None where Slurm does not answer."""
    command = ["squeue", "--noheader", "--array", f"--user={os.geteuid()}", "--format=%i"]
    answer = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    return set(answer.stdout.split()) if answer.returncode == 0 else None


def _cancel_what_waits(jobs: Sequence[Submitted]) -> None:
    for array in sorted({job.job_id.partition("_")[0] for job in jobs}):
        subprocess.run(["scancel", "--state=PENDING", array], check=False)
