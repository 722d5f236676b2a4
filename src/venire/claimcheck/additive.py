"""Effects that are said to add up: their sum, and the interaction that is left over."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from venire.claimcheck.expression import Polynomial, bounds, value_at
from venire.claimcheck.figures import Figure, decimal, interval
from venire.claimcheck.findings import Level, Result


@dataclass(frozen=True, slots=True)
class AdditiveCheck:
    """`base` and the effects of parts, against `total` with all parts.

    Args:
        base: without any of the parts.
        total: with all of them.
        effects: part to the figure of its effect; two or more.
        leave_one_out: whether an effect is what is lost without its part, rather than what it adds alone.
        exactly: whether the source says that they add up exactly: an interaction is then impossible.
        n: over how many items, to say how many the interaction is; 0 where unknown.
    """

    base: str
    total: str
    effects: Mapping[str, str]
    leave_one_out: bool = True
    exactly: bool = False
    n: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        return (self.base, *self.effects.values(), self.total)

    def result(self, figures: Mapping[str, Figure]) -> Result:
        """Consistent where rounding explains what is left over; else an interaction is the condition."""
        remainder: Polynomial = {
            (self.total,): Fraction(1),
            (self.base,): Fraction(-1),
            **{(effect,): Fraction(-1) for effect in self.effects.values()},
        }
        decimals = max(figures[name].decimals for name in self.names)
        low, high = bounds(remainder, figures)
        left = value_at(remainder, {name: figures[name].value for name in self.names})
        total = figures[self.total]
        parts = [figures[self.base], *(figures[effect] for effect in self.effects.values())]
        sum_ = sum((part.value for part in parts), Fraction(0))
        written = " + ".join(decimal(part.value, part.decimals) for part in parts)
        lines = [
            f"{written} = {decimal(sum_, decimals)}, stated {total.shown()}.",
            f"Left over: {decimal(left, decimals)} ({interval(low, high, decimals + 1)})"
            f"{self._items(left, low, high)}.",
            *self._cells(figures, left, decimals),
        ]
        if low <= 0 <= high:
            return Result(Level.CONSISTENT, tuple(lines))
        if self.exactly:
            return Result(Level.IMPOSSIBLE, tuple(lines))
        condition = f"the effects interact: by {interval(low, high, decimals + 1)} beyond their sum"
        return Result(Level.CONDITIONAL, tuple(lines), (condition,))

    def _items(self, left: Fraction, low: Fraction, high: Fraction) -> str:
        if not self.n:
            return ""
        ends = (low * self.n, high * self.n)
        return f", {decimal(left * self.n, 1)} of {self.n:,} items ({interval(ends[0], ends[1], 1)})"

    def _cells(self, figures: Mapping[str, Figure], left: Fraction, decimals: int) -> list[str]:
        """Of two parts, what the four cells then are, and what each adds alone and beside the other."""
        if len(self.effects) != 2:
            return []
        base, total = figures[self.base].value, figures[self.total].value
        (one, first), (two, second) = ((part, figures[effect].value) for part, effect in self.effects.items())
        if self.leave_one_out:
            only_one, only_two = total - second, total - first
        else:
            only_one, only_two = base + first, base + second
        interaction = total - only_one - only_two + base

        def shown(number: Fraction) -> str:
            return decimal(number, decimals)

        return [
            f"Cells: neither {shown(base)}, only {one} {shown(only_one)}, only {two} {shown(only_two)}, "
            f"both {shown(total)}; interaction {shown(total)} − {shown(only_one)} − {shown(only_two)} + "
            f"{shown(base)} = {shown(interaction)}.",
            f"{one} adds {shown(only_one - base)} alone and {shown(total - only_two)} beside {two}; "
            f"{two} adds {shown(only_two - base)} alone and {shown(total - only_one)} beside {one}.",
        ]
