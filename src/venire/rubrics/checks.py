"""What is odd with a set of rubrics that can be read; what is wrong with one keeps it from being read."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from venire.judging.rubric import CriterionRubric, RubricSet, name_of, several_things
from venire.personas.checks import Finding

# Descriptions of neighbours with more of their letters in common are hard to tell apart.
_ALIKE = 0.9


def findings(made: RubricSet, aspects: Mapping[str, Sequence[str]] | None = None) -> list[Finding]:
    """Warnings, rubric by rubric.

    Args:
        made: the set.
        aspects: what a model said that each criterion measures; by default what the provenance has.
    """
    told = _aspects(made) if aspects is None else aspects
    return [each for rubric in made.rubrics for each in _of(rubric, told.get(rubric.key, ()))]


def _of(rubric: CriterionRubric, aspects: Sequence[str]) -> Iterator[Finding]:
    where = f"rubrics.{rubric.key}"
    yield from _overloaded(rubric, aspects, where)
    for level in rubric.levels:
        if not level.characteristics:
            place = f"{where}.levels.{name_of(level, rubric.scale)}"
            yield Finding(False, place, "no characteristics: nothing to point at in a response")
    for first, second in pairwise(rubric.levels):
        names = " and ".join(name_of(each, rubric.scale) for each in (first, second))
        if SequenceMatcher(None, first.description, second.description, autojunk=False).ratio() > _ALIKE:
            yield Finding(False, f"{where}.levels", f"{names} are described nearly alike")
        shared = {each.casefold() for each in first.characteristics} & {
            each.casefold() for each in second.characteristics
        }
        for each in sorted(shared):
            yield Finding(False, f"{where}.levels", f"{names} share a characteristic: {each!r}")
    if not rubric.edge_cases:
        yield Finding(False, f"{where}.edge_cases", "none: judges will differ on unclear cases")
    if not rubric.guidelines:
        yield Finding(False, f"{where}.scoring_guidelines", "none")


def _overloaded(rubric: CriterionRubric, aspects: Sequence[str], where: str) -> Iterator[Finding]:
    """Source: papers/advanced-evaluation, "Anti-pattern: Overloaded criteria"."""
    if len(aspects) > 1:
        yield Finding(
            False,
            where,
            f"measures several things, says the model that wrote it ({'; '.join(aspects)}): make one "
            "criterion of each",
        )
    elif (words := several_things(rubric.criterion, rubric.description)) is not None:
        yield Finding(
            False, where, f"seems to measure several things ({words!r}): make one criterion of each"
        )


def _aspects(made: RubricSet) -> dict[str, list[str]]:
    told = made.provenance.get("aspects")
    if not isinstance(told, Mapping):
        return {}
    return {str(key): list(map(str, each)) for key, each in told.items() if isinstance(each, Sequence)}
