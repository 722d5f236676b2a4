"""What JuryFlow made of one response: from the hearing to the score, and how files show it."""

from dataclasses import dataclass, field

from venire.judging.claim_pairs import hearing_detail
from venire.judging.convene import Hearing
from venire.judging.verdicts import Reduction, score
from venire.methods.juryflow.graph import Graph
from venire.methods.juryflow.induce import Lessons
from venire.methods.juryflow.memory import Additions, Correction
from venire.methods.juryflow.review import Kind, Reevaluation
from venire.methods.juryflow.select import Focus
from venire.records import Call, Unscored, Verdict


@dataclass(frozen=True, slots=True)
class Proceeding:
    """One response's way through the stages.

    `graph` is None where the hearing brought nothing to judge; all later stages are empty then.
    `verdicts` has each claim's final verdict, `selector` who chose the focal claims ("" for nobody).
    """

    hearing: Hearing
    graph: Graph | None = None
    selector: str = ""
    focus: Focus = field(default_factory=Focus)
    reevaluations: tuple[Reevaluation, ...] = ()
    lessons: Lessons = field(default_factory=Lessons)
    verdicts: tuple[Verdict | None, ...] = ()

    @property
    def calls(self) -> tuple[Call, ...]:
        """Stage by stage."""
        reviews = (call for each in self.reevaluations for call in each.calls)
        return (*self.hearing.calls, *reviews, *self.lessons.calls)

    @property
    def additions(self) -> Additions:
        """New rubric entries, and the focal re-evaluations as precedents: confirmations, too."""
        return Additions(self.lessons.learnt, self._corrections())

    def _corrections(self) -> tuple[Correction, ...]:
        if self.graph is None or self.hearing.vectors is None:
            return ()
        matter, made = self.hearing.matter, []
        for each in self.reevaluations:
            finding = each.finding
            if each.kind is Kind.FOCAL and finding is not None:
                name = f"{matter.instance.id}/{matter.response_index}/{each.claim}"
                tags = self.graph.nodes[each.claim].tags
                made.append(Correction(name, finding, tags, self.hearing.vectors[each.claim]))
        return tuple(made)

    def score(self, reduction: Reduction) -> float | None:
        """Of the final verdicts; None where undefined."""
        return score(self.verdicts, reduction)

    def detail(self, reduction: Reduction) -> dict[str, object]:
        """JSON-ready."""
        return {
            **hearing_detail(self.hearing),
            **_graph_detail(self.graph),
            "focal": {
                "selector": self.selector,
                "claims": list(self.focus.claims),
                "anchor": self.focus.anchor,
                "seconds": self.focus.seconds,
            },
            "reevaluations": [_reevaluation_detail(each) for each in self.reevaluations],
            "rubric_added": [
                {
                    "id": learnt.entry.id,
                    "dimension": learnt.entry.dimension,
                    "boundary": learnt.entry.boundary,
                    "criterion": learnt.entry.criterion,
                    "positive_example": learnt.entry.positive_examples[0],
                    "negative_example": learnt.entry.negative_examples[0],
                }
                for learnt in self.lessons.learnt
            ],
            "verdicts": [verdict.value if verdict else None for verdict in self.verdicts],
            "score": self.score(reduction),
        }


def _graph_detail(graph: Graph | None) -> dict[str, object]:
    nodes = graph.nodes if graph else ()
    return {
        "panel": [node.verdict.value if node.verdict else None for node in nodes],
        "disagreement": [round(node.disagreement, 4) for node in nodes],
        "tags": [list(node.tags) for node in nodes],
        "edges": graph.edges if graph else [],
    }


def _reevaluation_detail(each: Reevaluation) -> dict[str, object]:
    return {
        "kind": each.kind.value,
        "claim": each.claim,
        "before": each.before.value if each.before else None,
        "after": None if isinstance(each.after, Unscored) else each.after.value,
        "changed": each.changed,
        "reason": each.after.reason.value if isinstance(each.after, Unscored) else None,
        "rationale": each.rationale,
        "weight": None if each.weight is None else round(each.weight, 4),
        "precedents": list(each.precedents),
    }
