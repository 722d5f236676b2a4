"""Waiting for jobs of a Slurm that is a script: results, an emptied queue, a stop, no answer."""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from venire.commands.slurm_queue import without_result


@dataclass(frozen=True)
class Job:
    """As submitit's: its own paths."""

    job_id: str
    folder: Path

    @property
    def paths(self) -> "Job":
        return self

    @property
    def result_pickle(self) -> Path:
        return self.folder / f"{self.job_id}_result.pkl"

    def end(self) -> None:
        self.result_pickle.touch()


Programs = Callable[..., Path]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """`squeue` and `scancel` as the given lines of sh; returns where `scancel` notes its arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")

    def make(squeue: str, scancel: str = "true") -> Path:
        asked = tmp_path / "scancelled"
        scripts = {"squeue": squeue, "scancel": f'echo "$@" >> {asked}; {scancel}'}
        for name, line in scripts.items():
            (folder / name).write_text(f"#!/bin/sh\n{line}\n")
            (folder / name).chmod(stat.S_IRWXU)
        return asked

    return make


def lost(jobs: list[Job], stop_asked: Callable[[], bool] = lambda: False) -> list[str]:
    found = without_result(jobs, stop_asked, look_s=0.01, ask_s=0.02)
    return [job.job_id for job in found]


def test_jobs_with_results_are_waited_for_no_longer(tmp_path: Path, programs: Programs) -> None:
    programs("exit 1")  # nobody needs to ask
    jobs = [Job(f"6_{number}", tmp_path) for number in range(3)]
    for job in jobs:
        job.end()
    assert lost(jobs) == []


def test_a_job_that_left_the_queue_without_a_result_is_lost_and_the_others_are_waited_for(
    tmp_path: Path, programs: Programs
) -> None:
    count, jobs = tmp_path / "count", [Job(f"6_{number}", tmp_path) for number in range(3)]
    # 6_0 is gone at once; 6_2 is there for five questions, and then has ended
    programs(
        f"echo >> {count}; n=$(wc -l < {count}); echo 6_99; [ $n -lt 5 ] && echo 6_2 || touch "
        f"{jobs[2].result_pickle}"
    )
    jobs[1].end()
    assert lost(jobs) == ["6_0"]
    assert len(count.read_text().splitlines()) >= 5


def test_a_queue_that_does_not_answer_says_nothing(tmp_path: Path, programs: Programs) -> None:
    count, job = tmp_path / "count", Job("6_0", tmp_path)
    programs(f"echo >> {count}; [ $(wc -l < {count}) -lt 6 ] || touch {job.result_pickle}; exit 1")
    assert lost([job]) == []


def test_a_stop_takes_what_waits_out_of_the_queue_once(tmp_path: Path, programs: Programs) -> None:
    asked = programs("true")
    jobs = [Job("6_0", tmp_path), Job("6_1", tmp_path)]
    jobs[0].end()
    assert lost(jobs, lambda: True) == ["6_1"]
    assert asked.read_text() == "--state=PENDING 6\n"
