"""Who judges: personas, the stakeholder groups that they speak for, and sets of these."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class PersonaLevel(StrEnum):
    """How much of a persona its judge is told."""

    DETAILED = "detailed"  # all five parts
    SIMPLE = "simple"  # the one-line role
    NONE = "none"  # nothing: the judge is asked as if it had no persona
    NO_DEMOGRAPHICS = "no_demographics"  # a placebo: all parts but the demographics


class PersonaOrigin(StrEnum):
    """Where a set of personas comes from."""

    HAND_WRITTEN = "hand_written"
    BUILT = "built"  # from documents, by a model
    SIMULATED = "simulated"  # from documents, by the simulated backend: for trying things out
    SHUFFLED = "shuffled"  # a placebo: the groups of one set, filled with another domain's personas


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage of a document that a persona's dimension rests on.

    Args:
        document: its file name.
        paragraph: its place among the document's paragraphs, from 1, those left out counted.
        quote: the passage, as the document has it.
        match: how well the model's quote matched it, 0 to 1; 1 is verbatim.
    """

    document: str
    paragraph: int
    quote: str
    match: float = 1.0


@dataclass(frozen=True, slots=True)
class Persona:
    """Who a judge is asked to be; an empty part is left out.

    Args:
        name: short, for tables.
        role: one line (`a primary school teacher who ...`).
        demographics, perspective, expertise, traits, relations: the five parts of MAJ-EVAL's personas.
        dimension: what this persona cares about most, in a few words; a debating agent rates it too.
        level: how much of it the judge is told.
        evidence: what of the documents speaks for it; never told.

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
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class StakeholderGroup:
    """The personas of one kind of stakeholder, who debate among themselves. Source: MAJ-EVAL, step 1."""

    name: str
    description: str
    personas: tuple[Persona, ...]


@dataclass(frozen=True, slots=True)
class PersonaSet:
    """The stakeholder groups that judge a task; `persona=<file name>` chooses one.

    Args:
        name: short, for tables: the file's name.
        task: what is judged, in a sentence.
        groups: at least one, each with at least one persona; no two personas of a set share a name
            (`venire.personas.persona_set` sees to it).
        level: how much of themselves all its personas are told (each has it as its own `level`, too).
        origin: who wrote it.
        provenance: of a built set: its documents, what was dropped, tokens and cost. Moves no result.
    """

    name: str
    task: str
    groups: tuple[StakeholderGroup, ...]
    level: PersonaLevel = PersonaLevel.DETAILED
    origin: PersonaOrigin = PersonaOrigin.HAND_WRITTEN
    provenance: Mapping[str, object] = field(default_factory=dict)

    @property
    def personas(self) -> tuple[Persona, ...]:
        """The personas of all groups, in order."""
        return tuple(persona for group in self.groups for persona in group.personas)
