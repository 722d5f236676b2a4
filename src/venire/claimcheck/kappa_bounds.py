"""Which values Cohen's kappa can take at an accuracy: over all margins, or with those of a side given.

kappa = (a - e) / (1 - e), a the accuracy and e the agreement expected from the margins, the sum over labels
of gold's share times the verdicts'. Shares are real numbers here: whole items give some of the values.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

Margin = Sequence[Fraction]  # a share for each label, 1 in all
Span = tuple[Fraction, Fraction]
KappaAt = Callable[[Fraction], Span | None]


def kappa(accuracy: Fraction, expected: Fraction) -> Fraction:
    """(a - e) / (1 - e). At e = 1 all is right and of one label: 1, as of other tables where all is right."""
    return (accuracy - expected) / (1 - expected) if expected != 1 else Fraction(1)


def needed_expected(accuracy: Fraction, value: Fraction) -> Fraction:
    """The e at which the accuracy gives this kappa; value below 1."""
    return (accuracy - value) / (1 - value)


def free_expected(accuracy: Fraction, labels: int) -> Span:
    """The lowest and highest e over all margins of `labels` labels.

    Highest: all that is right on one label, the wrong shared out evenly over both sides of it, (1 + a^2) / 2.
    Lowest: the wrong between two labels, the right mostly on the others: with s right on each of the two,
    s = max(0, (2 a - (1 - a) (L - 2)) / (2 L)), e = 2 s^2 + (a - 2 s)^2 / (L - 2) + 2 (1 - a) s; for two
    labels a - a^2 / 2.
    """
    a = accuracy
    highest = (1 + a * a) / 2
    if labels == 2:
        return a - a * a / 2, highest
    on_two = max(Fraction(0), (2 * a - (1 - a) * (labels - 2)) / (2 * labels))
    rest = a - 2 * on_two
    return 2 * on_two**2 + rest**2 / (labels - 2) + 2 * (1 - a) * on_two, highest


def expected_beside(accuracy: Fraction, margin: Margin) -> Span:
    """The lowest and highest e where one side's margin is given and the other's is free.

    An item of label i adds margin[i] where it is right, and the margin of the label taken instead where it is
    wrong: at the extreme the rarest (commonest) other label. Which are right goes by what that gains.
    """
    return _extreme(accuracy, margin, min), _extreme(accuracy, margin, max)


def _extreme(accuracy: Fraction, margin: Margin, pick: Callable[[Sequence[Fraction]], Fraction]) -> Fraction:
    instead = [pick([*margin[:i], *margin[i + 1 :]]) for i in range(len(margin))]
    total = sum((share * other for share, other in zip(margin, instead, strict=True)), Fraction(0))
    gains = sorted(
        ((share - other, share) for share, other in zip(margin, instead, strict=True)),
        reverse=pick is max,
    )
    left = accuracy
    for gain, room in gains:
        taken = min(left, room)
        total += taken * gain
        left -= taken
    return total


def expected_of(gold: Margin, verdicts: Margin) -> Fraction:
    """The e of two given margins."""
    return sum((one * two for one, two in zip(gold, verdicts, strict=True)), Fraction(0))


def accuracy_between(gold: Margin, verdicts: Margin) -> Span:
    """The lowest and highest accuracy that two margins allow."""
    most = sum((min(one, two) for one, two in zip(gold, verdicts, strict=True)), Fraction(0))
    least = max(Fraction(0), *(one + two - 1 for one, two in zip(gold, verdicts, strict=True)))
    return least, most


def kappa_between(labels: int, gold: Margin | None, verdicts: Margin | None) -> KappaAt:
    """A function from an accuracy to the lowest and highest kappa there.

    None where no table has that accuracy, or kappa is undefined for all that have (one label on both sides).
    """
    known = gold if gold is not None else verdicts

    def at(accuracy: Fraction) -> Span | None:
        if gold is not None and verdicts is not None:
            least, most = accuracy_between(gold, verdicts)
            low = high = expected_of(gold, verdicts)
            if not least <= accuracy <= most:
                return None
        elif known is not None:
            low, high = expected_beside(accuracy, known)
        else:
            low, high = free_expected(accuracy, labels)
        return None if low == 1 else (kappa(accuracy, high), kappa(accuracy, low))

    return at


def corners(low: Fraction, high: Fraction, gold: Margin | None, verdicts: Margin | None) -> list[Fraction]:
    """The accuracies in [low, high] between which the bounds of kappa are monotone.

    With one margin given they bend where the items of a label are used up.
    """
    bends: set[Fraction] = set()
    known = gold if gold is not None else verdicts
    if gold is not None and verdicts is not None:
        bends = set(accuracy_between(gold, verdicts))
    elif known is not None:
        for pick, order in ((min, False), (max, True)):
            instead = [pick([*known[:i], *known[i + 1 :]]) for i in range(len(known))]
            used = Fraction(0)
            for _, room in sorted(
                ((share - other, share) for share, other in zip(known, instead, strict=True)), reverse=order
            ):
                used += room
                bends.add(used)
    return sorted({low, high, *(bend for bend in bends if low < bend < high)})


def kappa_within(at: KappaAt, accuracies: Sequence[Fraction]) -> Span | None:
    """The lowest and highest kappa at these accuracies; None where no table has any of them."""
    spans = [span for span in map(at, accuracies) if span is not None]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None


def hull_at(at: KappaAt, low: Fraction, high: Fraction, n: int) -> Span | None:
    """Bounds of a mean kappa over runs of `n` items with a mean accuracy in [low, high], whatever each run's.

    A run has one of n + 1 accuracies; a mean of points lies in the convex hull of what one run can have.
    """
    found = [(Fraction(k, n), at(Fraction(k, n))) for k in range(n + 1)]
    spans = [(a, span) for a, span in found if span is not None]
    if not spans:
        return None
    above = _upper_hull([(a, most) for a, (_, most) in spans])
    below = [(a, -y) for a, y in _upper_hull([(a, -least) for a, (least, _) in spans])]
    # Concave and convex: their extremes on an interval are at its ends or at corners of the hull.
    inside = [a for a, _ in (*above, *below) if low <= a <= high]
    ends = [a for a in (low, high, *inside) if above[0][0] <= a <= above[-1][0]]
    if not ends:
        return None
    return min(_on(below, a) for a in ends), max(_on(above, a) for a in ends)


def _upper_hull(points: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in points:
        while len(hull) >= 2:
            (x1, y1), (x2, y2) = hull[-2:]
            if (x2 - x1) * (y - y1) >= (y2 - y1) * (x - x1):
                hull.pop()
            else:
                break
        hull.append((x, y))
    return hull


def _on(hull: Sequence[tuple[Fraction, Fraction]], x: Fraction) -> Fraction:
    if len(hull) == 1:
        return hull[0][1]
    for (x1, y1), (x2, y2) in pairwise(hull):
        if x1 <= x <= x2:
            return y1 + (y2 - y1) * (x - x1) / (x2 - x1)
    raise AssertionError(x)  # the caller stays within the hull
