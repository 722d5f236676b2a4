"""`venire sync`: upload what MLflow has not seen."""

from pathlib import Path


def sync(home: Path, uri: str | None) -> int:
    """Upload every run folder without an MLflow run; returns 0, or 1 where some could not be uploaded."""
    from venire.tracking.settings import TrackingSettings
    from venire.tracking.sync import sync as upload_missing

    report = upload_missing(home, TrackingSettings(uri=uri))
    print(report)
    return 0
