"""The store of labels: one file a data set, to which lines are only ever added.

`VENIRE_HOME/labels/<data set>.jsonl`, one label a line. A corrected label is a further line; what was
said before stays, and taking one back is a line more. Labels are of items, not of runs: every run on the data
set can use them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from venire.errors import DataError
from venire.lines import GrowingFile, add_lines
from venire.records import Order, Winner
from venire.review.labels import Label, current, on_criterion, said_by
from venire.runs.strict_json import dumps

FOLDER = "labels"


def store_path(home: Path, dataset: str) -> Path:
    """The file of a data set's labels, by the data set's name."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", dataset).strip("-.") or "unnamed"
    return home / FOLDER / f"{name}.jsonl"


def read_labels(path: Path) -> tuple[Label, ...]:
    """All labels, earlier versions included, in the order in which they came; none where there is no file.

    Those that were taken back are left out.

    Raises:
        DataError: a line is damaged; names file and line.
    """
    return LabelStore(path).read()


def append_labels(path: Path, labels: Sequence[Label]) -> tuple[Label, ...]:
    """Add labels that say something new; returns those added; see `LabelStore.append`."""
    return LabelStore(path).append(labels)


class LabelStore:
    """A file of labels, read as it grows: what was read once is not read again.

    Threads and processes may add to one file at once; a store is one thread's, or goes round behind a lock.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = GrowingFile(path)
        self._labels: list[Label] = []

    @property
    def revision(self) -> int:
        """Bytes read so far: another one, other labels."""
        return self._file.offset

    def read(self) -> tuple[Label, ...]:
        """All labels, earlier versions included, in the order in which they came.

        A last line without an end that is no label was cut short while it was written: nobody was told that
        it is kept, and it counts for nothing.

        Raises:
            DataError: any other line is damaged; names file and line.
        """
        if self._file.is_another:
            self._file.restart()
            self._labels = []
        for line in self._file.new_lines():
            self._take(line.text, line.where)
        return tuple(self._labels)

    def append(self, labels: Sequence[Label]) -> tuple[Label, ...]:
        """Add labels that say something new; returns those added, which are on the disk then.

        One that an annotator's current label already says is left out, so that an import can be repeated.
        All lines are written at once, under a lock: a reader sees none or all of them.

        Raises:
            DataError: what is there already is damaged.
            OSError: they could not be written; none is added.
        """
        with self._locked():
            named = {label.instance_id for label in labels}
            before_them = current(each for each in self.read() if each.instance_id in named)
            known = {label.who_and_what: label for label in before_them}
            added = []
            for label in labels:
                before = known.get(label.who_and_what)
                if before is None or not before.says_the_same(label):
                    added.append(label)
                    known[label.who_and_what] = label
            self._write([fields_of(label) for label in added])
        return tuple(added)

    def take_back(self, label: Label, *, at: str) -> bool:
        """Add a line that takes `label` back; what its annotator said before it counts again.

        Args:
            at: the time, ISO 8601.

        Returns: whether it was there; nothing is added for one that is not, or was taken back before.

        Raises:
            DataError: what is there already is damaged.
            OSError: the line could not be written; nothing is added.
        """
        with self._locked():
            if label not in self.read():
                return False
            what = {name: getattr(label, name) for name in _NAMES_A_LABEL}
            self._write([{TAKEN_BACK: what, "at": at}])
        return True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.path}.lock"):
            yield

    def _write(self, rows: Sequence[Mapping[str, object]]) -> None:
        if rows:
            add_lines(self.path, "".join(f"{dumps(row)}\n" for row in rows))

    def _take(self, line: bytes, where: str) -> None:
        fields = _fields(line, where)
        if TAKEN_BACK not in fields:
            self._labels.append(_label(fields, line, where))
            return
        what = _taken_back(fields, line, where)
        for place in reversed(range(len(self._labels))):
            found = self._labels[place]
            if all(getattr(found, name) == what[name] for name in _NAMES_A_LABEL):
                del self._labels[place]
                return


# A line with this key takes a label back: the one that the fields below it name.
TAKEN_BACK = "taken_back"
_NAMES_A_LABEL = ("instance_id", "content", "annotator", "created_at")


def fields_of(label: Label) -> dict[str, object]:
    """A label as JSON fields."""
    fields: dict[str, object] = {name: getattr(label, name) for name in _TEXTS}
    shown = {} if label.shown is None else {"shown": label.shown.value}
    return {**fields, **said_by(label), "seconds": label.seconds, **shown}


_TEXTS = (
    *("instance_id", "content", "annotator", "created_at", "comment", "imported_at", "source", "run_id"),
)


def _fields(line: bytes, where: str) -> Mapping[str, object]:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise _damaged(line, where, error) from None
    if not isinstance(fields, dict):
        raise _damaged(line, where, "no object")
    return fields


def _label(fields: Mapping[str, object], line: bytes, where: str) -> Label:
    try:
        verdict = Winner(str(fields["verdict"])) if "verdict" in fields else _ratings(fields["ratings"])
        seconds = None if fields["seconds"] is None else float(str(fields["seconds"]))
        shown = Order(str(fields["shown"])) if "shown" in fields else None
        on = {str(key): on_criterion(said) for key, said in _mapping(fields.get("by_criterion", {})).items()}
        texts = {name: str(fields[name]) for name in _TEXTS}
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(line, where, error) from None
    content = str(fields.get("criteria_content", ""))
    return Label(
        verdict=verdict, seconds=seconds, shown=shown, by_criterion=on, criteria_content=content, **texts
    )


def _taken_back(fields: Mapping[str, object], line: bytes, where: str) -> Mapping[str, object]:
    """Which label a line takes back."""
    what = fields[TAKEN_BACK]
    if not isinstance(what, dict) or any(name not in what for name in _NAMES_A_LABEL):
        raise _damaged(line, where, f"{TAKEN_BACK} without {', '.join(_NAMES_A_LABEL)}")
    return what


def _ratings(fields: object) -> dict[str, float]:
    return {str(name): float(str(value)) for name, value in _mapping(fields).items()}


def _mapping(fields: object) -> Mapping[object, object]:
    if not isinstance(fields, dict):
        raise ValueError("expected an object")
    return fields


def _damaged(line: bytes, where: str, why: object) -> DataError:
    return DataError(
        f"{where}: expected a label, got {line[:80].decode(errors='replace')!r} ({why!r}); "
        "a damaged line can be taken out: nothing else depends on it"
    )
