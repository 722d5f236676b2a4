"""What JuryFlow's outcomes say of claims and their graph, as values that files and pages are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

from venire.records import Instance, Outcome, Preference, PreferenceGold, Unscored


class JudgmentDetail(TypedDict, total=False):
    """One judge's word on a claim, as in `Outcome.detail`."""

    verdict: str | None
    reason: str | None
    tags: list[str]
    rationale: str


class ReevaluationDetail(TypedDict):
    """One re-evaluation, as in `Outcome.detail`."""

    kind: str
    claim: int
    before: str | None
    after: str | None
    changed: bool
    reason: str | None
    rationale: str
    weight: float | None
    precedents: list[str]


class FocalDetail(TypedDict):
    """Which claims were chosen, as in `Outcome.detail`."""

    selector: str
    claims: list[int]
    anchor: int | None


class AddedDetail(TypedDict):
    """A new rubric entry, as in `Outcome.detail`."""

    id: str
    criterion: str


class ResponseDetail(TypedDict):
    """One response, as in `Outcome.detail`; see `methods.juryflow.proceeding`."""

    claims: list[str]
    judgments: dict[str, list[JudgmentDetail]]
    rubric_shown: list[str]
    unscored: str | None
    panel: list[str | None]
    disagreement: list[float]
    tags: list[list[str]]
    edges: list[list[float]]
    focal: FocalDetail
    reevaluations: list[ReevaluationDetail]
    rubric_added: list[AddedDetail]
    verdicts: list[str | None]
    score: float | None


@dataclass(frozen=True, slots=True)
class Review:
    """Why and how a claim was re-evaluated. `after` is None where the reviewer gave no verdict."""

    kind: str
    before: str | None
    after: str | None
    reason: str | None
    rationale: str
    weight: float | None
    precedents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A node: the claim, who voted what and why, d_i, T_i, the panel's verdict and the final one."""

    index: int
    text: str
    votes: Mapping[str, str | None]
    rationales: Mapping[str, str]
    disagreement: float
    tags: tuple[str, ...]
    panel: str | None
    final: str | None
    is_anchor: bool
    review: Review | None

    @property
    def why(self) -> str:
        """Why it was re-evaluated, in a sentence; empty where it was not."""
        if self.review is None:
            return ""
        if self.review.kind == "focal":
            role = ", anchors propagation" if self.is_anchor else ""
            return f"focal claim: disagreement {self.disagreement:.3f}{role}"
        precedents = len(self.review.precedents)
        shown = f", earlier corrections shown: {precedents}" if precedents else ""
        weight = "" if self.review.weight is None else f" {self.review.weight:.3f}"
        return f"propagation: weight{weight} of the edge to the anchor{shown}"


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge above weight 0."""

    first: int
    second: int
    weight: float


@dataclass(frozen=True, slots=True)
class ResponseView:
    """One response's graph, what became of it, and what it taught."""

    claims: tuple[ClaimView, ...]
    edges: tuple[EdgeView, ...]
    selector: str
    rubric_shown: tuple[str, ...]
    rubric_added: Mapping[str, str]
    score: float | None
    unscored: str | None


@dataclass(frozen=True, slots=True)
class InstanceView:
    """One instance with the graphs of its responses."""

    instance: Instance
    gold: str
    prediction: str
    responses: tuple[ResponseView, ...]

    @property
    def dispute(self) -> tuple[float, float]:
        """How disputed it is: its highest d_i, then their sum."""
        values = [claim.disagreement for response in self.responses for claim in response.claims]
        return max(values, default=0.0), sum(values)


def views_of(instances: Sequence[Instance], outcomes: Sequence[Outcome]) -> list[InstanceView]:
    """The outcomes that hold graphs, in the order of `instances`; empty for methods without any."""
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    return [
        _instance_view(instance, by_id[instance.id])
        for instance in instances
        if instance.id in by_id and has_graphs(by_id[instance.id])
    ]


def has_graphs(outcome: Outcome) -> bool:
    """Whether the outcome's detail holds disagreement graphs."""
    responses = outcome.detail.get("responses")
    if not isinstance(responses, list) or not responses:
        return False
    return all(isinstance(each, Mapping) and "edges" in each and "focal" in each for each in responses)


def _instance_view(instance: Instance, outcome: Outcome) -> InstanceView:
    details = cast(Sequence[ResponseDetail], outcome.detail["responses"])
    gold = instance.gold.winner.value if isinstance(instance.gold, PreferenceGold) else ""
    match outcome.prediction:
        case Preference(winner):
            prediction = winner.value
        case Unscored(reason):
            prediction = f"unscored: {reason.value}"
        case _:
            prediction = ""
    return InstanceView(instance, gold, prediction, tuple(_response_view(each) for each in details))


def _response_view(detail: ResponseDetail) -> ResponseView:
    # Without a graph (a failed decomposition) there are no nodes, whatever was decomposed.
    claims = tuple(_claim_view(detail, index) for index in range(len(detail["disagreement"])))
    return ResponseView(
        claims=claims,
        edges=tuple(EdgeView(int(first), int(second), weight) for first, second, weight in detail["edges"]),
        selector=detail["focal"]["selector"],
        rubric_shown=tuple(detail["rubric_shown"]),
        rubric_added={entry["id"]: entry["criterion"] for entry in detail["rubric_added"]},
        score=detail["score"],
        unscored=detail["unscored"],
    )


def _claim_view(detail: ResponseDetail, index: int) -> ClaimView:
    judgments = {judge: own[index] for judge, own in detail["judgments"].items() if index < len(own)}
    review = next((each for each in detail["reevaluations"] if each["claim"] == index), None)
    return ClaimView(
        index=index,
        text=detail["claims"][index],
        votes={judge: given.get("verdict") for judge, given in judgments.items()},
        rationales={judge: given.get("rationale", "") for judge, given in judgments.items()},
        disagreement=detail["disagreement"][index],
        tags=tuple(detail["tags"][index]),
        panel=detail["panel"][index],
        final=detail["verdicts"][index],
        is_anchor=detail["focal"]["anchor"] == index,
        review=None if review is None else _review(review),
    )


def _review(detail: ReevaluationDetail) -> Review:
    return Review(
        kind=detail["kind"],
        before=detail["before"],
        after=detail["after"],
        reason=detail["reason"],
        rationale=detail["rationale"],
        weight=detail["weight"],
        precedents=tuple(detail["precedents"]),
    )
