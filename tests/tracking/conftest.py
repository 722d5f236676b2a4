"""A database made once, copied by the tests that need one: making it takes seconds."""

import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from venire.records import BackendKind, Instance, Response, RunRecord, RunStatus
from venire.runs import write_run
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened

FINGERPRINT = "0123456789abcdef" * 4


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    # under another experiment's name: the artifact folder of `venire` must be each home's own
    with opened(TrackingSettings(experiment="other"), home):
        pass
    return home / "mlflow.db"


@pytest.fixture
def home(tmp_path: Path, empty_database: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copyfile(empty_database, folder / "mlflow.db")
    return folder


RECORD = RunRecord(
    run_id="r",
    name="beta=0.5",
    status=RunStatus.FINISHED,
    kind=BackendKind.SIMULATED,
    started_at=1000.0,
    ended_at=1060.5,
    metrics={"accuracy": 0.75, "kappa": float("nan"), "calls/paid": 48.0, "cost_usd/total": 0.0123},
    notes={"kappa": "one label only"},
    params={"method": "pairwise", "dataset": "sample", "judge.temperature": "0.5"},
    tags={"job_hash": "j1", "data_fingerprint": FINGERPRINT, "data_source": "sample/pairs.jsonl"},
    overrides=("judge.temperature=0.5",),
)


@pytest.fixture(scope="session")
def put_in() -> Callable[..., Path]:
    """A function that writes a run folder into a home, and returns it."""

    def put_in(home: Path, run_id: str, **changes: object) -> Path:
        folder = home / "runs" / run_id
        record = replace(RECORD, run_id=run_id, **changes)
        instance = Instance("a/1", "Q", (Response("x"), Response("y")))
        write_run(folder, record, config_yaml="seed: 1\n", instances=(instance,), outcomes=())
        return folder

    return put_in


@pytest.fixture
def put(home: Path, put_in: Callable[..., Path]) -> Callable[..., Path]:
    """The same for the home of the test."""
    return partial(put_in, home)


@pytest.fixture
def free_port() -> int:
    """A port of this machine at which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
