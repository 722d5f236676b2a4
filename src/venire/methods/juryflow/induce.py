"""Stage 5: what the focal corrections teach, as rubric entries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.judging.induce import Induced, induce
from venire.judging.matter import together
from venire.llm.protocol import LLM
from venire.methods.juryflow.graph import Graph
from venire.methods.juryflow.memory import Learnt
from venire.methods.juryflow.review import Reevaluation, Reviewing
from venire.records import Call, RubricEntry


@dataclass(frozen=True, slots=True)
class Lessons:
    """New entries in the order of the corrections, and the calls (embeddings among them)."""

    learnt: tuple[Learnt, ...] = ()
    calls: tuple[Call, ...] = ()


async def induce_entries(
    reviewing: Reviewing,
    graph: Graph,
    focal: Sequence[Reevaluation],
    llm: LLM,
    *,
    embedding: str,
) -> Lessons:
    """One entry for each focal re-evaluation that changed the panel's verdict; one call each.

    A reply that cannot be used teaches nothing.

    Source: JuryFlow, stage 5; spec, section 1, stage 5.
    """
    corrections = [each for each in focal if each.changed]
    made = await together(_induce(reviewing, graph, each, llm) for each in corrections)
    entries = [induced.entry for induced in made if isinstance(induced.entry, RubricEntry)]
    calls = tuple(call for induced in made for call in induced.calls)
    if not entries:
        return Lessons(calls=calls)
    embedded = await llm.embed(embedding, [entry.criterion for entry in entries])
    vectors = np.asarray(embedded.vectors, dtype=np.float64)
    learnt = tuple(Learnt(entry, vector) for entry, vector in zip(entries, vectors, strict=True))
    return Lessons(learnt, (*calls, *embedded.calls))


async def _induce(reviewing: Reviewing, graph: Graph, correction: Reevaluation, llm: LLM) -> Induced:
    finding = correction.finding
    assert finding is not None  # it changed the verdict
    dispute = reviewing.dispute(graph, correction.claim)
    return await induce(reviewing.reviewer, dispute, finding, graph.nodes[correction.claim].tags, llm)
