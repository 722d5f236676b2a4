"""Sweeps in other processes: stops passed on, deaths answered, services checked."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from venire.commands.launching import (
    Launch,
    checked_services,
    launch_until_done,
    note_lost_jobs,
    passing_stops_on,
)
from venire.config import config_dir
from venire.errors import ConfigError, StoreError
from venire.sweep import Job, JobStatus, write_job

SMALL = ("-m", "dataset=sample", "dataset.limit=2", "method=pairwise", "tracking.enabled=false")


def launch(tmp_path: Path, *arguments: str) -> Launch:
    return Launch(tmp_path, tmp_path / "sweeps" / "s", "launch-1", arguments)


class TerminatedWorkerError(Exception):
    """Called like joblib's."""


def test_the_launcher_is_the_last_that_the_command_line_names(tmp_path: Path) -> None:
    named = ("seed=0,1", "hydra/launcher=joblib", "hydra/launcher=venire_ray")
    assert launch(tmp_path, *named).launcher == "venire_ray"
    assert launch(tmp_path, "seed=0,1").launcher == "basic"


def test_the_ray_preset_sizes_nothing_that_a_cluster_which_is_there_has_sized() -> None:
    init = OmegaConf.load(config_dir() / "hydra" / "launcher" / "venire_ray.yaml").ray.init
    init.setdefault("object_store_memory", 78643200)  # as the plugin does; with an address Ray refuses it
    assert (init.object_store_memory, init.num_cpus) == (None, None)


def test_only_another_process_is_elsewhere(tmp_path: Path) -> None:
    assert not launch(tmp_path).is_elsewhere
    assert Launch(tmp_path, tmp_path, "l", process="other-host/1").is_elsewhere


def test_a_broken_launcher_is_started_again_until_all_have_ended(tmp_path: Path) -> None:
    here, said = launch(tmp_path), []
    starts = []

    def start() -> None:
        starts.append(here.signs.start(0, ["seed=0"]))
        if len(starts) < 3:
            raise TerminatedWorkerError

    launch_until_done(here, start, said.append)
    assert starts == [1, 2, 3]
    assert sum("died (TerminatedWorkerError)" in line for line in said) == 2


def test_a_launcher_that_breaks_before_any_job_begins_is_not_started_again(tmp_path: Path) -> None:
    starts = []

    def start() -> None:
        starts.append(1)
        raise TerminatedWorkerError

    launch_until_done(launch(tmp_path), start, lambda _: None)
    assert starts == [1]


def test_after_a_stop_a_broken_launcher_is_left(tmp_path: Path) -> None:
    here = launch(tmp_path)
    starts = []

    def start() -> None:
        starts.append(here.signs.start(0, []))
        here.signs.ask_to_stop()
        raise TerminatedWorkerError

    launch_until_done(here, start, lambda _: None)
    assert starts == [1]


def test_an_error_that_is_no_death_goes_on(tmp_path: Path) -> None:
    def start() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        launch_until_done(launch(tmp_path), start, lambda _: None)


def until(condition: str, signs: object) -> None:
    limit = time.monotonic() + 10
    while not getattr(signs, condition):
        assert time.monotonic() < limit, condition
        time.sleep(0.01)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises, as in a terminal: in a background job it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_the_first_interrupt_asks_to_stop_and_the_second_to_break_off(tmp_path: Path) -> None:
    signs, said = launch(tmp_path).signs, []
    with passing_stops_on(signs, said.append):
        os.kill(os.getpid(), signal.SIGINT)
        until("stop_asked", signs)
        assert not signs.break_off_asked
        os.kill(os.getpid(), signal.SIGTERM)
        until("break_off_asked", signs)
    assert [line.partition(":")[0] for line in said] == ["SIGINT", "SIGTERM"]
    with pytest.raises(KeyboardInterrupt):  # as before
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path


def test_a_key_that_any_job_lacks_is_said_before_the_first_one_starts(home: Path) -> None:
    with pytest.raises(ConfigError, match=r"^OPENAI_API_KEY is not set \(judge gpt_4o\)"):
        checked_services(launch(home, *SMALL, "backend=simulated,live"))


def test_a_store_that_is_not_reached_is_said_before_the_first_job_starts(home: Path) -> None:
    store = "llm.store='postgresql+psycopg://me:hunter2@127.0.0.1:1/none'"
    with pytest.raises(StoreError) as caught:
        checked_services(launch(home, *SMALL, "backend=simulated", "seed=0,1", store))
    assert "cannot be opened" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_jobs_on_other_machines_need_a_store_that_is_no_file(home: Path) -> None:
    slurm = launch(home, *SMALL, "backend=simulated", "hydra/launcher=venire_slurm")
    with pytest.raises(ConfigError, match=r"venire_slurm run on other machines.*name a PostgreSQL database"):
        checked_services(slurm)
    ray = ("hydra/launcher=venire_ray", "hydra.launcher.ray.init.address=head:6379")
    with pytest.raises(ConfigError, match="venire_ray run on other machines"):
        checked_services(launch(home, *SMALL, "backend=simulated", *ray))


def test_a_job_that_cannot_be_built_is_left_to_say_so_itself(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = launch(home, *SMALL, "backend=simulated", "judge.temperature=0,3")
    checked = checked_services(cells)
    assert len(checked.tracking) == 1
    assert [overrides[-1] for overrides in checked.jobs.values()] == [
        "judge.temperature=0",
        "judge.temperature=3",
    ]
    assert "judge.temperature: expected 0 to 2" in capsys.readouterr().err


def test_jobs_of_a_launch_are_those_of_its_name(tmp_path: Path) -> None:
    here = launch(tmp_path)
    write_job(here.folder, Job(1, ("a=1",), JobStatus.FINISHED), launch="launch-1")
    write_job(here.folder, Job(2, ("a=2",), JobStatus.FINISHED), launch="launch-2")
    assert [job.number for job in here.jobs()] == [1]


def lost_jobs(here: Launch) -> dict[int, tuple[JobStatus, str]]:
    """Job 0 has ended, 1 has begun, 2 has not."""
    write_job(here.folder, Job(0, ("seed=0",), JobStatus.FINISHED), launch=here.name)
    here.signs.start(1, ["seed=1"])
    note_lost_jobs(here, {number: (f"seed={number}",) for number in range(3)})
    return {job.number: (job.status, job.error.partition(":")[0]) for job in here.jobs()}


def test_a_job_that_died_or_never_began_is_listed_as_failed(tmp_path: Path) -> None:
    here = launch(tmp_path)
    assert lost_jobs(here) == {
        0: (JobStatus.FINISHED, ""),
        1: (JobStatus.FAILED, "its process died"),
        2: (JobStatus.FAILED, "it never began"),
    }
    assert [job.overrides for job in here.jobs()] == [("seed=0",), ("seed=1",), ("seed=2",)]


def test_after_a_stop_a_job_that_did_not_begin_has_not_failed(tmp_path: Path) -> None:
    here = launch(tmp_path)
    here.signs.ask_to_stop()
    assert sorted(lost_jobs(here)) == [0, 1]
