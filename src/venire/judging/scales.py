"""Scales that a criterion is scored on: their points, how a reply's score is read, and how it is shown."""

import re
from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError
from venire.judging.rating import NOT_APPLICABLE, point_of
from venire.records import Dimension

_FORM = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)(?: step (\d+(?:\.\d+)?))?")
_FINE = 10  # points


class ScaleName(StrEnum):
    """The scales that a configuration may name."""

    ONE_TO_THREE = "1-3"  # poor, middling, good: the least to decide
    ONE_TO_FIVE = "1-5"
    ONE_TO_TEN = "1-10"  # only with a detailed rubric
    PASS_FAIL = "pass/fail"


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` (worst) to `high` (best), inclusive.

    Args:
        step: between the points; None where any number between the ends will do.
        words: what the points are called in replies, lowest first; empty where they are numbers.
    """

    low: float
    high: float
    step: float | None = 1.0
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ConfigError(
                f"scale: expected a lower end below the upper one, got {self.low:g}-{self.high:g}"
            )
        if self.words and len(self.words) != len(self.points):
            raise ConfigError(
                f"scale: expected a word for each of {len(self.points)} points, got {self.words}"
            )

    @property
    def points(self) -> tuple[float, ...]:
        """Lowest first; empty where any number between the ends will do."""
        return self._as_dimension.points

    @property
    def is_fine(self) -> bool:
        """Whether it has so many points that nobody can tell them apart without a description of each.

        Source: papers/advanced-evaluation, "Scale Calibration": 1-10 only with detailed rubrics.
        """
        return self.step is None or len(self.points) >= _FINE

    @property
    def choices(self) -> tuple[int | float | str, ...]:
        """The points as a reply names them, lowest first."""
        return tuple(map(self.shown, self.points))

    def read(self, value: object) -> float:
        """The point that a reply names.

        Raises:
            ValueError: it names none; nothing is clipped, rounded or read out of a text.
        """
        if self.words:
            word = value.strip().casefold() if isinstance(value, str) else None
            if word in self.words:
                return self.points[self.words.index(word)]
        elif (point := point_of(self._as_dimension, value)) is not None:
            return point
        raise ValueError(f"expected {self}, got {value!r}")

    def shown(self, point: float) -> int | float | str:
        """`point` as a reply names it."""
        if self.words:
            return self.words[self.points.index(point)]
        return int(point) if float(point).is_integer() else point

    def place(self, point: float) -> float:
        """`point` with the ends of the scale at 0 and 1."""
        return (point - self.low) / (self.high - self.low)

    def at(self, place: float) -> float:
        """The value at `place` in [0, 1]; between two points, too."""
        return self.low + place * (self.high - self.low)

    def __str__(self) -> str:
        """`1-5`, `pass/fail`, `0-2 step 0.5`, `0-1 step 0` where any number will do."""
        if self.words:
            return "/".join(reversed(self.words))
        step = "" if self.step == 1 else f" step {self.step or 0:g}"
        return f"{self.low:g}-{self.high:g}{step}"

    @property
    def _as_dimension(self) -> Dimension:
        return Dimension("", "", self.low, self.high, self.step)


PASS_FAIL = Scale(0.0, 1.0, 1.0, ("fail", "pass"))
DEFAULT = Scale(1.0, 5.0)


def scale_of(text: str) -> Scale:
    """The scale that `text` names, as `str` writes it.

    Raises:
        ConfigError: it names none.
    """
    if text == str(PASS_FAIL):
        return PASS_FAIL
    found = _FORM.fullmatch(text)
    if found is None:
        raise ConfigError(f"scale: expected {', '.join(ScaleName)} or LOW-HIGH, got {text!r}")
    low, high, step = (None if each is None else float(each) for each in found.groups())
    assert low is not None
    assert high is not None
    return Scale(low, high, 1.0 if step is None else step or None)


def scale_of_dimension(dimension: Dimension) -> Scale:
    """The scale that the data rate `dimension` on."""
    return Scale(dimension.low, dimension.high, dimension.step)


def read_score(scale: Scale, value: object, *, allow_not_applicable: bool) -> float | None:
    """The point that a reply names, None for "N/A".

    Raises:
        ValueError: neither, or "N/A" where that is no answer.
    """
    if isinstance(value, str) and value.strip().casefold() == NOT_APPLICABLE.casefold():
        if allow_not_applicable:
            return None
        raise ValueError(f'expected {scale}, "N/A" is no answer here')
    return scale.read(value)
