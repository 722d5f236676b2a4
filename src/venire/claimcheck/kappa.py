"""Cohen's kappa beside the accuracy that it belongs to: whether any margins give both, and which."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from venire.claimcheck.figures import Figure, decimal, interval
from venire.claimcheck.findings import Level, Result
from venire.claimcheck.kappa_bounds import (
    Margin,
    Span,
    corners,
    hull_at,
    kappa,
    kappa_between,
    kappa_within,
    needed_expected,
)
from venire.claimcheck.reachable import reached

MOST_TABLES = 2_000  # items up to which every table of two labels is tried


@dataclass(frozen=True, slots=True)
class KappaCheck:
    """An accuracy and a kappa of the same verdicts against the same gold.

    Args:
        accuracy, kappa: the figures.
        n: items of a run.
        labels: how many.
        gold, verdicts: items of each label on either side, `n` in all; empty where the source does not say.
        runs: over how many runs both are means; None where the source does not say.
    """

    accuracy: str
    kappa: str
    n: int
    labels: int = 2
    gold: tuple[int, ...] = ()
    verdicts: tuple[int, ...] = ()
    runs: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        return (self.accuracy, self.kappa)

    def result(self, figures: Mapping[str, Figure]) -> Result:
        """Consistent where even margins (the stated ones) give both; else the margins are the condition."""
        accuracy, value = figures[self.accuracy], figures[self.kappa]
        if accuracy.low > 1 or accuracy.high < 0:
            return Result(
                Level.IMPOSSIBLE, (f"accuracy {accuracy.shown()}: no share is below 0 or above 1.",)
            )
        gold, verdicts = self._margin(self.gold), self._margin(self.verdicts)
        low, high = max(accuracy.low, Fraction(0)), min(accuracy.high, Fraction(1))
        at = kappa_between(self.labels, gold, verdicts)
        inside = kappa_within(at, corners(low, high, gold, verdicts))
        lines = [*self._usual(accuracy, gold, verdicts), self._attainable(accuracy, value, inside)]
        if inside is None or not _meet(inside, value):
            return self._outside(lines, hull_at(at, low, high, self.n) if self.runs != 1 else None, value)
        if self.runs == 1 and not self._some_table(accuracy, value):
            lines.append(f"No table of {self.n:,} whole items gives both.")
            return Result(Level.IMPOSSIBLE, tuple(lines))
        needed = self._needed(accuracy, value)
        if _meet(self._usual_span(low, high, gold, verdicts), value):
            return Result(Level.CONSISTENT, tuple(lines))
        lines.append(f"Needed: agreement by chance e = (a − kappa) / (1 − kappa) of {interval(*needed, 3)}.")
        return Result(Level.CONDITIONAL, tuple(lines), (self._condition(needed, gold, verdicts),))

    def _margin(self, counts: tuple[int, ...]) -> Margin | None:
        return [Fraction(count, self.n) for count in counts] if counts else None

    def _usual_expected(self, gold: Margin | None, verdicts: Margin | None) -> Fraction:
        """What the stated margins expect, both sides alike where one is stated; even ones where none is."""
        even = [Fraction(1, self.labels)] * self.labels
        one = gold if gold is not None else verdicts if verdicts is not None else even
        two = verdicts if verdicts is not None else one
        return sum((a * b for a, b in zip(one, two, strict=True)), Fraction(0))

    def _usual_span(
        self, low: Fraction, high: Fraction, gold: Margin | None, verdicts: Margin | None
    ) -> Span | None:
        expected = self._usual_expected(gold, verdicts)
        return (kappa(low, expected), kappa(high, expected)) if expected < 1 else None

    def _usual(self, accuracy: Figure, gold: Margin | None, verdicts: Margin | None) -> list[str]:
        expected = self._usual_expected(gold, verdicts)
        if expected == 1:
            return []
        if gold is None and verdicts is None:
            whose = f"Even margins of {self.labels} labels"
        elif gold is not None and verdicts is not None:
            whose = f"Gold {_counts(self.gold)} and verdicts {_counts(self.verdicts)}"
        else:
            stated = self.gold or self.verdicts
            whose = f"{'Gold' if self.gold else 'Verdicts'} {_counts(stated)}, and the other side alike"
        digits = accuracy.decimals
        value = kappa(accuracy.value, expected)
        a, e = decimal(accuracy.value, digits), decimal(expected, 3)
        return [f"{whose}: e = {e}, so accuracy {a} has kappa ({a} − {e}) / (1 − {e}) = {decimal(value, 3)}."]

    def _attainable(self, accuracy: Figure, value: Figure, inside: Span | None) -> str:
        if self.gold and self.verdicts:
            whose = "with these margins"
        elif self.gold or self.verdicts:
            whose = f"with the {'gold' if self.gold else 'verdicts'} stated and any margins of the other side"
        else:
            whose = f"with any margins of {self.labels} labels"
        if inside is None:
            return f"{accuracy.shown()} is the accuracy of no table {whose}."
        return f"Attainable {whose}: kappa {interval(*inside, 3)}; stated {value.shown()}."

    def _outside(self, lines: list[str], hull: Span | None, value: Figure) -> Result:
        if not _meet(hull, value):
            return Result(Level.IMPOSSIBLE, tuple(lines))
        assert hull is not None
        lines.append(f"A mean over runs of unlike accuracy could have a mean kappa of {interval(*hull, 3)}.")
        return Result(
            Level.CONDITIONAL, tuple(lines), ("they are means over runs whose accuracies lie far apart",)
        )

    def _needed(self, accuracy: Figure, value: Figure) -> Span:
        """The agreement by chance that both need: it rises with the accuracy and falls with kappa."""
        top = min(value.high, Fraction(999_999, 1_000_000))
        return needed_expected(accuracy.low, top), needed_expected(accuracy.high, value.low)

    def _some_table(self, accuracy: Figure, value: Figure) -> bool:
        """Whether some whole items of two labels give both; True where that was not tried."""
        if self.labels != 2 or self.n > MOST_TABLES:
            return True
        return any(
            _some_table(self.n, right, (value.low, value.high), self.gold, self.verdicts)
            for right in reached(accuracy.low, accuracy.high, self.n)
        )

    def _condition(self, needed: Span, gold: Margin | None, verdicts: Margin | None) -> str:
        told = f"the margins make e {interval(*needed, 3)}"
        if self.labels != 2 or (gold is not None and verdicts is not None):
            return told
        low, high = (each - Fraction(1, 2) for each in needed)
        known = gold if gold is not None else verdicts
        if known is not None and known[0] != Fraction(1, 2):
            ends = sorted(Fraction(1, 2) + each / (2 * (known[0] - Fraction(1, 2))) for each in (low, high))
            ends = [min(max(end, Fraction(0)), Fraction(1)) for end in ends]
            other = "verdicts" if gold is not None else "gold"
            return f"{told}: the first label has a share of {interval(ends[0], ends[1], 3)} of the {other}"
        middle = (low + high) / 2
        share = 0.5 + math.sqrt(abs(middle) / 2)
        sides = "the same label" if middle > 0 else "opposite labels"
        return f"{told}: for instance both sides have {sides} in a share of {share:.3f}"


def _counts(counts: tuple[int, ...]) -> str:
    return " to ".join(f"{count:,}" for count in counts)


def _meet(span: Span | None, figure: Figure) -> bool:
    return span is not None and span[0] <= figure.high and figure.low <= span[1]


def _some_table(n: int, right: int, value: Span, gold: tuple[int, ...], verdicts: tuple[int, ...]) -> bool:
    """Whether some 2 x 2 table of n items with so many right has kappa in `value`, in whole numbers."""
    # first: right ones of label 1; missed: label 1 by gold, taken for label 2.
    first = np.arange(right + 1)[:, None]
    missed = np.arange(n - right + 1)[None, :]
    by_gold = first + missed
    by_verdict = first + (n - right) - missed
    expected = by_gold * by_verdict + (n - by_gold) * (n - by_verdict)  # e times n^2
    over, under = n * right - expected, n * n - expected
    fits = under > 0
    for end, is_low in ((value[0], True), (value[1], False)):
        gap = over * end.denominator - under * end.numerator
        fits &= gap >= 0 if is_low else gap <= 0
    if gold:
        fits &= by_gold == gold[0]
    if verdicts:
        fits &= by_verdict == verdicts[0]
    return bool(fits.any())
