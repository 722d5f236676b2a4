"""Rated instances and outcomes as columns: human ratings, a method's ratings, documents, systems."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import DataError
from venire.records import (
    OVERALL,
    Dimension,
    Instance,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Unscored,
)
from venire.stats.estimate import NAN, FloatArray, IntArray
from venire.stats.intervals import codes_of

_DECIMALS = 12  # equal means of points of a scale must stay ties, whatever the order of their sum


@dataclass(frozen=True, slots=True)
class RatedItems:
    """The instances in order of id, as columns of shape (n,).

    Args:
        dimensions: all that some instance is rated on, in the data set's order.
        gold: human rating by dimension, NaN where there is none.
        humans: the ratings of two annotators by dimension, NaN where there are not two.
        document: codes 0 .. C - 1 of clusters; an instance without one is one of its own.
        system: codes of the responses' generators, -1 where that is not known.
    """

    dimensions: tuple[Dimension, ...]
    gold: Mapping[str, FloatArray]
    humans: Mapping[str, tuple[FloatArray, FloatArray]]
    document: IntArray
    system: IntArray

    @property
    def n(self) -> int:
        """How many instances."""
        return len(self.document)

    @property
    def asked(self) -> tuple[Dimension, ...]:
        """The dimensions that means are over: those that judges rate; all, where they rate none."""
        return tuple(each for each in self.dimensions if each.asked) or self.dimensions


def rated_items(instances: Sequence[Instance]) -> RatedItems:
    """Columns of rated instances, in the given order.

    Raises:
        DataError: an instance with a preference, with several responses, or with a rating on a dimension
            that it does not declare.
    """
    for instance in instances:
        _check(instance)
    dimensions = tuple({each.name: each for i in instances for each in i.dimensions}.values())
    names = [each.name for each in dimensions]
    golds = [each.gold if isinstance(each.gold, RatingsGold) else RatingsGold({}) for each in instances]
    two = {name: [_two(gold, name) for gold in golds] for name in names}
    return RatedItems(
        dimensions=dimensions,
        gold={name: _column(gold.mean.get(name) for gold in golds) for name in names},
        humans={
            name: (_column(first for first, _ in pairs), _column(second for _, second in pairs))
            for name, pairs in two.items()
        },
        document=codes_of([("cluster", i.cluster) if i.cluster else ("id", i.id) for i in instances]),
        system=codes_of([i.responses[0].generator for i in instances]),
    )


def _check(instance: Instance) -> None:
    if isinstance(instance.gold, PreferenceGold):
        raise DataError(f"gold of {instance.id!r}: expected ratings like the others, got a preference")
    if len(instance.responses) != 1:
        raise DataError(
            f"gold of {instance.id!r}: expected ratings of one response, got "
            f"{len(instance.responses)} responses"
        )
    declared = {each.name for each in instance.dimensions}
    rated = instance.gold.mean if isinstance(instance.gold, RatingsGold) else {}
    strangers = sorted(rated.keys() - declared)
    if strangers or OVERALL in declared:
        name = strangers[0] if strangers else OVERALL
        raise DataError(
            f"gold of {instance.id!r}: expected ratings on the declared dimensions "
            f"({', '.join(sorted(declared)) or 'none'}; none may be called {OVERALL!r}), got {name!r}"
        )


def _two(gold: RatingsGold, dimension: str) -> tuple[float | None, float | None]:
    """What the first two annotators by name gave; two Nones where fewer rated it."""
    given = [own[dimension] for _, own in sorted(gold.by_annotator.items()) if dimension in own]
    return (given[0], given[1]) if len(given) > 1 else (None, None)


@dataclass(frozen=True, slots=True)
class Predicted:
    """A method's ratings as columns.

    Args:
        by_dimension: rating of each dimension, NaN where there is none.
        own: the dimensions that the method rated itself; the others hold its one score of the whole.
        scored: which instances have a rating of any kind, shape (n,).
        not_applicable: dimension to the number of instances that the method rated on others only.
        reasons: how often each reason stands in for ratings.
    """

    by_dimension: Mapping[str, FloatArray]
    own: frozenset[str]
    scored: np.typing.NDArray[np.bool_]
    not_applicable: Mapping[str, int]
    reasons: Counter[Reason]


def predicted(items: RatedItems, outcomes: Sequence[Outcome | None]) -> Predicted:
    """The final ratings of all outcomes, in their order.

    A dimension that the method rates nowhere is measured by its score of the whole (`OVERALL`).

    Raises:
        DataError: a preference where ratings are due, or a rating that is no finite number.
    """
    ratings = [_ratings(outcome) for outcome in outcomes]
    own = frozenset(
        each.name for each in items.dimensions if any(each.name in given for given in ratings if given)
    )
    columns = {
        each.name: column_of(ratings, each.name if each.name in own else OVERALL) for each in items.dimensions
    }
    return Predicted(
        by_dimension=columns,
        own=own,
        scored=np.array([given is not None for given in ratings]),
        not_applicable={
            name: sum(given is not None and name not in given for given in ratings) for name in sorted(own)
        },
        reasons=Counter(_reasons(outcomes)),
    )


def column_of(ratings: Sequence[Mapping[str, float] | None], name: str) -> FloatArray:
    """The rating called `name` of each item, NaN where there is none.

    A score of the whole that stands alone (a baseline's) is taken as given; a mean of ratings is not.
    """
    column = _column(None if given is None else given.get(name) for given in ratings)
    alone = name == OVERALL and all(set(given) <= {OVERALL} for given in ratings if given)
    return column if alone else np.round(column, _DECIMALS)


def _ratings(outcome: Outcome | None) -> Mapping[str, float] | None:
    prediction: Prediction | None = outcome.prediction if outcome else None
    match prediction:
        case Ratings(by_dimension):
            for name, value in by_dimension.items():
                if not math.isfinite(value):
                    where = f"outcome of {outcome.instance_id!r}" if outcome else "outcome"
                    raise DataError(f"{where}: expected a finite rating on {name!r}, got {value}")
            return by_dimension
        case Preference():
            raise DataError(
                "outcomes: expected ratings, as the gold is, got preferences; choose another method"
            )
        case Unscored() | None:
            return None


def _reasons(outcomes: Sequence[Outcome | None]) -> Iterator[Reason]:
    for outcome in outcomes:
        if outcome is None:
            yield Reason.NOT_RUN
        elif isinstance(outcome.prediction, Unscored):
            yield outcome.prediction.reason


def _column(values: Iterator[float | None]) -> FloatArray:
    return np.array([NAN if value is None else value for value in values], dtype=np.float64)
