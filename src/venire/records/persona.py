"""Who judges: personas, and the stakeholder groups that they speak for."""

from dataclasses import dataclass
from enum import StrEnum


class PersonaLevel(StrEnum):
    """How much of a persona its judge is told."""

    DETAILED = "detailed"  # all five parts
    SIMPLE = "simple"  # the one-line role
    NONE = "none"  # nothing: the judge is asked as if it had no persona


@dataclass(frozen=True, slots=True)
class Persona:
    """Who a judge is asked to be; an empty part is left out.

    Args:
        name: short, for tables.
        role: one line (`a primary school teacher who ...`).
        demographics, perspective, expertise, traits, relations: the five parts of MAJ-EVAL's personas.
        dimension: what this persona cares about most, in a few words; a debating agent rates it too.
        level: how much of it the judge is told.

    Source: spec, section 2, step 1 (personas) and its ablation levels.
    """

    name: str
    role: str
    demographics: str = ""
    perspective: str = ""
    expertise: str = ""
    traits: str = ""
    relations: str = ""
    dimension: str = ""
    level: PersonaLevel = PersonaLevel.DETAILED


@dataclass(frozen=True, slots=True)
class StakeholderGroup:
    """The personas of one kind of stakeholder, who debate among themselves. Source: MAJ-EVAL, step 1."""

    name: str
    description: str
    personas: tuple[Persona, ...]
