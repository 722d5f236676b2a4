"""What a check of stated figures comes to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Level(StrEnum):
    """How figures stand to each other, from the gravest."""

    IMPOSSIBLE = "impossible"  # no numbers are stated so and fit
    CONDITIONAL = "possible only if"  # they fit, under a condition that the source does not state
    UNSOURCED = "unsourced"  # nothing to hold the figure against
    CONSISTENT = "consistent"  # they fit as they are stated; it does not say that they are right


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result.

    Args:
        level: how the figures stand.
        title: what was held against what.
        check: the kind of check.
        figures: the figures' names.
        arithmetic: the calculation, a line a step.
        conditions: of `CONDITIONAL`: what would make them fit; one of them is enough.
        note: what else must be said.
        sources: where the figures stand.
    """

    level: Level
    title: str
    check: str
    figures: tuple[str, ...]
    arithmetic: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    note: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What a check finds by arithmetic alone, before the premises of the file are weighed."""

    level: Level
    arithmetic: tuple[str, ...]
    conditions: tuple[str, ...] = ()


def assuming(result: Result, premises: Sequence[str]) -> Result:
    """The same under premises that the source does not state: without them it may be possible."""
    if not premises:
        return result
    lines = (*result.arithmetic, f"Assumed: {'; '.join(premises)}.")
    if result.level is Level.CONSISTENT:
        return replace(result, arithmetic=lines)
    broken = (
        f"this does not hold: {premises[0]}"
        if len(premises) == 1
        else f"one of these does not hold: {'; '.join(premises)}"
    )
    return Result(Level.CONDITIONAL, lines, (*result.conditions, broken))
