"""Pure: scores on criteria to a prediction, of one response (ratings) or of two (which total is higher)."""

from collections.abc import Sequence

from venire.judging.direct import Assessment, Finding
from venire.judging.scales import scale_of_dimension
from venire.judging.verdicts import higher
from venire.records import OVERALL, Instance, Ratings, Reason, Unscored


def ratings_of(assessment: Assessment, instance: Instance) -> Ratings | Unscored:
    """A rating a criterion that was scored and applies, and `OVERALL`, the weighted total in [0, 1].

    A criterion that is called like a dimension of the data is a rating on the data's scale, between whose
    points it may lie where it was scored on another one. Without a score on every criterion there is no
    total; without any score no rating.
    """
    scales = {each.name: scale_of_dimension(each) for each in instance.dimensions}
    if not assessment.scores:
        return next(iter(assessment.unscored.values()))
    ratings: dict[str, float] = {}
    for each in assessment.findings:
        score, scale = each.score, each.criterion.scale
        if score is None or isinstance(score, Unscored):
            continue
        wanted = scales.get(each.criterion.key, scale)
        ratings[each.criterion.key] = score if wanted == scale else wanted.at(scale.place(score))
    if assessment.total is not None:
        return Ratings({OVERALL: assessment.total} | ratings)
    if not ratings:
        return Unscored(Reason.UNDEFINED, "no criterion has a score: every one is N/A")
    return Ratings(ratings)


def pair_totals(assessed: Sequence[Assessment]) -> tuple[tuple[float | None, float | None], Unscored | None]:
    """The total of either response, and why the pair cannot be decided by them; None where it can."""
    first, second = assessed
    for place, each in enumerate(assessed, 1):
        for key, reason in each.unscored.items():
            told = f"response {place}, {key}" + (f": {reason.detail}" if reason.detail else "")
            return (None, None), Unscored(reason.reason, told)
        if each.total is None:
            told = f"response {place}: no criterion with a weight applies"
            return (None, None), Unscored(Reason.UNDEFINED, told)
    return (first.total, second.total), None


def settled(scores: tuple[float | None, float | None], width: float) -> tuple[float | None, float | None]:
    """The same, or the first twice where they lie no further apart than `width`."""
    first, second = scores
    # totals are rounded, their difference is not: .3 - .2 must not be more than .1
    close = first is not None and second is not None and round(abs(first - second), 9) <= width
    return (first, first) if close else scores


def by_criterion(assessed: Sequence[Assessment]) -> dict[str, str]:
    """By key, which response is better on the criterion; absent where one has no score on it."""
    first, second = (_scored(each) for each in assessed)
    return {key: higher(first[key], second[key]).value for key in first if key in second}


def applies_to_one(assessed: Sequence[Assessment]) -> list[str]:
    """The criteria that apply to one of two responses only: their totals are over different criteria."""
    first, second = ({key for key, score in each.scores.items() if score is None} for each in assessed)
    return sorted(first ^ second)


def _scored(assessment: Assessment) -> dict[str, float]:
    return {each.criterion.key: each.score for each in assessment.findings if isinstance(each.score, float)}


def rationale_of(assessed: Sequence[Assessment]) -> str:
    """What was said for the scores, a line a criterion; of two responses one after the other."""
    return "\n".join(
        f"{_place(place, len(assessed))}{each.criterion.name}: {_reasons(each)}"
        for place, made in enumerate(assessed, 1)
        for each in made.findings
        if _reasons(each)
    )


def _place(place: int, count: int) -> str:
    return f"Response {place}, " if count > 1 else ""


def _reasons(finding: Finding) -> str:
    return " ".join(finding.justification.split())
