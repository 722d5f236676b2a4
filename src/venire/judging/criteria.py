"""Criteria that responses are scored or compared on: what each is, and the weighted total over them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from venire.errors import ConfigError, DataError
from venire.judging.rating import asked_dimensions
from venire.judging.scales import DEFAULT, Scale, scale_of_dimension
from venire.records import OVERALL, Instance

_SUM_SLACK = 0.005  # three weights of a third are written .33, .33, .34
# Equal totals must be equal, whatever the order of their sum.
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Criterion:
    """One measurable aspect of a response.

    Args:
        key: short, as in replies, metrics and overrides (`factual_accuracy`).
        name: as a judge is told (`Factual Accuracy`).
        description: what it measures.
        weight: its share of the total, 0 to 1; at 0 it is scored and does not count.
        scale: that it is scored on, where the method does not set another.

    Source: papers/advanced-evaluation, "Criteria Definition Pattern".
    """

    key: str
    name: str
    description: str
    weight: float
    scale: Scale = DEFAULT

    def __post_init__(self) -> None:
        if self.key == OVERALL:
            raise ConfigError(f"key: expected another name than {OVERALL!r}, which is that of the total")
        if not math.isfinite(self.weight) or not 0 <= self.weight <= 1:
            raise ConfigError(f"weight: expected 0 to 1, got {self.weight:g}")
        for part in ("name", "description"):
            if not getattr(self, part).strip():
                raise ConfigError(f"{part}: expected a text, got an empty one")


@dataclass(frozen=True, slots=True)
class CriteriaSet:
    """Criteria whose weights sum to 1.

    Raises:
        ConfigError: there is none, a key or name stands twice, or the weights do not sum to 1.
    """

    name: str
    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        if not self.criteria:
            raise ConfigError("members: expected at least one, got none")
        for part in ("key", "name"):
            names = [getattr(each, part).casefold() for each in self.criteria]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ConfigError(f"members: {part} {twice!r} stands twice")
        total = math.fsum(each.weight for each in self.criteria)
        if abs(total - 1) > _SUM_SLACK:
            told = ", ".join(f"{each.key} {each.weight:g}" for each in self.criteria)
            raise ConfigError(
                f"members: expected weights that sum to 1, got {total:g} ({told}); mend them, or set "
                "criteria.normalise=true to take them as relative"
            )


@dataclass(frozen=True, slots=True)
class OfData:
    """The dimensions of rated data as criteria of equal weight.

    Args:
        otherwise: the criteria of data without dimensions.
    """

    otherwise: CriteriaSet


Criteria = CriteriaSet | OfData


def criteria_for(choice: Criteria, instance: Instance, scale: Scale | None = None) -> tuple[Criterion, ...]:
    """What `instance` is scored on.

    Args:
        scale: that all criteria are scored on; None: each on its own.

    Raises:
        DataError: the criteria are those of the data, which rate nothing that could be asked.
    """
    match choice:
        case CriteriaSet(criteria=criteria):
            pass
        case OfData(otherwise=otherwise):
            criteria = of_dimensions(instance) if instance.dimensions else otherwise.criteria
    return criteria if scale is None else tuple(replace(each, scale=scale) for each in criteria)


def of_dimensions(instance: Instance) -> tuple[Criterion, ...]:
    """The dimensions that judges rate, each on the data's own scale, all of equal weight.

    Raises:
        DataError: there is none.
    """
    asked = asked_dimensions(instance)
    if not asked:
        raise DataError(
            f"{instance.id}: expected at least one dimension to score, got none; dataset.dimensions says "
            "which are rated, criteria=NAME gives criteria of your own"
        )
    return tuple(
        Criterion(each.name, each.name, each.description, 1 / len(asked), scale_of_dimension(each))
        for each in asked
    )


def weighted_total(criteria: Sequence[Criterion], scores: Mapping[str, float | None]) -> float | None:
    """The weighted mean of the scores, each with the ends of its scale at 0 and 1.

    Weights are renormalised over the criteria that apply.

    Args:
        scores: by key; None where the criterion does not apply. All criteria must be there.

    Returns:
        None where no criterion with a weight applies.
    """
    places = {each: each.scale.place(score) for each in criteria if (score := scores[each.key]) is not None}
    weight = math.fsum(each.weight for each in places)
    if weight == 0:
        return None
    total = math.fsum(each.weight * place for each, place in places.items())
    return round(total / weight, _DECIMALS)


def effective_weights(criteria: Sequence[Criterion], scores: Mapping[str, float | None]) -> dict[str, float]:
    """The weight of each criterion that applies, so that they sum to 1; all 0 where none has a weight."""
    applying = [each for each in criteria if scores.get(each.key) is not None]
    weight = math.fsum(each.weight for each in applying)
    return {each.key: each.weight / weight if weight else 0.0 for each in applying}
