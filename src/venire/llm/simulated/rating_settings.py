"""The parameters of simulated judges that rate responses and debate their ratings, as configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.errors import ConfigError
from venire.llm.simulated.ranges import WIDEST, check_range

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class RatedMaterial:
    """What is true of a response on a dimension, around the humans' mean rating.

    Args:
        span: quality at the upper end of a scale, and minus that at its lower end; logits.
        gold_sd: spread of the quality around the humans' rating: what they did not see, or got wrong.
        unrated_sd: spread of the quality, around 0, where the humans gave no rating.
        own_shared: weight of the mean quality on the humans' dimensions in the quality on a persona's own.
        own_sd: spread of what is left of that quality.
        points: number of points that speak for or against a response on a dimension.
        spread: spread of the points' values around their share of the quality.
    """

    span: float = 2.0
    gold_sd: float = 0.5
    unrated_sd: float = 1.0
    own_shared: float = 0.5
    own_sd: float = 1.0
    points: int = 8
    spread: float = 1.0

    def __post_init__(self) -> None:
        check_range("span", self.span, 0.01, WIDEST)
        for name in ("gold_sd", "unrated_sd", "own_shared", "own_sd", "spread"):
            check_range(name, getattr(self, name), 0, WIDEST)
        check_range("points", self.points, 1, 100)


@dataclass(frozen=True, slots=True)
class Attention:
    """Which points a judge notices, and what a persona does to that.

    A persona looks at one of `fields` fields: it notices more of the points there and fewer of the others.

    Args:
        base: what is added to the family's skill; the logistic of the sum is the share of points noticed.
        lift: what a persona told in full adds to that on the points of its field; logits.
        narrowing: what it takes away on all other points; logits.
        simple: how much of both a persona has of which only the role is told; 1 is as one told in full.
        fields: number of fields.
        words: long words that a persona told in full must share with the request and the dimensions'
            descriptions to be of their domain; with fewer, lift and narrowing shrink in proportion. One of
            which only some parts are told needs fewer, of which the role alone none. 0: any persona is.
        common: share of the variance of noticing that all judges have in common.
        model: share that all personas of one model have in common.
    """

    base: float = -1.0
    lift: float = 2.0
    narrowing: float = 0.5
    simple: float = 0.3
    fields: int = 4
    words: int = 5
    common: float = 0.2
    model: float = 0.3

    def __post_init__(self) -> None:
        check_range("base", self.base, -WIDEST, WIDEST)
        for name in ("lift", "narrowing"):
            check_range(name, getattr(self, name), 0, WIDEST)
        for name in ("simple", "common", "model"):
            check_range(name, getattr(self, name), 0, 1)
        check_range("fields", self.fields, 1, 100)
        check_range("words", self.words, 0, 1000)
        total = self.common + self.model
        if total > 1 + _ROUNDING:
            raise ConfigError(
                f"common: common + model are shares of one variance, expected a sum of at most 1, "
                f"got {total:g}"
            )


@dataclass(frozen=True, slots=True)
class RatingBias:
    """What families, and stakeholder groups, have in common whatever the response shows; logits.

    Args:
        family_level, group_level: spread of how strict a family, a group is on a dimension.
        family_lean, group_lean: spread of the lean that a family, a group has on one response.
    """

    family_level: float = 0.5
    group_level: float = 0.5
    family_lean: float = 0.3
    group_lean: float = 0.5

    def __post_init__(self) -> None:
        for name in ("family_level", "group_level", "family_lean", "group_lean"):
            check_range(name, getattr(self, name), 0, WIDEST)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What judges do with what others say.

    Args:
        persuasion: share of the points told by others that a judge takes over.
        conformity: how much judges give in to the majority, on average; a group's own is drawn from 0 to
            twice that. See docs/simulation.md, "Debate".
        turn_points: most points that a turn tells.
        feedback_points: most points that the feedback of a rating tells, for each dimension.
        dispute: stances further apart than this are a conflict; logits.
        summary_kept: share of the points that a summary passes on.
        chatter: share of turns that go on although nothing is new.
    """

    persuasion: float = 0.9
    conformity: float = 0.3
    turn_points: int = 8
    feedback_points: int = 1
    dispute: float = 1.0
    summary_kept: float = 0.8
    chatter: float = 0.0

    def __post_init__(self) -> None:
        for name in ("persuasion", "conformity", "summary_kept", "chatter"):
            check_range(name, getattr(self, name), 0, 1)
        check_range("turn_points", self.turn_points, 1, 1000)
        check_range("feedback_points", self.feedback_points, 0, 1000)
        check_range("dispute", self.dispute, 0, WIDEST)


