"""The parameters of the simulated judges, as configuration."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.errors import ConfigError
from venire.llm.simulated.claim_settings import Claims
from venire.llm.simulated.direct_settings import DirectJudges
from venire.llm.simulated.leans import Leans
from venire.llm.simulated.ranges import WIDEST, check_range
from venire.llm.simulated.rating_settings import PersonaDrafts, RatingJudges

_DEFAULT = "default"
# Raised whenever the same parameters give other replies than before: stored ones are then not taken for them.
_MODEL_VERSION = 1


@dataclass(frozen=True, slots=True)
class BlindSpots:
    """Instances on which all judges of one family share a wrong lean.

    Args:
        rate: share of (family, instance) pairs that are blind spots; 0 to 1.
        size: how far the family's evidence is moved away from the truth there; logits.
        common: share of the blind-spot variable's variance that all families have in common.
        topic: share of it that one family has in common over all instances of one topic (subset).
    """

    rate: float = 0.15
    size: float = 2.5
    common: float = 0.2
    topic: float = 0.1

    def __post_init__(self) -> None:
        for name in ("rate", "common", "topic"):
            check_range(name, getattr(self, name), 0, 1)
        check_range("size", self.size, 0, WIDEST)
        if self.common + self.topic > 1:
            raise ConfigError(
                f"common: common + topic are shares of one variance, expected a sum of at most 1, "
                f"got {self.common + self.topic:g}"
            )


@dataclass(frozen=True, slots=True)
class Confidence:
    """What a judge says of its own certainty: logistic(shift + slope * |evidence| + noise).

    Args:
        slope: how much more certain stronger evidence makes a judge.
        shift: above 0 judges are overconfident; logits.
        noise_sd: spread of what is drawn anew with each reply; logits.
    """

    slope: float = 1.0
    shift: float = 0.5
    noise_sd: float = 0.3

    def __post_init__(self) -> None:
        check_range("slope", self.slope, 0, WIDEST)
        check_range("shift", self.shift, -WIDEST, WIDEST)
        check_range("noise_sd", self.noise_sd, 0, WIDEST)


@dataclass(frozen=True, slots=True)
class ReplyStyle:
    """How replies are written down, so that the parser and the token counts have real work.

    Args:
        reasoning_words: mean number of words of the reasoning (drawn from half to one and a half of it).
        fenced: share of replies whose JSON stands in a Markdown code fence.
        prefixed: share with a sentence before the JSON.
        malformed: share from which no verdict can be read (JSON that breaks off).
        refused: share of refusals. The four shares exclude one another: their sum is at most 1.
    """

    reasoning_words: int = 60
    fenced: float = 0.05
    prefixed: float = 0.05
    malformed: float = 0.0
    refused: float = 0.0

    def __post_init__(self) -> None:
        check_range("reasoning_words", self.reasoning_words, 0, 10_000)
        shares = ("fenced", "prefixed", "malformed", "refused")
        for name in shares:
            check_range(name, getattr(self, name), 0, 1)
        total = sum(getattr(self, name) for name in shares)
        if total > 1:
            raise ConfigError(
                f"fenced: fenced + prefixed + malformed + refused are shares of the replies, "
                f"expected a sum of at most 1, got {total:g}"
            )


def _family_skills() -> Mapping[str, float]:
    return {_DEFAULT: 1.0}


def _no_position_bias() -> Mapping[str, float]:
    return {_DEFAULT: 0.0}


@dataclass(frozen=True, slots=True)
class Simulation:
    """The model of the judges. All evidence is in logits; docs/simulation.md has the formulas.

    Args:
        seed: of every draw. Another seed is another world: other difficulties, other blind spots.
        skill: family to skill; `default` is for families that are not named.
        difficulty_sd: spread of the instances' latent difficulty around 0.
        difficulty_by_subset: what is added for a subset (`Adversarial` also covers
            `Adversarial/Neighbor`; of several the longest name counts).
        blind_spots: see `BlindSpots`; None switches them off.
        judge_sd: spread of one model's own standing lean on an instance.
        persona_sd: spread of the lean that a system message (a persona) gives one model.
        noise: scale of the logistic noise of a single call; replicates differ by it.
        position_bias: family to what is added in favour of the response shown first; with `default`.
        tie_width: evidence smaller than this is called a tie.
        confidence: see `Confidence`.
        leans: what pairwise judges favour without any evidence; None: nothing but the position.
        claims: what responses claim and how judges rule on it; see `Claims`.
        ratings: what responses are worth and how judges rate and discuss it; see `RatingJudges`.
        direct: how judges score on criteria; see `DirectJudges`.
        personas: how personas are drafted from documents; see `PersonaDrafts`.
        style: see `ReplyStyle`.
        latency_s: real waiting time of a reply; 0 answers at once. It changes no reply.
    """

    seed: int = 0
    skill: Mapping[str, float] = field(default_factory=_family_skills)
    difficulty_sd: float = 1.0
    difficulty_by_subset: Mapping[str, float] = field(default_factory=dict)
    blind_spots: BlindSpots | None = field(default_factory=BlindSpots)
    judge_sd: float = 0.5
    persona_sd: float = 0.3
    noise: float = 0.7
    position_bias: Mapping[str, float] = field(default_factory=_no_position_bias)
    tie_width: float = 0.1
    confidence: Confidence = field(default_factory=Confidence)
    leans: Leans | None = None
    claims: Claims = field(default_factory=Claims)
    ratings: RatingJudges = field(default_factory=RatingJudges)
    direct: DirectJudges = field(default_factory=DirectJudges)
    personas: PersonaDrafts = field(default_factory=PersonaDrafts)
    style: ReplyStyle = field(default_factory=ReplyStyle)
    latency_s: float = 0.0

    def __post_init__(self) -> None:
        for name in ("difficulty_sd", "judge_sd", "persona_sd", "noise", "tie_width"):
            check_range(name, getattr(self, name), 0, WIDEST)
        check_range("latency_s", self.latency_s, 0, 600)
        for name in ("skill", "position_bias", "difficulty_by_subset"):
            for key, value in getattr(self, name).items():
                check_range(f"{name}.{key}", value, -WIDEST, WIDEST)
        for name in ("skill", "position_bias"):
            if _DEFAULT not in getattr(self, name):
                raise ConfigError(f"{name}.{_DEFAULT}: missing; families that are not named take it")

    def skill_of(self, family: str) -> float:
        """The family's skill; the default's where it is not named."""
        return self.skill.get(family, self.skill[_DEFAULT])

    def position_bias_of(self, family: str) -> float:
        """The family's lean to the response shown first; the default's where it is not named."""
        return self.position_bias.get(family, self.position_bias[_DEFAULT])

    def subset_difficulty(self, subset: str) -> float:
        """What is added to the difficulty in `subset`; 0 where no name covers it."""
        names = [n for n in self.difficulty_by_subset if subset == n or subset.startswith(f"{n}/")]
        return self.difficulty_by_subset[max(names, key=len)] if names else 0.0

    @property
    def parameter_hash(self) -> str:
        """12 hex digits over the model's version and all parameters but `latency_s`, which moves no reply."""
        parameters = dataclasses.asdict(self)
        del parameters["latency_s"]
        if self.leans is None:  # what was simulated before there were any has the same replies
            del parameters["leans"]
        if self.direct == DirectJudges():  # likewise
            del parameters["direct"]
        return _short_hash([_MODEL_VERSION, parameters])


def simulation_endpoint(simulation: Simulation, *, family: str = "", data_fingerprint: str = "") -> str:
    """`simulated:<12 hex digits>`, for `PromptedJudge.endpoint_tag`.

    A reply also depends on the judge's family and on the gold of the data set, of which the
    request says nothing. Name both here where replies are stored: a changed gold label or family
    then asks anew instead of finding a stale reply. With neither, the digits are
    `Simulation.parameter_hash`.
    """
    if not family and not data_fingerprint:
        return f"simulated:{simulation.parameter_hash}"
    return f"simulated:{_short_hash([simulation.parameter_hash, family, data_fingerprint])}"


def _short_hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=dict)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
