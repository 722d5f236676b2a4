"""What the pages of JuryFlow's choice show, as values that templates are filled with. Pure."""

from dataclasses import dataclass

import numpy as np

from venire.methods.juryflow.graph import Graph, Node
from venire.methods.juryflow.people import Change
from venire.methods.juryflow.review import Kind, Reevaluation
from venire.methods.juryflow.select import Question
from venire.page.jury.desk import Asked
from venire.page.jury.drawing import Drawing, fill_of
from venire.records import Preference, Unscored, Verdict, Winner

MOST_LINKS = 3  # edges of a claim that the table names, the heaviest
MOST_KEYS = 9  # claims that have a key of their own
BAR = 100  # width of a bar of votes

NONE = "none"


@dataclass(frozen=True, slots=True)
class Votes:
    """How many judges gave one verdict, and where that part of the bar lies."""

    verdict: str
    count: int
    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of a claim: the other claim's number, and the weight w."""

    number: int
    weight: float


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim in the table.

    `number` counts from 1 in the order of the response, `rank` from 1 in that of disagreement.
    `disputed`: it can be chosen; `starred`: one of the m that `auto` would take.
    """

    index: int
    rank: int
    text: str
    disagreement: float
    fill: str
    votes: tuple[Votes, ...]
    panel: str | None
    tags: tuple[str, ...]
    links: tuple[Link, ...]
    disputed: bool
    starred: bool

    @property
    def number(self) -> int:
        """From 1, as people count."""
        return self.index + 1

    @property
    def key(self) -> str:
        """The key that chooses it; "" for most."""
        return str(self.rank) if self.disputed and self.rank <= MOST_KEYS else ""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """The question's page: the response's texts, its claims ranked by disagreement, the graph."""

    key: str
    instance: str
    response: int
    responses: int
    prompt: str
    context: str | None
    reference: str | None
    text: str
    rows: tuple[ClaimRow, ...]
    disputed: int
    budget: int
    threshold: float
    drawing: Drawing

    @property
    def by_claim(self) -> dict[int, ClaimRow]:
        """The rows by the claims' indices."""
        return {row.index: row for row in self.rows}


def question_view(asked: Asked, drawing: Drawing) -> QuestionView:
    """What the page shows of a question, with its graph as it is drawn."""
    question = asked.question
    instance, index = question.matter.instance, question.matter.response_index
    return QuestionView(
        key=asked.key,
        instance=instance.id,
        response=index + 1,
        responses=len(instance.responses),
        prompt=instance.prompt,
        context=instance.context,
        reference=instance.reference,
        text=instance.responses[index].text,
        rows=claim_rows(question),
        disputed=len(question.ranked),
        budget=len(question.candidates),
        threshold=question.threshold,
        drawing=drawing,
    )


def claim_rows(question: Question) -> tuple[ClaimRow, ...]:
    """All claims: the disputed ones, most disputed first, then the others in the same way."""
    rest = sorted(set(range(len(question.nodes))) - set(question.ranked))
    rest.sort(key=lambda index: -question.nodes[index].disagreement)
    return tuple(_row(question, index, rank) for rank, index in enumerate((*question.ranked, *rest), start=1))


def _row(question: Question, index: int, rank: int) -> ClaimRow:
    node = question.nodes[index]
    return ClaimRow(
        index=index,
        rank=rank,
        text=node.text,
        disagreement=node.disagreement,
        fill=fill_of(node.disagreement),
        votes=bar_of(node),
        panel=node.verdict.value if node.verdict else None,
        tags=node.tags,
        links=_links(question.graph, index),
        disputed=index in question.ranked,
        starred=index in question.candidates,
    )


def bar_of(node: Node) -> tuple[Votes, ...]:
    """The votes on a claim, as parts of a bar of length `BAR`; those that nobody gave are left out."""
    total, start = sum(node.votes.values()), 0.0
    parts = []
    for verdict in Verdict:
        count = node.votes.get(verdict, 0)
        if count:
            length = BAR * count / total
            parts.append(Votes(verdict.value, count, round(start, 2), round(length, 2)))
            start += length
    return tuple(parts)


