"""One record of an input file, and what may be read from it.

Every complaint has one form: file, row, field, what was expected, what was there, what to do.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from venire.errors import DataError

T = TypeVar("T")

_LONGEST_SHOWN = 60


def complaint(
    file: str,
    *,
    expected: str,
    got: str,
    todo: str,
    row: int | None = None,
    field: str | None = None,
) -> DataError:
    """The error of an input that breaks its format (returned, for the caller to raise)."""
    where = file
    if row is not None:
        where += f", row {row}"
    if field is not None:
        where += f", field {field!r}"
    return DataError(f"{where}: expected {expected}, got {got}; {todo}")


def shown(value: object) -> str:
    """A value as an error message shows it: its kind where there is nothing to show, else shortened."""
    if value is None:
        return "null"
    if value == "":
        return "an empty text"
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


@dataclass(frozen=True, slots=True)
class Row:
    """One record. `number` is 1-based: the line of a JSON-lines file, else the record.

    A CSV file's header is no record: its first record is row 1.
    """

    file: str
    number: int
    fields: Mapping[str, object]

    def bad(self, field: str, *, expected: str, got: str, todo: str) -> DataError:
        """The error of this row's `field` (returned, for the caller to raise)."""
        return complaint(self.file, row=self.number, field=field, expected=expected, got=got, todo=todo)

    def value(self, field: str) -> object:
        """What is in `field`.

        Raises:
            DataError: there is no such field.
        """
        if field not in self.fields:
            there = ", ".join(self.fields) or "nothing"
            raise self.bad(
                field,
                expected="this column",
                got=f"a record of {there}",
                todo="name the column that holds it, or add it to the file",
            )
        return self.fields[field]

    def text(self, field: str) -> str:
        """A text, possibly empty, exactly as it is (white space at its ends included)."""
        value = self.value(field)
        if not isinstance(value, str):
            todo = "put it in as text (an empty text, where it is empty)"
            raise self.bad(field, expected="a text", got=shown(value), todo=todo)
        return self._unicode(field, value)

    def prompt(self, field: str) -> str:
        """A text with something in it."""
        text = self.text(field)
        if not text.strip():
            todo = "fill it in, or take the record out: an empty prompt cannot be judged"
            raise self.bad(field, expected="a prompt", got="an empty text", todo=todo)
        return text

    def name(self, field: str) -> str:
        """An id, a model, a judge: a non-empty text, or an integer as text."""
        value = self.value(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value.strip():
            todo = "fill it in: records are joined by it"
            raise self.bad(field, expected="a non-empty text or an integer", got=shown(value), todo=todo)
        return self._unicode(field, value)

    def integer(self, field: str) -> int:
        """An integer; true and false are none."""
        value = self.value(field)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.bad(field, expected="an integer", got=shown(value), todo="correct the record")
        return value

    def real(self, field: str, low: float, high: float) -> float | None:
        """A number in [low, high], also where it is written as text; None where there is none.

        None, NaN (how Parquet files of pandas say "none") and an empty text (how CSV says it) are none.
        """
        value = self.value(field)
        if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
            return None
        number = _number(value)
        if number is None or not low <= number <= high:
            todo = "correct the rating, or declare the scale that it is on"
            raise self.bad(field, expected=f"a rating from {low:g} to {high:g}", got=shown(value), todo=todo)
        return number

    def choice(self, field: str, meanings: Mapping[str, T]) -> T:
        """What the value means; integers and integral floats count as their text (`1`, `1.0` as "1")."""
        value = self.value(field)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is None or isinstance(value, (dict, list)) or str(value) not in meanings:
            todo = "correct the record, or declare what this value means"
            expected = f"one of {', '.join(meanings)}"
            raise self.bad(field, expected=expected, got=shown(value), todo=todo)
        return meanings[str(value)]

    def turns(self, field: str, value: object, count: int) -> tuple[str, ...]:
        """`value`, which was found in `field`, as a list of `count` texts."""
        texts = value if isinstance(value, list) else []
        if len(texts) != count or not all(isinstance(text, str) for text in texts):
            expected = f"a list of {count} texts"
            raise self.bad(field, expected=expected, got=shown(value), todo="correct the record")
        return tuple(self._unicode(field, text) for text in texts)

    def _unicode(self, field: str, text: str) -> str:
        # JSON may escape half of a surrogate pair ("\ud83d"): no UTF-8, so neither prompt nor hash.
        try:
            text.encode()
        except UnicodeEncodeError as error:
            got = f"half a surrogate pair at character {error.start + 1}"
            todo = "export the file again: its text was cut inside a character"
            raise self.bad(field, expected="Unicode text", got=got, todo=todo) from None
        return text


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return None if math.isnan(number) else number
