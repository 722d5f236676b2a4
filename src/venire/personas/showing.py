"""A set of personas as text for a terminal."""

from collections.abc import Iterator, Mapping

from venire.generated.showing import filled, price
from venire.records import BackendKind, Persona, PersonaSet

_PARTS = ("dimension", "demographics", "perspective", "expertise", "traits", "relations")
_ORIGINS = {
    "hand_written": "hand-written, from no document and no model",
    "built": "built from documents by a model",
    "simulated": "SIMULATED: built with simulated replies, no model has read anything",
    "shuffled": "a placebo: another field's people in this set's seats",
}


def shown(made: PersonaSet) -> str:
    """Task, groups, personas with all their parts and evidence, and the provenance in short."""
    return "\n".join(_lines(made))


def _lines(made: PersonaSet) -> Iterator[str]:
    yield f"{made.name}: {_ORIGINS[made.origin]}"
    yield f"task: {made.task}"
    count = f"{len(made.groups)} groups, {len(made.personas)} personas"
    yield f"{count}, told at level {made.level}"
    for group in made.groups:
        yield ""
        yield f"{group.name} ({len(group.personas)})"
        yield filled(group.description, "  ")
        for persona in group.personas:
            yield from _persona(persona)
    if made.provenance:
        yield ""
        yield from provenance_lines(made.provenance)


def _persona(persona: Persona) -> Iterator[str]:
    yield f"  {persona.name}: {persona.role}"
    for part in _PARTS:
        if text := getattr(persona, part):
            yield filled(f"{part}: {text}", "    ")
    for evidence in persona.evidence:
        match = "" if evidence.match == 1.0 else f" (match {evidence.match})"
        where = f"{evidence.document}, paragraph {evidence.paragraph}{match}"
        yield filled(f"evidence: {evidence.quote!r}, {where}", "    ")


def provenance_lines(provenance: Mapping[str, object]) -> Iterator[str]:
    """Documents, grounding and cost of a built set; the file has the rest."""
    for document in _list(provenance.get("documents")):
        left_out = (
            ", ".join(str(each.get("heading")) for each in _list(document.get("left_out"))) or "nothing"
        )
        yield (
            f"document {document.get('name')} (SHA-256 {str(document.get('sha256'))[:12]}): "
            f"{document.get('paragraphs_read')} paragraphs read, left out: {left_out}; "
            f"selected: {document.get('selection') or 'not said'}"
        )
    grounding = _mapping(provenance.get("grounding"))
    if grounding:
        yield (
            f"grounding: {grounding.get('grounded')} of {grounding.get('quotes')} quotes are in their "
            f"document ({grounding.get('verbatim')} word for word; threshold {grounding.get('threshold')})"
        )
    cost = _mapping(provenance.get("cost"))
    if cost:
        into, out, each = (
            _number(cost.get(key)) for key in ("input_tokens", "output_tokens", "tokens_per_document")
        )
        yield (
            f"cost: {cost.get('calls')} calls, {into} tokens in, {out} out, {each} a document, "
            f"{price(cost)}{_unbilled(provenance)}"
        )
    rest = [f"{key} {value}" for key, value in provenance.items() if isinstance(value, str)]
    if rest:
        yield "; ".join(rest)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "unknown"


def _unbilled(provenance: Mapping[str, object]) -> str:
    simulated = str(provenance.get("made_by")).endswith(str(BackendKind.SIMULATED))
    return " at the judge's price (simulated: nothing was billed)" if simulated else ""


def _list(node: object) -> list[Mapping[str, object]]:
    return [each for each in node if isinstance(each, Mapping)] if isinstance(node, list) else []


def _mapping(node: object) -> Mapping[str, object]:
    return node if isinstance(node, Mapping) else {}
