"""Which shares k / n are stated so (the GRIM test): of one run, of a mean over runs, with halves for ties.

Source: Brown and Heathers (2017), The GRIM test, Social Psychological and Personality Science 8 (4).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from venire.claimcheck.figures import Figure, decimal
from venire.claimcheck.findings import Level, Result

MOST_RUNS = 10  # that are tried where the source does not say how many


def reached(low: Fraction, high: Fraction, items: int) -> range:
    """The whole k, 0 to `items`, for which k / items lies in [low, high]."""
    return range(max(0, math.ceil(low * items)), min(items, math.floor(high * items)) + 1)


@dataclass(frozen=True, slots=True)
class ReachableCheck:
    """Shares of `n` items that some whole number of right ones must give.

    Args:
        figures: the names of the shares.
        n: items of a run.
        runs: over how many runs each is a mean; None where the source does not say.
        halves: whether an item may count one half (ties); None where the source does not say.
    """

    figures: tuple[str, ...]
    n: int
    runs: int | None = None
    halves: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        return self.figures

    def result(self, figures: Mapping[str, Figure]) -> Result:
        """Consistent where what the source states reaches all; one run of whole items where it is silent."""
        shares = [figures[name] for name in self.figures]
        runs, per_item = self.runs or 1, 2 if self.halves else 1
        lines = [self._line(share, runs, per_item) for share in shares]
        if not self._missed(shares, runs, per_item):
            return Result(Level.CONSISTENT, tuple(lines))
        ways: list[str] = []
        if self.runs is None:
            ways += self._over_runs(shares, per_item)
        if self.halves is None:
            still = self._missed(shares, runs, 2)
            if still:
                lines.append(
                    f"Items that count one half do not reach {', '.join(s.text for s in still)} either."
                )
            else:
                ways.append("an item may count one half, as a tie")
        if not ways and self.runs is None and self.halves is None:
            ways += [f"{way}, in which an item may count one half" for way in self._over_runs(shares, 2)]
        if not ways:
            lines.append(self._tried())
            return Result(Level.IMPOSSIBLE, tuple(lines))
        return Result(Level.CONDITIONAL, tuple(lines), tuple(ways))

    def _missed(self, shares: Sequence[Figure], runs: int, per_item: int) -> list[Figure]:
        items = self.n * runs * per_item
        return [share for share in shares if not len(reached(share.low, share.high, items))]

    def _over_runs(self, shares: Sequence[Figure], per_item: int) -> list[str]:
        """Over how many runs all are means, as a condition; none where no number does."""
        counts = [runs for runs in range(2, MOST_RUNS + 1) if not self._missed(shares, runs, per_item)]
        if not counts:
            return []
        is_span = len(counts) > 2 and counts == list(range(counts[0], counts[-1] + 1))
        told = f"{counts[0]} to {counts[-1]}" if is_span else ", ".join(map(str, counts))
        return [f"they are means over {told} runs (tried: 2 to {MOST_RUNS})"]

    def _line(self, share: Figure, runs: int, per_item: int) -> str:
        items = self.n * runs * per_item
        over = f"{items:,}"
        found = reached(share.low, share.high, items)
        digits = share.decimals + 2
        if len(found):
            first = found[0]
            also = f", {len(found)} such numbers" if len(found) > 1 else ""
            return f"{share.shown()}: {first:,}/{over} = {decimal(Fraction(first, items), digits)}{also}."
        below = math.floor(share.low * items)
        around = [
            f"{k:,}/{over} = {decimal(Fraction(k, items), digits)}"
            for k in (below, below + 1)
            if 0 <= k <= items
        ]
        beside = f"; {', '.join(around)}" if around else ": no share is below 0 or above 1"
        return f"{share.shown()}: no whole number of {over}{beside}."

    def _tried(self) -> str:
        runs = f"means over up to {MOST_RUNS} runs" if self.runs is None else f"{self.runs} runs"
        halves = "whole items alone" if self.halves is False else "items that count one half, too"
        return f"Tried: {runs}; {halves}."
