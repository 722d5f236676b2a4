"""A rate that a judge measured, corrected by how often the judge is right: Rogan and Gladen's estimate."""

from dataclasses import dataclass
from statistics import NormalDist

from venire.stats.estimate import Estimate, undefined
from venire.stats.intervals import wilson


@dataclass(frozen=True, slots=True)
class Labelled:
    """How a judge does on items whose gold is known.

    Args:
        positives, found: items with the property, and those of them on which the judge says so.
        negatives, cleared: items without it, and those of them on which the judge says so.
    """

    positives: int
    found: int
    negatives: int
    cleared: int

    @property
    def sensitivity(self) -> float:
        """Share of the items with the property that the judge finds; NaN without any."""
        return self.found / self.positives if self.positives else float("nan")

    @property
    def specificity(self) -> float:
        """Share of the items without it that the judge clears; NaN without any."""
        return self.cleared / self.negatives if self.negatives else float("nan")


def corrected_rate(said: int, n: int, labelled: Labelled, level: float = 0.95) -> Estimate:
    """The true rate (p + specificity - 1) / (sensitivity + specificity - 1), p = said / n.

    It holds where the judge errs alike on the labelled items and on the n others: labelled at random. A
    value outside of [0, 1] is cut there. The interval is Lang and Reiczigel's: it has the chance of the n
    items and that of the labelled ones, by adding z^2 / 2 (of z^2) items to the first and 1 (of 2) to each
    kind of the others.

    Undefined where there is nothing to measure or to correct by, and where sensitivity and specificity add
    up to 1 or less: such a judge tells nothing, or the opposite.

    Args:
        said: of the n items, those on which the judge says that they have the property.
        n: items whose gold is not looked at.
        labelled: the judge on other items.
        level: of the interval.

    Source: Rogan & Gladen (1978); Lang & Reiczigel (2014), "Confidence limits for prevalence of disease
    adjusted for estimated sensitivity and specificity".
    """
    if n == 0:
        return undefined("the judge has no verdict")
    if not labelled.positives or not labelled.negatives:
        return undefined("the labelled part needs items with the property and without it", n)
    youden = labelled.sensitivity + labelled.specificity - 1
    if youden <= 0:
        return undefined("sensitivity and specificity add up to 1 or less: the judge tells nothing", n)
    value = (said / n + labelled.specificity - 1) / youden
    low, high = _interval(said, n, labelled, level)
    by = labelled.positives + labelled.negatives
    note = f"{level:.0%} interval of Lang and Reiczigel, {by} labelled items"
    if not 0 <= value <= 1:
        note += f"; {value:.3f} before it was cut"
    return Estimate(min(max(value, 0.0), 1.0), low, high, n, note)


def measured_rate(said: int, n: int, level: float = 0.95) -> Estimate:
    """The rate as the judge measured it, with Wilson's interval; undefined for n = 0."""
    return wilson(said, n, level).around(said / n, n) if n else undefined("the judge has no verdict")


def _interval(said: int, n: int, labelled: Labelled, level: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + level) / 2)
    size = n + z * z
    p = (said + z * z / 2) / size
    n1, n0 = labelled.positives + 2, labelled.negatives + 2
    sensitivity, specificity = (labelled.found + 1) / n1, (labelled.cleared + 1) / n0
    youden = sensitivity + specificity - 1
    if youden <= 0:  # so few labelled items that the added ones decide
        return 0.0, 1.0
    rate = (p + specificity - 1) / youden
    of_found = sensitivity * (1 - sensitivity) / n1
    of_cleared = specificity * (1 - specificity) / n0
    spread = (p * (1 - p) / size + rate**2 * of_found + (1 - rate) ** 2 * of_cleared) ** 0.5 / youden
    centre = rate + 2 * z * z * (rate * of_found - (1 - rate) * of_cleared)
    return min(max(centre - z * spread, 0.0), 1.0), min(max(centre + z * spread, 0.0), 1.0)
