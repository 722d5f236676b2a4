"""What is wrong, or odd, with a set of personas that can be read."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from venire.personas.comparing import documents_of
from venire.personas.grounding import THRESHOLD, Source
from venire.personas.reading import Documents
from venire.records import Evidence, Persona, PersonaOrigin, PersonaSet, StakeholderGroup

_PARTS = ("demographics", "perspective", "expertise", "traits", "relations", "dimension")
# Perspectives with more of their letters in common are one view twice.
_ALIKE = 0.9
_DOCUMENTED = (PersonaOrigin.BUILT, PersonaOrigin.SIMULATED)


@dataclass(frozen=True, slots=True)
class Finding:
    """`is_error`: the set is not what it says it is; else it works, though perhaps not as meant."""

    is_error: bool
    where: str
    text: str

    def __str__(self) -> str:
        return f"{'error' if self.is_error else 'warning'}: {self.where}: {self.text}"


def findings(made: PersonaSet, documents: Documents | None = None) -> list[Finding]:
    """Errors and warnings; with the set's `documents`, its quotes are looked up again."""
    found = [*_shape(made)]
    for group in made.groups:
        for persona in group.personas:
            where = f"groups.{group.name}.personas.{persona.name}"
            found += [*_persona(persona, where, made.origin)]
        found += [*_alike(group)]
    if documents is not None:
        found += [*_against(made, documents)]
    return found


def _shape(made: PersonaSet) -> Iterator[Finding]:
    if len(made.groups) == 1:
        yield Finding(False, "groups", "one group only: nothing is averaged over groups")
    for group in made.groups:
        if len(group.personas) == 1:
            yield Finding(False, f"groups.{group.name}", "one persona only: it has nobody to debate with")
        if not group.description.strip():
            yield Finding(False, f"groups.{group.name}.description", "empty")
    if made.origin in _DOCUMENTED and not documents_of(made):
        yield Finding(True, "provenance.documents", f"a set of origin {made.origin} names no documents")


def _persona(persona: Persona, where: str, origin: PersonaOrigin) -> Iterator[Finding]:
    if not persona.role.strip():
        yield Finding(True, f"{where}.role", "empty; level simple would tell nothing")
    elif "\n" in persona.role.strip():
        yield Finding(False, f"{where}.role", "more than one line")
    for part in _PARTS:
        if not getattr(persona, part).strip():
            yield Finding(False, f"{where}.{part}", "empty")
    if origin in _DOCUMENTED and not persona.evidence:
        yield Finding(True, f"{where}.evidence", "none, in a set that was built from documents")
    for number, evidence in enumerate(persona.evidence):
        if evidence.match < THRESHOLD:
            yield Finding(
                True, f"{where}.evidence[{number}]", f"match {evidence.match}, expected at least {THRESHOLD}"
            )


def _alike(group: StakeholderGroup) -> Iterator[Finding]:
    for one, other in combinations(group.personas, 2):
        where = f"groups.{group.name}.personas"
        if one.dimension and one.dimension.casefold() == other.dimension.casefold():
            yield Finding(False, where, f"{one.name} and {other.name} have one dimension, {one.dimension!r}")
        alike = SequenceMatcher(None, one.perspective, other.perspective, autojunk=False).ratio()
        if one.perspective and alike >= _ALIKE:
            yield Finding(False, where, f"{one.name} and {other.name} have nearly the same perspective")


def _against(made: PersonaSet, documents: Documents) -> Iterator[Finding]:
    read = {document.name: document for document in documents.read}
    known = documents_of(made)
    for name, sha256 in known.items():
        if name not in read:
            yield Finding(True, f"provenance.documents: {name}", "not among the documents given")
        elif read[name].sha256 != sha256:
            yield Finding(True, f"provenance.documents: {name}", "another file than the set was built from")
    sources = {name: Source(document.paragraphs) for name, document in read.items()}
    for persona in made.personas:
        for evidence in persona.evidence:
            if fault := _lookup(evidence, sources):
                yield Finding(True, f"{persona.name}.evidence", fault)


def _lookup(evidence: Evidence, sources: dict[str, Source]) -> str:
    """What is wrong with a quote; empty where it stands in its document."""
    if evidence.document not in sources:
        return f"{evidence.document} is not among the documents given"
    match = sources[evidence.document].find(evidence.quote)
    if match.is_grounded:
        return ""
    return f"not in {evidence.document} (best match {match.ratio:.2f}): {evidence.quote[:120]!r}"
