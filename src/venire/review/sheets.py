"""Review files: items for people as JSON lines or CSV, with empty places for what they say.

The same file, filled in, comes back through `venire review import`. Nothing in it tells what the run
said, what the gold is, or who wrote a response, unless it is asked for: people should judge on their own.
"""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from venire.errors import ConfigError
from venire.judging.criteria import Criterion
from venire.metrics.criteria import BY_CRITERION
from venire.records import Dimension, Instance, Outcome, Prediction, Preference, Ratings, Unscored
from venire.review.labels import content_of, content_of_criteria
from venire.review.queue import ReviewItem

RATING = "rating."  # a CSV column of a rating: rating.<dimension>
VERDICT_ON = "verdict."  # a CSV column of a verdict on a criterion: verdict.<criterion>
NO_JUDGMENT = "no judgment"


class SheetFormat(StrEnum):
    """How a review file is written, by its ending."""

    JSONL = ".jsonl"
    CSV = ".csv"

    @classmethod
    def of(cls, path: Path) -> "SheetFormat":
        """By the file's ending.

        Raises:
            ConfigError: it is another.
        """
        try:
            return cls(path.suffix.lower())
        except ValueError:
            raise ConfigError(
                f"--out: expected a name that ends in .jsonl or .csv, got {path.name}"
            ) from None


@dataclass(frozen=True, slots=True)
class Shown:
    """What else a review file shows.

    Args:
        names: ids of the data set instead of handles, the models that wrote the responses, the subset.
        verdicts: what the run said, and why it was unsure: people then tend to follow it.
    """

    names: bool = False
    verdicts: bool = False


def sheet(
    items: Sequence[ReviewItem],
    form: SheetFormat,
    shown: Shown = Shown(),
    criteria: Sequence[Criterion] = (),
) -> str:
    """The text of a review file; equal items give equal text.

    Args:
        criteria: that pairs are compared on, too.
    """
    rows = [_row(item, shown, criteria) for item in items]
    if form is SheetFormat.JSONL:
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    return csv_text([_flat(row) for row in rows])


def csv_text(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows as CSV that a spreadsheet runs nothing of; columns in the order in which they first come."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _row(item: ReviewItem, shown: Shown, criteria: Sequence[Criterion]) -> dict[str, object]:
    instance = item.instance
    row: dict[str, object] = {
        "instance_id": instance.id if shown.names else item.handle,
        "content": content_of(instance),
        "prompt": instance.prompt,
        "context": instance.context,
        "reference": instance.reference,
        **_responses(instance, names=shown.names),
    }
    if shown.names:
        row["subset"] = instance.subset
    if shown.verdicts:
        row |= {"why": list(item.why), "judged": outcome_text(item.outcome)}
    asked = [each for each in instance.dimensions if each.asked]
    if asked:
        row |= {"scales": {each.name: scale_text(each) for each in asked}}
        row |= {"ratings": dict.fromkeys((each.name for each in asked), None)}
    else:
        row |= _places_of_verdicts(criteria)
    return {**row, "annotator": "", "created_at": "", "seconds": None, "comment": ""}


def _places_of_verdicts(criteria: Sequence[Criterion]) -> dict[str, object]:
    if not criteria:
        return {"verdict": ""}
    return {
        "criteria": {each.key: f"{each.name}: {each.description}" for each in criteria},
        "criteria_content": content_of_criteria(criteria),
        "by_criterion": dict.fromkeys((each.key for each in criteria), ""),
        "verdict": "",
    }


def _responses(instance: Instance, *, names: bool) -> dict[str, object]:
    keys = ["response"] if len(instance.responses) == 1 else ["response_1", "response_2"]
    texts: dict[str, object] = {key: each.text for key, each in zip(keys, instance.responses, strict=True)}
    if names:
        generators = zip(keys, instance.responses, strict=True)
        texts |= {key.replace("response", "model"): each.generator for key, each in generators}
    return texts


def scale_text(dimension: Dimension) -> str:
    """`1 to 5 in steps of 1: how fluent`."""
    steps = "" if dimension.step is None else f" in steps of {dimension.step:g}"
    return f"{dimension.low:g} to {dimension.high:g}{steps}: {dimension.description}"


def judged_text(prediction: Prediction) -> str:
    """What a run said of an item, in a few words."""
    match prediction:
        case Preference(winner, confidence):
            return winner.value if confidence is None else f"{winner.value} ({confidence:.2f})"
        case Ratings(by_dimension):
            return ", ".join(f"{name} {value:g}" for name, value in by_dimension.items())
        case Unscored(reason, detail):
            return f"{NO_JUDGMENT}: {reason.value}" + (f" ({detail})" if detail else "")


def outcome_text(outcome: Outcome) -> str:
    """What a run said of an item, on each criterion, too, where it compared on some."""
    on = outcome.detail.get(BY_CRITERION)
    told = [f"{key} {winner}" for key, winner in on.items()] if isinstance(on, Mapping) else []
    return "; ".join([judged_text(outcome.prediction), *filter(None, [", ".join(told)])])


def _flat(row: Mapping[str, object]) -> dict[str, str]:
    """A row as CSV columns: mappings become a column an entry, lists one text."""
    flat: dict[str, str] = {}
    for name, value in row.items():
        match value:
            case dict() if name == "ratings":
                flat |= {f"{RATING}{key}": "" for key in value}
            case dict() if name == BY_CRITERION:
                flat |= {f"{VERDICT_ON}{key}": "" for key in value}
            case dict() if name == "criteria":
                flat |= {f"criterion.{key}": str(text) for key, text in value.items()}
            case dict():
                flat |= {f"{name.removesuffix('s')}.{key}": str(text) for key, text in value.items()}
            case list():
                flat[name] = ", ".join(map(str, value))
            case _:
                flat[name] = "" if value is None else str(value)
    return flat


# What would start a formula, also in the full width of East Asian keyboards; behind apostrophes, so that one
# more of them can be told from those that were there before. Source: OWASP, "CSV Injection".
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe before what would start one."""
    return f"'{text}" if _FORMULA.match(text) else text


def as_it_was(text: str) -> str:
    """The text that `harmless` made this one of."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
