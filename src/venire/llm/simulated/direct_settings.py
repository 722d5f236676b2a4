"""The parameters of simulated judges that score on criteria, or compare on them, as configuration."""

from dataclasses import dataclass

from venire.llm.simulated.ranges import WIDEST, check_range


@dataclass(frozen=True, slots=True)
class DirectJudges:
    """How a judge scores responses on criteria; docs/simulation.md has the formulas. Logits, but for factors.

    Args:
        span: evidence at the upper end of a scale, and minus that at its lower end (pairs).
        level_sd: spread of what both responses of a pair are worth alike.
        criterion_sd: spread of what a response of a pair is worth on one criterion apart from the whole.
        noise: scale of the slip of a score (pairs). Ratings have their own span and noise.
        lenient, strict: what a rubric of that strictness adds to the evidence; a balanced one adds nothing.
        slip_after, slip_without: factor on the slip where the score comes before its justification, or
            without one.
        slip_by_rubric: factor on the slip where a rubric is shown.
        halo: share by which criteria that are scored in one call are drawn to their mean.
    """

    span: float = 2.0
    level_sd: float = 0.5
    criterion_sd: float = 0.5
    noise: float = 0.5
    lenient: float = 0.5
    strict: float = -0.5
    slip_after: float = 1.2
    slip_without: float = 1.4
    slip_by_rubric: float = 0.7
    halo: float = 0.3

    def __post_init__(self) -> None:
        check_range("span", self.span, 0.01, WIDEST)
        for name in ("level_sd", "criterion_sd", "noise", "slip_after", "slip_without", "slip_by_rubric"):
            check_range(name, getattr(self, name), 0, WIDEST)
        for name in ("lenient", "strict"):
            check_range(name, getattr(self, name), -WIDEST, WIDEST)
        check_range("halo", self.halo, 0, 1)

    def shift(self, strictness: str) -> float:
        """What a rubric of that strictness adds to the evidence; 0 without a rubric."""
        return {"lenient": self.lenient, "strict": self.strict}.get(strictness, 0.0)

    def slip(self, justification: str, *, rubric: bool) -> float:
        """The factor on a score's slip."""
        factor = {"after": self.slip_after, "none": self.slip_without}.get(justification, 1.0)
        return factor * (self.slip_by_rubric if rubric else 1.0)
