"""The exit statuses of every command."""

from typing import TYPE_CHECKING

from venire.errors import ConfigError, DataError, MissingRecording, VenireError

if TYPE_CHECKING:  # `venire --help` loads no numpy
    from venire.records import RunStatus

OK = 0
FAILED = 1
USAGE = 2  # what was asked for cannot be right: the command line, a setting, the data; nothing was called
INCOMPLETE = 3  # stopped early, and can be resumed
INTERRUPTED = 130


def status_of(error: VenireError) -> int:
    """Of a command that ended with `error`; what becomes of a run that has begun is in its record."""
    refused = isinstance(error, ConfigError | DataError | MissingRecording)
    return USAGE if refused else FAILED


def of_run(status: "RunStatus") -> int:
    """Of a command that made one run."""
    from venire.records import RunStatus

    return {RunStatus.FINISHED: OK, RunStatus.INCOMPLETE: INCOMPLETE, RunStatus.FAILED: FAILED}[status]
