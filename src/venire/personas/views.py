"""What the model found in documents, checked: views with evidence, and those that are dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.judging.consolidate import View
from venire.judging.stakeholders import StakeholderReply
from venire.personas.grounding import Source
from venire.records import Evidence


class Fault(StrEnum):
    """Why a view is dropped."""

    UNGROUNDED = "ungrounded"  # its evidence is not in the document
    INCOMPLETE = "incomplete"  # no name, dimension or perspective


@dataclass(frozen=True, slots=True)
class GroundedView:
    """What one stakeholder wants, and the passage that says so."""

    view: View
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class DroppedView:
    """What the model said, and why it does not count. `match`: of the best passage that there is."""

    document: str
    stakeholder: str
    dimension: str
    quote: str
    fault: Fault
    match: float


@dataclass(frozen=True, slots=True)
class Checked:
    """The views of a document, or of several; nothing that the model gave is missing from both."""

    views: tuple[GroundedView, ...]
    dropped: tuple[DroppedView, ...]

    @property
    def quotes(self) -> int:
        """How many quotes were checked."""
        ungrounded = sum(each.fault is Fault.UNGROUNDED for each in self.dropped)
        return len(self.views) + ungrounded


def check_views(name: str, source: Source, stakeholders: Sequence[StakeholderReply]) -> Checked:
    """Every view of `stakeholders`: kept with its passage in the document's own words, or dropped."""
    views: list[GroundedView] = []
    dropped: list[DroppedView] = []
    for stakeholder in stakeholders:
        for found in stakeholder.dimensions:
            said = View(
                _line(stakeholder.name),
                _line(stakeholder.description),
                _line(found.dimension),
                _line(found.perspective),
            )
            match = source.find(found.evidence)
            fault = None if match.is_grounded else Fault.UNGROUNDED
            if not all(map(_says_something, (said.stakeholder, said.dimension, said.perspective))):
                fault = Fault.INCOMPLETE
            if fault is None:
                evidence = Evidence(name, match.paragraph, match.text, round(match.ratio, 3))
                views.append(GroundedView(said, evidence))
            else:
                quote = _line(found.evidence)
                ratio = round(match.ratio, 3)
                dropped.append(DroppedView(name, said.stakeholder, said.dimension, quote, fault, ratio))
    return Checked(tuple(views), tuple(dropped))


def all_of(checked: Mapping[str, Checked]) -> Checked:
    """The views of all documents, in order."""
    each = checked.values()
    return Checked(
        tuple(view for one in each for view in one.views),
        tuple(drop for one in each for drop in one.dropped),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))
