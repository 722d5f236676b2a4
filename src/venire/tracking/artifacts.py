"""Files beside a run that is in MLflow already."""

from collections.abc import Sequence
from pathlib import Path

from venire.errors import TrackingError
from venire.tracking.logged import PARENT_TAG
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened


def log_artifacts(
    settings: TrackingSettings,
    mlflow_run_id: str,
    paths: Sequence[Path],
    *,
    home: Path,
    secrets: Sequence[str] = (),
) -> None:
    """Upload files as artifacts of a run; those of the same name are replaced.

    Raises:
        TrackingError: MLflow cannot be reached or refuses, or a file holds a secret (it names the
            file; nothing is uploaded).
    """
    _refuse_secrets(paths, secrets)
    with opened(settings, home) as store:
        for path in paths:
            store.client.log_artifact(mlflow_run_id, str(path))


def log_beside(
    settings: TrackingSettings,
    mlflow_run_ids: Sequence[str],
    paths: Sequence[Path],
    place: str,
    *,
    home: Path,
    secrets: Sequence[str] = (),
) -> list[str]:
    """Upload files into the folder `place` of the runs' common parent (their sweep), else of each run.

    Returns the MLflow ids of the runs that have them now.

    Raises:
        TrackingError: as `log_artifacts`.
    """
    _refuse_secrets(paths, secrets)
    with opened(settings, home) as store:
        parents = {store.client.get_run(each).data.tags.get(PARENT_TAG) for each in mlflow_run_ids}
        parent = parents.pop() if len(parents) == 1 else None
        owners = [parent] if parent else list(dict.fromkeys(mlflow_run_ids))
        for owner in owners:
            for path in paths:
                store.client.log_artifact(owner, str(path), place)
    return owners


def _refuse_secrets(paths: Sequence[Path], secrets: Sequence[str]) -> None:
    for path in paths:
        content = path.read_bytes()
        if any(secret.encode() in content for secret in secrets):
            raise TrackingError(f"{path}: expected no secret in an artifact, found one; it is not uploaded")
