"""The latent model of claims: what is true of them, and what a judge sees of that, in logits.

Source of all formulas: docs/simulation.md, "Claims".
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import NormalDist

from venire.llm.simulated.candidates import Candidate, claim_key
from venire.llm.simulated.claim_settings import ClaimBlindSpots
from venire.llm.simulated.draws import digest, quick_normal, uniform
from venire.llm.simulated.simulation import Simulation

_WORD = re.compile(r"\w+")
_CONTENT_WORD_LETTERS = 4  # shorter words say little of what a claim is about
_STANDARD = NormalDist()


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim as it is.

    Args:
        key: see `claim_key`.
        sign: +1 true, -1 false.
        clarity: how plainly it shows; a light falsehood shows less.
        cause: the cause of error that it is prone to, by its words.
        pattern: name of the kind of trouble, by topic and cause.
    """

    key: str
    sign: int
    clarity: float
    cause: int
    pattern: str


@dataclass(frozen=True, slots=True)
class Sight:
    """What one judge sees of one claim at every call, positive for acceptance.

    `plain` is its evidence but for a blind spot; `blind` is what a blind spot adds, 0 without one.
    """

    plain: float
    blind: float


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a model of a family, as the persona of its system message."""

    model: str
    family: str
    persona: str


@dataclass(frozen=True, slots=True)
class ClaimWorld:
    """The facts of a simulation and what judges see of them, remembered."""

    fact: Callable[[Candidate, str], Fact]
    sight: Callable[[Candidate, Fact, Reader], Sight]


def claim_world(simulation: Simulation) -> ClaimWorld:
    """The latent claims that `simulation` makes."""
    return ClaimWorld(
        lru_cache(maxsize=65_536)(partial(_fact, simulation)),
        lru_cache(maxsize=65_536)(partial(_sight, simulation)),
    )


def _fact(simulation: Simulation, candidate: Candidate, text: str) -> Fact:
    seed, rules, key = simulation.seed, simulation.claims.material, claim_key(text)
    place = (candidate.content, key)
    odds = math.log(rules.false_rate / (1 - rules.false_rate)) - rules.separation * candidate.quality / 2
    drawn = uniform(seed, "truth", *place) >= 1 / (1 + math.exp(-odds))
    true = candidate.known.get(key, drawn)
    lightness = rules.lightness * (1 + candidate.quality) / 2
    weight = 1.0 if true else 1 - lightness * uniform(seed, "weight", *place)
    cause = cause_of(seed, rules.causes, text)
    return Fact(
        key=key,
        sign=1 if true else -1,
        clarity=weight * math.exp(rules.clarity_sd * quick_normal(seed, "clarity", *place)),
        cause=cause,
        pattern=digest(seed, "pattern", candidate.topic, cause)[:6],
    )


def _sight(simulation: Simulation, candidate: Candidate, this: Fact, reader: Reader) -> Sight:
    seed, place = simulation.seed, (candidate.content, this.key)
    lean = simulation.judge_sd * quick_normal(seed, "claim, judge", reader.model, *place)
    lean += simulation.persona_sd * quick_normal(seed, "claim, persona", reader.model, reader.persona, *place)
    spots = simulation.claims.blind_spots
    blind = spots is not None and _is_blind(spots, seed, candidate, this, reader.family)
    away = -this.sign * spots.size if spots is not None and blind else 0.0
    return Sight(this.sign * this.clarity * simulation.skill_of(reader.family) + lean, away)


def _is_blind(spots: ClaimBlindSpots, seed: int, candidate: Candidate, this: Fact, family: str) -> bool:
    place = (candidate.content, this.key)
    rest = max(0.0, 1 - spots.common - spots.pattern - spots.response)
    variable = (
        spots.common**0.5 * quick_normal(seed, "blind, all", *place)
        + spots.pattern**0.5 * quick_normal(seed, "blind, pattern", family, this.pattern)
        + spots.response**0.5 * quick_normal(seed, "blind, response", family, candidate.content, this.cause)
        + rest**0.5 * quick_normal(seed, "blind, claim", family, *place)
    )
    return _STANDARD.cdf(variable) < spots.rate


@lru_cache(maxsize=65_536)
def cause_of(seed: int, causes: int, text: str) -> int:
    """The cause of error, 0 to `causes` - 1, that the words of `text` point to.

    Every word speaks for every cause by a normal number, and the cause with the largest sum is taken: so
    similar texts often have the same one.
    """
    words = content_words(text)
    sums = [math.fsum(column) for column in zip(*(_word(seed, causes, w) for w in words), strict=True)]
    return max(range(causes), key=sums.__getitem__)


def content_words(text: str) -> tuple[str, ...]:
    """Words of at least 4 letters, casefolded, each once; all words where there is none; never empty."""
    words = dict.fromkeys(_WORD.findall(text.casefold()))
    return tuple(w for w in words if len(w) >= _CONTENT_WORD_LETTERS) or tuple(words) or ("",)


@lru_cache(maxsize=65_536)
def _word(seed: int, causes: int, word: str) -> tuple[float, ...]:
    return tuple(quick_normal(seed, "word", word, cause) for cause in range(causes))
