"""What a selector that asks people is told besides the question: that a run begins, what a choice led to."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from venire.errors import VenireError
from venire.judging.verdicts import Reduction, score
from venire.methods.juryflow.proceeding import Proceeding
from venire.methods.juryflow.select import FocalSelector
from venire.methods.protocol import Sitting
from venire.records import Outcome, Verdict


@runtime_checkable
class HasChoices(FocalSelector, Protocol):
    """A selector whose choices are in a file."""

    @property
    def choices(self) -> str:
        """The file; "": none."""
        ...


@runtime_checkable
class AsksPerson(HasChoices, Protocol):
    """A selector that waits for a person."""

    def stop_asking(self, reason: VenireError) -> None:
        """Give up the open question, and those to come: `select` raises `reason`."""
        ...


@runtime_checkable
class ShowsWhatChanged(AsksPerson, Protocol):
    """One that shows the person, too, what a choice led to; it is open while a run judges."""

    def attended(self, sitting: Sitting) -> AbstractAsyncContextManager[None]:
        """Within it people can be asked."""
        ...

    def resolved(self, change: "Change") -> None:
        """Stages 4 and 5 are through with a response."""
        ...

    def decided(self, outcome: Outcome) -> None:
        """An instance is judged."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """What stages 4 and 5 made of one response.

    Args:
        proceeding: all of it; it has a graph.
        reduction: how verdicts become the score.
    """

    proceeding: Proceeding
    reduction: Reduction

    @property
    def before(self) -> tuple[Verdict | None, ...]:
        """The panel's verdicts, claim by claim."""
        graph = self.proceeding.graph
        return tuple(node.verdict for node in graph.nodes) if graph else ()

    @property
    def after(self) -> tuple[Verdict | None, ...]:
        """The final verdicts."""
        return self.proceeding.verdicts

    @property
    def score_before(self) -> float | None:
        """The response's score by the panel alone; None where undefined."""
        return score(self.before, self.reduction)

    @property
    def score_after(self) -> float | None:
        """Its final score."""
        return score(self.after, self.reduction)
