"""Rated responses, told apart by their text alone, and how the humans rated them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from venire.errors import BackendError
from venire.llm.simulated.draws import digest
from venire.llm.simulated.subjects import check_known
from venire.records import Dimension, Instance, RatingsGold, Request

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class RatedResponse:
    """One response to one prompt, beside its context and reference.

    Args:
        content: SHA-256 over these texts, white space normalised.
        place: by dimension, where on the scale the humans' mean rating lies, 0 (worst) to 1 (best); a
            dimension that they did not rate is absent. Of several instances with equal text: the mean.
        scales: the data set's dimensions, by name.
        words: stems of the words of the request and of the dimensions' descriptions.
    """

    content: str
    place: Mapping[str, float] = field(hash=False, compare=False)
    scales: Mapping[str, Dimension] = field(hash=False, compare=False)
    words: frozenset[str] = field(hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class RatedResponses:
    """Rated responses by instance id."""

    instances: Mapping[str, Instance]
    by_id: Mapping[str, RatedResponse]

    def of(self, request: Request) -> RatedResponse:
        """The response that `request` is about.

        Raises:
            BackendError: no subject, an unknown instance, or one with two responses or no dimensions.
        """
        subject = request.subject
        if subject is None:
            raise BackendError(
                f"simulation: a request of stage {request.stage!r} to {request.model!r} asks for ratings; "
                "expected Request.subject with the instance's id"
            )
        check_known(subject, self.instances)
        if subject.instance_id not in self.by_id:
            raise BackendError(
                f"simulation: {subject.instance_id!r} is not one response with dimensions, and simulated "
                "ratings lie on the scales of these; take a rated data set, or another backend"
            )
        return self.by_id[subject.instance_id]


def rated_responses(instances: Mapping[str, Instance]) -> RatedResponses:
    """Every instance with one response and dimensions, rated by humans or not; order does not matter."""
    groups: dict[str, list[Instance]] = {}
    for instance in instances.values():
        if len(instance.responses) == 1 and instance.dimensions:
            groups.setdefault(_content(instance), []).append(instance)
    by_id: dict[str, RatedResponse] = {}
    for content, group in groups.items():
        made = _made(content, group)
        by_id |= {instance.id: made for instance in group}
    return RatedResponses(instances, by_id)


def place_on(scale: Dimension, rating: float) -> float:
    """`rating` with the ends of the scale at 0 and 1; .5 on a scale of one point."""
    return (rating - scale.low) / (scale.high - scale.low) if scale.high > scale.low else 0.5


def stems(text: str) -> frozenset[str]:
    """The words of at least 5 letters, casefolded and cut to 6."""
    return frozenset(word[:6] for word in _WORD.findall(text.casefold()) if len(word) >= 5)


def _made(content: str, group: Sequence[Instance]) -> RatedResponse:
    scales: dict[str, Dimension] = {}
    places: dict[str, list[float]] = {}
    for instance in group:
        scales |= {each.name: each for each in instance.dimensions}
        if isinstance(instance.gold, RatingsGold):
            for each in instance.dimensions:
                if each.name in instance.gold.mean:
                    at = place_on(each, instance.gold.mean[each.name])
                    places.setdefault(each.name, []).append(at)
    means = {name: sum(sorted(found)) / len(found) for name, found in places.items()}
    words = frozenset[str]().union(*(_task_words(each.prompt, each.dimensions) for each in group))
    return RatedResponse(content, means, scales, words)


@lru_cache(maxsize=256)
def _task_words(prompt: str, dimensions: tuple[Dimension, ...]) -> frozenset[str]:
    return stems(" ".join((prompt, *(f"{each.name} {each.description}" for each in dimensions))))


def _content(instance: Instance) -> str:
    texts = (instance.prompt, instance.context or "", instance.reference or "", instance.responses[0].text)
    return digest(*(" ".join(text.split()) for text in texts))
