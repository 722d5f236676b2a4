"""A sweep as a process of its own, under some launcher, and what to hold against another one."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import func, select

from venire.llm.store import open_engine
from venire.llm.store.schema import attempts, intents, replies
from venire.metrics.calls import is_accounting
from venire.runs import read_outcomes

LAUNCHERS = ("basic", "venire_joblib", "venire_ray", "venire_slurm")
_NEEDS = {
    "venire_joblib": "hydra_plugins.hydra_joblib_launcher",
    "venire_ray": "hydra_plugins.hydra_ray_launcher",
    "venire_slurm": "hydra_plugins.hydra_submitit_launcher",
}
_TWO = {
    "venire_joblib": ("hydra/launcher=venire_joblib", "hydra.launcher.n_jobs=2"),
    "venire_ray": ("hydra/launcher=venire_ray", "hydra.launcher.ray.init.num_cpus=2"),
    "venire_slurm": (
        "hydra/launcher=venire_slurm",
        "hydra.launcher.cpus_per_task=1",
        "hydra.launcher.mem_gb=1",
    ),
}


def is_there(launcher: str) -> bool:
    """Whether its plugin is installed; of Slurm, whether a cluster answers, too."""
    if launcher == "venire_slurm" and not _slurm_answers():
        return False
    try:
        return launcher == "basic" or find_spec(_NEEDS[launcher]) is not None
    except ModuleNotFoundError:  # of the package above it
        return False


def _slurm_answers() -> bool:
    if shutil.which("sinfo") is None:
        return False
    return subprocess.run(["sinfo"], capture_output=True, timeout=60, check=False).returncode == 0


@dataclass(frozen=True)
class Sweep:
    """One sweep's command: its home, its store, its cells, two processes of a launcher."""

    home: Path
    store: str
    cells: Sequence[str]
    launcher: str = "basic"
    environ: Mapping[str, str] = field(default_factory=dict)

    def start(self, *more: str) -> "subprocess.Popen[str]":
        """Start it; untracked, without plots."""
        words = (*self.cells, f"llm.store='{self.store}'", *_TWO.get(self.launcher, ()), *more)
        command = [sys.executable, "-m", "venire.cli", "run", "-m", *words]
        self.home.mkdir(parents=True, exist_ok=True)
        return subprocess.Popen(
            [*command, "tracking.enabled=false", "sweep.plots=false"],
            cwd=self.home,
            env={**os.environ, **self.environ, "VENIRE_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *more: str) -> tuple[int, str]:
        """Its exit status, and what it said."""
        process = self.start(*more)
        out, err = process.communicate(timeout=600)
        return process.returncode, out + err

    def jobs(self) -> list[dict[str, object]]:
        """The jobs in its summary."""
        (path,) = self.home.glob("sweeps/*/summary.json")
        jobs: list[dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))["jobs"]
        return jobs

    def statuses(self) -> list[object]:
        """How its jobs ended, by number."""
        return [job["status"] for job in self.jobs()]

    def found(self) -> dict[tuple[str, ...], object]:
        """Of every JuryFlow job, by its overrides: predictions, numbers but accounting, graphs and rubric."""
        return {_cell(job): _found(Path(str(job["folder"]))) for job in self.jobs()}

    def under_way(self) -> dict[int, int]:
        """The jobs that a process of the launcher began and has not ended, with its id."""
        begun = {
            int(path.stem): int(json.loads(path.read_text(encoding="utf-8").splitlines()[-1])["pid"])
            for path in self.home.glob("sweeps/*/launches/*/*.started")
        }
        ended = {int(path.stem) for path in self.home.glob("sweeps/*/jobs/*/*.json")}
        return {number: pid for number, pid in begun.items() if number not in ended}


def _cell(job: Mapping[str, object]) -> tuple[str, ...]:
    overrides = job["overrides"]
    assert isinstance(overrides, list)
    return tuple(each for each in overrides if not each.startswith("llm.store"))


def _found(folder: Path) -> tuple[object, ...]:
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    numbers = {name: value for name, value in summary.items() if not is_accounting(name)}
    paths = [folder / name for name in ("graphs.jsonl", "rubric.yaml")]
    files = {path.name: path.read_bytes() for path in paths if path.is_file()}
    return read_outcomes(folder), numbers, files


@dataclass(frozen=True)
class Ledger:
    """Counts of a store: what was paid, and for how many different requests."""

    attempts: int
    keys: int
    replies: int
    in_flight: int
    uncertain: int


def ledger_of(store: str) -> Ledger:
    """The counts of the store at that URL."""
    with open_engine(store).connect() as connection:

        def count(query: object) -> int:
            return int(connection.execute(query).scalar_one())  # type: ignore[call-overload]

        return Ledger(
            attempts=count(select(func.count()).select_from(attempts)),
            keys=count(select(func.count(attempts.c.key.distinct()))),
            replies=count(select(func.count()).select_from(replies)),
            in_flight=count(select(func.count()).select_from(intents)),
            uncertain=count(select(func.count()).where(attempts.c.status == "uncertain")),
        )


def until(condition: object, timeout_s: float = 120.0) -> None:
    """Wait until `condition()` holds."""
    limit = time.monotonic() + timeout_s
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.02)
