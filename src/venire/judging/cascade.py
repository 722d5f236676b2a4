"""What a cascade's stages say of an instance, who decides it, and what a development split makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import cast

import numpy as np

from venire.errors import DataError
from venire.judging.confidence import CASCADE
from venire.judging.stage import Answer
from venire.judging.thresholds import Chosen, Fitting, Guaranteed, Stages
from venire.records import Call, Instance, Outcome, PreferenceGold, Winner
from venire.stats.calibration import graded
from venire.stats.guarantee import Passed, StageScores, confident, passed
from venire.stats.recalibration import Curve, Recalibration, fit


@dataclass(frozen=True, slots=True)
class Said:
    """What one stage says of an instance, as it stands in `Outcome.detail`.

    Args:
        stage: its name.
        asked: whether it was: not where it is closed, or an earlier one decided.
        winner, confidence: None where it has no verdict, or nothing tells how sure it is.
        threshold: from which on it decides; None where it is closed, or on a development split.
    """

    stage: str
    asked: bool
    winner: Winner | None = None
    confidence: float | None = None
    threshold: float | None = None

    @property
    def decides(self) -> bool:
        """Whether it is sure enough."""
        if self.winner is None or self.confidence is None or self.threshold is None:
            return False
        return bool(confident(np.array(self.confidence), self.threshold))

    @property
    def detail(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "stage": self.stage,
            "asked": self.asked,
            "winner": None if self.winner is None else self.winner.value,
            "confidence": self.confidence,
            "threshold": self.threshold,
        }

    def __str__(self) -> str:
        if self.threshold is None:
            return f"{self.stage} is closed"
        if self.winner is None or self.confidence is None:
            return f"{self.stage} has no verdict"
        return f"{self.stage}: {self.winner} with {self.confidence:.2f} below {self.threshold:.2f}"


def said(name: str, given: Answer, threshold: float | None) -> Said:
    """A stage's answer as it stands in `Outcome.detail`."""
    return Said(name, True, given.winner, given.confidence, threshold)


def is_cascade(outcome: Outcome | None) -> bool:
    """Whether a cascade made it."""
    return outcome is not None and CASCADE in outcome.detail


def all_said(outcome: Outcome) -> tuple[Said, ...]:
    """What the stages say, in their order.

    Raises:
        DataError: it is no outcome of a cascade.
    """
    if not is_cascade(outcome):
        raise DataError(f"{outcome.instance_id}: expected the outcome of a cascade")
    facts = cast(Mapping[str, Sequence[Mapping[str, object]]], outcome.detail[CASCADE])
    return tuple(
        Said(
            str(each["stage"]),
            bool(each["asked"]),
            None if each["winner"] is None else Winner(str(each["winner"])),
            _number(each["confidence"]),
            _number(each["threshold"]),
        )
        for each in facts["stages"]
    )


@dataclass(frozen=True, slots=True)
class CascadeFit:
    """What a cascade's thresholds are, and what they rest on.

    Args:
        names: of the open and closed stages, in order.
        chosen: their thresholds, with the tests that led to each.
        guarantee: what was asked for; None where nothing is promised.
        development: what became of the development split under these thresholds; None without one.
        prompts: different ones among the development split's; fewer than items: they are not independent.
        cost_usd: of asking each stage about one instance; NaN where unknown.
        curves: from a stage's confidence to its probability of being right, where there is one.
    """

    names: tuple[str, ...]
    chosen: Chosen
    guarantee: Guaranteed | None = None
    development: Passed | None = None
    prompts: int = 0
    cost_usd: tuple[float, ...] = ()
    curves: Mapping[str, Curve] = field(default_factory=dict)

    @property
    def thresholds(self) -> Mapping[str, float | None]:
        """By stage; None where it stays closed."""
        return dict(zip(self.names, self.chosen.thresholds, strict=True))

    @property
    def dependence(self) -> str:
        """What speaks against the promise: the tests count items of one prompt as if they were apart."""
        n = 0 if self.development is None else self.development.n
        if self.guarantee is None or self.prompts >= n:
            return ""
        return (
            f"the {n} development instances have {self.prompts} prompts, and those of one prompt are not "
            "independent: the tests count more evidence than there is"
        )

    def probability(self, stage: str, confidence: float) -> float:
        """The probability that a verdict of `stage` is right; its confidence where there is no curve."""
        curve = self.curves.get(stage)
        return confidence if curve is None else float(np.clip(curve(np.array([confidence]))[0], 0, 1))


def fit_cascade(
    stages: Stages,
    fitting: Fitting,
    development: Sequence[tuple[Instance, Outcome]],
    recalibration: Recalibration | None,
) -> CascadeFit:
    """Thresholds and curves from what all stages say of a development split.

    The curve of a stage is fitted on the items that reach it under the thresholds before it.

    Raises:
        DataError: an item without a human preference.
        ConfigError: see `Fitting.choose`.
    """
    scores = scores_of(stages, development)
    chosen = fitting.choose(scores, stages)
    return CascadeFit(
        names=tuple(stages),
        chosen=chosen,
        guarantee=fitting if isinstance(fitting, Guaranteed) else None,
        development=passed(scores, chosen.thresholds),
        prompts=len({instance.cluster or instance.id for instance, _ in development}),
        cost_usd=tuple(float(cost) for cost in scores.cost),
        curves={} if recalibration is None else _curves(tuple(stages), scores, chosen, recalibration),
    )


def scores_of(stages: Stages, development: Sequence[tuple[Instance, Outcome]]) -> StageScores:
    """What each stage says of each item, whether it is right, and what asking it costs.

    Raises:
        DataError: an item without a human preference.
    """
    shape = (len(development), len(stages))
    confidence, right = np.full(shape, nan), np.zeros(shape, dtype=np.bool_)
    for row, (instance, outcome) in enumerate(development):
        if not isinstance(instance.gold, PreferenceGold):
            raise DataError(f"development: {instance.id!r} has no human preference to choose thresholds by")
        for column, each in enumerate(all_said(outcome)):
            if each.winner is not None and each.confidence is not None:
                confidence[row, column] = each.confidence
                right[row, column] = each.winner is instance.gold.winner
    calls = [call for _, outcome in development for call in outcome.calls]
    cost = [_cost(name, stage.cost_usd, calls, len(development)) for name, stage in stages.items()]
    return StageScores(confidence, right, np.array(cost))


def _cost(name: str, given: float | None, calls: Sequence[Call], n: int) -> float:
    if given is not None:
        return given
    own = [call for call in calls if call.stage == name]
    known = [call.cost_usd for call in own if call.cost_complete and call.cost_usd is not None]
    return sum(known) / n if own and len(known) == len(own) else nan


def _curves(
    names: Sequence[str], scores: StageScores, chosen: Chosen, kind: Recalibration
) -> dict[str, Curve]:
    curves: dict[str, Curve] = {}
    reaching = np.full(scores.n, True)
    for column, (name, threshold) in enumerate(zip(names, chosen.thresholds, strict=True)):
        if threshold is None:
            continue
        confidence = scores.confidence[:, column]
        used = reaching & ~np.isnan(confidence)
        if used.any():
            curves[name] = fit(kind, graded(confidence[used], scores.right[used, column]))
        reaching = reaching & ~confident(confidence, threshold)
    return curves


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
