"""The alternative annotator test: whether a judge may stand in for a human annotator.

One annotator at a time is set aside, and it is asked who is closer to the others on each item, the
judge or the one set aside. Source: Calderon, Reichart and Dror, "The Alternative Annotator Test for
LLM-as-a-Judge", ACL 2025.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from venire.errors import ConfigError
from venire.stats.estimate import NAN, FloatArray

Score = Callable[[object, Sequence[object]], float]

FEW_ITEMS = 30  # below, the mean is not near enough to normal for the t test
PASSES = 0.5  # a winning rate from here on says that the judge may replace an annotator


@dataclass(frozen=True, slots=True)
class AltTestSettings:
    """What is asked of the judge.

    Args:
        epsilon: how much worse than an annotator the judge may be, for being cheap: the paper's .2 for
            experts, .15 for skilled annotators, .1 for a crowd.
        q: rate of false discoveries that is allowed among the annotators.
        min_items: annotators with fewer items shared with another annotator are left out.
    """

    epsilon: float = 0.2
    q: float = 0.05
    min_items: int = FEW_ITEMS

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise ConfigError(f"epsilon: expected 0 to less than 1, got {self.epsilon}")
        if not 0 < self.q < 1:
            raise ConfigError(f"q: expected above 0 and below 1, got {self.q}")
        if self.min_items < 1:
            raise ConfigError(f"min-items: expected at least 1, got {self.min_items}")


@dataclass(frozen=True, slots=True)
class AgainstAnnotator:
    """The judge beside one annotator who is set aside.

    Args:
        annotator: who.
        items: judged by the judge, this annotator and another one.
        judge_ahead: rho^f, the share of items on which the judge is as close to the others, or closer.
        annotator_ahead: rho^h, the same of the annotator.
        p: of the hypothesis that the judge is worse by epsilon or more.
        test: `t`, or `Wilcoxon` for fewer than 30 items.
        won: the hypothesis is rejected, over all annotators at the rate q.
    """

    annotator: str
    items: int
    judge_ahead: float
    annotator_ahead: float
    p: float
    test: str
    won: bool = False


@dataclass(frozen=True, slots=True)
class AltTest:
    """The test's outcome.

    Args:
        winning_rate: omega, the share of annotators whom the judge wins against; NaN where none is left.
        advantage: rho, the mean of `judge_ahead` over the annotators; for comparing judges.
        against: one for each annotator with enough items.
        left_out: annotator to the number of items, of those with too few.
        items: distinct items that entered.
        unjudged: items with two annotators on which the judge has no verdict.
    """

    winning_rate: float
    advantage: float
    against: tuple[AgainstAnnotator, ...]
    left_out: Mapping[str, int]
    items: int
    unjudged: int

    @property
    def passes(self) -> bool:
        """Whether the winning rate is at least one half; false where there is none."""
        return self.winning_rate >= PASSES


def share_equal(value: object, others: Sequence[object]) -> float:
    """How many of the others say the same: the score of labels."""
    return sum(other == value for other in others) / len(others)


def minus_rmse(value: object, others: Sequence[object]) -> float:
    """Minus the root mean square distance to the others: the score of ratings."""
    gaps = [float(str(value)) - float(str(other)) for other in others]
    return -math.sqrt(math.fsum(gap * gap for gap in gaps) / len(gaps))


def alt_test(
    humans: Mapping[str, Mapping[str, object]],
    judge: Mapping[str, object],
    score: Score,
    settings: AltTestSettings = AltTestSettings(),
) -> AltTest:
    """The test over all annotators.

    An item counts where the judge and at least two annotators judged it. On each, the score of the
    judge and that of the annotator set aside are held against what the other annotators said; equal
    scores are a win of both. Per annotator a one-sided test of mean(annotator ahead - judge ahead)
    against epsilon; over the annotators Benjamini and Yekutieli's procedure.

    Items are taken for independent: where several share a prompt, p is too small.

    Args:
        humans: annotator to item to what was said.
        judge: item to what the judge said.
        score: of a value beside others' values on the same item; higher is closer.
        settings: epsilon, q, and how many items an annotator needs.
    """
    who: dict[str, list[str]] = {}
    for annotator, said in humans.items():
        for item in said:
            who.setdefault(item, []).append(annotator)
    shared = {item for item, annotators in who.items() if len(annotators) > 1}
    against, left_out, entered = [], {}, set[str]()
    for annotator, said in humans.items():
        items = [item for item in said if item in shared and item in judge]
        if len(items) < settings.min_items:
            left_out[annotator] = len(items)
            continue
        entered.update(items)
        ahead = [_ahead(item, annotator, (humans, judge), who[item], score) for item in items]
        against.append(_tested(annotator, np.array(ahead), settings.epsilon))
    won = benjamini_yekutieli([each.p for each in against], settings.q)
    decided = tuple(replace(each, won=is_won) for each, is_won in zip(against, won, strict=True))
    return AltTest(
        winning_rate=sum(won) / len(won) if won else NAN,
        advantage=math.fsum(each.judge_ahead for each in decided) / len(decided) if decided else NAN,
        against=decided,
        left_out=left_out,
        items=len(entered),
        unjudged=len(shared - judge.keys()),
    )


def _ahead(
    item: str,
    annotator: str,
    said: tuple[Mapping[str, Mapping[str, object]], Mapping[str, object]],
    annotators: Sequence[str],
    score: Score,
) -> tuple[bool, bool]:
    """Whether the judge, and whether the annotator, is at least as close to the others as the other one."""
    humans, judge = said
    others = [humans[other][item] for other in annotators if other != annotator]
    of_judge, of_annotator = score(judge[item], others), score(humans[annotator][item], others)
    return of_judge >= of_annotator, of_annotator >= of_judge


def _tested(annotator: str, ahead: np.typing.NDArray[np.bool_], epsilon: float) -> AgainstAnnotator:
    """`ahead` has shape (items, 2): judge, annotator."""
    differences: FloatArray = ahead[:, 1].astype(np.float64) - ahead[:, 0]
    p, test = below(differences, epsilon)
    shares = ahead.mean(axis=0)
    return AgainstAnnotator(annotator, len(ahead), float(shares[0]), float(shares[1]), p, test)


def below(differences: FloatArray, epsilon: float) -> tuple[float, str]:
    """One-sided p of "their mean is epsilon or more", and the test's name.

    A t test; Wilcoxon's signed ranks for fewer than 30. Where no difference varies, p is 0 below
    epsilon and 1 else: the limit of both.
    """
    if np.ptp(differences) == 0:
        return (0.0 if differences[0] < epsilon else 1.0), "constant"
    if len(differences) < FEW_ITEMS:
        from scipy.stats import wilcoxon

        return float(wilcoxon(differences - epsilon, alternative="less").pvalue), "Wilcoxon"
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(differences, epsilon, alternative="less").pvalue), "t"


def benjamini_yekutieli(p_values: Sequence[float], q: float) -> list[bool]:
    """Which hypotheses are rejected so that the rate of false ones is at most q, whatever their dependence.

    The k smallest p, for the largest k with p_(k) <= k q / (m (1 + 1/2 + ... + 1/m)).
    Source: Benjamini and Yekutieli (2001), theorem 1.3.
    """
    m = len(p_values)
    harmonic = math.fsum(1 / k for k in range(1, m + 1))
    order = sorted(range(m), key=lambda at: p_values[at])
    largest = max((k for k, at in enumerate(order, 1) if p_values[at] <= k * q / (m * harmonic)), default=0)
    rejected = set(order[:largest])
    return [at in rejected for at in range(m)]
