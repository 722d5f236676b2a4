"""Opening MLflow's store: created once, reached through `MlflowClient` only."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from venire.errors import TrackingError
from venire.runs import redact
from venire.tracking.settings import TrackingSettings

if TYPE_CHECKING:
    from mlflow.entities import Run
    from mlflow.tracking import MlflowClient

LOCK_FILE = "mlflow.lock"
LOCK_TIMEOUT_S = 180

_DATABASES = ("sqlite", "postgresql", "mysql", "mssql")

# MLflow reads these itself, at each request. Its own defaults retry a dead server for minutes; the run
# is on disk, so a short try is enough. What the user has set wins.
_ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_LOGGING_LEVEL": "WARNING",
}


@dataclass(frozen=True, slots=True)
class Store:
    """An open store and the experiment in it that runs go to."""

    client: "MlflowClient"
    experiment_id: str

    def find(self, tag: str, value: str) -> "Run | None":
        """The oldest run whose tag `tag` is `value`; None where there is none."""
        if "'" in value:
            raise TrackingError(f"{tag}: expected an id without quotes, got {value!r}")
        found = self.client.search_runs(
            [self.experiment_id],
            filter_string=f"tags.`{tag}` = '{value}'",
            order_by=["attributes.start_time ASC"],
            max_results=1,
        )
        return found[0] if found else None

    def get(self, mlflow_run_id: str) -> "Run | None":
        """The run of that id; None where the store has none, or only a deleted one."""
        from mlflow.exceptions import MlflowException

        try:
            run = self.client.get_run(mlflow_run_id)
        except MlflowException as error:
            if error.error_code == "RESOURCE_DOES_NOT_EXIST":
                return None
            raise
        return run if run.info.lifecycle_stage == "active" else None


@contextmanager
def tracking_errors(uri: str) -> Iterator[None]:
    """Whatever goes wrong on the way to `uri` becomes a `TrackingError` without passwords in it."""
    for name, value in _ENVIRONMENT.items():  # before MLflow is imported: some is read then
        os.environ.setdefault(name, value)
    from filelock import Timeout
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, OSError, Timeout) as error:
        what = redact(str(error).strip().partition("\n")[0], ())[:500]
        remedy = _REMEDY if any(mark in what for mark in _DAMAGED) else ""
        raise TrackingError(f"{redact(uri, ())}: {type(error).__name__}: {what}{remedy}") from error


# What SQLite says of a file that is none of its databases, or a damaged one.
_DAMAGED = ("file is not a database", "database disk image is malformed")
_REMEDY = "; move the file away: a new one is made, and `venire sync --all` uploads the runs to it"


@contextmanager
def opened(settings: TrackingSettings, home: Path) -> Iterator[Store]:
    """The store of `settings`; database and experiment are made where they are missing.

    Safe for many processes that start on an empty store: a file lock in `home` lets one of them
    make it.

    Raises:
        TrackingError: MLflow cannot be reached or refuses; also for what happens inside the block.
    """
    uri = settings.store_uri(home)
    with tracking_errors(uri), warnings.catch_warnings():
        # what MLflow calls of SQLAlchemy is not ours to mend
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"mlflow\.")
        from mlflow.tracking import MlflowClient

        with locked(home):
            if uri.partition(":")[0].partition("+")[0] in _DATABASES:
                _try_database(uri)
            # the constructor creates and migrates the database
            client = MlflowClient(tracking_uri=uri, registry_uri=uri)
            experiment_id = _experiment_id(client, settings, home)
        yield Store(client, experiment_id)


def _try_database(uri: str) -> None:
    """Fail at once where the database cannot be read: MLflow itself would try for 100 seconds."""
    import sqlalchemy

    try:
        engine = sqlalchemy.create_engine(uri, poolclass=sqlalchemy.pool.NullPool)
    except ModuleNotFoundError as error:
        raise TrackingError(f"{redact(uri, ())}: needs the package {error.name}") from error
    except ValueError:  # SQLAlchemy's own for a port
        raise TrackingError(f"{redact(uri, ())}: expected a number as the port") from None
    try:
        sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Hold the lock of everything that must be made once in `home`."""
    from filelock import FileLock

    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home / LOCK_FILE, timeout=LOCK_TIMEOUT_S):
        yield


def _experiment_id(client: "MlflowClient", settings: TrackingSettings, home: Path) -> str:
    from mlflow.exceptions import MlflowException

    name = settings.experiment
    found = client.get_experiment_by_name(name)
    if found is None:
        root = settings.artifacts_uri(home)
        try:
            return str(client.create_experiment(name, artifact_location=root and f"{root}/{_slug(name)}"))
        except MlflowException as error:
            # made meanwhile by a process elsewhere that does not share our lock
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(name)
    if found is None or found.lifecycle_stage != "active":
        raise TrackingError(
            f"tracking.experiment: {name!r} was deleted in MLflow; restore it there or choose another name"
        )
    return str(found.experiment_id)


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
