"""What several annotators said of the same units: single votes, or ratings on one dimension."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.records.instance import Dimension
from venire.records.judgment import Winner

# A preference in the unit's own order of the two responses, or a rating on the dimension's scale.
Value = Winner | float


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's word on one unit; an annotator may have said several."""

    unit: str
    annotator: str
    value: Value


@dataclass(frozen=True, slots=True)
class Annotations:
    """Everything that was said of some units on one question.

    Args:
        title: which annotations of the data set these are; empty where it has only these.
        entries: in the data set's order.
        cluster: of each unit: units that are not independent (same prompt) share one.
        dimension: what was rated; None where two responses were compared.
        groups: name to its annotators; empty: all are one group.
        machines: published verdicts of models on some of the units, by name.
        named: whether an annotator's name means the same person on all units.
        notes: what must be said of them, a sentence each.
    """

    title: str
    entries: tuple[Annotation, ...]
    cluster: Mapping[str, str]
    dimension: Dimension | None = None
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    machines: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    named: bool = True
    notes: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """`preference`, or the dimension's name."""
        return self.dimension.name if self.dimension else "preference"

    @property
    def annotators(self) -> frozenset[str]:
        """Everybody who said something."""
        return frozenset(entry.annotator for entry in self.entries)

    def of_group(self, group: str | None) -> tuple[Annotation, ...]:
        """The entries of a group's annotators; all of them for None."""
        if group is None:
            return self.entries
        return tuple(entry for entry in self.entries if entry.annotator in self.groups[group])
