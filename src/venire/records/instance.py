"""Instances: a prompt, one response to score or two to compare, and what humans said of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.records.judgment import Winner


@dataclass(frozen=True, slots=True)
class Response:
    """One candidate response. `generator` is the model that wrote it, where known."""

    text: str
    id: str = ""
    generator: str | None = None


@dataclass(frozen=True, slots=True)
class PreferenceGold:
    """The human preference between the two responses, in the data set's own order.

    `votes` counts the human votes by winner where the data set has them.
    """

    winner: Winner
    votes: Mapping[Winner, int] = field(default_factory=dict)


_DIGITS = frozenset(map(float, range(10)))


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a response is rated on, and the scale: `low` (worst) to `high` (best).

    Args:
        name: short, as in metric names (`fluency`).
        description: what it asks and what the ends mean, as a judge is told.
        low, high: the ends of the scale, inclusive.
        step: between the points of the scale; None where any number between the ends will do.
        asked: whether judges rate it; a mean of other dimensions is only measured against.
    """

    name: str
    description: str
    low: float
    high: float
    step: float | None = 1.0
    asked: bool = True

    @property
    def points(self) -> tuple[float, ...]:
        """The points of the scale, lowest first; empty where any number between the ends will do."""
        if self.step is None:
            return ()
        count = round((self.high - self.low) / self.step) + 1
        return tuple(self.low + place * self.step for place in range(count))

    @property
    def tokens(self) -> tuple[str, ...]:
        """How each point is answered in one token, lowest first; empty where it cannot be.

        By itself, where all points are single digits; else by its place, 1 to k, where there are no more than
        nine. A number of two digits is more than one token for some models.
        """
        points = self.points
        if points and all(point in _DIGITS for point in points):
            return tuple(f"{point:g}" for point in points)
        return tuple(str(place) for place in range(1, len(points) + 1)) if len(points) < 10 else ()


@dataclass(frozen=True, slots=True)
class RatingsGold:
    """Human ratings of one response: `mean` per dimension, and each annotator's own.

    `by_annotator[annotator][dimension]`; a dimension that an annotator left out is absent.
    """

    mean: Mapping[str, float]
    by_annotator: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


Gold = PreferenceGold | RatingsGold


@dataclass(frozen=True, slots=True)
class Instance:
    """One item to judge.

    `id` is stable and unique over the data set (`Natural/12`); joins are by id.
    `responses` has one entry (scoring) or two (pairwise), in the data set's own order.
    `cluster` names the items that are not independent of this one (same prompt): bootstrap
    intervals resample clusters. `metadata` holds what only tables need, never what a prompt needs.
    `dimensions` are those of a rated data set, alike in all its instances; empty for preferences.
    """

    id: str
    prompt: str
    responses: tuple[Response, ...]
    gold: Gold | None = None
    subset: str = ""
    context: str | None = None
    reference: str | None = None
    cluster: str = ""
    dimensions: tuple[Dimension, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_pairwise(self) -> bool:
        """Whether there are two responses to compare."""
        return len(self.responses) == 2
