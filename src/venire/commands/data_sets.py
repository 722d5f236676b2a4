"""From the command line to a data set: what the commands share that ask no judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.commands.composing import one_job
from venire.config import data_of, data_of_run
from venire.data.protocol import Dataset, Loaded
from venire.errors import ConfigError, RunError
from venire.metrics.measure import MetricSettings
from venire.runs import read_record
from venire.runs.folder import CONFIG_FILE


@dataclass(frozen=True, slots=True)
class Chosen:
    """A data set that the command line names, not read yet, with how metrics are made."""

    dataset: Dataset
    metrics: MetricSettings
    seed: int


def chosen_data(overrides: Sequence[str], config_dir: Path | None, *, command: str) -> Chosen:
    """The data set that `overrides` (KEY=VALUE) name.

    Raises:
        ConfigError: none is named, several are, or a setting is wrong.
    """
    if not any(each.lstrip("+").startswith(("dataset=", "dataset@")) for each in overrides):
        raise ConfigError(f"dataset: {command} needs to know which; give dataset=NAME (docs/data.md)")
    return Chosen(*one_job(data_of, overrides, config_dir, command=f"venire {command}"))


@dataclass(frozen=True, slots=True)
class RunData:
    """A run's data set, and the part of it that was evaluated, read again and found unchanged.

    `metrics` says how the run was measured: what measures it again takes the same draws and level.
    """

    dataset: Dataset
    loaded: Loaded
    metrics: MetricSettings


def data_of_folder(folder: Path) -> RunData:
    """The data that the run in `folder` judged: its texts are in the data set, not in the run.

    Raises:
        RunError: the data is not what it was, or the run says too little.
        DataError: it cannot be read any more.
    """
    record = read_record(folder)
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise RunError(f"{path}: expected the run's settings, found no such file")
    dataset, loaded, metrics = data_of_run(path.read_text(encoding="utf-8"))
    was = record.tags.get("data_fingerprint")
    if was != loaded.fingerprint:
        raise RunError(
            f"{folder.name}: expected the data that the run judged (fingerprint {str(was)[:12]}), "
            f"{loaded.source} now has {loaded.fingerprint[:12]}; put the files back as they were "
            "(VENIRE_DATA), or run again"
        )
    return RunData(dataset, loaded, metrics)
