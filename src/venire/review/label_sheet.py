"""Labels as a file that `venire review import` takes: JSON lines or CSV."""

from collections.abc import Iterable

from venire.review.labels import Label, said_by
from venire.review.queue import handle_of
from venire.review.sheets import RATING, VERDICT_ON, SheetFormat, csv_text
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
    return csv_text([_flat(row) for row in rows])


def _row(label: Label, name: str) -> dict[str, object]:
    texts = {name: getattr(label, name) for name in _COLUMNS}
    return {"instance_id": name, "content": label.content, **said_by(label), **texts}


def _flat(row: dict[str, object]) -> dict[str, str]:
    """Ratings, and verdicts on criteria, as a column each; what is not known is empty."""
    flat: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {_column(name, key): _cell(said) for key, said in value.items()}
        else:
            flat[name] = "" if value is None else str(value)
    return flat


def _column(field: str, key: str) -> str:
    return f"{RATING if field == 'ratings' else VERDICT_ON}{key}"


def _cell(said: object) -> str:
    return f"{said:g}" if isinstance(said, float) else str(said)
