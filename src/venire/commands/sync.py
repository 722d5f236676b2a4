"""`venire sync`: upload what MLflow has not seen."""

import sys
from pathlib import Path

from venire.commands import exits


def sync(home: Path, uri: str | None, *, check_all: bool = False) -> int:
    """Upload every run folder without an MLflow run; returns 0, or 1 where some could not be uploaded.

    With `check_all` also runs that have one, where the store does not know it (any more).
    To the store that `uri` names; without, each run to where its configuration says.
    """
    from venire.tracking.settings import TrackingSettings
    from venire.tracking.sync import sync as upload_missing

    settings = None if uri is None else TrackingSettings(uri=uri)
    report = upload_missing(home, settings, check_all=check_all)
    for folder, message in report.failed.items():
        print(f"not uploaded: {folder}: {message}", file=sys.stderr)
    for folder in report.uploaded:
        print(f"uploaded: {folder}")
    for sweep in report.sweeps:
        print(f"uploaded: the table of sweep {sweep}")
    unfinished = f", {report.unfinished} unfinished left alone" if report.unfinished else ""
    where = uri or "where each run was to be logged"
    print(
        f"to {where}: {len(report.uploaded)} runs uploaded, {report.already} were there already{unfinished}"
    )
    return exits.FAILED if report.failed else exits.OK
