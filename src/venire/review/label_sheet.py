"""Labels as a file that `venire review import` takes: JSON lines or CSV."""

import csv
import io
from collections.abc import Iterable

from venire.records import Winner
from venire.review.labels import Label
from venire.review.queue import handle_of
from venire.review.sheets import RATING, SheetFormat, harmless
from venire.runs.strict_json import dumps

_COLUMNS = ("annotator", "created_at", "seconds", "comment", "shown", "source", "run_id")


def label_sheet(labels: Iterable[Label], form: SheetFormat, *, handles: bool = False) -> str:
    """The text of a file with a row for each label; equal labels give equal text.

    Args:
        handles: name items by handles that tell nothing, not by ids.
    """
    rows = [_row(label, handle_of(label.instance_id) if handles else label.instance_id) for label in labels]
    if form is SheetFormat.JSONL:
        return "".join(f"{dumps(row)}\n" for row in rows)
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in flat)
    return text.getvalue()


def _row(label: Label, name: str) -> dict[str, object]:
    said: dict[str, object] = (
        {"verdict": label.verdict.value}
        if isinstance(label.verdict, Winner)
        else {"ratings": dict(label.verdict)}
    )
    texts = {name: getattr(label, name) for name in _COLUMNS}
    return {"instance_id": name, "content": label.content, **said, **texts}


def _flat(row: dict[str, object]) -> dict[str, str]:
    """Ratings as a column each; what is not known is empty."""
    flat: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{RATING}{key}": f"{rating:g}" for key, rating in value.items()}
        else:
            flat[name] = "" if value is None else str(value)
    return flat
