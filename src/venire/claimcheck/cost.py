"""Dollars from tokens: which shares of output make a stated cost, at stated prices."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from venire.claimcheck.figures import Figure, decimal, interval
from venire.claimcheck.findings import Level, Result

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class CostCheck:
    """A cost, the tokens that it is for, and the prices of a million.

    Args:
        cost: in dollars.
        tokens: all of them, input and output together.
        price_input, price_output: dollars a million.
        output: the tokens of output among them; empty where the source does not say.
    """

    cost: str
    tokens: str
    price_input: str
    price_output: str
    output: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        stated = (self.tokens, self.output) if self.output else (self.tokens,)
        return (*stated, self.price_input, self.price_output, self.cost)

    def result(self, figures: Mapping[str, Figure]) -> Result:
        """Impossible where no share of output (the stated one) costs that."""
        cost, tokens = figures[self.cost], figures[self.tokens]
        into, out = figures[self.price_input], figures[self.price_output]
        lines = [
            f"{decimal(tokens.value, tokens.decimals)} tokens {name}: "
            f"${decimal(tokens.value * price / MILLION, cost.decimals + 2)}."
            for name, price in (
                (f"at the input price, {_priced(into)}", into.value),
                (f"at the output price, {_priced(out)}", out.value),
                ("with a tenth of output", into.value + (out.value - into.value) / 10),
            )
        ]
        if self.output:
            return self._of_output(figures, lines)
        lowest, highest = _shares(cost, tokens, into, out)
        if lowest > 1 or highest < 0:
            return Result(Level.IMPOSSIBLE, (*lines, f"Stated: ${cost.shown()}, outside of these."))
        lowest, highest = max(lowest, Fraction(0)), min(highest, Fraction(1))
        digits = 4
        lines.append(
            f"${cost.shown()} needs a share of output of {interval(lowest, highest, digits)}: at most "
            f"{decimal(highest * tokens.high, 0)} tokens of output."
        )
        ends = " and ".join(f"{decimal(100 * end, digits - 2)}%" for end in (lowest, highest))
        condition = f"between {ends} of the tokens are output"
        return Result(Level.CONDITIONAL, tuple(lines), (condition,))

    def _of_output(self, figures: Mapping[str, Figure], lines: list[str]) -> Result:
        cost, tokens, output = figures[self.cost], figures[self.tokens], figures[self.output]
        into, out = figures[self.price_input], figures[self.price_output]
        # Linear in each figure: extremes at corners, of which those without negative input count.
        totals = [
            ((all_ - share) * first + share * second) / MILLION
            for all_ in (tokens.low, tokens.high)
            for share in (output.low, output.high)
            for first in (into.low, into.high)
            for second in (out.low, out.high)
        ]
        value = ((tokens.value - output.value) * into.value + output.value * out.value) / MILLION
        lines.append(
            f"With {decimal(output.value, output.decimals)} of output: ${decimal(value, cost.decimals + 2)} "
            f"({interval(min(totals), max(totals), cost.decimals + 4)}); stated ${cost.shown()}."
        )
        fits = min(totals) <= cost.high and cost.low <= max(totals) and output.low <= tokens.high
        return Result(Level.CONSISTENT if fits else Level.IMPOSSIBLE, tuple(lines))


def _priced(price: Figure) -> str:
    return f"${decimal(price.value, price.decimals)} a million"


def _shares(cost: Figure, tokens: Figure, into: Figure, out: Figure) -> tuple[Fraction, Fraction]:
    """The lowest and highest share of output at which the tokens cost that; perhaps outside [0, 1].

    cost = tokens (input + share (output - input)) / million: monotone in each figure where output costs more.
    """
    shares = [
        (dollars * MILLION / count - first) / (second - first)
        for dollars in (cost.low, cost.high)
        for count in (tokens.low, tokens.high)
        for first in (into.low, into.high)
        for second in (out.low, out.high)
    ]
    return min(shares), max(shares)
