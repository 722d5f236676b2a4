"""A built set as a file: personas with their evidence, and where all of it comes from."""

from collections.abc import Mapping

from venire import __version__
from venire.build import TARGET
from venire.generated.calling import Calling
from venire.generated.record import judge_node, sums, written_with
from venire.generated.replies import why
from venire.judging.consolidate import CONSOLIDATE
from venire.judging.stakeholders import EXTRACT
from venire.judging.write_persona import WRITE
from venire.personas.blocks import Document
from venire.personas.built import Brief, Built, Drafted
from venire.personas.grounding import THRESHOLD
from venire.personas.naming import key_of, unused
from venire.personas.reading import Documents
from venire.personas.views import all_of
from venire.prompts.render import prompt_hash
from venire.records import BackendKind, PersonaOrigin

_DETAIL = 200  # characters of why a part has no reply
_PARTS = ("role", "demographics", "perspective", "expertise", "traits", "relations")


def file_of(brief: Brief, documents: Documents, calling: Calling, built: Built) -> dict[str, object]:
    """The content of the set's file, as `venire.build.build` takes it.

    The same documents, settings and replies give the same content: it holds no time and no path.
    """
    simulated = calling.kind is BackendKind.SIMULATED
    return {
        TARGET: "venire.personas.persona_set",
        "name": brief.name,
        "task": " ".join(brief.task.split()),
        "origin": str(PersonaOrigin.SIMULATED if simulated else PersonaOrigin.BUILT),
        "level": "detailed",
        "groups": _groups(built),
        "provenance": _provenance(brief, documents, calling, built),
    }


def warnings_of(documents: Documents, built: Built) -> list[str]:
    """What the user should know of a set that was built all the same, a sentence each."""
    silent = [name for name, checked in built.checked.items() if not checked.views]
    unsaid = [document.name for document in documents.read if not document.selection]
    said = []
    if len(built.groups) == 1:
        said.append("there is one group only: nothing is averaged over groups, and no group sees another")
    said += [
        f"group {group.name!r} has one persona only: it has nobody to debate with"
        for group in built.groups
        if len(group.personas) == 1
    ]
    if silent:
        said.append(f"no stakeholder with evidence in {', '.join(silent)}")
    if unsaid:
        said.append(
            f"nobody said how these were selected: {', '.join(unsaid)}; --selection TEXT or a selection.yaml "
            "beside them keeps it with the personas"
        )
    said += [f"{each.name} has the text of {each.same_as} and was left out" for each in documents.duplicates]
    said += [f"{document.name}: {note}" for document in documents.read for note in document.notes]
    said += [
        f"{part.document}, paragraphs {part.first} to {part.last}: no usable reply ({part.reason.reason})"
        for part in built.unread
    ]
    said += [
        f"{each.group}, {each.dimension}: no usable persona ({each.reason.reason})"
        for each in built.unwritten
    ]
    return said


def header_of(content: Mapping[str, object], model: str) -> list[str]:
    """What a reader should know first."""
    simulated = content["origin"] == PersonaOrigin.SIMULATED
    kind = written_with(model, simulated=simulated)
    return [
        f"Built by `venire personas build` with {kind}; what it rests on is below, under provenance.",
        f"persona={content['name']} chooses it, persona.level=simple|no_demographics|none tells less of it.",
    ]


def _groups(built: Built) -> dict[str, object]:
    groups: dict[str, object] = {}
    taken: set[str] = set()
    for number, group in enumerate(built.groups, 1):
        key = unused(key_of(group.name, f"group_{number}"), groups)
        people: dict[str, object] = {}
        for place, persona in enumerate(group.personas, 1):
            plain = key_of(persona.dimension, f"persona_{place}")
            name = unused(plain if plain not in taken else f"{key}_{plain}", taken)
            taken.add(name)
            people[name] = _persona(persona)
        description = " ".join(group.description.split())
        if not description.casefold().startswith(group.name.casefold()):
            description = f"{group.name}: {description}".removesuffix(": ")
        groups[key] = {"description": description, "personas": people}
    return groups


def _persona(persona: Drafted) -> dict[str, object]:
    evidence = [
        {
            "document": each.document,
            "paragraph": each.paragraph,
            "quote": each.quote,
            "match": each.match,
        }
        for each in persona.evidence
    ]
    parts = {part: getattr(persona.parts, part) for part in _PARTS}
    return {"dimension": persona.dimension, **parts, "evidence": evidence}


def _provenance(brief: Brief, documents: Documents, calling: Calling, built: Built) -> dict[str, object]:
    everything = all_of(built.checked)
    quotes = everything.quotes
    total = sums(built.calls)
    n = len(documents.read)
    tokens = [total[key] for key in ("input_tokens", "output_tokens")]
    known = [each for each in tokens if isinstance(each, int)]
    return {
        "made_by": f"venire {__version__}, backend {calling.kind}",
        "judge": judge_node(calling, built.calls),
        "prompts": {name: prompt_hash(name)[:12] for name in (EXTRACT, CONSOLIDATE, WRITE)},
        "part_tokens": built.part_tokens,
        "documents": [_document(document, built) for document in documents.read],
        "grounding": {
            "threshold": THRESHOLD,
            "quotes": quotes,
            "grounded": len(everything.views),
            "verbatim": sum(view.evidence.match == 1.0 for view in everything.views),
            "rate": round(len(everything.views) / quotes, 4) if quotes else None,
        },
        "consolidation": {
            "by": str(brief.consolidate_by),
            "stakeholders": len({view.view.stakeholder.casefold() for view in everything.views}),
            "views": len(everything.views),
            "groups": len(built.groups),
            "personas": sum(len(group.personas) for group in built.groups),
        },
        "dropped": _dropped(documents, built),
        "cost": {
            **total,
            "tokens_per_document": round(sum(known) / n) if len(known) == len(tokens) else None,
            "by_stage": {
                stage: sums([call for call in built.calls if call.stage == stage])
                for stage in dict.fromkeys(call.stage for call in built.calls)
            },
        },
    }


def _document(document: Document, built: Built) -> dict[str, object]:
    checked = built.checked[document.name]
    read = [call for call in built.calls if call.instance_id == document.name]
    return {
        "name": document.name,
        "sha256": document.sha256,
        "form": document.form,
        "selection": document.selection or None,
        "paragraphs_read": len(document.paragraphs),
        "parts": built.parts[document.name],
        "left_out": [
            {
                "heading": each.heading,
                "kind": str(each.kind),
                "paragraphs": [each.first, each.last] if each.first <= each.last else [],
            }
            for each in document.left_out
        ],
        "notes": list(document.notes),
        "quotes": checked.quotes,
        "grounded": len(checked.views),
        "extraction": sums(read),
    }


def _dropped(documents: Documents, built: Built) -> dict[str, object]:
    return {
        "views": [
            {
                "document": each.document,
                "stakeholder": each.stakeholder,
                "dimension": each.dimension,
                "quote": each.quote,
                "why": str(each.fault),
                "match": each.match,
            }
            for each in all_of(built.checked).dropped
        ],
        "unread_parts": [
            {
                "document": each.document,
                "paragraphs": [each.first, each.last],
                "why": why(each.reason, _DETAIL),
            }
            for each in built.unread
        ],
        "unwritten_personas": [
            {"group": each.group, "dimension": each.dimension, "why": why(each.reason, _DETAIL)}
            for each in built.unwritten
        ],
        "duplicates": [{"name": each.name, "same_as": each.same_as} for each in documents.duplicates],
    }
