"""A stated figure: what was written, and between which values the number lay before it was rounded."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from venire.errors import ConfigError


class Rounding(StrEnum):
    """How figures were cut to the digits that were printed."""

    NEAREST = "nearest"  # half up, half even, ...: an end of the interval is let in by either
    TRUNCATED = "truncated"  # digits cut off, toward zero


@dataclass(frozen=True, slots=True)
class Figure:
    """One stated number, exactly.

    Args:
        name: how checks call it; its own text where it is written into a check.
        text: as stated (`.784`, `10.5 points`, `15-25%`).
        value: the number of the text; a share for per cent and points, the middle of a range.
        low, high: the lowest and highest number that is stated so; both ends belong to it.
        decimals: how many the value has as a number (10.5 points are .105: three).
        where, says: the place in the source, and its words.
        derived: how it follows from other figures, where it is not printed itself.
        unsourced: why it can be held against nothing; empty for a figure with a source.
    """

    name: str
    text: str
    value: Fraction
    low: Fraction
    high: Fraction
    decimals: int = 0
    where: str = ""
    says: str = ""
    derived: str = ""
    unsourced: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether it is one number: a count, a price."""
        return self.low == self.high

    @property
    def whole(self) -> int:
        """The number of a count.

        Raises:
            ConfigError: it is no whole number.
        """
        if not self.is_exact or self.value.denominator != 1:
            raise ConfigError(f"{self.name}: expected a whole number, got {self.text!r}")
        return self.value.numerator

    def shown(self) -> str:
        """`0.784 (0.7835 to 0.7845)`; the number alone where it is exact."""
        number = decimal(self.value, self.decimals)
        return number if self.is_exact else f"{number} ({interval(self.low, self.high, self.decimals + 1)})"


_NUMBER = r"[-−]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)"
_UNIT = r"(?P<unit>%|\s+points?)?"
_ONE = re.compile(rf"^\$?(?P<number>{_NUMBER}){_UNIT}$")
_RANGE = re.compile(rf"^\$?(?P<low>{_NUMBER})\s*(?:-|–|to)\s*(?P<high>{_NUMBER}){_UNIT}$")


def read_figure(
    text: str, where: str, *, name: str = "", rounding: Rounding = Rounding.NEAREST, exact: bool | None = None
) -> Figure:
    """The figure that `text` states.

    A number with decimals is rounded to the last of them; one without is a count, unless `exact` is False. A
    range (`15-25%`) is taken at its word.

    Args:
        text: `.784`, `78.4%`, `10.5 points` (of a percentage), `34,103`, `$0.42`, `15-25%`.
        where: the key, for the message.
        name: of the figure; default: `text`.
        rounding: how it was cut.
        exact: whether it is exactly this number; None: as its decimals say.

    Raises:
        ConfigError: it is no number.
    """
    text = " ".join(text.split())
    between = _RANGE.match(text)
    if between:
        low, digits = _number(between["low"], between["unit"])
        high, more = _number(between["high"], between["unit"])
        if low > high:
            raise ConfigError(f"{where}: expected a range from low to high, got {text!r}")
        return Figure(name or text, text, (low + high) / 2, low, high, max(digits, more))
    one = _ONE.match(text)
    if not one:
        raise ConfigError(
            f"{where}: expected a number as .784, 78.4%, 10.5 points, 34,103, $0.42 or 15-25%; got {text!r}"
        )
    value, digits = _number(one["number"], one["unit"])
    is_count = "." not in one["number"] and not one["unit"]
    low, high = value, value
    if not (is_count if exact is None else exact):
        low, high = _before_rounding(value, Fraction(1, 10**digits), rounding)
    return Figure(name or text, text, value, low, high, digits)


def _number(digits: str, unit: str | None) -> tuple[Fraction, int]:
    """The number, and how many decimals it has; a unit moves the point by two."""
    plain = digits.replace(",", "").replace("−", "-")
    after = len(plain.partition(".")[2])
    return (Fraction(plain) / 100, after + 2) if unit else (Fraction(plain), after)


def _before_rounding(value: Fraction, step: Fraction, rounding: Rounding) -> tuple[Fraction, Fraction]:
    if rounding is Rounding.NEAREST:
        return value - step / 2, value + step / 2
    return (value, value + step) if value >= 0 else (value - step, value)


def decimal(number: Fraction, decimals: int) -> str:
    """`141,330`, `0.7835`: rounded half away from zero, never by way of a float."""
    scaled = abs(number) * 10**decimals
    digits = str(int(scaled + Fraction(1, 2))).rjust(decimals + 1, "0")
    whole, part = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    minus = "−" if number < 0 and digits.strip("0") else ""
    return f"{minus}{int(whole):,}" + (f".{part}" if part else "")


def interval(low: Fraction, high: Fraction, decimals: int) -> str:
    """`0.7835 to 0.7845`, without zeros at the end; one number where both are equal."""
    if low == high:
        return trimmed(low, decimals)
    return f"{trimmed(low, decimals)} to {trimmed(high, decimals)}"


def trimmed(number: Fraction, decimals: int) -> str:
    """The number with at most `decimals` decimals, without zeros at its end."""
    shown = decimal(number, decimals)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown
