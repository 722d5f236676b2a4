"""What personas took, as the set's provenance says."""

import pytest

from venire.metrics.personas import persona_metrics
from venire.records import Persona, PersonaOrigin, PersonaSet, StakeholderGroup

GROUPS = (StakeholderGroup("a", "", (Persona("x", "an x"),)),)
COST = {
    "calls": 9,
    "input_tokens": 60_000,
    "output_tokens": 8_206,
    "cost_usd": 0.3,
    "tokens_per_document": 34_103,
}


def built(**cost: object) -> PersonaSet:
    provenance = {"cost": cost, "documents": [{"name": "one.md"}, {"name": "two.md"}]}
    return PersonaSet("ward", "Judging.", GROUPS, origin=PersonaOrigin.BUILT, provenance=provenance)


def test_a_built_set_says_what_it_took_before_the_run() -> None:
    measured = persona_metrics(built(**COST))
    assert measured.metrics == {
        "personas/calls": 9.0,
        "personas/input_tokens": 60_000.0,
        "personas/output_tokens": 8_206.0,
        "personas/tokens_per_document": 34_103.0,
        "personas/cost_usd": 0.3,
        "personas/documents": 2.0,
    }
    assert "before the run" in measured.notes["personas/cost_usd"]


def test_what_was_not_known_then_is_left_out() -> None:
    assert "personas/cost_usd" not in persona_metrics(built(**{**COST, "cost_usd": None})).metrics


@pytest.mark.parametrize("personas", [None, "mslr", PersonaSet("ward", "Judging.", GROUPS)])
def test_without_a_build_there_is_nothing_to_say(personas: object) -> None:
    assert persona_metrics(personas).metrics == {}
