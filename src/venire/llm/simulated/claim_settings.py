"""The parameters of simulated judges that rule on claims, as configuration."""

from dataclasses import dataclass, field

from venire.errors import ConfigError
from venire.llm.simulated.ranges import WIDEST, check_range

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Material:
    """What responses claim, and what of it is true.

    Args:
        false_rate: share of false claims in a response that is neither better nor worse.
        separation: by how many logits that share lies apart between the worse response and the better.
        lightness: how light the false claims of the better response may be: their weight is drawn
            from 1 - lightness to 1; those of the worse response weigh 1.
        clarity_sd: spread (of the logarithm) of how plainly a claim shows its truth.
        causes: number of causes of error; a claim's words decide which one it is prone to.
    """

    false_rate: float = 0.3
    separation: float = 2.0
    lightness: float = 0.5
    clarity_sd: float = 0.5
    causes: int = 6

    def __post_init__(self) -> None:
        check_range("false_rate", self.false_rate, 0.001, 0.999)
        check_range("separation", self.separation, 0, WIDEST)
        check_range("lightness", self.lightness, 0, 1)
        check_range("clarity_sd", self.clarity_sd, 0, 5)
        check_range("causes", self.causes, 1, 1000)


@dataclass(frozen=True, slots=True)
class ClaimBlindSpots:
    """Claims that all judges of one family read the wrong way round.

    `common`, `pattern` and `response` are shares of the variance of the blind-spot variable; their sum is
    at most 1, and the rest is the family's own on the one claim.

    Args:
        rate: share of (family, claim) pairs that are blind spots.
        size: how far the family's evidence is moved away from the truth there; logits.
        common: what all families have in common on a claim.
        pattern: what a family has in common over all claims of one topic and cause: what a rubric entry
            can teach.
        response: what a family has in common over the claims of one response and cause: what lets the
            re-evaluation of one claim tell something about another.
    """

    rate: float = 0.3
    size: float = 2.5
    common: float = 0.1
    pattern: float = 0.3
    response: float = 0.4

    def __post_init__(self) -> None:
        for name in ("rate", "common", "pattern", "response"):
            check_range(name, getattr(self, name), 0, 1)
        check_range("size", self.size, 0, WIDEST)
        total = self.common + self.pattern + self.response
        if total > 1 + _ROUNDING:
            raise ConfigError(
                f"common: common + pattern + response are shares of one variance, expected a sum of at "
                f"most 1, got {total:g}"
            )


@dataclass(frozen=True, slots=True)
class Review:
    """What a second look at one claim alone changes.

    Args:
        noise: factor on the noise of a call.
        lift: share of a blind spot that re-reading lifts.
        conviction: evidence that a rationale must state, against what the reviewer sees itself, to
            be a reason to doubt it; logits.
        conflict_lift: share of what is left of a blind spot that such a rationale lifts.
        heed: weight of the mean evidence in the rationales that are shown.
    """

    noise: float = 0.5
    lift: float = 0.2
    conviction: float = 1.0
    conflict_lift: float = 0.8
    heed: float = 0.5

    def __post_init__(self) -> None:
        for name in ("noise", "lift", "conflict_lift", "heed"):
            check_range(name, getattr(self, name), 0, 1)
        check_range("conviction", self.conviction, 0, WIDEST)


@dataclass(frozen=True, slots=True)
class Transfer:
    """What the re-evaluation of another claim of the response does to the reading of this one.

    Args:
        lift: share of a blind spot that a right re-evaluation of a related claim lifts, and that a
            wrong one deepens.
        distraction: spread of the lean, either way, that the evidence of an unrelated claim brings.
    """

    lift: float = 0.8
    distraction: float = 2.0

    def __post_init__(self) -> None:
        check_range("lift", self.lift, 0, 1)
        check_range("distraction", self.distraction, 0, WIDEST)


@dataclass(frozen=True, slots=True)
class Guidance:
    """What earlier cases in the prompt (rubric entries, precedents) change.

    Args:
        lift: share of a blind spot that at least one case of the claim's own pattern lifts.
        clutter: what each case of another pattern adds to the factor on the call's noise.
    """

    lift: float = 0.5
    clutter: float = 0.01

    def __post_init__(self) -> None:
        check_range("lift", self.lift, 0, 1)
        check_range("clutter", self.clutter, 0, 1)


@dataclass(frozen=True, slots=True)
class Splitting:
    """How a response's text is split into claims.

    Args:
        max_claims: most claims of a response; neighbouring sentences are joined beyond it.
        omitted: share of claims that a judge leaves out, each judge others (never the only one).
    """

    max_claims: int = 12
    omitted: float = 0.05

    def __post_init__(self) -> None:
        check_range("max_claims", self.max_claims, 1, 1000)
        check_range("omitted", self.omitted, 0, 1)


@dataclass(frozen=True, slots=True)
class Tagging:
    """Which tags a judge gives a claim.

    Args:
        accuracy: share of first tags that are those of the claim's cause; the others are any tag.
        second: share of claims that are given another tag, any one, beside.
    """

    accuracy: float = 0.8
    second: float = 0.2

    def __post_init__(self) -> None:
        for name in ("accuracy", "second"):
            check_range(name, getattr(self, name), 0, 1)


@dataclass(frozen=True, slots=True)
class Claims:
    """The model of claims and of the judges that rule on them; docs/simulation.md has the formulas.

    Args:
        blind_spots: see `ClaimBlindSpots`; None switches them off.
        noise: scale of the logistic noise of a single call on a claim.
        uncertain_width: evidence smaller than this is called uncertain; logits.
        rationale_words: mean number of words of a claim's rationale.
    """

    material: Material = field(default_factory=Material)
    blind_spots: ClaimBlindSpots | None = field(default_factory=ClaimBlindSpots)
    splitting: Splitting = field(default_factory=Splitting)
    tagging: Tagging = field(default_factory=Tagging)
    review: Review = field(default_factory=Review)
    transfer: Transfer = field(default_factory=Transfer)
    rubric: Guidance = field(default_factory=Guidance)
    precedents: Guidance = field(default_factory=Guidance)
    noise: float = 0.3
    uncertain_width: float = 0.2
    rationale_words: int = 20

    def __post_init__(self) -> None:
        check_range("noise", self.noise, 0, WIDEST)
        check_range("uncertain_width", self.uncertain_width, 0, WIDEST)
        check_range("rationale_words", self.rationale_words, 0, 10_000)
