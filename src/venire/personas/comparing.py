"""What two sets of personas differ in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from venire.generated.showing import changed
from venire.records import Evidence, Persona, PersonaSet, StakeholderGroup


def differences(old: PersonaSet, new: PersonaSet) -> list[str]:
    """One entry a difference, by key; a changed text is shown on two lines, `-` old and `+` new.

    Groups and personas are paired by their keys. Provenance is compared by its documents alone.
    """
    return [
        *_texts({name: (getattr(old, name), getattr(new, name)) for name in ("task", "origin", "level")}),
        *_groups(old, new),
        *_documents(old, new),
    ]


def _groups(old: PersonaSet, new: PersonaSet) -> Iterator[str]:
    before, after = ({group.name: group for group in each.groups} for each in (old, new))
    for name in dict.fromkeys([*before, *after]):
        path = f"groups.{name}"
        if name not in after:
            yield f"- {path} ({_people(before[name])})"
        elif name not in before:
            yield f"+ {path} ({_people(after[name])})"
        else:
            yield from _group(path, before[name], after[name])


def _group(path: str, old: StakeholderGroup, new: StakeholderGroup) -> Iterator[str]:
    yield from _texts({f"{path}.description": (old.description, new.description)})
    before, after = ({persona.name: persona for persona in each.personas} for each in (old, new))
    for name in dict.fromkeys([*before, *after]):
        where = f"{path}.personas.{name}"
        if name not in after:
            yield f"- {where}: {before[name].role}"
        elif name not in before:
            yield f"+ {where}: {after[name].role}"
        else:
            yield from _persona(where, before[name], after[name])


def _persona(path: str, old: Persona, new: Persona) -> Iterator[str]:
    parts = [field.name for field in fields(Persona) if field.name not in ("name", "level", "evidence")]
    yield from _texts({f"{path}.{part}": (getattr(old, part), getattr(new, part)) for part in parts})
    lost = [each for each in old.evidence if _place(each) not in set(map(_place, new.evidence))]
    won = [each for each in new.evidence if _place(each) not in set(map(_place, old.evidence))]
    yield from (f"- {path}.evidence: {_shown(each)}" for each in lost)
    yield from (f"+ {path}.evidence: {_shown(each)}" for each in won)


def _documents(old: PersonaSet, new: PersonaSet) -> Iterator[str]:
    before, after = documents_of(old), documents_of(new)
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield f"- document {name}"
        elif name not in before:
            yield f"+ document {name}"
        elif before[name] != after[name]:
            yield f"~ document {name}: another file (SHA-256 {before[name][:12]}, {after[name][:12]})"


def documents_of(made: PersonaSet) -> dict[str, str]:
    """Document to SHA-256, as the provenance has them; empty of a hand-written set."""
    documents = made.provenance.get("documents")
    if not isinstance(documents, Sequence):
        return {}
    return {str(each.get("name")): str(each.get("sha256")) for each in documents if isinstance(each, Mapping)}


def _texts(pairs: Mapping[str, tuple[object, object]]) -> Iterator[str]:
    for path, (old, new) in pairs.items():
        if old != new:
            yield changed(path, old, new)


def _people(group: StakeholderGroup) -> str:
    return ", ".join(persona.name for persona in group.personas)


def _place(evidence: Evidence) -> tuple[str, str]:
    return evidence.document, evidence.quote


def _shown(evidence: Evidence) -> str:
    return f"{evidence.document}, paragraph {evidence.paragraph}: {evidence.quote!r}"
