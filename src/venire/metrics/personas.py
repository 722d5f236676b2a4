"""What a set of personas took when it was built from documents, beside the run that lets them judge."""

from collections.abc import Mapping, Sequence

from venire.metrics.measurement import Collector, Measurement
from venire.records import PersonaSet


def persona_metrics(personas: object) -> Measurement:
    """`personas/*` of a built set, as its provenance has it; nothing of a hand-written one, or of none.

    It was paid before the run, and is in no sum of it. What the provenance does not know is left out.
    """
    out = Collector()
    if isinstance(personas, PersonaSet):
        cost, documents = personas.provenance.get("cost"), personas.provenance.get("documents")
        if isinstance(cost, Mapping):
            for name in ("calls", "input_tokens", "output_tokens", "tokens_per_document", "cost_usd"):
                value = cost.get(name)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    out.put(f"personas/{name}", value, "paid before the run, when the set was built")
        if isinstance(documents, Sequence) and not isinstance(documents, str):
            out.put("personas/documents", len(documents))
    return out.result()
