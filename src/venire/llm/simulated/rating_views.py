"""What a judge makes of a response on each dimension at one call: what it noticed, and what it heard."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from venire.errors import BackendError
from venire.llm.simulated.draws import Part, uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.llm.simulated.rated import RatedResponse, place_on, stems
from venire.llm.simulated.rating_latent import Reader, Sampling, slip
from venire.llm.simulated.rating_settings import Attention
from venire.llm.simulated.rating_shown import Spoken, Told, dimensions_shown, spoken_in, told_of
from venire.records import Dimension, Request


@dataclass(frozen=True, slots=True)
class View:
    """One dimension, as the judge sees it now.

    Args:
        dimension: with its scale.
        steady: logits in all, but for the slip of the call.
        evidence: with it.
        known: points that count, by id, with their values.
        untold: of these, the judge's own that nobody has told.
    """

    dimension: Dimension
    steady: float
    evidence: float
    known: Mapping[str, float]
    untold: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """Who reads what, and what was said about it."""

    here: World
    response: RatedResponse
    told: Told
    reader: Reader
    sampling: Sampling
    spoken: tuple[Spoken, ...]

    @property
    def circle(self) -> str:
        """What stands for everybody in the discussion: the prompt's list, else whoever is heard."""
        heard = {each.speaker for each in self.spoken if each.speaker} | {self.told.me}
        return "/".join(self.told.circle or sorted(heard))

    @property
    def others(self) -> tuple[Spoken, ...]:
        """What was said by others than the judge itself."""
        return tuple(each for each in self.spoken if not self.told.me or each.speaker != self.told.me)


def reading_of(here: World, request: Request, viewer: Viewer) -> Reading:
    """What `request` shows to `viewer`.

    Raises:
        BackendError: the response cannot be found, or the instance is not one that is rated.
    """
    response, told = here.rated.of(request), told_of(request)
    reader = Reader(
        model=viewer.model,
        family=viewer.family,
        persona=told.persona,
        group=told.group or told.persona,
        detail=_detail(here.simulation.ratings.attention, told, response.words),
    )
    floats = (None if n is None else float(n) for n in (request.temperature, request.top_p))
    # without a persona the name in the discussion is all that tells judges of one model apart
    name = "" if told.persona else told.me
    sampling = (*floats, request.sampling_seed, request.replicate, name)
    return Reading(here, response, told, reader, sampling, spoken_in(request))


def asked_dimensions(reading: Reading, request: Request, question: Question) -> tuple[Dimension, ...]:
    """The dimensions that the reply is to rate: as the schema names them, else the prompt.

    Raises:
        BackendError: none is named, or one has no scale in the prompt or the data set.
    """
    shown = dimensions_shown(request)
    scales = {**reading.response.scales, **{each.name: each for each in shown}}
    names = question.within.get("ratings") or tuple(each.name for each in shown)
    missing = [name for name in names if name not in scales]
    if missing or not names:
        told = f"no scale for {', '.join(missing)}" if missing else "no dimension"
        raise BackendError(
            f"simulation: the prompt of stage {request.stage!r} shows {told}; expected "
            '"- <name>: <description>" and below it "  Rating: one of ..." or "  Rating: from ... to ..."'
        )
    return tuple(scales[name] for name in names)


def views(reading: Reading, dimensions: Iterable[Dimension]) -> tuple[View, ...]:
    """The judge's view of each of `dimensions`."""
    told_points: dict[str, float] = {}
    for each in reading.spoken:
        told_points |= each.points
    stances = stances_of(reading.others, reading.response, reading.here.simulation.ratings.material.span)
    return tuple(
        _view(reading, each, told_points, list(stances.get(each.name, {}).values())) for each in dimensions
    )


def stances_of(
    spoken: Sequence[Spoken], response: RatedResponse, span: float
) -> Mapping[str, Mapping[str, float]]:
    """By dimension and speaker, the latest evidence that anybody stated; a bare rating is read as such."""
    found: dict[str, dict[str, float]] = {}
    for each in spoken:
        rated = {
            name: span * (2 * place_on(response.scales[name], value) - 1)
            for name, value in each.ratings
            if name in response.scales
        }
        for name, evidence in (rated | each.stances).items():
            found.setdefault(name, {})[each.speaker] = evidence
    return found


def _view(
    reading: Reading, dimension: Dimension, told_points: Mapping[str, float], others: Sequence[float]
) -> View:
    here, reader = reading.here, reading.reader
    insight = here.ratings.insight(reading.response, dimension.name, reader)
    own = {point.id: point.value for point in insight.noticed}
    known = own | _taken_over(reading, dimension, told_points, own)
    yielding, held = 0.0, median(others) if others else 0.0
    if others:
        yielding = here.ratings.conformity(reading.circle)
        known = {
            id_: value
            for id_, value in known.items()
            if value * held >= 0 or not _gives_in(reading, id_, yielding)
        }
    steady = (1 - yielding) * (math.fsum(known.values()) + insight.bias) + yielding * held
    slipped = (1 - yielding) * slip(
        here.simulation, reading.response, dimension.name, reader, reading.sampling
    )
    untold = {id_: value for id_, value in own.items() if id_ in known and id_ not in told_points}
    return View(dimension, steady, steady + slipped, known, untold)


def _taken_over(
    reading: Reading, dimension: Dimension, told_points: Mapping[str, float], own: Mapping[str, float]
) -> dict[str, float]:
    """The points of this response and dimension that others told and the judge is persuaded of."""
    if not told_points:
        return {}
    there = {point.id for point in reading.here.ratings.points(reading.response, dimension.name)}
    share = reading.here.simulation.ratings.exchange.persuasion
    return {
        id_: value
        for id_, value in told_points.items()
        if id_ in there and id_ not in own and _drawn(reading, "persuaded", id_) < share
    }


def _gives_in(reading: Reading, point: str, yielding: float) -> bool:
    return _drawn(reading, "gives in", point) < yielding


def _drawn(reading: Reading, what: str, point: str) -> float:
    who: tuple[Part, ...] = (reading.reader.model, reading.reader.persona, reading.sampling[-1])
    return uniform(reading.here.simulation.seed, what, *who, point)


def _detail(rules: Attention, told: Told, task: frozenset[str]) -> float:
    """How much the persona changes what is noticed: by what is told of it, if it is of the domain."""
    if not told.persona:
        return 0.0
    detail = rules.simple + (1 - rules.simple) * told.parts
    # the fewer parts are told, the fewer words there are to share; a role alone is of any domain
    return detail * _relevance(told.words, task, rules.words * told.parts)


@lru_cache(maxsize=4096)
def _relevance(words: str, task: frozenset[str], needed: float) -> float:
    return min(1.0, len(stems(words) & task) / needed) if needed else 1.0
