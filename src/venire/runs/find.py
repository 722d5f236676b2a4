"""Finding runs below `VENIRE_HOME`."""

from collections.abc import Iterable
from pathlib import Path

from venire.errors import RunError
from venire.records import RunStatus
from venire.runs.folder import RECORD_FILE, STARTED_FILE, read_record

RUNS = "runs"
LISTED = 8


def list_runs(home: Path) -> list[Path]:
    """The folders of all finished runs, oldest first; empty where there is no home."""
    return sorted(path.parent for path in (home / RUNS).glob(f"*/{RECORD_FILE}"))


def unfinished_runs(home: Path) -> list[Path]:
    """The folders of runs that are under way or died under way, oldest first."""
    started = (path.parent for path in (home / RUNS).glob(f"*/{STARTED_FILE}"))
    return sorted(folder for folder in started if not (folder / RECORD_FILE).exists())


def find_run(home: Path, ref: str) -> Path:
    """The run folder that `ref` means.

    Args:
        home: `VENIRE_HOME`.
        ref: a run folder's path, a run id or a beginning of one, or an MLflow run id or a
            beginning of one. A whole id wins over a beginning.

    Raises:
        RunError: no run or several; lists what it may have meant.
    """
    given = Path(ref)
    if ref and given.is_dir() and (given / RECORD_FILE).is_file():
        return given.resolve()
    folders = list_runs(home)
    ids = {folder: (folder.name, _mlflow_run_id(folder)) for folder in folders}
    exact = [folder for folder in folders if ref and ref in ids[folder]]
    found = exact or [folder for folder in folders if ref and any(i.startswith(ref) for i in ids[folder])]
    if len(found) == 1:
        return found[0]
    if found:
        raise RunError(f"RUN: {ref!r} means {len(found)} runs, give more of its id: {_names(found)}")
    unfinished = " (it is unfinished)" if (home / RUNS / ref).is_dir() and ref else ""
    known = _names(folders) if folders else f"none below {home / RUNS}"
    raise RunError(
        f"RUN: expected a run folder, a run id or an MLflow run id (a beginning will do), "
        f"got {ref!r}{unfinished}; the latest runs: {known}"
    )


def _mlflow_run_id(folder: Path) -> str:
    try:
        return read_record(folder).mlflow_run_id or ""
    except RunError:  # a damaged run is still found by its own id, and then says what is wrong
        return ""


def _names(folders: Iterable[Path]) -> str:
    names = [folder.name for folder in folders]
    more = f" (and {len(names) - LISTED} older)" if len(names) > LISTED else ""
    return ", ".join(reversed(names[-LISTED:])) + more


def finished_run(home: Path, job_hash: str) -> Path | None:
    """The newest finished run of the job whose tag `job_hash` is this; None where there is none.

    Only a file that has the hash in it is parsed: with 1,000 runs a sweep asks a hundred times.
    """
    for path in sorted((home / RUNS).glob(f"*/{RECORD_FILE}"), reverse=True):
        if job_hash.encode() not in path.read_bytes():
            continue
        try:
            record = read_record(path.parent)
        except RunError:  # a damaged folder counts as not run
            continue
        if record.tags.get("job_hash") == job_hash and record.status is RunStatus.FINISHED:
            return path.parent
    return None
