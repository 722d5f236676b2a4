"""Run folders: what a run leaves on disk, written once, whole or not at all."""

from venire.runs.atomic import write_atomically
from venire.runs.calls import CallLines, iterate_calls, read_calls
from venire.runs.find import find_run, finished_run, list_runs, unfinished_runs
from venire.runs.folder import (
    RUN_FILES,
    complete_run,
    files_of,
    read_record,
    set_mlflow_run_id,
    start_run,
    write_run,
)
from venire.runs.growing import GrowingFiles, PairReader, iterate_pairs
from venire.runs.ids import new_run_id
from venire.runs.outcomes import OutcomeRow, outcome_cells, read_judged, read_outcomes
from venire.runs.redact import HIDDEN, assert_no_secrets, redact, secret_values

__all__ = [
    "HIDDEN",
    "RUN_FILES",
    "CallLines",
    "GrowingFiles",
    "OutcomeRow",
    "PairReader",
    "assert_no_secrets",
    "complete_run",
    "files_of",
    "find_run",
    "finished_run",
    "iterate_calls",
    "iterate_pairs",
    "list_runs",
    "new_run_id",
    "outcome_cells",
    "read_calls",
    "read_judged",
    "read_outcomes",
    "read_record",
    "redact",
    "secret_values",
    "set_mlflow_run_id",
    "start_run",
    "unfinished_runs",
    "write_atomically",
    "write_run",
]
