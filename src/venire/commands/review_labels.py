"""`venire review labels --out FILE`: the labels of a data set or a study as a file."""

from pathlib import Path

from venire.commands import exits
from venire.errors import ConfigError
from venire.page.study import LABELS_FILE, study_folder
from venire.review.label_sheet import label_sheet
from venire.review.labels import current
from venire.review.sheets import SheetFormat
from venire.review.store import FOLDER, read_labels, store_path
from venire.runs import write_atomically


def write_labels(home: Path, out: Path, *, dataset: str | None, study: str | None, force: bool) -> int:
    """Write the labels that count to a file that `review import` takes; returns the exit status.

    Raises:
        ConfigError: both a data set and a study are named, there are several data sets and none is named,
            there are no labels, or the file is there already.
        DataError: the labels' file is damaged.
    """
    form = SheetFormat.of(out)
    if out.exists() and not force:
        raise ConfigError(f"--out: {out} is there already; name another file, or --force")
    path = _labels_file(home, dataset, study)
    labels = current(read_labels(path))
    if not labels:
        raise ConfigError(f"review labels: expected labels in {path}, found none")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, label_sheet(labels, form))
    people = len({label.annotator for label in labels})
    print(f"{len(labels)} labels of {people} annotators")
    print(out)
    return exits.OK


def _labels_file(home: Path, dataset: str | None, study: str | None) -> Path:
    if dataset is not None and study is not None:
        raise ConfigError("review labels: expected --dataset or --study, got both")
    if study is not None:
        return study_folder(home, study) / LABELS_FILE
    if dataset is not None:
        return store_path(home, dataset)
    found = sorted((home / FOLDER).glob("*.jsonl"))
    if len(found) != 1:
        names = ", ".join(path.stem for path in found) or "none"
        raise ConfigError(f"--dataset: expected the name of a data set with labels; there are {names}")
    return found[0]
