"""Thresholds of a cascade with a guarantee on its agreement, by tests on a development split.

A cascade's stage decides an item where its confidence is at least the stage's threshold, and hands it on
where it is not. Its risk is the share of wrong verdicts among those that it decides, of the items that
reach it. The guarantee: with probability 1 - delta over a development split of independent items, *every*
open stage's risk is at most 1 - target, and so is that of all decided items together.

Which items reach a stage hangs on the thresholds before it, and these are chosen on the same items. So
the tests cover every combination: for each combination of earlier thresholds, closed ones included, one
fixed sequence of tests runs over the stage's levels from the highest down. Each stage has an equal part of
delta, in equal parts for its combinations. A union over sequences then holds whatever is chosen afterwards
among what they certify, by coverage or by cost.

A sequence starts at the `first` level with all of its delta and stops at the first test that fails; a first
level that few items reach then keeps the stage closed. Or it may start at `any` level: each has an equal part
of the delta, and what a test that passed had goes on to the next (the fallback procedure).

Source: Jung, Brahman & Choi (2024), "Trust or Escalate", section 2 (fixed-sequence testing of the exact
binomial bound for one judge); Angelopoulos et al. (2021), "Learn then Test" (the union over sequences);
Wiens (2003), Wiens & Dmitrienko (2005) (the fallback procedure).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, product
from math import ceil, isnan, log, prod

import numpy as np

from venire.errors import DataError
from venire.stats.estimate import NAN, BoolArray, FloatArray


class Start(StrEnum):
    """Where a sequence of tests may start."""

    FIRST = "first"  # at the highest level, with all of its delta
    ANY = "any"  # at any level, with an equal part of it


# A threshold, or None: the stage is closed and asks nobody.
Thresholds = tuple[float | None, ...]

_ROUNDING = 1e-9
_POWER = 0.8
_MOST_ITEMS = 100_000


@dataclass(frozen=True, slots=True)
class StageScores:
    """What each of K stages says of each of N items.

    Args:
        confidence: shape (N, K); NaN where a stage has no verdict: it never decides there.
        right: whether the verdict agrees with gold, shape (N, K).
        cost: of asking each stage about one item, shape (K,); NaN where unknown.
    """

    confidence: FloatArray
    right: BoolArray
    cost: FloatArray

    @property
    def n(self) -> int:
        """N."""
        return int(self.confidence.shape[0])

    @property
    def stages(self) -> int:
        """K."""
        return int(self.confidence.shape[1])


@dataclass(frozen=True, slots=True)
class Passed:
    """What became of items under some thresholds: counts by stage.

    Args:
        reached: items that an open stage was asked about.
        decided: of them, those that it decided.
        errors: of these, the wrong ones.
        n: all items.
    """

    reached: tuple[int, ...]
    decided: tuple[int, ...]
    errors: tuple[int, ...]
    n: int

    @property
    def left(self) -> int:
        """Items that nobody decided."""
        return self.n - sum(self.decided)

    def cost(self, per_stage: FloatArray, people: float = 0.0, error: float = 0.0) -> float:
        """Mean cost an item: of the stages asked, of people for what is left, of wrong verdicts.

        NaN where a stage that was asked has an unknown cost.
        """
        asked = sum(count * float(cost) for count, cost in zip(self.reached, per_stage, strict=True) if count)
        return (asked + people * self.left + error * sum(self.errors)) / self.n if self.n else NAN


def passed(scores: StageScores, thresholds: Thresholds) -> Passed:
    """What becomes of the items under `thresholds`."""
    open_items = np.full(scores.n, True)
    counts = []
    for stage, threshold in enumerate(thresholds):
        if threshold is None:
            counts.append((0, 0, 0))
            continue
        decided = open_items & confident(scores.confidence[:, stage], threshold)
        wrong = decided & ~scores.right[:, stage]
        counts.append((_count(open_items), _count(decided), _count(wrong)))
        open_items = open_items & ~decided
    reached, decided_, errors = zip(*counts, strict=True) if counts else ((), (), ())
    return Passed(reached, decided_, errors, scores.n)


def _count(items: BoolArray) -> int:
    return int(np.count_nonzero(items))


def confident(confidence: FloatArray, threshold: float) -> BoolArray:
    """Whether each is at least `threshold`, up to rounding; NaN never is."""
    return np.greater_equal(confidence, threshold - _ROUNDING)


@dataclass(frozen=True, slots=True)
class LevelTest:
    """One test of a sequence, whether the stage's risk at this level is as low as is asked.

    Args:
        level: the threshold.
        n, errors: development items that the stage would decide, and how many of them wrongly.
        p: P(at most `errors` of `n` wrong) were the risk as high as allowed.
        delta: what p must not exceed.
    """

    level: float
    n: int
    errors: int
    p: float
    delta: float

    @property
    def certified(self) -> bool:
        """Whether the risk is shown to be low enough."""
        return self.p <= self.delta


def p_values(errors: FloatArray, n: FloatArray, risk: float) -> FloatArray:
    """P(Binomial(n, risk) <= errors), the exact p of "the risk is at least `risk`"; 1 for n = 0."""
    from scipy.stats import binom

    return np.asarray(binom.cdf(errors, n, risk), dtype=np.float64)


def p_violated(errors: int, n: int, risk: float) -> float:
    """P(Binomial(n, risk) >= errors): small where held-out items say that the risk is above `risk`."""
    from scipy.stats import binom

    return float(binom.sf(errors - 1, n, risk))


def risk_bound(errors: int, n: int, delta: float) -> float:
    """The upper bound of a risk that fails with probability `delta` (Clopper & Pearson 1934); 1 for n = 0."""
    from scipy.stats import beta

    return 1.0 if errors >= n else float(beta.ppf(1 - delta, errors + 1, n - errors))


def least_items(target: float, delta: float) -> int:
    """The fewest decided items that can certify `target`: with none of them wrong, target^n <= delta."""
    return ceil(log(delta) / log(target) - _ROUNDING)


def sufficient_items(target: float, delta: float, agreement: float, power: float = _POWER) -> int | None:
    """The fewest decided items that certify `target` with probability `power`, were `agreement` the truth.

    None where no number up to 100,000 does (the agreement is not above the target).
    """
    if agreement <= target:
        return None
    low, high = least_items(target, delta), _MOST_ITEMS
    if _power(high, target, delta, agreement) < power:
        return None
    while low < high:  # the power rises but for small steps back, which a little more is needed for anyway
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, target, delta, agreement) >= power else (middle + 1, high)
    return low


def _power(n: int, target: float, delta: float, agreement: float) -> float:
    """P(the test certifies)."""
    from scipy.stats import binom

    most = int(binom.ppf(delta, n, 1 - target))
    most -= binom.cdf(most, n, 1 - target) > delta
    return float(binom.cdf(most, n, 1 - agreement)) if most >= 0 else 0.0


def delta_of_stage(levels: Sequence[Sequence[float]], stage: int, delta: float) -> float:
    """The part of `delta` that each sequence of `stage` has; see the module."""
    combinations = prod(len(each) + 1 for each in levels[:stage])
    return delta / (len(levels) * combinations)


@dataclass(frozen=True, slots=True)
class Certified:
    """Thresholds that all hold at once, each with the tests on its way (one sequence a stage)."""

    thresholds: Thresholds
    tests: tuple[tuple[LevelTest, ...], ...]


def certified(
    scores: StageScores,
    levels: Sequence[Sequence[float]],
    *,
    target: float,
    delta: float,
    start: Start = Start.FIRST,
) -> list[Certified]:
    """All combinations of thresholds that are certified, the one with every stage closed among them.

    Args:
        scores: of the development split.
        levels: of each stage, falling, fixed before any of its items was looked at.
        target, delta, start: see the module.

    Raises:
        DataError: levels that do not fall, or as many of them as there are no stages.
    """
    check_levels(levels)
    if len(levels) != scores.stages:
        raise DataError(f"levels: expected those of {scores.stages} stages, got {len(levels)}")
    asked = _Asked(scores, levels, target, delta, start)
    return list(_certified(asked, np.full(scores.n, True), ()))


def check_levels(levels: Sequence[Sequence[float]]) -> None:
    """Nothing, where every stage has levels in (0, 1] that fall.

    Raises:
        DataError: one does not.
    """
    for stage in levels:
        falls = all(first > second for first, second in pairwise(stage))
        if not stage or not falls or not 0 < stage[-1] <= stage[0] <= 1:
            raise DataError(f"levels: expected some numbers above 0, up to 1, that fall, got {list(stage)}")


@dataclass(frozen=True, slots=True)
class _Asked:
    scores: StageScores
    levels: Sequence[Sequence[float]]
    target: float
    delta: float
    start: Start


def _certified(
    asked: _Asked, open_items: BoolArray, before: tuple[tuple[float | None, tuple[LevelTest, ...]], ...]
) -> Iterator[Certified]:
    stage, scores, levels = len(before), asked.scores, asked.levels
    if stage == scores.stages:
        yield Certified(tuple(each for each, _ in before), tuple(tests for _, tests in before))
        return
    own = delta_of_stage(levels, stage, asked.delta)
    tests = sequence(
        scores, stage, levels[stage], open_items, target=asked.target, delta=own, start=asked.start
    )
    choices = [None, *(test.level for test in tests if test.certified)]
    for level in choices:
        rest = open_items
        if level is not None:
            rest = open_items & ~confident(scores.confidence[:, stage], level)
        yield from _certified(asked, rest, (*before, (level, tests)))


def sequence(
    scores: StageScores,
    stage: int,
    levels: Sequence[float],
    open_items: BoolArray,
    *,
    target: float,
    delta: float,
    start: Start = Start.FIRST,
) -> tuple[LevelTest, ...]:
    """The tests of one sequence, as far as it goes; see the module."""
    made: list[LevelTest] = []
    carried = delta if start is Start.FIRST else 0.0
    share = 0.0 if start is Start.FIRST else delta / len(levels)
    for level in levels:
        own = carried + share
        if own == 0:
            break
        decided = open_items & confident(scores.confidence[:, stage], level)
        n = _count(decided)
        errors = _count(decided & ~scores.right[:, stage])
        p = float(p_values(np.array(errors), np.array(n), 1 - target)) if n else 1.0
        made.append(LevelTest(level, n, errors, p, own))
        carried = own if made[-1].certified else 0.0
    return tuple(made)


def widest(scores: StageScores, found: Sequence[Certified]) -> Certified:
    """The one that decides most of the items; of equals the cheaper, then the one that decides earlier."""

    def rank(each: Certified) -> tuple[float, float, tuple[int, ...]]:
        outcome = passed(scores, each.thresholds)
        cost = outcome.cost(scores.cost)
        return (-sum(outcome.decided), np.inf if isnan(cost) else cost, tuple(-n for n in outcome.decided))

    return min(found, key=rank)


def cheapest(scores: StageScores, found: Sequence[Certified], *, people: float) -> Certified:
    """The one that costs least an item, where people take what is left; of equals the one that decides more.

    Args:
        scores: their costs are known.
        found: what may be chosen.
        people: the cost of an item that nobody decides.
    """

    def rank(each: Certified) -> tuple[float, int]:
        outcome = passed(scores, each.thresholds)
        return outcome.cost(scores.cost, people), -sum(outcome.decided)

    return min(found, key=rank)


def least_cost(
    scores: StageScores, levels: Sequence[Sequence[float]], *, people: float, error: float
) -> Thresholds:
    """The thresholds of least mean cost on these items, wrong verdicts priced at `error`: no guarantee.

    Of equals the one that decides more.
    """
    check_levels(levels)

    def rank(thresholds: Thresholds) -> tuple[float, int]:
        outcome = passed(scores, thresholds)
        return outcome.cost(scores.cost, people, error), -sum(outcome.decided)

    return min(product(*((None, *each) for each in levels)), key=rank)
