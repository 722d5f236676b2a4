"""`venire review dataset`: labelled items as a data set that runs can take."""

from pathlib import Path

import yaml

from venire.commands import exits
from venire.commands.data_sets import data_of_folder
from venire.commands.review import labels_of
from venire.errors import ConfigError
from venire.personas.naming import is_option_name
from venire.review.dataset import labelled_data
from venire.runs import find_run, write_atomically


def write_dataset(home: Path, run: str, *, name: str, force: bool) -> int:
    """Write the labelled items of a run's data as `dataset=NAME`; returns the exit status.

    Raises:
        ConfigError: a name that is none, or that is taken.
        DataError, RunError: there are no labels of the run's items.
    """
    if not is_option_name(name):
        raise ConfigError(f"--name: expected letters, digits, '-' and '_' only, got {name!r}")
    folder = home / "config" / "dataset"
    option, rows = folder / f"{name}.yaml", folder / f"{name}.jsonl"
    if option.exists() and not force:
        raise ConfigError(f"--name: {option} is there already; take another name, or give --force")
    run_folder = find_run(home, run)
    data = data_of_folder(run_folder)
    made = labelled_data(data.loaded.instances, labels_of(home, data, run_folder), name=name)
    settings = {
        "defaults": ["table", "_self_"],
        "path": f"${{oc.env:VENIRE_HOME}}/config/dataset/{rows.name}",
        **made.settings,
    }
    head = f"# What people said of items of {data.dataset.name}: venire review dataset {run_folder.name}\n"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(rows, made.text)
    write_atomically(option, head + yaml.safe_dump(settings, sort_keys=False, allow_unicode=True))
    drawn = f", {made.undecided} on which they draw left out" if made.undecided else ""
    print(f"{made.items} items with people's verdict{drawn}")
    fit = f"development=apart development.shared=development dataset@development.dataset={name}"
    print(f"use it: dataset={name}, or to fit on, and evaluate the others: {fit}")
    print(option)
    return exits.OK
