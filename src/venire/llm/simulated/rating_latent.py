"""The latent model of ratings: the points of a response, who notices which, and what else moves a judge.

All values are in logits, positive for a better response. Source of all formulas: docs/simulation.md,
"Ratings".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import NormalDist

from venire.llm.simulated.draws import Part, hex_names, normals, quick_normal, uniform, uniforms
from venire.llm.simulated.rated import RatedResponse
from venire.llm.simulated.rating_settings import Attention, RatedMaterial
from venire.llm.simulated.replies import logistic, logit
from venire.llm.simulated.simulation import Simulation

_STANDARD = NormalDist()


@dataclass(frozen=True, slots=True)
class Point:
    """Something that speaks for or against a response on a dimension.

    Args:
        id: six hex digits by which texts name it.
        value: what it adds to the quality; those of a response and dimension add up to it.
        looked_at_in: number of the field in which personas look at it.
    """

    id: str
    value: float
    looked_at_in: int


@dataclass(frozen=True, slots=True)
class Reader:
    """Who rates: a model of a family, as a persona of a stakeholder group.

    Args:
        persona: what stands for the persona; empty for none. Told in full or by its role alone, it is one.
        group: the stakeholder group; empty where the prompt names none.
        detail: how much the persona changes what is noticed, 0 to 1.
    """

    model: str
    family: str
    persona: str = ""
    group: str = ""
    detail: float = 0.0


@dataclass(frozen=True, slots=True)
class Insight:
    """What a judge has of a response on a dimension before anybody speaks: at every call the same."""

    noticed: tuple[Point, ...]
    bias: float

    @property
    def evidence(self) -> float:
        """What the noticed points add up to."""
        return math.fsum(point.value for point in self.noticed)


Sampling = tuple[Part, ...]  # temperature, top_p, seed and replicate of a request


@dataclass(frozen=True, slots=True)
class RatingWorld:
    """The points of a simulation and who notices which, remembered."""

    points: Callable[[RatedResponse, str], tuple[Point, ...]]
    insight: Callable[[RatedResponse, str, Reader], Insight]
    conformity: Callable[[str], float]


def rating_world(simulation: Simulation) -> RatingWorld:
    """The latent ratings that `simulation` makes."""
    points = lru_cache(maxsize=65_536)(partial(_points, simulation))
    hiddenness = lru_cache(maxsize=65_536)(partial(_hiddenness, simulation))
    level = lru_cache(maxsize=4096)(partial(_level, simulation))
    return RatingWorld(
        points,
        lru_cache(maxsize=262_144)(partial(_insight, simulation, points, hiddenness, level)),
        lru_cache(maxsize=1024)(partial(_conformity, simulation)),
    )


def quality(simulation: Simulation, response: RatedResponse, dimension: str) -> float:
    """The quality of `response` on `dimension`.

    Around the humans' rating where there is one, around 0 where they gave none; on a dimension that the
    data set does not have (a persona's own), around a share of the mean quality on those it has.
    """
    rules, drawn = (
        simulation.ratings.material,
        quick_normal(simulation.seed, "quality", response.content, dimension),
    )
    if dimension in response.place:
        return _rated(rules, response.place[dimension]) + rules.gold_sd * drawn
    if dimension in response.scales:
        return rules.unrated_sd * drawn
    asked = (name for name, scale in response.scales.items() if scale.asked and name in response.place)
    known = [_rated(rules, response.place[name]) for name in asked]
    mean = math.fsum(known) / len(known) if known else 0.0
    return rules.own_shared * mean + rules.own_sd * drawn


def slip(
    simulation: Simulation, response: RatedResponse, dimension: str, reader: Reader, call: Sampling
) -> float:
    """The noise of a rating. It hangs on who rates what, and on how it is sampled, not on the prompt:
    a judge slips alike before a debate and after it.
    """
    place = (simulation.seed, "rating", reader.model, reader.persona, response.content, dimension)
    return simulation.ratings.noise * logit(uniform(*place, call))


def _rated(rules: RatedMaterial, place: float) -> float:
    return rules.span * (2 * place - 1)


def _points(simulation: Simulation, response: RatedResponse, dimension: str) -> tuple[Point, ...]:
    """Points that add up to the quality: shares of it, drawn as of a broken stick, and what lies between."""
    rules, fields = simulation.ratings.material, simulation.ratings.attention.fields
    place, count = (simulation.seed, response.content, dimension), rules.points
    drawn = uniforms(2 * count, "points", *place)
    waits = [-math.log(u) for u in drawn[:count]]
    total = math.fsum(waits)
    shares = [wait / total for wait in waits]
    scale = rules.spread * count
    off = [scale * s * z for s, z in zip(shares, normals(count, "values", *place), strict=True)]
    left = quality(simulation, response, dimension) - math.fsum(off)
    names = hex_names(count, "names", *place)
    return tuple(
        Point(names[k], off[k] + shares[k] * left, int(drawn[count + k] * fields)) for k in range(count)
    )


def _hiddenness(
    simulation: Simulation, response: RatedResponse, dimension: str, model: str
) -> tuple[float, ...]:
    """How hidden each point is to all judges, and to this model: what no persona moves."""
    rules, place = simulation.ratings.attention, (simulation.seed, response.content, dimension)
    count = simulation.ratings.material.points
    common, own = rules.common**0.5, rules.model**0.5
    shared, models = normals(count, "hidden", *place), normals(count, "hidden to a model", *place, model)
    return tuple(common * a + own * b for a, b in zip(shared, models, strict=True))


def _insight(
    simulation: Simulation,
    points: Callable[[RatedResponse, str], tuple[Point, ...]],
    hiddenness: Callable[[RatedResponse, str, str], tuple[float, ...]],
    bias: Callable[[str, str, str], float],
    response: RatedResponse,
    dimension: str,
    reader: Reader,
) -> Insight:
    rules, seed = simulation.ratings.attention, simulation.seed
    inside, outside, field = _thresholds(
        rules, simulation.skill_of(reader.family), reader.detail, seed, reader.persona
    )
    own = max(0.0, 1 - rules.common - rules.model) ** 0.5
    all_points = points(response, dimension)
    place = (seed, "hidden to a persona", response.content, dimension, reader.model, reader.persona)
    drawn = zip(
        all_points,
        hiddenness(response, dimension, reader.model),
        normals(len(all_points), *place),
        strict=True,
    )
    noticed = tuple(
        point
        for point, standing, z in drawn
        if standing + own * z < (inside if point.looked_at_in == field else outside)
    )
    level = bias(reader.family, reader.group, dimension)
    return Insight(noticed, level + _lean(simulation, response, dimension, reader))


@lru_cache(maxsize=4096)
def _thresholds(
    rules: Attention, skill: float, detail: float, seed: int, persona: str
) -> tuple[float, float, int]:
    """Below which value a point of the persona's field, and any other, is noticed; and that field."""
    base = rules.base + skill
    inside, outside = _quantile(base + detail * rules.lift), _quantile(base - detail * rules.narrowing)
    return inside, outside, int(uniform(seed, "field", persona) * rules.fields)


def _level(simulation: Simulation, family: str, group: str, dimension: str) -> float:
    """How strict a family and a group are on a dimension, whatever the response."""
    rules, seed = simulation.ratings.bias, simulation.seed
    if rules is None:
        return 0.0
    level = rules.family_level * quick_normal(seed, "family level", family, dimension)
    return level + (rules.group_level * quick_normal(seed, "group level", group, dimension) if group else 0.0)


def _lean(simulation: Simulation, response: RatedResponse, dimension: str, reader: Reader) -> float:
    """The lean of a family and a group on one response."""
    rules, seed = simulation.ratings.bias, simulation.seed
    if rules is None:
        return 0.0
    place = (response.content, dimension)
    lean = rules.family_lean * quick_normal(seed, "family lean", reader.family, *place)
    return lean + (
        rules.group_lean * quick_normal(seed, "group lean", reader.group, *place) if reader.group else 0.0
    )


def _conformity(simulation: Simulation, circle: str) -> float:
    """How much those who discuss in `circle` give in: from 0 to twice the average, at most 1."""
    return min(
        1.0, 2 * simulation.ratings.exchange.conformity * uniform(simulation.seed, "conformity", circle)
    )


def _quantile(logits: float) -> float:
    """The standard normal quantile of the share that is the logistic of `logits`."""
    return _STANDARD.inv_cdf(min(max(logistic(logits), 1e-12), 1 - 1e-12))
