"""Files beside a run that is in MLflow already."""

from collections.abc import Sequence
from pathlib import Path

from venire.errors import TrackingError
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
    for path in paths:
        content = path.read_bytes()
        if any(secret.encode() in content for secret in secrets):
            raise TrackingError(f"{path}: expected no secret in an artifact, found one; it is not uploaded")
    with opened(settings, home) as store:
        for path in paths:
            store.client.log_artifact(mlflow_run_id, str(path))
