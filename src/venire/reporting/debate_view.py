"""What MAJ-EVAL's outcomes say of their debates, as values that files and pages are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

from venire.records import OVERALL, Instance, Outcome, Ratings, RatingsGold, Unscored


class Why(TypedDict):
    """Why there is nothing, as in `Outcome.detail`."""

    reason: str
    detail: str


class OpinionDetail(TypedDict):
    """An agent's ratings, as in `Outcome.detail`; see `methods.maj_eval.record`."""

    ratings: dict[str, float] | None
    unscored: Why | None
    feedback: str
    cut: list[int]


class AgentDetail(TypedDict):
    """An agent's part, as in `Outcome.detail`."""

    agent: str
    shown_as: str
    dimension: str | None
    opening: OpinionDetail
    final: OpinionDetail
    standing: str
    asked_again: bool


class TurnDetail(TypedDict):
    """A turn, as in `Outcome.detail`."""

    turn: int
    speaker: str
    message: str | None
    feedback: str
    ratings: dict[str, float] | None
    closing: bool
    repeats: int | None
    failed: Why | None
    choice: str
    named: str
    reason: str
    cut: list[int]


class TranscriptDetail(TypedDict):
    """A group's transcript, as in `Outcome.detail`."""

    group: str
    ending: str
    agents: list[AgentDetail]
    turns: list[TurnDetail]
    cut: list[int]


class SynthesisDetail(TypedDict):
    """The aggregator's words, as in `Outcome.detail`."""

    agreements: list[str]
    disputes: list[str]
    reading: str
    unscored: Why | None


Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class DebateView:
    """One instance with the debates about its response.

    `gold` and `score` by dimension; `score` is empty where `unscored` says why there is none. `before` and
    `after` are the groups' means, groups without any left out.
    """

    instance: Instance
    gold: Scores
    score: Scores
    unscored: str
    before: Mapping[str, Scores]
    after: Mapping[str, Scores]
    transcripts: tuple[TranscriptDetail, ...]
    synthesis: SynthesisDetail | None

    @property
    def moved(self) -> float:
        """How far the debates moved the groups: the mean absolute change of their overall ratings."""
        changes = [
            abs(after[OVERALL] - self.before[group][OVERALL])
            for group, after in self.after.items()
            if group in self.before
        ]
        return sum(changes) / len(changes) if changes else 0.0


def has_transcripts(outcome: Outcome) -> bool:
    """Whether the outcome's detail holds transcripts of stakeholder groups."""
    transcripts = outcome.detail.get("transcripts")
    if not isinstance(transcripts, list) or not transcripts:
        return False
    return all(isinstance(each, Mapping) and "group" in each and "turns" in each for each in transcripts)


def debates_of(instances: Sequence[Instance], outcomes: Sequence[Outcome]) -> list[DebateView]:
    """The outcomes that hold transcripts, in the order of `instances`; empty for methods without any."""
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    return [
        _view(instance, by_id[instance.id])
        for instance in instances
        if instance.id in by_id and has_transcripts(by_id[instance.id])
    ]


def _view(instance: Instance, outcome: Outcome) -> DebateView:
    made, detail = outcome.prediction, outcome.detail
    return DebateView(
        instance=instance,
        gold=instance.gold.mean if isinstance(instance.gold, RatingsGold) else {},
        score=made.by_dimension if isinstance(made, Ratings) else {},
        unscored=f"{made.reason.value}: {made.detail}" if isinstance(made, Unscored) else "",
        before=cast(Mapping[str, Scores], detail["groups_before"]),
        after=cast(Mapping[str, Scores], detail["groups"]),
        transcripts=tuple(cast(Sequence[TranscriptDetail], detail["transcripts"])),
        synthesis=cast(SynthesisDetail | None, detail["synthesis"]),
    )