@dataclass(frozen=True, slots=True)
class RatingFaults:
    """Replies that rate otherwise than asked, so that checks and re-asks have work.

    Args:
        not_applicable: share of "N/A" where the humans rated the response, but not on the dimension.
        off_scale: share of replies with one rating beyond its scale.
        missing: share of replies that leave out one dimension.
        other_tokens: probability of a token that is no rating, where one token is asked for.
    """

    not_applicable: float = 0.2
    off_scale: float = 0.0
    missing: float = 0.0
    other_tokens: float = 0.02

    def __post_init__(self) -> None:
        for name in ("not_applicable", "off_scale", "missing"):
            check_range(name, getattr(self, name), 0, 1)
        check_range("other_tokens", self.other_tokens, 0, 0.99)
        if self.off_scale + self.missing > 1:
            raise ConfigError(
                f"off_scale: off_scale + missing are shares of the replies, expected a sum of at most 1, "
                f"got {self.off_scale + self.missing:g}"
            )

    def struck(self, draw: float, count: int) -> tuple[int | None, int | None]:
        """Which of a reply's `count` ratings is off its scale, and which is left out; `draw` is in [0, 1)."""
        if draw < self.off_scale:
            return int(draw / self.off_scale * count), None
        if draw < self.off_scale + self.missing:
            return None, int((draw - self.off_scale) / self.missing * count)
        return None, None


@dataclass(frozen=True, slots=True)
class RatingJudges:
    """The model of rated responses and of the judges that rate them; docs/simulation.md has the formulas.

    Args:
        bias: see `RatingBias`; None switches it off.
        noise: scale of the logistic noise of a single rating.
    """

    material: RatedMaterial = field(default_factory=RatedMaterial)
    attention: Attention = field(default_factory=Attention)
    bias: RatingBias | None = field(default_factory=RatingBias)
    exchange: Exchange = field(default_factory=Exchange)
    faults: RatingFaults = field(default_factory=RatingFaults)
    noise: float = 0.5

    def __post_init__(self) -> None:
        check_range("noise", self.noise, 0, WIDEST)


def _stakeholders() -> Mapping[str, tuple[str, ...]]:
    return {
        "families": ("parents", "caregivers", "carers", "relatives", "families", "children"),
        "educators": ("teachers", "educators", "librarians", "students"),
        "clinicians": ("clinicians", "physicians", "doctors", "nurses", "pharmacists", "practitioners"),
        "patients": ("patients", "advocates"),
        "researchers": ("researchers", "reviewers", "methodologists", "statisticians", "scientists"),
        "developers": ("developers", "engineers", "designers"),
        "editors": ("editors", "publishers", "journalists"),
        "decision makers": ("policymakers", "regulators", "managers", "funders"),
    }


@dataclass(frozen=True, slots=True)
class PersonaDrafts:
    """How personas are drafted from documents; nothing in it moves a rating.

    Args:
        stakeholders: group to the words that name its members in a document, in the plural.
        ungrounded: share of the quotes that stand nowhere in the document.
        dimensions: most dimensions of a stakeholder in one part of a document.
    """

    stakeholders: Mapping[str, tuple[str, ...]] = field(default_factory=_stakeholders)
    ungrounded: float = 0.1
    dimensions: int = 3

    def __post_init__(self) -> None:
        check_range("ungrounded", self.ungrounded, 0, 1)
        check_range("dimensions", self.dimensions, 1, 100)
        for group, words in self.stakeholders.items():
            if not words or not all(word.strip() for word in words):
                raise ConfigError(f"stakeholders.{group}: expected words, got {list(words)}")
