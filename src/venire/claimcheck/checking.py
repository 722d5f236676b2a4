"""Runs a file's checks over its figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from venire.claimcheck.figures import Figure
from venire.claimcheck.findings import Finding, Level, Result, assuming


class Check(Protocol):
    """One kind of arithmetic over some figures."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the figures that it takes."""
        ...

    def result(self, figures: Mapping[str, Figure]) -> Result:
        """What it finds."""
        ...


@dataclass(frozen=True, slots=True)
class Stated:
    """A check as a file states it.

    Args:
        kind: as the file calls it.
        title: what is held against what.
        check: the arithmetic.
        premises: what it takes for granted that the source does not state.
        note: what else must be said.
    """

    kind: str
    title: str
    check: Check
    premises: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClaimFile:
    """What somebody states, and how it is checked."""

    title: str
    source: str
    figures: Mapping[str, Figure]
    checks: tuple[Stated, ...] = ()
    notes: tuple[str, ...] = ()


def check_claims(claims: ClaimFile) -> list[Finding]:
    """A finding for each check, then one for each figure without a source, in the file's order."""
    found = [_finding(stated, claims.figures) for stated in claims.checks]
    return [*found, *(_unsourced(figure) for figure in claims.figures.values() if figure.unsourced)]


def _finding(stated: Stated, figures: Mapping[str, Figure]) -> Finding:
    result = assuming(stated.check.result(figures), stated.premises)
    names = tuple(dict.fromkeys(stated.check.names))
    return Finding(
        level=result.level,
        title=stated.title,
        check=stated.kind,
        figures=names,
        arithmetic=result.arithmetic,
        conditions=result.conditions,
        note=stated.note,
        sources=tuple(_source(figures[name]) for name in names if _source(figures[name])),
    )


def _unsourced(figure: Figure) -> Finding:
    return Finding(
        level=Level.UNSOURCED,
        title=figure.says or figure.text,
        check="source",
        figures=(figure.name,),
        arithmetic=(f"{figure.text}: {figure.unsourced}.",),
        sources=(_source(figure),) if _source(figure) else (),
    )


def _source(figure: Figure) -> str:
    """`llmbar_full .784: section 4.4, "0.679 to 0.784"`; empty where the figure says nothing of itself."""
    place = ", ".join(part for part in (figure.where, f"“{figure.says}”" if figure.says else "") if part)
    told = "; ".join(part for part in (place, f"derived: {figure.derived}" if figure.derived else "") if part)
    return f"{figure.name} {figure.text}: {told}" if told else ""
