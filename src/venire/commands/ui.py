"""`venire ui`: the MLflow UI on the runs."""

from pathlib import Path

from venire.tracking.settings import TrackingSettings
from venire.tracking.ui import serve_ui


def ui(home: Path, *, port: int, uri: str | None, open_browser: bool) -> int:
    """Serve the UI until Ctrl-C."""
    serve_ui(home, TrackingSettings(uri=uri), port=port, open_browser=open_browser)
    return 0
