"""The store of labels: one file a data set, to which lines are only ever added.

`VENIRE_HOME/labels/<data set>.jsonl`, one label a line. A corrected label is a further line; what was
said before stays. Labels are of items, not of runs: every run on the data set can use them.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from filelock import FileLock

from venire.errors import DataError
from venire.records import Winner
from venire.review.labels import Label, current
from venire.runs.strict_json import dumps

FOLDER = "labels"


def store_path(home: Path, dataset: str) -> Path:
    """The file of a data set's labels, by the data set's name."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", dataset).strip("-.") or "unnamed"
    return home / FOLDER / f"{name}.jsonl"


def read_labels(path: Path) -> tuple[Label, ...]:
    """All labels, earlier versions included, in the order in which they came; none where there is no file.

    Raises:
        DataError: a line is damaged; names file and line.
    """
    if not path.is_file():
        return ()
    lines = path.read_text(encoding="utf-8").split("\n")
    return tuple(
        _label(line, f"{path}:{number}") for number, line in enumerate(lines, start=1) if line.strip()
    )


def append_labels(path: Path, labels: Sequence[Label]) -> tuple[Label, ...]:
    """Add labels that say something new; returns those added.

    One that an annotator's current label already says is left out, so that an import can be repeated.
    All lines are written at once, under a lock: a reader sees none or all of them.

    Raises:
        DataError: what is there already is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        known = {label.who_and_what: label for label in current(read_labels(path))}
        added = []
        for label in labels:
            before = known.get(label.who_and_what)
            if before is None or not before.says_the_same(label):
                added.append(label)
                known[label.who_and_what] = label
        text = "".join(f"{dumps(fields_of(label))}\n" for label in added)
        if text:
            whole = not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
            with path.open("ab") as file:
                file.write((text if whole else f"\n{text}").encode())
                file.flush()
                os.fsync(file.fileno())
    return tuple(added)


def fields_of(label: Label) -> dict[str, object]:
    """A label as JSON fields."""
    fields: dict[str, object] = {name: getattr(label, name) for name in _TEXTS}
    said: dict[str, object] = (
        {"verdict": label.verdict.value}
        if isinstance(label.verdict, Winner)
        else {"ratings": dict(label.verdict)}
    )
    return {**fields, **said, "seconds": label.seconds}


_TEXTS = (
    *("instance_id", "content", "annotator", "created_at", "comment", "imported_at", "source", "run_id"),
)


def _label(line: str, where: str) -> Label:
    try:
        fields = json.loads(line)
        verdict = Winner(fields["verdict"]) if "verdict" in fields else _ratings(fields["ratings"])
        seconds = None if fields["seconds"] is None else float(fields["seconds"])
        return Label(verdict=verdict, seconds=seconds, **{name: str(fields[name]) for name in _TEXTS})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(
            f"{where}: expected a label, got {line[:80]!r} ({error!r}); a line that was cut short can be "
            "taken out: nothing else depends on it"
        ) from None


def _ratings(fields: Mapping[str, object]) -> dict[str, float]:
    return {str(name): float(str(value)) for name, value in fields.items()}
