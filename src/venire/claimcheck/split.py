"""Parts of a set that are said to share no item: together they cannot be larger than the set."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from venire.claimcheck.figures import Figure, decimal
from venire.claimcheck.findings import Level, Result


@dataclass(frozen=True, slots=True)
class SplitCheck:
    """Parts without a common item, and the set that they are of.

    Args:
        size: of the set.
        parts: part to its figure.
        at_least: part to the fewest items that it must have, where the source gives no number.
        whole: whether the parts are the whole set.
    """

    size: str
    parts: Mapping[str, str]
    at_least: Mapping[str, int]
    whole: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        return (*self.parts.values(), self.size)

    def result(self, figures: Mapping[str, Figure]) -> Result:
        """Impossible where a part is negative, parts must overlap, or (the whole set) must leave some out."""
        size = figures[self.size]
        negative = [part for part, name in self.parts.items() if figures[name].high < 0]
        if negative:
            value = decimal(figures[self.parts[negative[0]]].value, 0)
            return Result(Level.IMPOSSIBLE, (f"{negative[0]} {value}: no part has fewer than 0 items.",))
        low = sum((figures[name].low for name in self.parts.values()), Fraction(sum(self.at_least.values())))
        high = sum((figures[name].high for name in self.parts.values()), Fraction(0))
        texts = [
            *(f"{part} {decimal(figures[name].value, figures[name].decimals)}"
              for part, name in self.parts.items()),
            *(f"{part} at least {count:,}" for part, count in self.at_least.items()),
        ]  # fmt: skip
        least = "at least " if self.at_least else ""
        line = f"{' + '.join(texts)}: {least}{decimal(low, 0)} of a set of {decimal(size.value, 0)}"
        if low > size.high:
            overlap = decimal(low - size.high, 0)
            return Result(Level.IMPOSSIBLE, (f"{line}: {least}{overlap} would be in two of them.",))
        if self.whole and not self.at_least and high < size.low:
            return Result(Level.IMPOSSIBLE, (f"{line}: {decimal(size.low - high, 0)} are in none.",))
        left = decimal(size.high - low, 0)
        at_most = "at most " if self.at_least else ""
        return Result(Level.CONSISTENT, (f"{line}: {at_most}{left} are left.",))
