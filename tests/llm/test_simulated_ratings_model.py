"""The latent model of ratings: qualities, points, who notices what, biases; as docs/simulation.md says.

Tolerances are sampling errors: the standard error of a mean over n standard normal numbers is
1 / sqrt(n), that of a share at most .5 / sqrt(n), that of a standard deviation 1 / sqrt(2 n).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.llm.ratings_asked import BASE, backend, item, items, person, rating

from venire.llm.simulated import (
    Attention,
    Exchange,
    RatedMaterial,
    RatingBias,
    RatingJudges,
    SimulatedBackend,
    Simulation,
)
from venire.llm.simulated.latent import Viewer
from venire.llm.simulated.rated import RatedResponse
from venire.llm.simulated.rating_latent import Reader, quality, slip
from venire.llm.simulated.rating_views import reading_of
from venire.records import Instance, Persona, PersonaLevel, RatingsGold

READER = Reader("acme/large", "acme")


def having(**changes: object) -> Simulation:
    return replace(BASE, ratings=replace(RatingJudges(), **changes))


def responses(made: SimulatedBackend, instances: Sequence[Instance]) -> list[RatedResponse]:
    return [made.world.rated.by_id[each.id] for each in instances]


def qualities(simulation: Simulation, instances: Sequence[Instance], dimension: str) -> list[float]:
    made = backend(instances, simulation)
    return [quality(simulation, each, dimension) for each in responses(made, instances)]


def noticed(simulation: Simulation, reader: Reader, count: int = 400) -> list[set[str]]:
    """The ids of noticed points, by response."""
    instances = items(count)
    made = backend(instances, simulation)
    insight = made.world.ratings.insight
    return [
        {point.id for point in insight(each, "clarity", reader).noticed}
        for each in responses(made, instances)
    ]


def share(found: list[set[str]]) -> float:
    return sum(map(len, found)) / (8 * len(found))


def test_quality_lies_around_the_place_of_the_humans_rating_on_the_scale() -> None:
    """Clarity is rated 0 to 4, so at span 2 a rating of 4 is +2, one of 2 is 0, one of 1 is -1."""
    exact = having(material=RatedMaterial(gold_sd=0))
    for gold, expected in ((0.0, -2.0), (1.0, -1.0), (2.0, 0.0), (4.0, 2.0)):
        rated = item(1, {"clarity": gold, "coverage": 0.0})
        assert qualities(exact, [rated], "clarity") == [pytest.approx(expected)]
    spread = qualities(
        having(material=RatedMaterial(gold_sd=0.5)),
        [item(k, {"clarity": 3.0}) for k in range(400)],
        "clarity",
    )
    assert np.mean(spread) == pytest.approx(1.0, abs=0.1)
    assert np.std(spread) == pytest.approx(0.5, abs=0.08)


def test_quality_where_the_humans_gave_no_rating_lies_around_zero() -> None:
    """The dimension left out, or the response not rated at all, though the other is rated best."""
    simulation = having(material=RatedMaterial(unrated_sd=1.5))
    for gold in ({"coverage": 2.0}, None):
        found = qualities(simulation, [item(k, gold) for k in range(400)], "clarity")
        assert np.mean(found) == pytest.approx(0.0, abs=0.25)
        assert np.std(found) == pytest.approx(1.5, abs=0.2)


def test_quality_on_a_personas_own_dimension_shares_the_humans_mean() -> None:
    """Clarity at its best is +2, coverage in its middle 0, the mean 1, half of it .5."""
    simulation = having(material=RatedMaterial(gold_sd=0, own_shared=0.5, own_sd=0))
    assert qualities(simulation, [item(1, {"clarity": 4.0, "coverage": 1.0})], "wit") == [pytest.approx(0.5)]
    assert qualities(simulation, [item(1, None)], "wit") == [0.0]


def test_the_points_of_a_response_add_up_to_its_quality() -> None:
    instances = items(50)
    made = backend(instances)
    for each in responses(made, instances):
        points = made.world.ratings.points(each, "coverage")
        assert len(points) == 8
        assert sum(point.value for point in points) == pytest.approx(quality(BASE, each, "coverage"))
        assert {point.looked_at_in for point in points} <= {0, 1, 2, 3}
        assert len({point.id for point in points}) == 8


def test_a_single_point_is_the_whole_quality() -> None:
    simulation = having(material=RatedMaterial(points=1))
    instances = items(5)
    made = backend(instances, simulation)
    for each in responses(made, instances):
        (point,) = made.world.ratings.points(each, "clarity")
        assert point.value == pytest.approx(quality(simulation, each, "clarity"))


def test_skill_decides_how_much_is_noticed() -> None:
    """The logistic of base + skill: at base 0 and skill 1 .731 of the points, at -1 .269; 3,200 points."""
    for skill, expected in ((1.0, 0.731), (-1.0, 0.269)):
        simulation = replace(having(attention=Attention(base=0)), skill={"default": skill})
        assert share(noticed(simulation, READER)) == pytest.approx(expected, abs=0.03)


def test_a_persona_told_in_full_notices_more_of_its_field_and_less_elsewhere() -> None:
    """Base 0, skill 0: without .5; inside logistic(2) = .881, outside logistic(-.5) = .378."""
    simulation = replace(having(attention=Attention(base=0)), skill={"default": 0.0})
    instances = items(400)
    made = backend(instances, simulation)

    def shares(detail: float) -> list[float]:
        """The share noticed of the points of each of the four fields."""
        seen: list[list[bool]] = [[], [], [], []]
        reader = replace(READER, persona="a clerk", detail=detail)
        for each in responses(made, instances):
            found = made.world.ratings.insight(each, "clarity", reader).noticed
            for point in made.world.ratings.points(each, "clarity"):
                seen[point.looked_at_in].append(point in found)
        return [float(np.mean(field)) for field in seen]

    assert shares(0.0) == pytest.approx([0.5] * 4, abs=0.06)
    *elsewhere, own = sorted(shares(1.0))
    assert own == pytest.approx(0.881, abs=0.05)
    assert elsewhere == pytest.approx([0.378] * 3, abs=0.06)
    assert max(shares(0.0)) < max(shares(0.5)) < own


def test_what_is_noticed_is_shared_as_far_as_the_parameters_say() -> None:
    """All in common: everybody notices the same. By model: personas of one model do, models do not.
    Nothing in common: two personas agree on a point as chance has it, at shares of .5 in .5 of the cases.
    """
    bare = {"base": 0.0, "lift": 0.0, "narrowing": 0.0}
    level = {"default": 0.0}
    clerk, other = replace(READER, persona="a clerk"), replace(READER, persona="a nurse")
    elsewhere = replace(clerk, model="acme/small")
    common = replace(having(attention=Attention(**bare, common=1.0, model=0.0)), skill=level)
    assert noticed(common, clerk) == noticed(common, other) == noticed(common, elsewhere)
    by_model = replace(having(attention=Attention(**bare, common=0.0, model=1.0)), skill=level)
    assert noticed(by_model, clerk) == noticed(by_model, other) != noticed(by_model, elsewhere)
    apart = replace(having(attention=Attention(**bare, common=0.0, model=0.0)), skill=level)
    differing = sum(len(a ^ b) for a, b in zip(noticed(apart, clerk), noticed(apart, other), strict=True))
    assert differing / 3200 == pytest.approx(0.5, abs=0.03)


def detail(persona: Persona, **rules: float) -> float:
    """How much the persona changes what its judge notices."""
    rated = item(1, {"clarity": 4.0})
    made = backend([rated], having(attention=Attention(**rules)))  # type: ignore[arg-type]
    return reading_of(made.world, rating(rated, persona), Viewer("acme/large", "acme", "")).reader.detail


def test_a_persona_counts_by_how_much_of_it_is_told() -> None:
    """The role alone counts .3; each of five parts a fifth of what is left, .14."""
    told = [detail(person("clerk", level), simple=0.3) for level in PersonaLevel]
    assert dict(zip(PersonaLevel, told, strict=True)) == pytest.approx(
        {
            PersonaLevel.DETAILED: 1.0,
            PersonaLevel.SIMPLE: 0.3,
            PersonaLevel.NONE: 0.0,
            PersonaLevel.NO_DEMOGRAPHICS: 0.86,
        }
    )


def test_a_persona_of_another_domain_counts_less() -> None:
    """It shares the words "understandable" and "report" with the task, of five that it takes."""
    strange = Persona(
        "baker", "a baker", "Old.", "Bread must be understandable.", "Reports of bread.", "A", "B"
    )
    assert detail(strange, words=5) == pytest.approx(0.4)
    assert detail(strange, words=1) == 1.0
    assert detail(strange, words=0) == 1.0
    assert detail(person("clerk"), words=5) == 1.0


def test_bias_has_a_level_for_all_responses_and_a_lean_on_each() -> None:
    instances = items(400)

    def biases(bias: RatingBias | None, reader: Reader) -> list[float]:
        made = backend(instances, having(bias=bias))
        return [
            made.world.ratings.insight(each, "clarity", reader).bias for each in responses(made, instances)
        ]

    grouped = replace(READER, group="archives")
    assert set(biases(None, grouped)) == {0.0}
    level = RatingBias(family_level=1.0, group_level=1.0, family_lean=0.0, group_lean=0.0)
    assert len(set(biases(level, grouped))) == 1
    assert biases(level, grouped) != biases(level, replace(grouped, group="schools"))
    assert biases(level, grouped) != biases(level, replace(grouped, family="bolt"))
    lean = RatingBias(family_level=0.0, group_level=0.0, family_lean=0.0, group_lean=2.0)
    assert np.std(biases(lean, grouped)) == pytest.approx(2.0, abs=0.25)
    assert biases(lean, grouped) == biases(lean, replace(grouped, model="acme/small", persona="a clerk"))
    assert set(biases(lean, READER)) == {0.0}  # no group, no group's lean


def test_conformity_is_a_circles_own_from_nought_to_twice_the_average() -> None:
    made = backend([], having(exchange=Exchange(conformity=0.25)))
    found = [made.world.ratings.conformity(f"circle {k}") for k in range(400)]
    assert np.mean(found) == pytest.approx(0.25, abs=0.03)
    assert max(found) <= 0.5
    all_in = backend([], having(exchange=Exchange(conformity=1.0)))
    assert max(all_in.world.ratings.conformity(f"circle {k}") for k in range(20)) == 1.0
    none = backend([], having(exchange=Exchange(conformity=0.0)))
    assert none.world.ratings.conformity("circle") == 0.0


def test_slips_are_logistic_and_one_judges_own() -> None:
    """The standard deviation of a standard logistic number is pi / sqrt(3), half of it .907."""
    made = backend(instances := items(400))
    found = [slip(BASE, each, "clarity", READER, (0.0,)) for each in responses(made, instances)]
    assert np.std(found) == pytest.approx(0.907, abs=0.1)
    again = [slip(BASE, each, "clarity", READER, (1.0,)) for each in responses(made, instances)]
    assert abs(np.corrcoef(found, again)[0, 1]) < 0.15


def test_instances_of_equal_text_are_one_response_with_the_mean_of_their_ratings() -> None:
    """Two annotators as two instances: 4 and 1 on a scale of 0 to 4 are 1 and .25, their mean .625."""
    one, other = item(1, {"clarity": 4.0}), replace(item(1, {"clarity": 1.0, "coverage": 2.0}), id="again")
    for order in ([one, other], [other, one]):
        rated = backend(order).world.rated
        assert rated.by_id[one.id] == rated.by_id["again"]
        assert rated.by_id[one.id].place == {"clarity": 0.625, "coverage": 1.0}


def test_another_reference_or_context_is_another_response() -> None:
    one = item(1, {"clarity": 4.0})
    others = [replace(one, id="r", reference="So it was."), replace(one, id="c", context="Long ago.")]
    rated = backend([one, *others]).world.rated
    assert len({each.content for each in rated.by_id.values()}) == 3


def test_a_rating_on_a_scale_of_one_point_is_its_middle() -> None:
    scale = replace(item(1, None).dimensions[0], low=1, high=1)
    rated = replace(item(1, None), dimensions=(scale,), gold=RatingsGold({"clarity": 1.0}))
    assert backend([rated]).world.rated.by_id[rated.id].place == {"clarity": 0.5}