def _links(graph: Graph, index: int) -> tuple[Link, ...]:
    row = graph.weights[index]
    heaviest = np.argsort(-row, kind="stable")[:MOST_LINKS]
    return tuple(Link(int(other) + 1, float(row[other])) for other in heaviest if row[other] > 0)


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A claim before and after: why it was looked at again ("" where it was not), and what the reviewer said.

    `weight`: of the edge to c*, of a propagated claim. `failed`: why the reviewer gave no verdict, or "".
    """

    number: int
    text: str
    why: str
    weight: float | None
    before: str | None
    after: str | None
    changed: bool
    rationale: str
    failed: str


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What a choice led to.

    `reviewed`: the claims that were looked at again, c* first; `others`: all others, in order.
    Scores are None where undefined. `criteria`: of the rubric entries that were learnt.
    """

    reviewed: tuple[ChangedRow, ...]
    others: tuple[ChangedRow, ...]
    score_before: float | None
    score_after: float | None
    criteria: tuple[str, ...]

    @property
    def overruled(self) -> int:
        """How many verdicts are other ones than the panel's."""
        return sum(row.changed for row in self.reviewed)


def change_view(change: Change) -> ChangeView:
    """What the page shows of stages 4 and 5."""
    proceeding = change.proceeding
    by_claim = {each.claim: each for each in proceeding.reevaluations}
    graph = proceeding.graph
    nodes = graph.nodes if graph else ()
    rows = [_changed(node, change.after[node.index], by_claim.get(node.index)) for node in nodes]
    return ChangeView(
        reviewed=tuple(rows[each.claim] for each in proceeding.reevaluations),
        others=tuple(row for row in rows if not row.why),
        score_before=change.score_before,
        score_after=change.score_after,
        criteria=tuple(learnt.entry.criterion for learnt in proceeding.lessons.learnt),
    )


def _changed(node: Node, after: Verdict | None, review: Reevaluation | None) -> ChangedRow:
    why = "" if review is None else _WHY[review.kind]
    return ChangedRow(
        number=node.index + 1,
        text=node.text,
        why=why,
        weight=None if review is None else review.weight,
        before=node.verdict.value if node.verdict else None,
        after=after.value if after else None,
        changed=after is not node.verdict,
        rationale="" if review is None else review.rationale,
        failed=review.after.reason.value if review is not None and isinstance(review.after, Unscored) else "",
    )


_WHY = {Kind.FOCAL: "chosen", Kind.PROPAGATION: "related to it"}


@dataclass(frozen=True, slots=True)
class DecisionView:
    """The instance's verdict: by the scores of the panel alone, and now, with how a tie was decided."""

    before: str
    after: str
    tie_break: str

    @property
    def note(self) -> str:
        """How it came about."""
        alone = f"by the panel alone: {'the same' if self.before == self.after else self.before}"
        return "; ".join(filter(None, (_TIE_BREAKS.get(self.tie_break, ""), alone)))


_EQUAL = "equal scores"
_TIE_BREAKS = {
    "consistent": f"{_EQUAL}, decided by comparing both",
    "inconsistent": f"{_EQUAL}, decided by comparing both, which hung on their order",
    "failed": f"{_EQUAL}, and no usable comparison",
    "off": _EQUAL,
}
_WINNERS = {
    Winner.FIRST: "the first response is better",
    Winner.SECOND: "the second response is better",
    Winner.TIE: "a tie",
}


def decision_view(asked: Asked) -> DecisionView | None:
    """What the page shows of the instance; None while it is being judged."""
    outcome = asked.outcome
    if outcome is None:
        return None
    match outcome.prediction:
        case Preference(winner):
            after = _WINNERS[winner]
        case Unscored(reason):
            after = f"no verdict ({reason.value})"
        case _:
            after = "no verdict"
    before = asked.winner_before
    told = "no verdict" if before is None else _EQUAL if before is Winner.TIE else _WINNERS[before]
    return DecisionView(told, after, str(outcome.detail.get("tie_break") or ""))
