"""Sums, products and orders of figures: whether a relation can hold of what they were before rounding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from venire.claimcheck.expression import Expression, Relation, bounds, value_at
from venire.claimcheck.figures import Figure, decimal, interval
from venire.claimcheck.findings import Level, Result

Figures = Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class RelationCheck:
    """`holds` of the figures; whole numbers that the source does not state are sought.

    Args:
        holds: the relation.
        whole: name of an unstated whole number to the lowest and highest that are tried; at most one.
    """

    holds: Relation
    whole: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        return tuple(sorted(self.holds.names - self.whole.keys()))

    def result(self, figures: Figures) -> Result:
        """Impossible where no numbers within the figures' intervals fulfil it."""
        if not self.whole:
            fits, line = held(self.holds, figures)
            return Result(Level.CONSISTENT if fits else Level.IMPOSSIBLE, (line,))
        ((name, (lowest, highest)),) = self.whole.items()
        tried = {number: held(self.holds, {**figures, name: _count(name, number)})
                 for number in range(lowest, highest + 1)}  # fmt: skip
        fitting = [number for number, (fits, _) in tried.items() if fits]
        if not fitting:
            return Result(Level.IMPOSSIBLE, self._misses(name, tried, figures))
        lines = tuple(f"{name} = {number}: {tried[number][1]}" for number in fitting[:3])
        if len(fitting) == len(tried):
            return Result(Level.CONSISTENT, (*lines, f"So do all of {name} = {lowest} to {highest}."))
        told = ", ".join(map(str, fitting))
        return Result(Level.CONDITIONAL, lines, (f"{name} is {told} (tried: {lowest} to {highest})",))

    def _misses(self, name: str, tried: Mapping[int, tuple[bool, str]], figures: Figures) -> tuple[str, ...]:
        """That none fits, and the two that come nearest."""

        def distance(number: int) -> Fraction:
            values = {each: figures[each].value for each in self.names}
            return abs(value_at(self.holds.difference, {**values, name: Fraction(number)}))

        nearest = sorted(sorted(tried, key=distance)[:2])
        return (
            f"No value of {name} from {min(tried)} to {max(tried)} fits; the nearest:",
            *(f"{name} = {number}: {tried[number][1]}" for number in nearest),
        )


def held(relation: Relation, figures: Figures) -> tuple[bool, str]:
    """Whether the relation can hold, and the arithmetic in a line."""
    low, high = bounds(relation.difference, figures)
    fits = {
        "=": low <= 0 <= high,
        "≤": low <= 0,
        "<": low < 0,
        "≥": high >= 0,
        ">": high > 0,
    }[relation.sign]
    certain = {
        "=": low == high == 0,
        "≤": high <= 0,
        "<": high < 0,
        "≥": low >= 0,
        ">": low > 0,
    }[relation.sign]
    left, right = (_side(side, figures) for side in (relation.left, relation.right))
    word = "holds" if certain else "can hold within rounding" if fits else "cannot hold"
    between = ", against" if relation.sign == "=" else f" {relation.sign}"
    return fits, f"{left}{between} {right}: {word}."


def _side(side: Expression, figures: Figures) -> str:
    """`1.3 + 1.7 + 0.6 = 3.6 (3.45 to 3.75)`."""
    decimals = max((figures[name].decimals for name in side.names), default=0)
    written = side.written(figures)
    low, high = bounds(side.polynomial, figures)
    value = side.at({name: figures[name].value for name in side.names})
    number = decimal(value, decimals if (value * 10**decimals).denominator == 1 else decimals + 3)
    shown = written if written == number else f"{written} = {number}"
    return shown if low == high else f"{shown} ({interval(low, high, decimals + 3)})"


def _count(name: str, number: int) -> Figure:
    return Figure(name, str(number), Fraction(number), Fraction(number), Fraction(number))


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """Figures that rise, fall, or rise to a peak and then fall (fall to a valley), one after another.

    Args:
        figures: their names, in order.
        shape: `increasing`, `decreasing`, `peak` or `valley`.
        at: of `peak` and `valley`: which figure that is.
    """

    figures: tuple[str, ...]
    shape: str
    at: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        return self.figures

    def result(self, figures: Figures) -> Result:
        """Impossible where two neighbours go the wrong way beyond rounding."""
        lines, wrong = [], False
        rises = self._rises()
        for (one, two), rise in zip(zip(self.figures, self.figures[1:], strict=False), rises, strict=True):
            first, second = figures[one], figures[two]
            fits = first.low <= second.high if rise else first.high >= second.low
            wrong = wrong or not fits
            sign = "≤" if rise else "≥"
            lines.append(f"{first.shown()} {sign} {second.shown()}: {'holds' if fits else 'cannot hold'}.")
        return Result(Level.IMPOSSIBLE if wrong else Level.CONSISTENT, tuple(lines))

    def _rises(self) -> Sequence[bool]:
        """Of each step from a figure to the next, whether it is to go up."""
        steps = len(self.figures) - 1
        if self.shape in ("increasing", "decreasing"):
            return [self.shape == "increasing"] * steps
        top = self.figures.index(self.at)
        return [(step < top) == (self.shape == "peak") for step in range(steps)]
