"""Consolidation: the views of single stakeholders -> groups with distinct dimensions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import model_validator

from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Subject, Unscored

CONSOLIDATE = "consolidate_stakeholders"


@dataclass(frozen=True, slots=True)
class View:
    """What one stakeholder wants on one dimension, as a document has it."""

    stakeholder: str
    description: str
    dimension: str
    perspective: str


class MergedReply(Reply):
    """A dimension of a group, and the numbers of the views that it is made of."""

    dimension: str
    views: list[int]


class GroupReply(Reply):
    """Stakeholders who stand in the same relation to the work."""

    name: str
    description: str
    dimensions: list[MergedReply]


class Consolidation(Reply):
    """The groups, whatever numbers they name; `_consolidation_of` checks these."""

    groups: list[GroupReply]

    @property
    def decision(self) -> object:
        """Which views go together."""
        return {frozenset(frozenset(merged.views) for merged in group.dimensions) for group in self.groups}


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The groups that a model made of the views, or why it made none; with the calls it took."""

    groups: tuple[GroupReply, ...] | Unscored
    calls: tuple[Call, ...]


async def consolidate(
    judge: PromptedJudge, task: str, views: Sequence[View], llm: LLM, *, subject: str
) -> Consolidated:
    """The groups and dimensions that `views` fall into; each view (from 1) stands in exactly one.

    A reply that leaves a view out, names it twice or names one that is not there is asked again and then
    no consolidation: no view is dropped or moved to make it fit.

    Source: MAJ-EVAL, step 1 (semantic clustering of stakeholders; near-identical dimensions are merged,
    different views kept).
    """
    shown = "\n".join(f"[{number}] {_line(view)}" for number, view in enumerate(views, 1))
    asked = await ask(
        judge,
        render(CONSOLIDATE, task=task, views=shown, count=len(views)),
        _consolidation_of(len(views)),
        llm,
        stage="persona_consolidation",
        subject=Subject(subject),
    )
    if isinstance(asked.reply, Unscored):
        return Consolidated(asked.reply, asked.calls)
    return Consolidated(tuple(asked.reply.groups), asked.calls)


def _line(view: View) -> str:
    parts = (
        f"{view.stakeholder} ({view.description})",
        f"dimension: {view.dimension}",
        f"wants: {view.perspective}",
    )
    return " | ".join(" ".join(part.split()) for part in parts)


@cache
def _consolidation_of(count: int) -> type[Consolidation]:
    """The reply on `count` views: valid where each stands in it exactly once."""

    def check(reply: Consolidation) -> Consolidation:
        named = Counter(
            number for group in reply.groups for merged in group.dimensions for number in merged.views
        )
        everyone = set(range(1, count + 1))
        faults = {
            "left out": sorted(everyone - set(named)),
            "named more than once": sorted(number for number, times in named.items() if times > 1),
            "not there": sorted(set(named) - everyone),
        }
        said = [f"{fault}: {', '.join(map(str, numbers))}" for fault, numbers in faults.items() if numbers]
        if said:
            raise ValueError(
                f"each view from 1 to {count} must stand in exactly one dimension; {'; '.join(said)}"
            )
        if not all(
            group.dimensions and all(merged.views for merged in group.dimensions) for group in reply.groups
        ):
            raise ValueError("a group without a dimension, or a dimension without a view")
        return reply

    return type(
        "Consolidation",
        (Consolidation,),
        {"__module__": __name__, "check": model_validator(mode="after")(check)},
    )
