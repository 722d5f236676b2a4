"""The latent model: how much evidence a judge sees for the response that sorts first, in logits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import NormalDist

from venire.llm.simulated.candidates import Candidates, candidates
from venire.llm.simulated.claim_latent import ClaimWorld, claim_world
from venire.llm.simulated.draws import generator, normal
from venire.llm.simulated.rated import RatedResponses, rated_responses
from venire.llm.simulated.rating_latent import RatingWorld, rating_world
from venire.llm.simulated.simulation import BlindSpots, Simulation
from venire.llm.simulated.subjects import Pair, Subjects
from venire.records import Instance


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks: a model of a family, under a system message (which carries the persona)."""

    model: str
    family: str
    system: str


@dataclass(frozen=True, slots=True)
class World:
    """What an answer may look at; `evidence` is `standing_evidence` of this simulation, remembered."""

    simulation: Simulation
    subjects: Subjects
    evidence: Callable[[Pair, Viewer], float]
    candidates: Candidates
    claims: ClaimWorld
    rated: RatedResponses
    ratings: RatingWorld


def world(simulation: Simulation, subjects: Subjects, single: Mapping[str, Instance]) -> World:
    """The latent world that `simulation` makes of `subjects`.

    `single`: the instances, by id, whose responses may be asked about one by one.
    """
    # Replicates and both orders ask for the same number soon; drawing it anew would be half of a reply's
    # time. A key holds a system message, some 2 kB.
    remembered = lru_cache(maxsize=4096)(partial(standing_evidence, simulation))
    return World(
        simulation,
        subjects,
        remembered,
        candidates(single),
        claim_world(simulation),
        rated_responses(single),
        rating_world(simulation),
    )


def standing_evidence(simulation: Simulation, pair: Pair, viewer: Viewer) -> float:
    """What the viewer sees in this pair at every call: positive for the response that sorts first.

    gold * (skill - difficulty) - blind spot + the model's own lean + the persona's lean.
    Source: docs/simulation.md, "Evidence".
    """
    seed = simulation.seed
    difficulty = simulation.difficulty_sd * normal(seed, "difficulty", pair.content)
    difficulty += simulation.subset_difficulty(pair.topic)
    evidence = pair.gold * (simulation.skill_of(viewer.family) - difficulty)
    if simulation.blind_spots is not None:
        evidence += _blind_spot(simulation.blind_spots, seed, pair, viewer.family)
    evidence += simulation.judge_sd * normal(seed, "judge", viewer.model, pair.content)
    persona = normal(seed, "persona", viewer.model, viewer.system, pair.content)
    return evidence + simulation.persona_sd * persona


def _blind_spot(spots: BlindSpots, seed: int, pair: Pair, family: str) -> float:
    """0, or `size` away from the truth (either way where the humans see a tie)."""
    own = generator(seed, "blind spot", family, pair.content)
    variable = (
        spots.common**0.5 * normal(seed, "blind spot, all families", pair.content)
        + spots.topic**0.5 * normal(seed, "blind spot, topic", family, pair.topic)
        + max(0.0, 1 - spots.common - spots.topic) ** 0.5 * float(own.standard_normal())
    )
    if NormalDist().cdf(variable) >= spots.rate:
        return 0.0
    either = 1 if own.random() < 0.5 else -1
    return -spots.size * (pair.gold or either)
