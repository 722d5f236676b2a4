"""How a cascade's thresholds are chosen: with a guarantee, by cost, or as they are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import prod

import numpy as np

from venire.errors import ConfigError
from venire.judging.stage import Stage
from venire.stats.guarantee import (
    LevelTest,
    StageScores,
    Start,
    Thresholds,
    certified,
    cheapest,
    delta_of_stage,
    least_cost,
    least_items,
    sufficient_items,
    widest,
)

Stages = Mapping[str, Stage]
_MOST_COMBINATIONS = 200_000


class Prefer(StrEnum):
    """What is chosen among thresholds that are all certified."""

    COVERAGE = "coverage"  # those that leave least to people
    COST = "cost"  # those that cost least, people included


@dataclass(frozen=True, slots=True)
class Chosen:
    """Thresholds by stage in order, None where it stays closed, and the tests that led to each."""

    thresholds: Thresholds
    tests: tuple[tuple[LevelTest, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Guaranteed:
    """Thresholds under which the agreement of what is decided is at least `target`, with 1 - `delta`.

    See `venire.stats.guarantee` for what is tested and what is promised.

    Args:
        target: agreement with gold among the instances that the cascade decides.
        delta: the probability, over development splits, that the promise fails.
        prefer: what is chosen among what is certified.
        start: where a stage's tests may start: at its `first` level with all of its delta, or at `any`.
        people_cost_usd: of an instance that nobody decides; needed with `prefer: cost`.

    Source: Jung, Brahman & Choi (2024), "Trust or Escalate".
    """

    target: float = 0.9
    delta: float = 0.1
    prefer: Prefer = Prefer.COVERAGE
    start: Start = Start.FIRST
    people_cost_usd: float | None = None

    def __post_init__(self) -> None:
        for key, value in (("target", self.target), ("delta", self.delta)):
            if not 0 < value < 1:
                raise ConfigError(f"{key}: expected between 0 and 1, got {value:g}")
        if self.prefer is Prefer.COST:
            _check_cost("people_cost_usd", self.people_cost_usd, "prefer=cost")

    def check(self, n: int, stages: Stages) -> None:
        """Nothing, where a development split of `n` could certify every stage.

        Raises:
            ConfigError: it could not; says how many instances would do.
        """
        levels = [stage.thresholds for stage in stages.values()]
        parts = [len(each) if self.start is Start.ANY else 1 for each in levels]
        deltas = {name: delta_of_stage(levels, k, self.delta) / parts[k] for k, name in enumerate(stages)}
        least = {name: least_items(self.target, delta) for name, delta in deltas.items()}
        short = {name: needed for name, needed in least.items() if needed > n}
        if not short:
            return
        worst = max(short, key=lambda name: short[name])
        half = (1 + self.target) / 2
        would = sufficient_items(self.target, deltas[worst], half)
        raise ConfigError(
            f"development: {n} instances are too few for an agreement of {self.target:g} with probability "
            f"{1 - self.delta:g}: stage {worst} (its part of delta is {deltas[worst]:.2g}) would have to "
            f"decide {short[worst]} of them without one error. Give at least {short[worst]} instances, and "
            f"about {would} that each stage decides where its agreement is {half:g} in truth; or a lower "
            "target, a higher delta, fewer stages or fewer levels"
        )

    def choose(self, scores: StageScores, stages: Stages) -> Chosen:
        """Thresholds for `stages` by what they say of the development split.

        Raises:
            ConfigError: `prefer: cost`, and what a stage costs is unknown.
        """
        levels = [stage.thresholds for stage in stages.values()]
        found = certified(scores, levels, target=self.target, delta=self.delta, start=self.start)
        if self.prefer is Prefer.COVERAGE:
            best = widest(scores, found)
        else:
            check_costs(scores, stages)
            best = cheapest(scores, found, people=self.people_cost_usd or 0.0)
        return Chosen(best.thresholds, best.tests)


@dataclass(frozen=True, slots=True)
class Cheapest:
    """Thresholds of least mean cost on the development split; they promise nothing.

    Args:
        people_cost_usd: of an instance that nobody decides.
        error_cost_usd: of a wrong verdict.
    """

    people_cost_usd: float
    error_cost_usd: float

    def __post_init__(self) -> None:
        for key in ("people_cost_usd", "error_cost_usd"):
            _check_cost(key, getattr(self, key), "choosing by cost")

    def check(self, n: int, stages: Stages) -> None:
        """Nothing, where there are few enough combinations of levels to try them all.

        Raises:
            ConfigError: there are too many.
        """
        combinations = prod(len(stage.thresholds) + 1 for stage in stages.values())
        if combinations > _MOST_COMBINATIONS:
            raise ConfigError(
                f"levels: expected at most {_MOST_COMBINATIONS:,} combinations of the stages' levels, got "
                f"{combinations:,}; give fewer levels or stages"
            )

    def choose(self, scores: StageScores, stages: Stages) -> Chosen:
        """Thresholds for `stages` by what they cost on the development split.

        Raises:
            ConfigError: what a stage costs is unknown.
        """
        check_costs(scores, stages)
        levels = [stage.thresholds for stage in stages.values()]
        best = least_cost(scores, levels, people=self.people_cost_usd, error=self.error_cost_usd)
        return Chosen(best)


@dataclass(frozen=True, slots=True)
class Given:
    """Thresholds as they are given; they promise nothing, and need no development split.

    Args:
        by_stage: threshold by stage; null: the stage stays closed.
    """

    by_stage: Mapping[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, threshold in self.by_stage.items():
            if threshold is not None and not 0 < threshold <= 1:
                raise ConfigError(f"by_stage.{name}: expected above 0, up to 1, or null, got {threshold:g}")

    def chosen(self, stages: Sequence[str]) -> Chosen:
        """The thresholds in the stages' order.

        Raises:
            ConfigError: a stage has none, or one is no stage's.
        """
        if set(stages) != set(self.by_stage):
            raise ConfigError(
                f"by_stage: expected a threshold for each of {', '.join(stages)}, got "
                f"{', '.join(self.by_stage) or 'none'}"
            )
        return Chosen(tuple(self.by_stage[name] for name in stages))


Fitting = Guaranteed | Cheapest


def check_costs(scores: StageScores, stages: Stages) -> None:
    """Nothing, where the cost of every stage is known.

    Raises:
        ConfigError: that of one is not.
    """
    unknown = [name for name, cost in zip(stages, scores.cost, strict=True) if np.isnan(cost)]
    if unknown:
        raise ConfigError(
            f"method.stages.{unknown[0]}.cost_usd: choosing by cost needs the cost of each stage, that of "
            f"{', '.join(unknown)} is not known from their calls; give it"
        )


def _check_cost(key: str, value: float | None, why: str) -> None:
    if value is None or value < 0:
        given = "null" if value is None else f"{value:g}"
        raise ConfigError(f"{key}: {why} needs a cost of at least 0, got {given}")
