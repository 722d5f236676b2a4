"""What is written beside a run: `<run folder>/labelled/<time>-<hash>/`, a new folder each time.

The run's own files are never touched, and tables, comparisons and MLflow never see what lies here.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from venire.errors import RunError
from venire.metrics.measurement import Measurement
from venire.records import RunRecord
from venire.review.feedback import CalibrationPoint, Correction
from venire.review.labels import Label
from venire.review.measuring import Relabelled
from venire.review.measuring_criteria import OnOneCriterion
from venire.review.store import fields_of
from venire.runs import write_atomically
from venire.runs.strict_json import dumps

LABELLED = "labelled"
MEASURED_FILE, LABELS_FILE = "measured.json", "labels.jsonl"
CALIBRATION_FILE, CORRECTIONS_FILE = "calibration.jsonl", "corrections.jsonl"

MARK = "measured again with people's labels after the run; the run's own files are as they were"
SELECTION = (
    "labels_as_gold is over the labelled items alone; where these were picked because the run was unsure of "
    "them, it says nothing of the others"
)


@dataclass(frozen=True, slots=True)
class Learnt:
    """Everything that labels say of a run.

    Args:
        measured: the run measured with them.
        calibration, corrections: see `review/feedback.py`.
        dataset: the data set's name.
        other_texts: labels of items whose texts have changed since, or that this run did not judge.
        other_criteria: labels with verdicts on other criteria than the run's.
    """

    measured: Relabelled
    calibration: Sequence[CalibrationPoint]
    corrections: Sequence[Correction]
    dataset: str
    other_texts: int
    other_criteria: int = 0


def write_beside(folder: Path, record: RunRecord, learnt: Learnt, now: str) -> Path:
    """Write what labels say of the run in `folder`; returns the new folder.

    Args:
        now: the time, ISO 8601.

    Raises:
        RunError: a folder of this name is there already.
    """
    labels = [label for own in learnt.measured.labels.values() for label in own]
    text = _lines(fields_of(label) for label in labels)
    stamp = re.sub(r"[^0-9T]", "", now.partition("+")[0].partition(".")[0])
    target = folder / LABELLED / f"{stamp}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    if target.exists():
        raise RunError(f"{target}: expected a new folder, it is there already; wait a second")
    target.mkdir(parents=True)
    write_atomically(target / LABELS_FILE, text)
    write_atomically(target / CALIBRATION_FILE, _lines(asdict(point) for point in learnt.calibration))
    write_atomically(target / CORRECTIONS_FILE, _lines(asdict(each) for each in learnt.corrections))
    write_atomically(target / MEASURED_FILE, dumps(_measured(record, learnt, labels, now), indent=1) + "\n")
    return target


def _measured(record: RunRecord, learnt: Learnt, labels: Sequence[Label], now: str) -> Mapping[str, object]:
    measured = learnt.measured
    return {
        "marked": MARK,
        "selection": SELECTION,
        "run_id": record.run_id,
        "run_name": record.name,
        "kind": record.kind.value,
        "dataset": learnt.dataset,
        "measured_at": now,
        "items_labelled": len(measured.labels),
        "labels": len(labels),
        "annotators": dict(Counter(label.annotator for label in labels)),
        "undecided": list(measured.undecided),
        "labels_of_other_texts": learnt.other_texts,
        "labels_as_gold": _fields(measured.as_gold),
        "labels_as_verdicts": _fields(measured.as_verdicts) if measured.as_verdicts else None,
        "labels_by_criterion": {each.criterion.key: _on(each) for each in measured.by_criterion},
        "labels_on_other_criteria": learnt.other_criteria,
    }


def _on(each: OnOneCriterion) -> Mapping[str, object]:
    return {
        "criterion": each.criterion.name,
        "undecided": list(each.undecided),
        "left_out": list(each.left_out),
        **(_fields(each.measured) if each.measured else {"metrics": {}, "notes": {}}),
    }


def _fields(measurement: Measurement) -> Mapping[str, object]:
    return {"metrics": dict(measurement.metrics), "notes": dict(measurement.notes)}


def _lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(f"{dumps(row)}\n" for row in rows)
