"""Where one table of a benchmark is read from: a file below the data root, else a split on the Hub."""

from dataclasses import dataclass
from pathlib import Path

from venire.data.files import read_rows
from venire.data.hub import HubSplit
from venire.data.rows import Row


@dataclass(frozen=True, slots=True)
class Read:
    """Rows with what must be known of where they came from; see `Loaded`."""

    rows: tuple[Row, ...]
    source: str
    revision: str | None = None
    warnings: tuple[str, ...] = ()


def read_local_or_hub(root: str, path: str, hub: HubSplit | None) -> Read:
    """The rows of `root/path`; where there is no such file and `hub` is given, those of the split.

    Raises:
        DataError: neither can be read, or the file breaks its format.
    """
    file = Path(root) / path
    if file.exists() or hub is None:
        warnings: tuple[str, ...] = ()
        if hub is not None and hub.revision is not None:
            warnings = (f"revision {hub.revision} is of no effect: {path} was read, not the Hub",)
        return Read(read_rows(file), path, None, warnings)
    return Read(hub.rows(), hub.source, hub.revision, hub.warnings)
